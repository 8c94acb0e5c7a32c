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
    """Keywords of a section; one of 15 lines or more gets two more."""
    ngram: int = 2
    """Words a keyword may have at most."""
    min_chars: int = 50
    """Sections with less text get none."""
    min_score: float = 0.0
    """Keywords scored lower (0 to 1) are left out, except a section's best one."""
    diversity: float = 0.2
    """How much likeness to a better keyword counts against one: 0 not at all, 1 above everything else."""
    contrast_only_chars: int = 150
    """In sections with less text, closeness of meaning is not asked: their own vector says too little."""
    max_doc_freq: float = 0.6
    """Phrases made of words that occur in a larger share of the document's sections tell none of them apart."""
    model: str = "static"
    """The embedder that measures closeness of meaning."""


def fingerprint(options: KeywordOptions, embedder_name: str = "") -> str:
    """Equal fingerprints give equal keywords for equal documents and statistics."""
    digest = hashlib.blake2b(repr((_RECIPE, embedder_name, astuple(options))).encode(), digest_size=8)
    return digest.hexdigest()
