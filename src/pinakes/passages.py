"""Resolves an address, as a person or a model writes it, to a verbatim slice.

`locate` finds the document and section; it accepts a missing file ending, a different case or the words of a heading.
`passage` cuts the slice. An address that cannot be resolved raises `NotFound` with the nearest candidates.
"""

from __future__ import annotations

import re

from pinakes.errors import NotFound
from pinakes.fuzzy import FuzzyMatcher
from pinakes.ports import Reader
from pinakes.records import (
    CODE,
    HISTORY,
    ChunkId,
    CorpusName,
    Document,
    Filter,
    NameForm,
    Passage,
    Ref,
    Span,
    code_media_of,
    name_key,
    repeated_title,
)
from pinakes.render.text import unspelled
from pinakes.slugs import slug

_BEGINNING = re.compile(r"[0-9a-fA-F]{4,64}")
_LINES = re.compile(r":(\d{1,9})(?:-(\d{1,9}))?\Z")


def passage(reader: Reader, corpus: CorpusName, address: str) -> Passage:
    """The slice that ``path``, ``path#anchor``, ``path:12`` or ``path:12-30`` names; raises `NotFound`."""
    lines = _LINES.search(address)
    if lines and reader.document(Ref(corpus, address)) is not None:
        lines = None  # the file's own name ends like a line number
    ref = locate(reader, corpus, address[: lines.start()] if lines else address)
    document = reader.document(ref.document)
    if document is None:
        raise _unread(ref) or NotFound(
            f"“{ref.path}” is a file that is not read.", "Only Markdown, SVG and text can be opened."
        )
    if lines:
        return _cut_lines(document, Span(int(lines[1]) - 1, int(lines[2] or lines[1])))
    return _cut_section(document, ref.anchor)


def locate(reader: Reader, corpus: CorpusName, address: str) -> Ref:
    """The exact address; raises `NotFound` with the nearest candidates.

    Hidden files are never given out, even when a link leads to one.
    """
    if any(part[:1] == "." and part.strip(".") for part in address.partition("#")[0].split("/")):
        raise NotFound(f"“{address}” is hidden.", "Hidden files are never part of a library.")
    if _is_there(reader, Ref(corpus, address)):  # a file's own name comes first, whatever signs it holds
        return Ref(corpus, address)
    # Answers spell out letters that nobody sees; an address that was copied from one is read back.
    both = [Ref.parse(spelling, corpus) for spelling in dict.fromkeys((address, unspelled(address)))]
    wanted = next((ref for ref in both if _is_there(reader, ref)), both[0])
    path = wanted.path if _is_there(reader, wanted) else _path(reader, wanted)
    if not wanted.anchor:
        return Ref(wanted.corpus, path)
    anchors = reader.anchors(Ref(wanted.corpus, path))
    for spelling in (wanted.anchor, wanted.anchor.lower(), slug(wanted.anchor)):
        if spelling in anchors:
            return Ref(wanted.corpus, path, anchors[spelling])
    if not anchors and (unread := _unread(Ref(wanted.corpus, path))):
        raise unread
    near = FuzzyMatcher().closest(slug(wanted.anchor), anchors, count=3, at_least=0.5)
    raise NotFound(
        f"{path} has no section “{wanted.anchor}”.", _nearest(near, f"pinakes map {path} lists its sections.")
    )


def _is_there(reader: Reader, ref: Ref) -> bool:
    # Thousands of files may be called index.md: a document is found without looking at all of its namesakes.
    if reader.places([ref.document]):
        return True
    names = reader.names(ref.corpus, [name_key(ref.path)])
    return any(name.path == ref.path and name.form is NameForm.PATH for name in names)


def _unread(ref: Ref) -> NotFound | None:
    """Why a file of source code holds nothing to read among documents; None for every other file."""
    if ref.corpus == CODE or code_media_of(ref.path.rpartition("/")[2]).code is None:
        return None
    step = "Its symbols are read, and never renamed, where code.enabled is true."
    return NotFound(f"“{ref.path}” is source code, and no document.", step)


def commits_named(reader: Reader, beginning: str) -> list[Ref]:
    """The commits whose hash begins with `beginning`, at least four letters, sorted."""
    if not _BEGINNING.fullmatch(beginning):
        return []
    scope = reader.scope(Filter(corpora=(HISTORY,), paths=(f"{beginning.lower()}*",)))
    numbers = scope.documents if scope else frozenset()
    return sorted(found.ref.document for found in reader.slices([ChunkId(one, 0) for one in numbers]).values())


def _path(reader: Reader, wanted: Ref) -> str:
    if wanted.corpus == HISTORY and (commits := commits_named(reader, wanted.path)):
        if len(commits) > 1:
            near = [commit.path for commit in commits[:5]]
            raise NotFound(f"“{wanted.path}” matches several commits.", _nearest(near, ""))
        return commits[0].path
    path = wanted.path.replace("\\", "/").removeprefix("./")
    names = [name for name in reader.names(wanted.corpus, [name_key(path)]) if name.form is not NameForm.FOLDER]
    paths = sorted({name.path for name in names})
    if path in paths:
        return path
    index = [name.path for name in names if name.form is NameForm.INDEX and name.text == path.rstrip("/")]
    folded = path.casefold().rstrip("/")
    alike = [known for known in paths if known.casefold() in (folded, f"{folded}.md")]
    ending = [known for known in paths if known.casefold().endswith((f"/{folded}", f"/{folded}.md"))]
    for candidates in (index, alike, ending):
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            raise NotFound(f"“{wanted.path}” matches several documents.", _nearest(candidates[:5], ""))
    everything = [known.path for known in reader.listing(wanted.corpus)]
    near = paths[:3] or FuzzyMatcher().closest(path, everything, count=3, at_least=0.6)
    name = wanted.path if everything else f"{wanted.corpus}:{wanted.path}"  # the corpus itself may be misspelled
    raise NotFound(f"There is no document “{name}”.", _nearest(near, "pinakes status --files lists all files."))


def _nearest(candidates: list[str], otherwise: str) -> str:
    return f"Did you mean {' or '.join(candidates)}?" if candidates else otherwise


def _cut_section(document: Document, anchor: str) -> Passage:
    position = next((i for i, section in enumerate(document.sections) if section.anchor == anchor), 0)
    section = document.sections[position]
    return _passage(document, position, section.span, section.lines)


def _cut_lines(document: Document, lines: Span) -> Passage:
    starts = [0]
    starts += [found.end() for found in re.finditer(rb"\r\n|\n|\r", document.source)]
    if starts[-1] == len(document.source) and len(starts) > 1:
        starts.pop()
    if not 0 <= lines.start < len(starts) or lines.end <= lines.start:
        raise NotFound(f"{document.ref.path} has no such lines.", f"It has lines 1 to {len(starts)}.")
    end = min(lines.end, len(starts))
    span = Span(starts[lines.start], starts[end] if end < len(starts) else len(document.source))
    holders = [i for i, section in enumerate(document.sections) if span.start in section.span]
    return _passage(document, max(holders, default=0), span, Span(lines.start, end))


def _passage(document: Document, position: int, span: Span, lines: Span) -> Passage:
    return Passage(
        ref=document.section_ref(position),
        title=repeated_title(document.title),
        trail=document.trail(position),
        kind=document.kind,
        lines=lines,
        span=span,
        text=document.text(span),
        digest=document.digest,
    )
