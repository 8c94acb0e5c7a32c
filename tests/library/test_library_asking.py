"""Questions whose answers cannot be kept, are stopped, or end while something else happens: the next one is taken."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kits.providers import ProviderServer, ScriptedAnswer, providing
from kits.trees import write_tree
from kits.waiting import HANG_S
from kits.work import in_thread
from pinakes.context.modes import ContextMode
from pinakes.errors import ConversationBusy, ConversationError
from pinakes.library import open_library
from pinakes.library.work.events import AnswerDone, AnswerFailed
from pinakes.library.workspace import Workspace, model_of
from pinakes.records.conversation import AnswerText

pytest.importorskip("openai", reason="needs the extra work")


@contextmanager
def asked_of(root: Path, answer: ScriptedAnswer) -> Iterator[tuple[Workspace, ProviderServer]]:
    """A workspace and the provider that it asks."""
    write_tree(root, {"a.md": "# Alpha\n\nText of alpha.\n"})
    with providing([answer]) as provider:
        chosen = {"work.provider": "openai", "work.model": "qwen3", "work.endpoint": provider.openai}
        with open_library(root, chosen) as library:
            library.sync()
            yield Workspace(library, model=lambda one: model_of(one, {})), provider


def block(root: Path, workspace: Workspace) -> None:
    """Have the session take no more lines."""
    file = root / f".pinakes/sessions/{workspace.log.id}.jsonl"
    file.rename(f"{file}.old")
    file.mkdir()


def test_an_answer_that_cannot_be_kept_is_a_failure_and_the_next_question_is_taken(tmp_path: Path) -> None:
    with asked_of(tmp_path, ScriptedAnswer("One two three.")) as (workspace, _):
        answering = workspace.ask("Count.")
        block(tmp_path, workspace)
        last = list(answering)[-1]
        assert isinstance(last, AnswerFailed) and "cannot be kept" in last.detail
        assert not workspace.is_answering
        workspace.begin_session()
        assert isinstance(list(workspace.ask("And now?"))[-1], AnswerDone)


def test_a_listener_who_goes_ends_an_answer_that_cannot_be_kept(tmp_path: Path) -> None:
    with asked_of(tmp_path, ScriptedAnswer("One two three.", hold_after=3)) as (workspace, provider):
        answering = workspace.ask("Count.")
        while not isinstance(next(answering), AnswerText):
            pass
        block(tmp_path, workspace)
        answering.close()
        assert provider.left.wait(HANG_S)
        assert not workspace.is_answering


def test_an_answer_ends_before_it_is_longer_than_a_session_keeps(tmp_path: Path) -> None:
    with asked_of(tmp_path, ScriptedAnswer("😀" * 700_000, piece=50_000)) as (workspace, _):
        last = list(workspace.ask("Smile."))[-1]
        assert isinstance(last, AnswerFailed) and "without an end" in last.detail
        _, answer, _ = workspace.log.lines
        assert len(answer.text) >= 600_000
        before = workspace.log.lines
        workspace.resume_session(workspace.log.id)
        assert workspace.log.lines == before


def test_a_summary_can_be_stopped(tmp_path: Path) -> None:
    held = ScriptedAnswer("Notes on everything.", hold_after=3, when="Summarise the conversation")
    with asked_of(tmp_path, held) as (workspace, provider):
        for question in ("One?", "Two?", "Three?"):
            list(workspace.ask(question))
        said: list[str] = []

        def summarise() -> None:
            with pytest.raises(ConversationError) as failed:
                workspace.compact()
            said.append(str(failed.value))

        summarising = in_thread(summarise)
        assert provider.held.wait(HANG_S)
        with pytest.raises(ConversationBusy, match="What was said is being summarised"):
            workspace.begin_session()
        assert workspace.stop()
        summarising.join(HANG_S)
        assert len(said) == 1 and not workspace.is_answering
        assert provider.left.wait(HANG_S)


def test_lines_from_several_threads_are_all_kept(tmp_path: Path) -> None:
    with asked_of(tmp_path, ScriptedAnswer()) as (workspace, _):
        list(workspace.ask("Well?"))
        log = workspace.log
        notes = [f"note {number}" for number in range(40)]
        threads = [
            in_thread(lambda some: [log.note(text, ContextMode.DOCS) for text in some], notes[start::4])
            for start in range(4)
        ]
        for thread in threads:
            thread.join(HANG_S)
        assert sorted(line.text for line in log.lines[2:]) == sorted(notes)
        log.resume(log.id)
        assert sorted(line.text for line in log.lines[2:]) == sorted(notes)
