"""Which pieces the table has a row for: those of the base model, and whole words that documentation is full of.

The base model's pieces come from books and an encyclopedia: it has to spell `json`, `github` and `webhook`. A table
cannot learn what a word means from how it is spelled, so such words get rows of their own. What separates words is
left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pinakes.neural.model_files import static_files
from pinakes.neural.word_pieces import CONTINUES, HUMP, WORD, folded

MOST_COMMON = 12_000
"""Words that are handed on; how many get rows is for a variant to say."""
_LETTERS = re.compile(r"[a-z][a-z0-9]{2,23}\Z")
_NO_WORD = re.compile(r"\[.+\]\Z")
_LEAST_PAGES = 3
"""A word must stand on so many pages of a repository to count there: fewer may be one author's slip."""


def common_words(repositories: Iterable[Iterable[Path]]) -> list[str]:
    """The words that stand on most pages, averaged over repositories so that a large one does not speak for all."""
    shares: Counter[str] = Counter()
    for pages in map(list, repositories):
        held = Counter(word for page in pages for word in _words(page))
        shares.update({word: number / len(pages) for word, number in held.items() if number >= _LEAST_PAGES})
    return sorted(shares, key=lambda word: (-shares[word], word))[:MOST_COMMON]


def _words(page: Path) -> set[str]:
    """The distinct words of a page that could have a row."""
    written = set(WORD.findall(page.read_text(encoding="utf-8", errors="replace")))
    return {word for word in map(folded, filter(_is_one, written)) if _LETTERS.match(word)}


def _is_one(word: str) -> bool:
    """Whether its spelling does not part it: `removeChild` is two words that need no row together."""
    return len(HUMP.findall(word)) == 1


def vocabulary(base: Mapping[str, int], words: Sequence[str], most: int) -> list[str]:
    """The pieces of a table: those of the base model that are letters or digits, and `most` words besides."""
    pieces = [
        piece
        for piece in sorted(base, key=lambda piece: base[piece])
        if not _NO_WORD.match(piece) and WORD.fullmatch(piece.removeprefix(CONTINUES))
    ]
    known = set(pieces)
    return pieces + [word for word in words if word not in known][:most]


def wordpieces(base: Mapping[str, int]) -> Mapping[str, int]:
    """The base model's pieces when they are those of words, else those of the table in the package: a table knows
    words by their letters, and other models cut texts into bytes."""
    if "[UNK]" in base:
        return base
    known = static_files().pieces.read_text(encoding="utf-8").split()
    last = max(number for number, piece in enumerate(known) if piece.startswith(CONTINUES))
    return {piece: number for number, piece in enumerate(known[: last + 1])}
