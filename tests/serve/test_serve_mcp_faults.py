"""What may go wrong below `pinakes mcp`: its answers say what is wrong, and what comes after is served."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kits.mcp import DOCUMENTS, talking
from kits.powerless import POWERLESS, nowhere_to_index
from kits.trees import write_tree

pytest.importorskip("mcp")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "docs", DOCUMENTS)


def test_an_index_damaged_between_two_calls_is_built_anew_and_the_log_says_so(root: Path) -> None:
    with talking(root) as talk:
        talk.greet()
        before = talk.call("search", query="when do tokens expire?")["result"]
        database = root / ".pinakes" / "library.db"
        database.write_bytes(b"\xa5" * database.stat().st_size)
        for number in range(3):
            after = talk.call("search", number, query=f"when do tokens expire? {number}")["result"]
            assert not after["isError"], after
            assert 'address="guide/auth.md#tokens"' in before["content"][0]["text"]
            assert 'address="guide/auth.md#tokens"' in after["content"][0]["text"]


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="setpriv is not installed")
def test_a_folder_where_no_index_can_be_made_is_named_with_what_to_do_in_a_terminal(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with nowhere_to_index(root, tmp_path, monkeypatch), talking(root, prelude=POWERLESS) as talk:
        talk.greet()
        for number, tool in enumerate(("search", "map", "status")):
            answer = talk.call(tool, number, **({"query": "tokens"} if tool == "search" else {}))["result"]
            assert answer["isError"]
            assert "indexes" in answer["content"][0]["text"]
            assert "Traceback" not in answer["content"][0]["text"]
        assert talk.ask("ping", asked=9)["result"] == {}


def test_a_full_disk_is_named_and_the_next_call_is_served(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", {f"{number}.md": f"# Heading\n\n{'x ' * 50_000}\n" for number in range(20)})
    with talking(root, prelude=("sh", "-c", 'ulimit -f 100; exec "$@"', "sh")) as talk:
        talk.greet()
        answer = talk.call("map")["result"]
        assert answer["isError"]
        assert "disk" in answer["content"][0]["text"]
        assert talk.ask("tools/list", asked=2)["result"]["tools"]


def test_a_next_step_that_a_tool_can_take_is_told_as_one(root: Path) -> None:
    with talking(root) as talk:
        talk.greet()
        text = talk.call("map", under="nowhere/at/all")["result"]["content"][0]["text"]
        assert text.endswith("`map` shows what there is.")
