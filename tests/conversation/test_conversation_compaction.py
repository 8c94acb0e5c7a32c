"""Summaries of long conversations: by a real request, of whole topics, and never of the latest two exchanges."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kits.providers import ScriptedAnswer, providing
from pinakes.context.modes import ContextMode
from pinakes.conversation import ChatModel, ConversationOptions
from pinakes.conversation.compaction import begins_topic, compact, cut, is_too_long
from pinakes.conversation.history import exchanges, history
from pinakes.conversation.models import chat_model
from pinakes.conversation.sessions import Sessions
from pinakes.errors import ConversationError
from pinakes.library.work.committing import propose_message
from pinakes.own_folder import OwnFolder
from pinakes.records.conversation import SessionLine

START = datetime.fromisoformat("2026-11-16T12:00:00+00:00")
FILLING = "word " * 100


def lines(*topics: tuple[str, int, tuple[str, ...]], pause_before: int = -1) -> list[SessionLine]:
    """Exchanges by mode, number and selected files."""
    found: list[SessionLine] = []
    at = START
    for mode, count, files in topics:
        if found and found[-1].mode != mode:
            found.append(SessionLine(f"n{len(found)}", at.isoformat(), "system", f"Switched to {mode} mode", mode))
        for _ in range(count):
            number = sum(one.role == "user" for one in found) + 1
            at += timedelta(hours=3) if number == pause_before else timedelta(minutes=1)
            found.append(SessionLine(f"q{number}", at.isoformat(), "user", f"Q{number}? {FILLING}", mode, files))
            found.append(SessionLine(f"a{number}", at.isoformat(), "assistant", f"A{number}. {FILLING}", mode))
    return found


def asking(address: str) -> ChatModel:
    return chat_model(ConversationOptions("openai", "m", address), {})


def test_little_that_was_said_is_not_too_long() -> None:
    said = lines(("code", 6, ()))
    assert not is_too_long(said, 100_000)
    assert is_too_long(said, 500)
    assert not is_too_long(said[:4], 1)


def test_the_latest_two_exchanges_stay_word_for_word_and_the_rest_is_one_block() -> None:
    said = lines(("code", 6, ()))
    with providing(["They spoke of words."]) as server:
        summary = compact(said, asking(server.openai), "System text.", 1_000, "s1")
    assert summary is not None
    assert (summary.role, summary.text, summary.until, summary.id) == ("summary", "They spoke of words.", "a4", "s1")
    assert summary.usage is not None
    found = history([*said, summary])
    assert [one.key for one in found.blocks] == ["history:000000", "history:000005", "history:000006"]
    assert [one.text for one in found.said] == [one.text for one in said[-4:]]
    sent = server.asked[0].body["messages"]
    assert [one["role"] for one in sent] == ["system", "user"]
    assert all(f"Q{number}?" in sent[1]["content"] for number in (1, 2, 3, 4))
    assert "Q5?" not in sent[1]["content"]


def test_the_model_is_told_what_the_present_mode_is_about() -> None:
    said = lines(("code", 4, ()), ("docs", 3, ()))
    with providing(["Code was discussed."]) as server:
        summary = compact(said, asking(server.openai), ContextMode.DOCS.system_prompt, 1_000, "s1")
    assert server.asked[0].body["messages"][0]["content"] == ContextMode.DOCS.system_prompt
    assert summary is not None
    assert summary.mode == "docs"


SIGNS = [
    lines(("code", 4, ()), ("docs", 4, ())),
    lines(("code", 4, ("a.py",)), ("code", 4, ("b.py", "c.py"))),
    lines(("code", 8, ()), pause_before=5),
]


@pytest.mark.parametrize("said", SIGNS, ids=["mode", "files", "pause"])
def test_a_topic_that_ended_is_summarised_as_a_whole_and_the_present_one_stays(said: list[SessionLine]) -> None:
    talk, _ = exchanges(said)
    assert [number for number in range(1, 8) if begins_topic(talk[number - 1], talk[number])] == [4]
    half = sum(one.tokens for one in talk[4:])
    assert cut(talk, 2 * half) == 4
    with providing(["The first topic."]) as server:
        summary = compact(said, asking(server.openai), "System.", 2 * half, "s")
    assert summary is not None
    assert summary.until == "a4"


def test_files_that_stay_selected_are_the_same_topic() -> None:
    talk, _ = exchanges(lines(("code", 2, ("a.py", "b.py")), ("code", 2, ("b.py", "c.py")), ("code", 2, ())))
    assert not any(begins_topic(talk[number - 1], talk[number]) for number in range(1, 6))


def test_the_summary_before_is_part_of_the_next_one() -> None:
    said = lines(("code", 6, ()))
    with providing(["First summary.", "Second summary."]) as server:
        first = compact(said, asking(server.openai), "System.", 1_000, "s1")
        assert first is not None
        more = [SessionLine(f"x{n}", START.isoformat(), "user" if n % 2 else "assistant", FILLING) for n in range(1, 7)]
        second = compact([*said, first, *more], asking(server.openai), "System.", 1_000, "s2")
    assert second is not None
    asked = server.asked[1].question
    assert "First summary." in asked
    assert "Q6?" in asked
    assert "Q1?" not in asked
    assert second.until == "x2"


def test_files_and_changes_are_named_and_endless_texts_are_cut() -> None:
    said = [
        SessionLine("q1", "", "user", "Mend it. " + "x" * 200_000, "code", ("src/a.py",)),
        SessionLine("a1", "", "assistant", "Done.", "code", edits=("src/b.py",)),
        *(SessionLine(f"z{number}", "", "user", "More?", "code") for number in range(2)),
    ]
    with providing(["Short."]) as server:
        compact(said, asking(server.openai), "System.", 1_000, "s")
    asked = server.asked[0].question
    assert "(files: src/a.py)" in asked
    assert "[Changed: src/b.py]" in asked
    assert len(asked) < 30_000


FAILURES = [
    ScriptedAnswer(status=500, message="no", headers=(("retry-after", "0"),)),
    ScriptedAnswer("Half a summ", stop="length"),
    ScriptedAnswer("   "),
    ScriptedAnswer("Half a summary that breaks off", cut_after=3),
]


@pytest.mark.parametrize("failing", FAILURES, ids=["error", "cut short", "empty", "broken"])
def test_a_model_that_fails_leaves_everything_as_it_was(tmp_path: Path, failing: ScriptedAnswer) -> None:
    held = Sessions(OwnFolder.below(tmp_path, tmp_path / ".pinakes"))
    session = held.new()
    for one in lines(("code", 5, ())):
        held.append(session, one)
    before = held.read(session)
    with providing([failing]) as server, pytest.raises(ConversationError):
        compact(before.lines, asking(server.openai), "System.", 1_000, "s")
    assert held.read(session) == before
    assert len(history(before.lines).blocks) == 5


def test_a_commit_message_that_was_cut_off_is_not_proposed() -> None:
    with providing(["Tell of tides", ScriptedAnswer("Tell of", stop="length"), ScriptedAnswer(" ")]) as server:
        assert propose_message(asking(server.openai), "+Tides") == "Tell of tides"
        for expected in ("did not finish the message", "proposed no message"):
            with pytest.raises(ConversationError, match=expected):
                propose_message(asking(server.openai), "+Tides")


def test_on_disk_every_word_stays(tmp_path: Path) -> None:
    held = Sessions(OwnFolder.below(tmp_path, tmp_path / ".pinakes"))
    session = held.new()
    for one in lines(("code", 5, ())):
        held.append(session, one)
    before = next((tmp_path / ".pinakes" / "sessions").glob("*.jsonl")).read_bytes()
    with providing(["Briefly."]) as server:
        summary = compact(held.read(session).lines, asking(server.openai), "System.", 1_000, "s")
    assert summary is not None
    held.append(session, summary)
    after = next((tmp_path / ".pinakes" / "sessions").glob("*.jsonl")).read_bytes()
    assert after.startswith(before)
    assert held.read(session).lines[-1] == summary
    assert len(held.read(session).lines) == 11
    assert not is_too_long(held.read(session).lines, 1_500)


def test_there_is_nothing_to_summarise_where_only_the_latest_was_said() -> None:
    with providing() as server:
        assert compact(lines(("code", 2, ())), asking(server.openai), "System.", 1_000, "s") is None
        assert compact([], asking(server.openai), "System.", 1_000, "s") is None
    assert server.asked == []


@given(st.lists(st.tuples(st.sampled_from(["code", "docs"]), st.integers(1, 4)), max_size=5), st.integers(1_000, 5_000))
def test_the_latest_two_are_never_cut_and_the_same_talk_is_cut_at_the_same_place(
    topics: list[tuple[str, int]], at_tokens: int
) -> None:
    talk, _ = exchanges(lines(*((mode, count, ()) for mode, count in topics)))
    end = cut(talk, at_tokens)
    assert 0 <= end <= max(len(talk) - 2, 0)
    assert end == cut(talk, at_tokens)
    if 0 < end < len(talk) - 2:
        assert begins_topic(talk[end - 1], talk[end])
        assert sum(one.tokens for one in talk[end:]) <= at_tokens / 2
