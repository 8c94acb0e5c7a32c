"""Keywords: what a section is about that its siblings and its corpus are not.

In come documents and the corpus's statistics, out come a few phrases per section. `texts` turns sections into words and
`rank` scores and chooses; both are loaded only when keywords are asked for. No section's keywords depend on what else
is in the batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pinakes.enrich.options import KeywordOptions
from pinakes.enrich.statistics import Statistics
from pinakes.records import Document

if TYPE_CHECKING:
    from pinakes.ports import Embedder


def keywords(
    documents: Sequence[Document], statistics: Statistics, embedder: Embedder | None, options: KeywordOptions
) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """For each document, for each of its sections, its keywords, best first.

    Without an embedder contrast alone decides. A drawing's sections get none: its labels already stand there.
    """
    found: list[list[tuple[str, ...]]] = [[()] * len(document.sections) for document in documents]
    if options.enabled and options.top_n > 0:
        from pinakes.enrich.rank import rank
        from pinakes.enrich.texts import read_texts

        texts = [text for number, document in enumerate(documents) for text in read_texts(number, document, options)]
        for text, phrases in rank(documents, texts, statistics, embedder, options):
            found[text.document][text.position] = phrases
    return tuple(map(tuple, found))
