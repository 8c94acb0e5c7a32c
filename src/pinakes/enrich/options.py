"""The settings of keyword extraction, and the name under which keywords made with them are kept."""

from __future__ import annotations

import hashlib
from dataclasses import astuple, dataclass

_RECIPE = "1"
"""Changes with every change to how keywords are chosen, so that older ones are made again."""


@dataclass(frozen=True, slots=True)
class KeywordOptions:
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
