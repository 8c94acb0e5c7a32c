"""`pinakes ask` against a provider on this machine: answers, changes, sessions, and what can go wrong."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from kits.git import Repo, needs_git
from kits.hostile import Ran, one_line, pinakes_here
from kits.providers import ProviderServer, ScriptedAnswer, providing
from kits.trees import write_tree
from kits.waiting import HANG_S

pytest.importorskip("anthropic")
pytest.importorskip("openai")

FILES = {
    "pinakes.toml": "",
    "guide/tides.md": "# Tides\n\nHigh water comes twice a day.\n",
    "guide/cranes.md": "# Cranes\n\nThey lift.\n",
    "src/crane.py": "def lift(tonnes):\n    return tonnes\n",
}
EDIT = """\
Low water was missing.

guide/tides.md
<<<<<<< FIND
High water comes twice a day.
=======
High water comes twice a day, and so does low water.
>>>>>>> END
"""
AFTER = "# Tides\n\nHigh water comes twice a day, and so does low water.\n"
DIFF = """\
--- a/guide/tides.md
+++ b/guide/tides.md
@@ -1,3 +1,3 @@
 # Tides
\x20
-High water comes twice a day.
+High water comes twice a day, and so does low water.
"""
Say = Callable[..., ProviderServer]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "library", FILES)


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch) -> Iterator[Say]:
    """Start a provider that gives these answers, and have the settings name it."""
    servers = []

    def start(*answers: ScriptedAnswer | str, provider: str = "anthropic") -> ProviderServer:
        running = providing(answers)
        server = running.__enter__()
        servers.append(running)
        settings = {
            "PINAKES_WORK_PROVIDER": provider,
            "PINAKES_WORK_MODEL": "a-model",
            "PINAKES_WORK_ENDPOINT": server.address(provider),
            "ANTHROPIC_API_KEY": "key",
            "OPENAI_API_KEY": "key",
        }
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        return server

    yield start
    for one in servers:
        one.__exit__(None, None, None)


def text(root: Path, path: str = "guide/tides.md") -> str:
    return (root / path).read_text()


def system_of(server: ProviderServer, number: int = -1) -> str:
    """What the model was shown with a question."""
    body = server.asked[number].body
    return json.dumps(body.get("system", body["messages"]), ensure_ascii=False)


def asked(root: Path, *words: str, code: int = 0) -> Ran:
    ran = pinakes_here(root, "ask", *words)
    assert ran.code == code, ran.both
    return ran


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_an_answer_is_printed_and_counted(root: Path, says: Say, provider: str) -> None:
    server = says("It comes twice a day.", provider=provider)
    ran = asked(root, "When", "is", "high", "water?", "--select", "guide/tides.md")
    assert ran.out == "It comes twice a day.\n"
    assert " tokens sent" in ran.error
    assert "; session 20" in ran.error
    assert server.asked[0].question.startswith("When is high water?")
    assert "guide/tides.md in full:" in system_of(server)
    assert "guide/cranes.md" in system_of(server)
    assert server.asked[0].body["model"] == "a-model"


def test_changes_are_shown_and_only_written_when_told_so(root: Path, says: Say) -> None:
    says(EDIT)
    ran = asked(root, "What is missing?")
    assert ran.out == f"{EDIT}\n{DIFF}"
    assert "Nothing was written. --apply writes the changes." in ran.error
    assert text(root) == FILES["guide/tides.md"]
    assert "--apply writes" not in asked(root, "What is missing?", "--dry-run").error
    assert text(root) == FILES["guide/tides.md"]
    ran = asked(root, "What is missing?", "--apply")
    assert "written: guide/tides.md. pinakes ask --undo takes it back." in ran.error
    assert text(root) == AFTER
    assert pinakes_here(root, "search", "low water", "--no-sync").code == 0, "the index knows of it at once"
    assert asked(root, "--undo").out == "taken back: guide/tides.md\n"
    assert text(root) == FILES["guide/tides.md"]
    assert one_line(asked(root, "--undo", code=1)).endswith(".")


def test_what_does_not_fit_is_refused_with_the_nearest_text(root: Path, says: Say) -> None:
    wrong = EDIT.replace("High water comes twice a day.", "High water comes thrice a day.", 1)
    says(wrong, wrong + EDIT)
    ran = asked(root, "Change it", "--apply", code=1)
    assert "guide/tides.md is not changed here: " in ran.error
    assert "The nearest text is: High water comes twice a day." in ran.error
    assert text(root) == FILES["guide/tides.md"]
    assert "written: guide/tides.md" in asked(root, "Again", "--apply").error
    assert text(root) == AFTER


@pytest.mark.parametrize("path", ["../outside.md", ".pinakes/library.db", "/etc/motd", ".env"])
def test_nothing_is_written_outside_or_into_hidden_files(root: Path, says: Say, path: str) -> None:
    says(f"{path}\n<<<<<<< FIND\n=======\nowned\n>>>>>>> END\n")
    ran = asked(root, "Do it", "--apply", code=1)
    assert "is not changed here" in ran.error
    assert not (root.parent / "outside.md").exists()
    assert not (root / ".env").exists()


def test_json_has_everything_and_asks_nothing(root: Path, says: Say) -> None:
    says(EDIT)
    found = json.loads(asked(root, "What is missing?", "--json").out)
    assert found["answer"] == EDIT
    assert found["diff"] == DIFF
    assert (found["changed"], found["refused"], found["is_whole"], found["mode"]) == ([], [], True, "docs")
    assert found["usage"]["answered"] > 0
    assert json.loads(asked(root, "Again", "--json", "--apply").out)["changed"] == ["guide/tides.md"]
    assert text(root) == AFTER
    assert json.loads(asked(root, "--undo", "--json").out) == {"changed": ["guide/tides.md"]}


def test_a_session_goes_on(root: Path, says: Say) -> None:
    server = says("Tides rise.", EDIT, "As I said.", "Another.")
    first = json.loads(asked(root, "What do tides do?", "--json").out)
    asked(root, "--continue", "Write that down", "--apply")
    said = json.dumps(server.asked[1].body["messages"])
    assert "What do tides do?" in said
    assert "Tides rise." in said
    asked(root, "--undo")
    third = json.loads(asked(root, "--session", first["session"], "And then?", "--json").out)
    assert third["session"] == first["session"]
    assert "Changes taken back: guide/tides.md" in json.dumps(server.asked[2].body)
    other = json.loads(asked(root, "Something else", "--json").out)
    assert other["session"] != first["session"]
    assert "Tides rise" not in json.dumps(server.asked[3].body)
    listed = asked(root, "--sessions").out.splitlines()
    assert {line.split()[0] for line in listed} == {first["session"], other["session"]}
    assert "What do tides do?" in asked(root, "--sessions", "Write", "that").out
    nothing = asked(root, "--sessions", "nobody said this", code=1)
    assert (nothing.out, nothing.error.strip()) == ("", "pinakes: These words occur in no session.")


def test_that_there_are_no_sessions_yet_is_said(root: Path) -> None:
    none = asked(root, "--sessions")
    assert (none.out, none.error.strip()) == ("", "pinakes: There are no sessions yet.")
    assert json.loads(asked(root, "--sessions", "--json").out) == []


def test_code_is_asked_about_in_code_mode_and_a_session_keeps_its_mode(root: Path, says: Say) -> None:
    write_tree(root, {"pinakes.toml": "[code]\nenabled = true\n"})
    server = says("It lifts.")
    assert json.loads(asked(root, "What does it do?", "--mode", "code", "--json").out)["mode"] == "code"
    assert "source code" in system_of(server)
    assert "f lift" in system_of(server)
    assert json.loads(asked(root, "And?", "--continue", "--json").out)["mode"] == "code"
    assert json.loads(asked(root, "And?", "--continue", "--mode", "docs", "--json").out)["mode"] == "docs"
    assert "Switched to document mode" in json.dumps(server.asked[-1].body)
    assert "You help people who write and decide" in system_of(server)


@needs_git
def test_changes_that_are_not_committed_can_be_reviewed(root: Path, says: Say) -> None:
    server = says("They look right.")
    Repo(root).commit("first")
    write_tree(root, {"guide/tides.md": AFTER})
    asked(root, "Did I forget something?", "--review", "HEAD")
    assert "+High water comes twice a day, and so does low water." in system_of(server)
    one_line(asked(root, "What?", "--review", "nothing..HEAD", code=1))


def test_another_model_is_asked_when_one_is_named(root: Path, says: Say) -> None:
    server = says("Yes.")
    asked(root, "Are you there?", "--model", "larger")
    assert server.asked[0].body["model"] == "larger"


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"ANTHROPIC_API_KEY": ""}, "ANTHROPIC_API_KEY"),
        ({"PINAKES_WORK_MODEL": ""}, "model"),
        ({"PINAKES_WORK_PROVIDER": "nobody"}, "provider"),
        ({"PINAKES_WORK_ENDPOINT": "file:///etc/passwd"}, "endpoint"),
    ],
)
def test_without_a_model_nothing_is_indexed_and_the_exit_code_is_2(
    root: Path, says: Say, monkeypatch: pytest.MonkeyPatch, settings: Mapping[str, str], sentence: str
) -> None:
    server = says("Never asked.")
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    if not settings.get("PINAKES_WORK_ENDPOINT") and "ANTHROPIC_API_KEY" in settings:
        monkeypatch.delenv("PINAKES_WORK_ENDPOINT")
    assert sentence in one_line(asked(root, "Is anybody there?", code=2))
    assert not (root / ".pinakes").exists()
    assert server.asked == []


@pytest.mark.parametrize(
    ("answer", "printed"),
    [
        (ScriptedAnswer(status=401, message="bad key"), ""),
        (ScriptedAnswer(status=404, message="no such model"), ""),
        (ScriptedAnswer("Half of the answer is here", cut_after=5), "Half of"),
        (ScriptedAnswer("Half of the answer", error_after=4, kind="overloaded_error", message="busy"), "Half"),
    ],
)
def test_an_answer_that_fails_ends_with_a_sentence(root: Path, says: Say, answer: ScriptedAnswer, printed: str) -> None:
    says(answer)
    ran = asked(root, "What now?", code=2)
    assert ran.out.startswith(printed)
    assert ran.out.endswith("\n") or not ran.out
    one_line(ran)


def test_an_answer_that_reached_its_limit_says_so(root: Path, says: Say) -> None:
    says(ScriptedAnswer("Cut", stop="max_tokens"))
    ran = asked(root, "Tell me everything")
    assert "the answer is not whole" in ran.error


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("  ",),
        ("a", "--apply", "--dry-run"),
        ("a", "--undo"),
        ("a", "--session", "x", "--continue"),
        ("a", "--mode", "both"),
    ],
)
def test_what_cannot_be_meant_is_an_error_of_usage(root: Path, says: Say, words: Sequence[str]) -> None:
    server = says("Never asked.")
    one_line(asked(root, *words, code=2))
    assert server.asked == []


def test_what_is_not_there_is_not_found(root: Path, says: Say) -> None:
    server = says("Never asked.")
    for words in (
        ("a", "--select", "gone.md"),
        ("a", "--select", "../outside.md"),
        ("a", "--continue"),
        ("a", "--session", "20200101-000000-abcdef"),
        ("a", "--session", "../../etc/passwd"),
    ):
        one_line(asked(root, *words, code=1))
    assert server.asked == []


def test_an_answer_cannot_steer_the_terminal(root: Path, says: Say) -> None:
    says(EDIT.replace("low water", "\x1b]0;owned\x07 low \u202e water"))
    asked(root, "Write", "--dry-run")  # which looks at everything that is printed


def test_ctrl_c_ends_the_request_and_what_came_is_kept(root: Path, says: Say) -> None:
    server = says(ScriptedAnswer("The beginning of a long answer.", hold_after=4), "Go on.")
    command = [sys.executable, "-m", "pinakes", "ask", "Tell me everything"]
    process = subprocess.Popen(
        command,
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests in the background may ignore it
    )
    try:
        assert server.held.wait(HANG_S)
        assert process.stdout is not None
        heard = process.stdout.read(7)
        process.send_signal(signal.SIGINT)
        _, complained = process.communicate(timeout=HANG_S)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130, complained
    assert server.left.wait(HANG_S)
    asked(root, "--continue", "Go on")
    assert heard in json.dumps(server.asked[1].body["messages"])


@pytest.mark.parametrize(("typed", "written"), [(b"y\n", True), (b"n\n", False)])
def test_somebody_at_a_terminal_is_asked(root: Path, says: Say, typed: bytes, written: bool) -> None:  # noqa: FBT001
    says(EDIT)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "pinakes", "ask", "What is missing?"]
    process = subprocess.Popen(command, cwd=root, stdin=theirs, stdout=theirs, stderr=theirs, env={**os.environ})
    os.close(theirs)
    heard = b""
    try:
        while b"Write these changes? [y/N]" not in heard:
            heard += os.read(ours, 4096)
        os.write(ours, typed)
        assert process.wait(HANG_S) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    assert text(root) == (AFTER if written else FILES["guide/tides.md"])
