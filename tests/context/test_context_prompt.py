"""Prompts as providers take them, and what sessions cost."""

from __future__ import annotations

import json

import pytest

from pinakes.context import SessionRequest, TierTracker, assemble, for_anthropic, for_openai, read_session, replay
from pinakes.context.prompt import REMINDER
from pinakes.errors import ConfigError
from pinakes.records.context import ContextBlock, Tier
from pinakes.records.conversation import ChatMessage

BLOCKS = [
    ContextBlock("map:a.md", "1", "outline of a", 200),
    ContextBlock("map:b.md", "1", "outline of b", 200),
    ContextBlock("file:c.md", "1", "c in full", 50),
]
LAYOUT = TierTracker(100).update(BLOCKS, {"map:a.md": Tier.L1, "map:b.md": Tier.L3})
SAID = (ChatMessage("user", "hello"), ChatMessage("assistant", "yes?"))


def test_anthropic_gets_a_cache_mark_at_the_end_of_each_tier() -> None:
    request = for_anthropic(assemble("be kind", LAYOUT, SAID, "why?"))
    mark = {"cache_control": {"type": "ephemeral"}}
    assert request == {
        "system": [
            {"type": "text", "text": "be kind"},
            {"type": "text", "text": "outline of a", **mark},
            {"type": "text", "text": "outline of b", **mark},
            {"type": "text", "text": "c in full"},
        ],
        "messages": [
            {"role": "user", "content": "hello"},
            {"role": "assistant", "content": "yes?"},
            {"role": "user", "content": f"why?\n\n{REMINDER}"},
        ],
    }


def test_openai_gets_what_is_settled_first() -> None:
    request = for_openai(assemble("be kind", LAYOUT, (), "why?"))
    assert request == {
        "messages": [
            {"role": "system", "content": "be kind\n\noutline of a\n\noutline of b"},
            {"role": "system", "content": "c in full"},
            {"role": "user", "content": f"why?\n\n{REMINDER}"},
        ]
    }


def session(requests: int) -> list[str]:
    """A map of twenty files of which one is edited now and then, and a selected file that changes each time."""
    lines = []
    for number in range(requests):
        changed = {f"map:{file}.md": [f"0 {file}", 300, file // 4, file] for file in range(20)} if not number else {}
        if number % 5 == 4:
            changed[f"map:{number % 3}.md"] = [f"{number}", 300, 0, 0]
        changed["file:x.py"] = [f"{number}", 900]
        lines.append(json.dumps({"set": changed, "question": 50, "answer": 400}))
    return lines


def test_tiers_cost_less_than_the_usual_layouts() -> None:
    tiers, *others = replay(list(read_session(session(40), "s")))
    assert tiers.layout == "tiers"
    assert tiers.requests == 40
    assert all(tiers.cost < one.cost for one in others)
    assert all(tiers.cached > one.cached for one in others)
    fresh = next(one for one in others if one.layout == "everything fresh")
    assert (fresh.cached, fresh.cost) == (0, fresh.sent)


def test_each_mode_of_a_session_has_a_tracker_of_its_own() -> None:
    def request(mode: str) -> SessionRequest:
        blocks = tuple(ContextBlock(f"map:{mode}{number}", mode, mode, 500) for number in range(9))
        return SessionRequest(blocks, {one.key: 0 for one in blocks}, {}, 30, 200, mode)

    there_and_back = [request(mode) for mode in ("docs", "docs", "code", "docs")]
    stayed = [request("docs")] * 3
    tiers = replay(there_and_back)[0]
    assert tiers.cached == replay(stayed)[0].cached > 0


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        '{"set": {"a": 1}}',
        '{"set": {"a": ["x", "y"]}}',
        '{"question": []}',
        '{"question": 1e999}',
        '{"answer": -1}',
        '{"set": {"map:a.md": ["digest", 1e999, 0, 3]}}',
        "[" * 9999,
    ],
)
def test_a_line_that_is_no_request_is_named(line: str) -> None:
    with pytest.raises(ConfigError, match=r"s\.jsonl, line 2, is no request"):
        list(read_session([*session(1), line], "s.jsonl"))
