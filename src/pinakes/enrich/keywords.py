"""Keywords: what a section is about that its siblings and its corpus are not.

In come documents and the corpus's statistics, out come a few phrases per section. `texts` turns sections into words and
`rank` scores and chooses; both are loaded only when keywords are asked for. No section's keywords depend on what else
is in the batch.

`fingerprint` gives the name under which keywords made with certain options are kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import astuple

from pinakes.enrich.statistics import Statistics
from pinakes.records import Document

if TYPE_CHECKING:
    from pinakes.ports import Embedder

_RECIPE = "3"
"""Changes with every change to how keywords are chosen, so that older ones are made again."""


class KeywordOptions(Struct, frozen=True):
    """How many keywords a section gets, and which."""

    enabled: bool = True
    """Whether keywords are extracted at all."""
    top_n: int = 3
    """How many keywords a section gets; a section of 15 lines or more gets two more."""
    ngram: int = 2
    """The most words a keyword may have."""
    min_chars: int = 50
    """Sections with less text get none."""
    min_score: float = 0.0
    """Keywords with a lower score (0 to 1) are dropped; the best one of a section stays."""
    diversity: float = 0.2
    """How much similarity to a better keyword counts against a keyword: 0 not at all, 1 more than all else."""
    contrast_only_chars: int = 150
    """Sections with less text are scored by contrast alone: their own vector says too little."""
    max_doc_freq: float = 0.6
    """A phrase is dropped when all its words occur in a larger share of the document's sections; the best one stays."""
    model: str = "static"
    """The embedder that measures closeness of meaning."""


def fingerprint(options: KeywordOptions, embedder_name: str = "") -> str:
    """Equal fingerprints give equal keywords for equal documents and statistics."""
    digest = hashlib.blake2b(repr((_RECIPE, embedder_name, astuple(options))).encode(), digest_size=8)
    return digest.hexdigest()


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
