"""What a conversation says in the next prompt: nothing twice, nothing lost, the latest as messages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import pinakes
from kits.trees import write_tree
from pinakes.context import TierTracker, assemble
from pinakes.context.modes import ContextMode
from pinakes.conversation.history import UNANSWERED, history
from pinakes.library.context import ContextTrackers
from pinakes.records.context import ContextBlock, Tier
from pinakes.records.conversation import ChatMessage, SessionLine

ROLES = st.sampled_from(["user", "assistant", "system", "summary"])


def talk(*said: tuple[str, str], until: str = "") -> list[SessionLine]:
    """Lines by role and text; their ids are their numbers."""
    return [
        SessionLine(str(number), "2026-11-16T12:00:00+00:00", role, text, until=until if role == "summary" else "")  # type: ignore[arg-type]
        for number, (role, text) in enumerate(said, 1)
    ]


def conversation(count: int) -> list[SessionLine]:
    return talk(*(one for n in range(1, count + 1) for one in (("user", f"Q{n}?"), ("assistant", f"A{n}."))))


def test_nothing_was_said_yet() -> None:
    found = history([])
    assert (found.said, found.blocks, found.tokens) == ((), (), 0)
    assert found.question("First?") == "First?"


def test_the_latest_two_exchanges_are_messages_and_the_others_blocks() -> None:
    found = history(conversation(4))
    assert [(one.role, one.text) for one in found.said] == [
        ("user", "Q3?"),
        ("assistant", "A3."),
        ("user", "Q4?"),
        ("assistant", "A4."),
    ]
    assert [(one.key, one.is_recent) for one in found.blocks] == [
        ("history:000001", False),
        ("history:000002", False),
        ("history:000003", True),
        ("history:000004", True),
    ]
    assert "Q1?" in found.blocks[0].text
    assert "A1." in found.blocks[0].text


def test_an_exchange_keeps_its_key_and_its_bytes_for_ever() -> None:
    before = {one.key: (one.digest, one.text) for one in history(conversation(4)).blocks}
    after = {one.key: (one.digest, one.text) for one in history(conversation(12)).blocks}
    assert before.items() <= after.items()
    assert list(after) == sorted(after)


def test_what_was_noted_stands_before_the_question_that_followed() -> None:
    lines = talk(("user", "Q1?"), ("assistant", "A1."), ("system", "Switched to document mode"))
    found = history(lines)
    assert found.question("Q2?") == "[Switched to document mode]\n\nQ2?"
    lines += [SessionLine("8", "", "user", "Q2?"), SessionLine("9", "", "assistant", "A2.")]
    assert history(lines).said[2].text == found.question("Q2?")
    assert history(lines).question("Q3?") == "Q3?"


def test_a_question_without_an_answer_leaves_messages_in_turn() -> None:
    found = history(talk(("user", "Q1?"), ("user", "Q2?"), ("assistant", "  "), ("user", "Q3?"), ("assistant", "A3.")))
    assert [one.role for one in found.said] == ["user", "assistant"] * 2
    assert found.said[1].text == UNANSWERED
    assert found.said[3].text == "A3."


def test_a_summary_stands_for_what_it_says_and_nothing_else() -> None:
    lines = [*conversation(5), SessionLine("s", "", "summary", "They met.", until="4")]
    found = history(lines)
    assert [one.key for one in found.blocks] == [
        "history:000000",
        "history:000003",
        "history:000004",
        "history:000005",
    ]
    assert "They met." in found.blocks[0].text
    lines += [SessionLine("20", "", "user", "Q6?"), SessionLine("21", "", "assistant", "A6.")]
    assert [one.key for one in history(lines).blocks][1:] == [f"history:00000{number}" for number in (3, 4, 5, 6)]
    lines.append(SessionLine("t", "", "summary", "They met, and parted.", until="8"))
    assert [one.key for one in history(lines).blocks] == ["history:000000", "history:000005", "history:000006"]


def test_a_summary_of_lines_that_are_lost_hides_nothing() -> None:
    lines = [*conversation(3), SessionLine("s", "", "summary", "They met.", until="gone")]
    assert len(history(lines).blocks) == 4


@given(st.lists(st.tuples(ROLES, st.text(max_size=10)), max_size=14), st.integers(0, 15))
def test_whatever_lines_there_are_roles_take_turns_and_keys_are_in_order(
    said: list[tuple[str, str]], until: int
) -> None:
    found = history(talk(*said, until=str(until)))
    assert [one.role for one in found.said] == ["user", "assistant"] * (len(found.said) // 2)
    assert all(one.text.strip() or one.role == "user" for one in found.said)
    keys = [one.key for one in found.blocks]
    assert keys == sorted(set(keys))
    assert sum(one.is_recent for one in found.blocks) * 2 == len(found.said) <= 4


def printed(lines: Sequence[SessionLine], tracker: TierTracker, more: Sequence[ContextBlock] = ()) -> str:
    found = history(lines)
    layout = tracker.update([*more, *found.blocks])
    return assemble("System.", layout, found.said, found.question("And now?")).text()


def test_every_exchange_stands_in_the_prompt_exactly_once() -> None:
    tracker = TierTracker(cache_target=10)
    for count in range(1, 20):
        text = printed(conversation(count), tracker, [ContextBlock("file:a", str(count // 5), "File a.", 20)])
        for number in range(1, count + 1):
            assert text.count(f"Q{number}?") == 1
            assert text.count(f"A{number}.") == 1


def test_history_rises_along_with_something_else_only_and_the_latest_two_never() -> None:
    alone, together = TierTracker(cache_target=1), TierTracker(cache_target=1)
    for count in range(1, 13):
        blocks = history(conversation(count)).blocks
        layout = alone.update(blocks)
        assert {one.tier for one in layout.blocks} == {Tier.ACTIVE}
        files = [ContextBlock(f"file:{number}", "same", "File.", 500) for number in range(count)]
        layout = together.update([*files, *blocks])
        recent = [one for one in layout.blocks if one.block.is_recent]
        assert {one.stands_in for one in recent} == {Tier.ACTIVE}
        assert len(recent) == min(count, 2)
    risen = [one.block.key for one in layout.blocks if one.tier > Tier.ACTIVE]
    assert "file:0" in risen
    assert any(key.startswith("history:") for key in risen)


def test_exchanges_are_blocks_of_the_context_of_a_library(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.md": "# A\n\nText.\n", "b.md": "# B\n\n[a](a.md)\n"})
    with pinakes.open(tmp_path) as library:
        library.sync()
        trackers = ContextTrackers(library)
        for count in range(1, 5):
            found = history(conversation(count))
            context = trackers.update(
                ContextMode.DOCS, said=found.said, question=found.question("Now?"), more=found.blocks
            )
    keys = [one.block.key for one in context.layout.blocks]
    assert [key for key in keys if key.startswith("history:")] == [f"history:00000{number}" for number in (1, 2, 3, 4)]
    assert context.prompt.said[-1] == ChatMessage("assistant", "A4.")
    assert [context.prompt.text().count(f"Q{number}?") for number in (1, 2, 3, 4)] == [1, 1, 1, 1]
    assert context.tokens > sum(one.tokens for one in found.blocks)
