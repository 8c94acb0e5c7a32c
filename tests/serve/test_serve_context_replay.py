"""`pinakes context replay`: what a conversation would have cost, and what is no session."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from kits.trees import write_tree
from pinakes import open as open_library
from pinakes.conversation.sessions import Sessions, line_id, now
from pinakes.library.corpora import store_folder
from pinakes.library.session_replay import session_requests
from pinakes.records.conversation import SessionLine

FILES = {
    "pinakes.toml": "",
    **{f"docs/{name}.md": f"# {name}\n\n" + f"Words about {name}. " * 40 for name in ("tides", "fog", "oil")},
}
TALK = (
    SessionLine("", "", "user", "What of the tides?", "docs", ("docs/tides.md", "docs/gone.md")),
    SessionLine("", "", "assistant", "They come.", "docs", edits=("docs/tides.md",)),
    SessionLine("", "", "user", "And now?", "docs", ("docs/tides.md",)),
    SessionLine("", "", "assistant", "They go.", "docs"),
    SessionLine("", "", "user", "And fog?", "docs", ("docs/fog.md",)),
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "handbook", FILES)


def held(root: Path) -> str:
    """The id of a conversation over a folder."""
    with open_library(root) as library:
        library.sync()
        sessions = Sessions(store_folder(library.config))
        session = sessions.new()
        for line in TALK:
            sessions.append(session, replace(line, id=line_id(), at=now()))
    return session


def replay_session(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pinakes", "context", "replay", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True)


def test_a_conversation_is_replayed_by_its_id_and_by_its_file(root: Path) -> None:
    session = held(root)
    by_id = replay_session(session, "--json", cwd=root)
    assert by_id.returncode == 0, by_id.stderr
    costs = {one["layout"]: one for one in json.loads(by_id.stdout)}
    assert costs["tiers"]["requests"] == 3
    assert 0 < costs["everything fresh"]["cost"] == costs["everything fresh"]["sent"]
    assert replay_session(f".pinakes/sessions/{session}.jsonl", "--json", cwd=root).stdout == by_id.stdout


def test_a_file_that_the_conversation_changed_is_another_one_from_then_on(root: Path) -> None:
    session = held(root)
    with open_library(root) as library:
        first, second, third = session_requests(library, session)
    digests = [
        {block.key: block.digest for block in request.blocks if "tides" in block.key}
        for request in (first, second, third)
    ]
    assert [list(one) for one in digests] == [["file:docs/tides.md"], ["file:docs/tides.md"], ["map:docs/tides.md"]]
    assert digests[0] != digests[1]
    assert "file:docs/gone.md" not in [block.key for block in first.blocks]
    assert (first.question, first.answer) > (0, 0)


@pytest.mark.parametrize(
    ("name", "said", "code"),
    [
        ("empty.jsonl", "empty.jsonl holds no requests", 2),
        ("talk.jsonl", "talk.jsonl, line 1, is no request: it has none of answer, drop, question, set", 2),
        ("missing.jsonl", "missing.jsonl cannot be read", 2),
        ("20260101-000000-abcdef", "There is no session “20260101-000000-abcdef”", 1),
    ],
)
def test_what_holds_no_requests_is_named(root: Path, name: str, said: str, code: int) -> None:
    write_tree(root, {"empty.jsonl": "", "talk.jsonl": '{"role": "user", "text": "Hello"}\n'})
    done = replay_session(name, cwd=root)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
