"""Where blocks stand before anything was observed of them.

Files that refer to each other are kept together and spread over three tiers, the most cited ones in the most settled
one: what many others cite is what changes least, and what a conversation comes back to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pinakes.context.tracker import CACHE_TARGET
from pinakes.records.context import ContextBlock, Tier

_TIERS = (Tier.L1, Tier.L2, Tier.L3)


def first_places(
    blocks: Sequence[ContextBlock],
    components: Mapping[str, int],
    cited: Mapping[str, int],
    cache_target: int = CACHE_TARGET,
) -> dict[str, Tier]:
    """A tier for each block that has a component, by key; the others begin as active. Each tier gets about as many
    tokens as the next, and a component that would fit in one is not divided. Where there is not enough for three tiers
    that can be cached, there are fewer."""
    together: dict[int, list[ContextBlock]] = {}
    for block in sorted(blocks, key=lambda block: block.key):
        if block.key in components:
            together.setdefault(components[block.key], []).append(block)
    total = sum(block.tokens for group in together.values() for block in group)
    # A component goes where its middle falls, so that a tier may get less than its share; half of one is room for that.
    count = min(max(int(total / (1.5 * max(cache_target, 1))), 1), len(_TIERS))
    tiers, share = _TIERS[-count:], total / count
    found: dict[str, Tier] = {}
    spent = 0.0
    ranked = sorted(together.items(), key=lambda one: (-_citations(one[1], cited), one[0]))
    for _, group in ranked:
        size = sum(block.tokens for block in group)
        for block in sorted(group, key=lambda block: (-cited.get(block.key, 0), block.key)):
            middle = spent + (size if size <= share else block.tokens) / 2
            found[block.key] = tiers[min(int(middle / share) if share else 0, count - 1)]
            if size > share:
                spent += block.tokens
        if size <= share:
            spent += size
    return found


def _citations(group: Sequence[ContextBlock], cited: Mapping[str, int]) -> int:
    return sum(cited.get(block.key, 0) for block in group)
