"""A whole conversation over a library, with a provider that keeps a real cache: it pays."""

from __future__ import annotations

from pathlib import Path

import pytest

import pinakes
from kits.providers import providing
from kits.trees import write_tree
from pinakes.context.modes import ContextMode
from pinakes.conversation import ConversationOptions
from pinakes.conversation.compaction import compact, is_too_long
from pinakes.conversation.history import history
from pinakes.conversation.models import chat_model
from pinakes.conversation.sessions import Sessions, line_id, now
from pinakes.library.context import ContextTrackers
from pinakes.library.corpora import store_folder
from pinakes.records.conversation import AnswerEnd, AnswerText, SessionLine, Usage

PARTS = ("Purpose", "How it works", "Limits of the first version", "What was decided and why", "Open questions")
PAGES = {
    f"guide/page-{number:02}.md": f"# Page {number}\n\n"
    + "".join(f"## {part} of {number}\n\nSee [next](page-{(number + 1) % 60:02}.md).\n\n" for part in PARTS)
    for number in range(60)
}


def talk(library: pinakes.Library, address: str, provider: str, questions: int, at_tokens: int) -> list[Usage]:
    """Ask as a workspace does; the usage of each answer."""
    options = ConversationOptions(provider, "m", address, compact_at_tokens=at_tokens)
    model = chat_model(options, {})
    trackers = ContextTrackers(library, model.cache_target)
    sessions = Sessions(store_folder(library.config))
    session = sessions.new()
    sessions.append(session, SessionLine(line_id(), now(), "system", "Switched to document mode", "docs"))
    used = []
    for number in range(questions):
        lines = sessions.read(session).lines
        if is_too_long(lines, at_tokens):
            summary = compact(lines, model, ContextMode.DOCS.system_prompt, at_tokens, line_id())
            assert summary is not None
            sessions.append(session, summary)
            lines = sessions.read(session).lines
        said = history(lines)
        question = f"What does page {number} say of limits?"
        context = trackers.update(
            ContextMode.DOCS, said=said.said, question=said.question(question), more=said.blocks, budget_tokens=6_000
        )
        sessions.append(session, SessionLine(line_id(), now(), "user", question, "docs"))
        pieces = list(model.answer(context.prompt))
        end = pieces[-1]
        assert isinstance(end, AnswerEnd)
        text = "".join(piece.text for piece in pieces if isinstance(piece, AnswerText))
        sessions.append(session, SessionLine(line_id(), now(), "assistant", text, "docs", usage=end.usage))
        used.append(end.usage)
    stored = [line.usage for line in sessions.read(session).lines if line.role == "assistant"]
    assert stored == used
    return used


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_most_of_what_is_sent_in_a_conversation_comes_from_the_cache(tmp_path: Path, provider: str) -> None:
    write_tree(tmp_path, PAGES)
    with pinakes.open(tmp_path) as library, providing(["It says little. " * 30]) as server:
        library.sync()
        used = talk(library, server.address(provider), provider, 12, 1_000_000)
    assert used[0].cached == 0
    assert all(one.cached and one.cached > 4_000 for one in used[1:])
    share = sum(one.cached or 0 for one in used) / sum(one.sent for one in used)
    assert share > 0.6


def test_a_long_conversation_is_summarised_on_its_way_and_goes_on(tmp_path: Path) -> None:
    write_tree(tmp_path, PAGES)
    with pinakes.open(tmp_path) as library, providing(["It says little. " * 80]) as server:
        library.sync()
        used = talk(library, server.anthropic, "anthropic", 14, 1_500)
        asked = [request.question for request in server.asked]
        (title,) = Sessions(store_folder(library.config)).list()
    summaries = [question for question in asked if "<conversation>" in question]
    assert len(summaries) >= 2
    assert len(asked) == 14 + len(summaries)
    assert (title.title, title.messages) == ("What does page 0 say of limits?", 28)
    assert max(one.sent for one in used[4:]) < used[0].sent + 4_000
