"""`pinakes lsp` as an editor meets it: what is open, where links lead, what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kits.trees import write_tree

pytest.importorskip("pygls")

from kits.lsp import editing, nothing, something

DOCUMENTS = {
    "pinakes.toml": "",
    "index.md": "# Start 😀\n\nSee [tokens](guide/auth.md#tokens), [gone](guide/auht.md) and [[Auth]].\n",
    "guide/auth.md": "# Auth\n\nTo [the start](../index.md).\n\n## Tokens\n\nThey expire.\n\n## Keys\n\nThey do not.\n",
    "notes.md": "---\nrelated: [index.md]\n---\n# Notes\n\nOf [keys](guide/auth.md#keys) and `guide/auth.md`.\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "docs", DOCUMENTS)


def outline(symbols: list[dict[str, Any]]) -> list[Any]:
    return [(one["name"], outline(one.get("children") or [])) for one in symbols]


def places(found: list[dict[str, Any]], root: Path) -> list[tuple[str, int, int]]:
    return [
        (
            one["uri"].removeprefix(root.as_uri() + "/"),
            one["range"]["start"]["line"],
            one["range"]["start"]["character"],
        )
        for one in found
    ]


def test_the_headings_of_the_unsaved_text_are_its_symbols_and_its_sections_fold(root: Path) -> None:
    with editing() as client:
        client.greet(root)
        uri = client.open(
            root / "index.md", "---\na: 1\n---\n# One\n\n## Two 😀\n\ntext\n\n```\ncode\n```\n\n# Three\n"
        )
        document = {"textDocument": {"uri": uri}}
        symbols = client.ask("textDocument/documentSymbol", document)
        assert outline(symbols) == [("One", [("Two 😀", [])]), ("Three", [])]
        assert client.covered(uri, symbols[0]["children"][0]["selectionRange"]) == "## Two 😀"
        assert client.covered(uri, symbols[0]["range"]) == "# One\n\n## Two 😀\n\ntext\n\n```\ncode\n```"
        folds = client.ask("textDocument/foldingRange", document)
        assert [(one["startLine"], one["endLine"]) for one in folds] == [(0, 2), (3, 11), (5, 11), (9, 11)]
        client.change(uri, "# Other\n")
        assert outline(client.ask("textDocument/documentSymbol", document)) == [("Other", [])]
        assert client.end() == 0


def test_a_link_leads_to_its_section_its_document_or_nowhere(root: Path) -> None:
    with editing() as client:
        client.greet(root)
        uri = client.open(root / "index.md")

        def definition(needle: str, behind: int = 1) -> list[tuple[str, int, int]]:
            return places(client.ask("textDocument/definition", client.at(uri, needle, behind)), root)

        assert definition("[tokens]") == [("guide/auth.md", 4, 0)]
        assert definition("[[Auth]]", 3) == [("guide/auth.md", 0, 0)]
        assert definition("[gone]") == []
        assert definition("See") == []
        notes = client.open(root / "notes.md")
        assert places(client.ask("textDocument/definition", client.at(notes, "index.md", 2)), root) == [
            ("index.md", 0, 0)
        ]
        assert places(client.ask("textDocument/definition", client.at(notes, "`guide", 2)), root) == [
            ("guide/auth.md", 0, 0)
        ]


def test_a_link_to_a_heading_that_is_only_in_the_editor_leads_there(root: Path) -> None:
    with editing() as client:
        client.greet(root)
        auth = client.open(root / "guide" / "auth.md", "intro\n\n# Auth\n\n## Brand new\n")
        uri = client.open(
            root / "index.md", "[new](guide/auth.md#brand-new) [old](guide/auth.md#tokens) [own](#here)\n\n# Here\n"
        )
        found = client.ask("textDocument/definition", client.at(uri, "[new]", 1))
        assert places(found, root) == [("guide/auth.md", 4, 0)]
        assert [client.covered(auth, one["range"]) for one in found] == ["## Brand new"]
        assert places(client.ask("textDocument/definition", client.at(uri, "[own]", 1)), root) == [("index.md", 2, 0)]
        messages = [one["message"] for one in client.diagnostics(uri, something)]
        assert messages == ["“guide/auth.md#tokens”: guide/auth.md has no such section"]


def test_a_client_that_can_show_where_a_link_comes_from_is_told(root: Path) -> None:
    with editing() as client:
        client.greet(root, capabilities={"textDocument": {"definition": {"linkSupport": True}}})
        uri = client.open(root / "index.md")
        (found,) = client.ask("textDocument/definition", client.at(uri, "[tokens]", 1))
        assert client.covered(uri, found["originSelectionRange"]) == "[tokens](guide/auth.md#tokens)"
        assert found["targetRange"]["start"]["line"] == 4


def test_references_are_the_links_to_a_heading_a_document_or_what_a_link_leads_to(root: Path) -> None:
    with editing() as client:
        client.greet(root)
        uri = client.open(root / "guide" / "auth.md")

        def references(of: str, needle: str, behind: int, **context: bool) -> list[tuple[str, int, int]]:
            context = {"includeDeclaration": False, **context}
            return places(client.ask("textDocument/references", client.at(of, needle, behind, context=context)), root)

        assert references(uri, "## Tokens", 4) == [("index.md", 2, 4)]
        assert references(uri, "## Keys", 4, includeDeclaration=True) == [("guide/auth.md", 8, 0), ("notes.md", 5, 3)]
        assert references(uri, "# Auth", 3) == [("index.md", 2, 62), ("notes.md", 5, 34)]
        assert references(uri, "[the start]", 2) == [("guide/auth.md", 2, 3), ("notes.md", 1, 10)]
        assert references(uri, "They expire", 2) == []
        index = client.open(root / "index.md", "# Start\n\nNow [here](guide/auth.md#keys).\n")
        assert references(uri, "## Tokens", 4) == []
        assert references(index, "[here]", 2) == [("index.md", 2, 4), ("notes.md", 5, 3)]


def test_broken_links_are_marked_as_one_types_with_what_was_probably_meant(root: Path) -> None:
    with editing() as client:
        client.greet(root)
        uri = client.open(root / "index.md")
        (found,) = client.diagnostics(uri, something)
        assert client.covered(uri, found["range"]) == "[gone](guide/auht.md)"
        assert (found["code"], found["severity"], found["source"]) == ("broken-link", 1, "pinakes")
        assert found["message"] == "“guide/auht.md” does not exist (did you mean guide/auth.md?)"
        client.change(uri, "# Start\n\nSee [it](guide/auth.md).\n")
        client.diagnostics(uri, nothing)
        client.change(uri, "# Start\n\nSee [it](#stat).\n")
        (found,) = client.diagnostics(uri, something)
        assert found["message"] == "“#stat”: index.md has no such section (did you mean #start?)"


def test_what_check_finds_besides_links_follows_its_line_while_one_types(root: Path) -> None:
    with editing() as client:
        client.greet(root)
        uri = client.open(root / "notes.md")
        (found,) = client.diagnostics(uri, something)
        assert (found["code"], found["severity"], found["range"]["start"]["line"]) == ("orphan", 2, 0)
        client.change(uri, "\n" + client.texts[uri])
        (found,) = client.diagnostics(uri, something)
        assert found["range"]["start"]["line"] == 1


def test_a_document_that_is_saved_or_removed_elsewhere_is_seen_by_the_others(root: Path) -> None:
    with editing() as client:
        client.greet(root)
        uri = client.open(root / "index.md")
        client.diagnostics(uri, something)
        file = root / "guide" / "auht.md"
        file.write_text("# Here now\n", encoding="utf-8")
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": file.as_uri(), "type": 1}]})
        client.diagnostics(uri, nothing)
        file.unlink()
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": file.as_uri(), "type": 3}]})
        client.diagnostics(uri, something)


def test_a_closed_document_has_no_diagnostics_and_counts_as_it_is_stored(root: Path) -> None:
    with editing() as client:
        client.greet(root)
        uri = client.open(root / "index.md", "[x](guide/auth.md#other)\n")
        auth = client.open(root / "guide" / "auth.md", "# Other\n")
        client.diagnostics(uri, nothing)
        client.close(auth)
        client.diagnostics(auth, nothing)
        client.diagnostics(uri, something)
