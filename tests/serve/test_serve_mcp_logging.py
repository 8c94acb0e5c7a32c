"""What a client's log hears of the work, in both eras of the protocol."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kits.mcp import DOCUMENTS, ENVELOPE, Talk, talking
from kits.trees import write_tree

pytest.importorskip("mcp")

SECRET = "xylophone"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "docs", {**DOCUMENTS, "own.md": f"# {SECRET}\n\n{SECRET} {SECRET}\n"})


def heard_with(talk: Talk, method: str, params: Mapping[str, object]) -> list[tuple[str, str]]:
    """Level and words of each message that comes before the answer."""
    talk.send(method, params, 99)
    messages: list[dict[str, Any]] = []
    while (heard := talk.hear()).get("id") != 99:
        messages.append(heard)
    assert "result" in heard
    logged = [one["params"] for one in messages if one["method"] == "notifications/message"]
    assert all(one["logger"] == "pinakes" for one in logged)
    return [(one["level"], one["data"]) for one in logged]


def search(**meta: object) -> dict[str, object]:
    call: dict[str, object] = {"name": "search", "arguments": {"query": SECRET}}
    return {**call, "_meta": meta} if meta else call


def test_a_client_that_says_nothing_hears_what_the_first_sync_did_and_no_word_of_a_document(root: Path) -> None:
    with talking(root) as talk:
        talk.greet()
        said = heard_with(talk, "tools/call", search())
        assert [level for level, _ in said] == ["info"]
        assert said[0][1].startswith("docs: 3 documents are indexed (generation ")
        assert SECRET not in str(said)
        assert heard_with(talk, "tools/call", search()) == []


def test_a_file_that_cannot_be_read_is_a_warning_that_names_it(root: Path) -> None:
    with (root / "huge.md").open("wb") as file:
        file.truncate(100_000_000)
    with talking(root) as talk:
        talk.greet()
        warnings = [words for level, words in heard_with(talk, "tools/call", search()) if level == "warning"]
    assert warnings == ["docs: 1 could not be read: huge.md. The tool status says why."]


def test_the_level_that_was_set_decides(root: Path) -> None:
    with talking(root) as talk:
        talk.greet()
        assert talk.ask("logging/setLevel", {"level": "error"})["result"] == {}
        assert heard_with(talk, "tools/call", search()) == []
        assert talk.ask("logging/setLevel", {"level": "debug"})["result"] == {}
        said = heard_with(talk, "tools/call", search())
        assert [level for level, words in said if "took" in words] == ["debug"]
        assert "error" in talk.ask("logging/setLevel", {"level": "loud"})


def test_a_client_that_set_a_level_hears_of_later_syncs(root: Path) -> None:
    with talking(root) as talk:
        talk.greet()
        heard_with(talk, "tools/call", search())
        talk.ask("logging/setLevel", {"level": "info"})
        write_tree(root, {"new.md": "# New\n"})
        while True:
            # A comparison holds for two seconds; asking goes on until the next one.
            talk.send("tools/call", search(), 7)
            heard = talk.hear()
            if heard.get("method") == "notifications/message":
                break
        assert heard["params"]["level"] == "info"
        assert heard["params"]["data"].startswith("docs: 1 changed; 4 documents are indexed")


def test_in_the_newer_era_only_a_request_that_asks_for_messages_gets_them(root: Path) -> None:
    with talking(root) as talk:
        assert heard_with(talk, "tools/call", search(**ENVELOPE)) == []
        wanting = {**ENVELOPE, "io.modelcontextprotocol/logLevel": "debug"}
        assert [level for level, _ in heard_with(talk, "tools/call", search(**wanting))] == ["debug"]
        wanting["io.modelcontextprotocol/logLevel"] = "warning"
        assert heard_with(talk, "tools/call", search(**wanting)) == []
