"""The laws of tiers, over random conversations."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pinakes.context import TierTracker, first_places
from pinakes.records.context import ContextBlock, ContextLayout, Tier

TARGET = 100
CACHED = (Tier.L0, Tier.L1, Tier.L2, Tier.L3)
KEYS = [f"map:{letter}.md" for letter in "abcdefgh"] + ["file:x.py", "file:y.py"]


def block(key: str, version: int, tokens: int = 60) -> ContextBlock:
    return ContextBlock(key, f"{key} {version}", f"{key} version {version}", tokens)


Request = dict[str, int]
"""The version of each block that is there."""


@st.composite
def conversations(draw: st.DrawFn) -> list[Request]:
    """Requests that mostly repeat: now and then a block comes, goes or changes."""
    held: Request = {key: 0 for key in draw(st.lists(st.sampled_from(KEYS), min_size=1, unique=True))}
    found = [dict(held)]
    for _ in range(draw(st.integers(1, 30))):
        for key in draw(st.lists(st.sampled_from(KEYS), max_size=2)):
            if draw(st.booleans()):
                held[key] = held.get(key, 0) + 1
            elif len(held) > 1:
                held.pop(key, None)
        found.append(dict(held))
    return found


def blocks_of(request: Request) -> list[ContextBlock]:
    return [block(key, version, 20 + 13 * KEYS.index(key)) for key, version in request.items()]


def played(conversation: Sequence[Request]) -> list[ContextLayout]:
    tracker = TierTracker(TARGET)
    return [tracker.update(blocks_of(request)) for request in conversation]


@given(conversations())
def test_a_block_never_skips_a_tier(conversation: list[Request]) -> None:
    before: dict[str, Tier] = {}
    for layout in played(conversation):
        now = {one.block.key: one.tier for one in layout.blocks}
        for key, tier in now.items():
            assert tier <= before.get(key, Tier.ACTIVE) + 1
        before = now


@given(conversations())
def test_a_cached_tier_is_never_below_its_target(conversation: list[Request]) -> None:
    for layout in played(conversation):
        assert all(layout.tokens(tier) >= TARGET for tier in CACHED if layout.standing_in(tier))


@given(conversations())
def test_an_unchanged_request_changes_nothing(conversation: list[Request]) -> None:
    tracker = TierTracker(TARGET)
    for request in conversation:
        before = tracker.update(blocks_of(request))
        again = tracker.update(blocks_of(request))
        assert [before.text(tier) for tier in Tier] == [again.text(tier) for tier in Tier]


@given(conversations())
def test_a_change_leaves_the_tiers_above_as_they_were_but_for_what_rises(conversation: list[Request]) -> None:
    layouts = played(conversation)
    for number, (before, after) in enumerate(pairwise(layouts), 1):
        old, new = conversation[number - 1], conversation[number]
        was = {one.block.key: one for one in before.blocks}
        now = {one.block.key: one for one in after.blocks}
        touched = [was[key].tier for key in old if new.get(key) != old[key]]
        touched += [one.tier for key, one in now.items() if key in was and one.tier > was[key].tier]
        top = max(touched, default=Tier.ACTIVE)
        for tier in CACHED:
            if tier > top and before.standing_in(tier):
                assert after.text(tier) == before.text(tier)


@given(conversations())
def test_every_block_stands_once_and_in_order(conversation: list[Request]) -> None:
    for request, layout in zip(conversation, played(conversation), strict=True):
        keys = [one.block.key for one in layout.blocks]
        assert sorted(keys) == sorted(request)
        assert [one.stands_in for one in layout.blocks] == sorted(
            (one.stands_in for one in layout.blocks), reverse=True
        )
        for tier in Tier:
            assert [one.block.key for one in layout.standing_in(tier)] == sorted(
                one.block.key for one in layout.standing_in(tier)
            )


def test_a_block_that_stays_rises_step_by_step_when_others_change() -> None:
    tracker = TierTracker(TARGET)
    tiers = []
    for request in range(14):
        layout = tracker.update([block("map:a.md", 0, 500), block("file:x.py", request, 400)])
        tiers.append(next(one.tier for one in layout.blocks if one.block.key == "map:a.md"))
    assert tiers[:3] == [Tier.ACTIVE] * 3
    assert Tier.L3 in tiers
    assert tiers == sorted(tiers)


def test_web_pages_stand_before_everything_else_that_is_active() -> None:
    layout = TierTracker(TARGET).update([block("file:x.py", 0), block("url:https://a.example/", 0), block("map:a", 0)])
    assert [one.block.key for one in layout.blocks] == ["url:https://a.example/", "file:x.py", "map:a"]


def test_a_corrected_typo_keeps_the_text_that_was_sent() -> None:
    tracker = TierTracker(TARGET)
    tracker.update([ContextBlock("map:a.md", "same", "a.md ~10ln", 200)])
    layout = tracker.update([ContextBlock("map:a.md", "same", "a.md ~11ln", 200)])
    assert layout.text(Tier.ACTIVE) == "a.md ~10ln"


def test_what_was_said_rises_only_with_something_else_and_the_last_exchanges_never() -> None:
    tracker = TierTracker(TARGET)
    for request in range(12):
        layout = tracker.update([block("history:0", 0, 900), block("file:x.py", request, 50)])
    assert all(one.tier is Tier.ACTIVE for one in layout.blocks)
    for request in range(12):
        recent = ContextBlock("history:1", "1", "said", 900, is_recent=True)
        layout = tracker.update([block("history:0", 0, 900), recent, block("map:a.md", 0), block("file:x.py", request)])
    tiers = {one.block.key: one.tier for one in layout.blocks}
    assert tiers["map:a.md"] > Tier.ACTIVE
    assert tiers["history:0"] > Tier.ACTIVE
    assert tiers["history:1"] is Tier.ACTIVE


def test_at_first_what_hangs_together_stays_together_and_the_most_cited_is_most_settled() -> None:
    blocks = [block(key, 0, 100) for key in KEYS[:6]]
    components = dict(zip(KEYS[:6], (0, 0, 1, 1, 2, 2), strict=True))
    places = first_places(blocks, components, {KEYS[2]: 9, KEYS[4]: 4}, TARGET)
    assert [places[key] for key in KEYS[:6]] == [Tier.L3, Tier.L3, Tier.L1, Tier.L1, Tier.L2, Tier.L2]
    layout = TierTracker(TARGET).update(blocks, places)
    assert [layout.tokens(tier) for tier in CACHED] == [0, 200, 200, 200]


def test_a_tier_that_loses_a_block_each_time_is_not_written_to_a_cache_until_it_settles() -> None:
    tracker, keys = TierTracker(TARGET), [f"map:{number:02}.md" for number in range(20)]

    def is_cached(gone: int) -> bool:
        layout = tracker.update([block(key, 0, 500) for key in keys[gone:]], dict.fromkeys(keys, Tier.L0))
        return bool(layout.standing_in(Tier.L0))

    assert [is_cached(gone) for gone in range(6)] == [True, True, True, False, False, False]
    assert not any(is_cached(5) for _ in range(3))  # nothing changed, so nothing moves
    assert is_cached(6)
