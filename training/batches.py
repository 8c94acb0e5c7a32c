"""Batches of pairs: part at random, part page by page, so that sections of one page are each other's negatives."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from training.material import Pair, Passage


@dataclass(frozen=True, slots=True)
class Mix:
    """What batches are made of."""

    kinds: Mapping[str, float]
    """How often each kind of pair is drawn, against the others."""
    siblings: float = 0.0
    """Share of a batch that is drawn page by page."""


def shown(pair: Pair, passages: Sequence[Passage]) -> str:
    """The passage as this pair shows it."""
    passage = passages[pair.passage]
    text = passage.bare if pair.is_bare else passage.text
    return " ".join(text.replace(pair.without, " ").split(" ")) if pair.without else text


def batches(pairs: Sequence[Pair], passages: Sequence[Passage], mix: Mix, size: int, seed: int) -> Iterator[list[int]]:
    """Numbers of pairs, batch after batch without end; no passage twice in one batch, for it would be its own
    negative."""
    chance = random.Random(seed)
    by_kind: dict[str, list[int]] = defaultdict(list)
    by_page: dict[int, list[int]] = defaultdict(list)
    for number, pair in enumerate(pairs):
        if mix.kinds.get(pair.kind, 0.0) > 0:
            by_kind[pair.kind].append(number)
            by_page[passages[pair.passage].page].append(number)
    kinds = sorted(by_kind)
    weights = [mix.kinds[kind] for kind in kinds]
    size = min(size, len({pairs[number].passage for held in by_kind.values() for number in held}))
    crowded = sorted(page for page, held in by_page.items() if len(held) >= 4)
    while True:
        taken: dict[int, int] = {}
        for _ in range(4 * size):
            if len(taken) >= size * mix.siblings or not crowded:
                break
            for number in chance.sample(by_page[chance.choice(crowded)], 4):
                taken.setdefault(pairs[number].passage, number)
        while len(taken) < size:
            kind = chance.choices(kinds, weights)[0]
            number = chance.choice(by_kind[kind])
            taken.setdefault(pairs[number].passage, number)
        yield list(taken.values())[:size]
