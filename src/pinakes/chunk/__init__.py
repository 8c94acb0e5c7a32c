"""Where may it be cut?

A `Document` enters, its `Chunk`s leave: byte spans of its source with their lines, never text of their own. There are
two levels. *Section-level* chunks (their parent is themselves) are what search returns and what words match: each lies
in the own text of one section, so that a hit names one heading. *Passages* (their parent is the section-level chunk
that holds them) are shorter, for matching by meaning.

- Ordinals count in reading order; a section-level chunk is directly followed by its passages. One that fits in a
  passage has none, because the only passage would repeat it.
- Nothing is dropped: every line of the body with something on it is in a section-level chunk, and in a passage of it
  where that has passages. Blank lines at the ends of a chunk are left out of it.
- A heading inside a quotation starts no chunk: the text behind the quotation would be put under it.
- A section that is only a heading is a chunk too. Text before the first heading is a chunk of the root section;
  frontmatter is not text, and stands for the document only where there is nothing else.
- Differences of commits are cut before files and hunks, source code between symbols.
- Cuts fall between blocks, else between list items, sentences, lines, words, characters, in that order. Code blocks and
  tables stay whole unless one alone is over the limit; then they are cut between rows.

Chunking is pure, deterministic and takes time in proportion to the text. What chunks are matched or shown with
(headings, repeated fences and table headers, labels of drawings) is settled in other rooms.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from pinakes.chunk.options import ChunkOptions, fingerprint
from pinakes.records import Chunk, Document, Layout

__all__ = ["ChunkOptions", "chunk", "fingerprint"]

_USUAL = ChunkOptions()


def chunk(document: Document, options: ChunkOptions = _USUAL) -> tuple[Chunk, ...]:
    """The chunks of a document at both levels, in reading order."""
    return _cutter(document.stamp.media.layout)(document, options)


@cache
def _cutter(layout: Layout) -> Callable[[Document, ChunkOptions], tuple[Chunk, ...]]:
    """How documents of a layout are cut. Imported here: whoever only asks for the options cuts nothing."""
    from pinakes.chunk.code import code_chunks
    from pinakes.chunk.commits import commit_chunks
    from pinakes.chunk.plain import plain_chunks
    from pinakes.chunk.sections import drawing_chunks, section_chunks

    cutters = {Layout.COMMIT: commit_chunks, Layout.CODE: code_chunks, Layout.PLAIN: plain_chunks}
    if layout is Layout.DRAWING:
        return lambda document, _: drawing_chunks(document)
    return cutters.get(layout, section_chunks)
