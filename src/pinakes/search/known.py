"""How much of a text does a table of words know?

The tools of a search enter, a factor from 0 to 1 leaves for the weight of meaning. An embedder that is a table of words
spells a word that it has no row for, and says little about texts full of such words: about medicine, search with the
table of the package is worse than words alone. What it knows is measured on some sections of the corpus, always the
same ones for the same texts, and once for each state of the vectors. Other embedders count in full.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable
from weakref import WeakKeyDictionary

from pinakes.errors import StoreError
from pinakes.ports import Cosines
from pinakes.records import ChunkId
from pinakes.search.plan import SearchOptions, Tools

_SECTIONS = 24
"""Sections that are read: three thousand words, a few milliseconds."""
LITTLE, ENOUGH = 0.84, 0.9
"""Share of words with a row below which a table says next to nothing, and from which on it counts in full. In
documentation of software it is .92 and more, in abstracts of medicine .83 (docs/search.md)."""
LEAST = 0.1
"""What is left of the weight where a table knows little: what only meaning finds is still found, behind the rest.
What words alone would answer is then answered."""
_MEASURED: WeakKeyDictionary[Cosines, float] = WeakKeyDictionary()


@runtime_checkable
class WordTable(Protocol):
    """An embedder that has a row for each word it knows."""

    def known_share(self, texts: Sequence[str]) -> float:
        """Of the words of these texts, how many have a row of their own; 1 where there are too few to tell."""
        ...


@runtime_checkable
class Sampled(Protocol):
    """Vectors of which some can be named."""

    def sample(self, most: int) -> Sequence[ChunkId]:
        """Some of the chunks, the same ones for the same texts; none where that would take long."""
        ...


def familiarity(tools: Tools, options: SearchOptions) -> float:
    """What the weight of meaning is multiplied with. Where words are not asked, it stands alone."""
    meaning = tools.meaning
    if meaning is None or meaning.finer is not None or not isinstance(meaning.embedder, WordTable):
        return 1.0
    if tools.words is None or "words" in options.leave_out or not isinstance(meaning.vectors, Sampled):
        return 1.0
    known = _MEASURED.get(meaning.vectors)
    if known is None:
        try:
            sample = tools.reader.slices(meaning.vectors.sample(_SECTIONS))
        except StoreError:
            return 1.0
        known = _MEASURED[meaning.vectors] = meaning.embedder.known_share([one.text for one in sample.values()])
    return min(1.0, max(LEAST, (known - LITTLE) / (ENOUGH - LITTLE)))
