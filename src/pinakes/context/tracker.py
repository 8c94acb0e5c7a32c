"""Which blocks a provider's cache should keep: a tracker watches requests and moves blocks between tiers.

Blocks of a request enter, a `ContextLayout` leaves. A cache keeps the beginning of a prompt up to the first byte that
changed. So what never changes stands first, and nothing moves without need: a block that moves into a tier changes
that tier and everything behind it. It rises when the tier it goes to changes anyway, or when that saves more tokens
than it costs. In a request in which no block came, went or changed, nothing moves at all. A tier that is sent anew
nearly every time is not cached, because to write it to a cache costs more than to send it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from math import inf

from msgspec import Struct
from msgspec.structs import replace

from pinakes.records.context import ContextBlock, ContextLayout, PlacedBlock, Tier

CACHE_TARGET = 1_127
"""Tokens that a cached tier holds at least: what providers cache, 1,024, and a tenth more."""
READING, WRITING = 0.1, 1.25
"""What a token costs that is read from a cache or written to it, where one that is neither costs 1."""
_HORIZON = 4
"""Requests for which a block is trusted to stay as it is: by recorded sessions, 3 to 5 do equally well."""
_REMEMBERED = 8
"""Requests by which it is judged how often a tier changes."""
_FEWEST = 3
"""With fewer than these, nothing is said of how often it changes."""
_RESTLESS = 1 - (WRITING - 1) / (WRITING - READING)
"""A tier that is sent anew in a larger share of requests costs more with a cache than without one."""
_HISTORY = "history:"
_PAGE = "url:"


class _Held(Struct, frozen=True):
    block: ContextBlock
    tier: Tier
    number: int


class TierTracker:
    """What one conversation in one mode has seen of its blocks."""

    def __init__(self, cache_target: int = CACHE_TARGET) -> None:
        self._target = cache_target
        self._held: dict[str, _Held] = {}
        self._changes: dict[Tier, deque[bool]] = {tier: deque(maxlen=_REMEMBERED) for tier in Tier}
        self._restless: frozenset[Tier] = frozenset()
        """Tiers that are sent anew so often that no cache shall keep them."""

    def update(self, blocks: Iterable[ContextBlock], first: Mapping[str, Tier] | None = None) -> ContextLayout:
        """Take note of a request. `first` places blocks in the very first one, when nothing was observed yet."""
        wanted = {block.key: block for block in blocks}
        places = first if first and not self._held else {}
        changed = {held.tier for key, held in self._held.items() if key not in wanted}
        now: dict[str, _Held] = {}
        for key, block in wanted.items():
            before = self._held.get(key)
            if before is not None and before.block.digest == block.digest:
                # The text stays as it was sent, or a corrected typo would cost the cache.
                kept = replace(before.block, is_recent=block.is_recent)
                # Exchanges count from when they are no longer the latest: sooner, they would rise before they settled.
                now[key] = _Held(kept, before.tier, before.number + (not before.block.is_recent))
                continue
            tier = places.get(key, Tier.ACTIVE)
            now[key] = _Held(block, tier, tier.enters_with)
            changed |= {tier, before.tier} if before is not None else {tier}
        is_first, self._held = not self._held, now
        if changed and not places:
            changed |= self._rise(max(changed))
        if not is_first:
            for tier, seen in self._changes.items():
                seen.append(tier in changed)
        if changed:
            self._restless = frozenset(filter(self._is_restless, Tier))
        return self.layout()

    def copy(self) -> TierTracker:
        """Another tracker that has seen the same, to try out what a request would come to."""
        other = TierTracker(self._target)
        other._held = dict(self._held)
        other._changes = {tier: seen.copy() for tier, seen in self._changes.items()}
        other._restless = self._restless
        return other

    def layout(self) -> ContextLayout:
        """Where every block stands now. A tier that is too small to be cached, or changes too often, rides in the next
        lower one."""
        placed: list[PlacedBlock] = []
        riding: list[_Held] = []
        for tier in sorted(Tier, reverse=True):
            own = [*riding, *self._in(tier)]
            size = sum(one.block.tokens for one in own)
            stands = tier is Tier.ACTIVE or (size >= self._target and tier not in self._restless)
            if stands:
                # Web pages stay as they were fetched, so they stand before what is active and changes.
                first = _PAGE if tier is Tier.ACTIVE else ""
                ordered = sorted(own, key=lambda one: (not one.block.key.startswith(first), one.block.key))
                placed += [PlacedBlock(one.block, one.tier, tier, one.number) for one in ordered]
            riding = [] if stands else own
        return ContextLayout(tuple(placed))

    def _in(self, tier: Tier) -> list[_Held]:
        return [one for one in self._held.values() if one.tier is tier]

    def _rise(self, top: Tier) -> set[Tier]:
        """Let blocks rise by one tier each; returns the tiers that changed by it. Whatever stands at or behind `top`
        is sent anew anyway."""
        moved: set[Tier] = set()
        for tier in sorted((one for one in Tier if one is not Tier.ACTIVE), reverse=True):
            ready = self._ready_for(tier)
            anew = max([top, *moved])
            if ready and (tier <= anew or self._pays(tier, ready, anew)):
                moved |= {tier, Tier(tier - 1)}
                for one in ready:
                    self._held[one.block.key] = _Held(one.block, tier, tier.enters_with)
        return moved

    def _ready_for(self, tier: Tier) -> Sequence[_Held]:
        """The blocks that may rise into a tier and have room there, those that stayed longest first. What was said
        rises only along with something else."""
        below = [one for one in self._in(Tier(tier - 1)) if one.number >= tier.enters_with and not one.block.is_recent]
        ready, room = [], self._room_in(tier)
        for one in sorted(below, key=lambda held: (-held.number, held.block.key)):
            room -= one.block.tokens
            if room < 0:
                break
            ready.append(one)
        return ready if any(not one.block.key.startswith(_HISTORY) for one in ready) else ()

    def _room_in(self, tier: Tier) -> float:
        """The tokens that may still rise into a tier. If all that is settled stood in the highest one, a single change
        would have all of it sent anew; so the two highest take a half each at most."""
        if tier < Tier.L1:
            return inf
        settled = sum(one.block.tokens for one in self._held.values() if one.tier is not Tier.ACTIVE)
        return max(settled / 2, 2 * self._target) - sum(one.block.tokens for one in self._in(tier))

    def _pays(self, tier: Tier, ready: Sequence[_Held], anew: Tier) -> bool:
        """Whether a tier and everything behind it should be sent anew once, so that some blocks are so less often. What
        stands at or behind `anew` is sent anew in any case."""
        source = Tier(tier - 1)
        rising = sum(one.block.tokens for one in ready)
        behind = sum(one.block.tokens for one in self._held.values() if anew < one.tier <= tier)
        if source is Tier.ACTIVE:
            saved = rising * (1 - READING) * _HORIZON
        else:
            seen = self._changes[source]
            saved = rising * (WRITING - READING) * _HORIZON * (sum(seen) / len(seen) if seen else 0)
        return saved > behind * (WRITING - READING) + rising * (WRITING - READING)

    def _is_restless(self, tier: Tier) -> bool:
        """Whether a tier, or one before it, changed nearly every time."""
        if tier is Tier.ACTIVE:
            return False
        before = [self._changes[one] for one in Tier if one >= tier]
        anew = [any(changes) for changes in zip(*before, strict=True)]
        return len(anew) >= _FEWEST and sum(anew) / len(anew) > _RESTLESS
