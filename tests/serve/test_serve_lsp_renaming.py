"""`pinakes lsp` changes names and mends links: what it hands to the editor, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kits.trees import write_tree

pytest.importorskip("pygls")

from kits.lsp import EditorClient, editing, something

DOCUMENTS: dict[str, str | bytes] = {
    "pinakes.toml": "",
    "index.md": "# Start 😀\r\n\r\n😀 [tokens](guide/auth.md#tokens), [x](guide/auht.md), [[Auth]] and [y][ref].\r\n"
    "\r\n[ref]: guide/auth.md#toknes\r\n",
    "guide/auth.md": "# Auth\n\nTo [the start](../index.md), [own](#tokens).\n\n## Tokens ##\n\nThey expire.\n",
    "bom.md": b"\xef\xbb\xbf[t](guide/auth.md#tokens)\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "docs", DOCUMENTS)


@pytest.fixture
def client(root: Path) -> Iterator[EditorClient]:
    with editing() as editor:
        editor.greet(root)
        yield editor


def apply(root: Path, edit: dict[str, Any]) -> None:
    """Carry an edit out on disk, as an editor that counts in UTF-16 would."""
    changes = edit.get("documentChanges") or [
        {"textDocument": {"uri": uri}, "edits": edits} for uri, edits in edit["changes"].items()
    ]
    for change in changes:
        if change.get("kind") == "rename":
            Path(change["oldUri"].removeprefix("file://")).rename(change["newUri"].removeprefix("file://"))
            continue
        file = Path(change["textDocument"]["uri"].removeprefix("file://"))
        data = file.read_bytes()
        lines = data.decode("utf-8-sig").split("\n")
        for one in sorted(change["edits"], key=lambda one: str(one["range"]), reverse=True):
            start, end = one["range"]["start"], one["range"]["end"]
            assert start["line"] == end["line"]
            line = lines[start["line"]].encode("utf-16-le")
            made = line[: 2 * start["character"]] + one["newText"].encode("utf-16-le") + line[2 * end["character"] :]
            lines[start["line"]] = made.decode("utf-16-le")
        mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
        file.write_bytes(mark + "\n".join(lines).encode())


def refusal(client: EditorClient, method: str, params: object) -> str:
    return str(client.answer(method, params)["error"]["message"])


def test_a_heading_is_renamed_with_every_link_to_it(client: EditorClient, root: Path) -> None:
    uri = client.open(root / "guide" / "auth.md")
    prepared = client.ask("textDocument/prepareRename", client.at(uri, "## Tokens", 5))
    assert (client.covered(uri, prepared["range"]), prepared["placeholder"]) == ("Tokens", "Tokens")
    edit = client.ask("textDocument/rename", client.at(uri, "## Tokens", 5, newName="Access keys"))
    versions = {one["textDocument"]["uri"]: one["textDocument"]["version"] for one in edit["documentChanges"]}
    assert versions[uri] == 1
    apply(root, edit)
    assert (root / "guide" / "auth.md").read_text(encoding="utf-8") == (
        "# Auth\n\nTo [the start](../index.md), [own](#access-keys).\n\n## Access keys ##\n\nThey expire.\n"
    )
    assert "😀 [tokens](guide/auth.md#access-keys), [x]" in (root / "index.md").read_bytes().decode()
    assert (root / "bom.md").read_bytes() == b"\xef\xbb\xbf[t](guide/auth.md#access-keys)\n"


def test_a_link_renames_what_it_leads_to(client: EditorClient, root: Path) -> None:
    uri = client.open(root / "index.md")
    prepared = client.ask("textDocument/prepareRename", client.at(uri, "[tokens]", 2))
    assert (client.covered(uri, prepared["range"]), prepared["placeholder"]) == ("guide/auth.md#tokens", "Tokens")
    prepared = client.ask("textDocument/prepareRename", client.at(uri, "[[Auth]]", 3))
    assert (client.covered(uri, prepared["range"]), prepared["placeholder"]) == ("Auth", "auth.md")
    apply(root, client.ask("textDocument/rename", client.at(uri, "[[Auth]]", 3, newName="login")))
    assert not (root / "guide" / "auth.md").exists()
    text = (root / "index.md").read_bytes().decode()
    assert "😀 [tokens](guide/login.md#tokens), [x](guide/auht.md), " in text
    assert (root / "bom.md").read_bytes() == b"\xef\xbb\xbf[t](guide/login.md#tokens)\n"


def test_what_cannot_be_renamed_is_refused_with_a_sentence(client: EditorClient, root: Path) -> None:
    uri = client.open(root / "index.md")
    auth = client.open(root / "guide" / "auth.md", "# Auth\n\n## Tokens\n\nunsaved\n")
    assert refusal(client, "textDocument/prepareRename", client.at(auth, "unsaved", 2)).startswith("Nothing here")
    assert refusal(client, "textDocument/prepareRename", client.at(uri, "[x]", 1)) == (
        "“guide/auht.md” leads nowhere. Mend the link first."
    )
    assert "changes that are not saved" in refusal(
        client, "textDocument/rename", client.at(uri, "[tokens]", 2, newName="Keys")
    )
    assert "newName" not in refusal(client, "textDocument/rename", client.at(uri, "[tokens]", 2, newName=""))


def test_an_editor_that_moves_no_files_is_told_so_and_gets_plain_changes(root: Path) -> None:
    with editing() as client:
        client.greet(root, capabilities={"workspace": {}})
        uri = client.open(root / "index.md")
        assert "moves no files" in refusal(client, "textDocument/rename", client.at(uri, "[[Auth]]", 3, newName="b"))
        edit = client.ask("textDocument/rename", client.at(uri, "[tokens]", 2, newName="Keys"))
        assert set(edit) == {"changes"}
        apply(root, edit)
        assert "[tokens](guide/auth.md#keys)" in (root / "index.md").read_bytes().decode()


def test_files_that_the_editor_moves_have_their_links_rewritten_before(client: EditorClient, root: Path) -> None:
    client.open(root / "index.md")
    old, new = root / "guide" / "auth.md", root / "login.md"
    renamed = {"files": [{"oldUri": old.as_uri(), "newUri": new.as_uri()}]}
    edit = client.ask("workspace/willRenameFiles", renamed)
    assert all("kind" not in one for one in edit["documentChanges"])
    apply(root, edit)
    old.rename(new)
    client.notify("workspace/didRenameFiles", renamed)
    assert new.read_text(encoding="utf-8").startswith("# Auth\n\nTo [the start](index.md), [own](#tokens).\n")
    assert "😀 [tokens](login.md#tokens)" in (root / "index.md").read_bytes().decode()


def test_a_document_moved_out_of_the_root_keeps_its_links_relative(client: EditorClient, root: Path) -> None:
    old, new = root / "index.md", root / "guide" / "start.md"
    client.open(old)
    edit = client.ask("workspace/willRenameFiles", {"files": [{"oldUri": old.as_uri(), "newUri": new.as_uri()}]})
    apply(root, edit)
    assert "😀 [tokens](auth.md#tokens)" in old.read_bytes().decode()


def test_files_moved_out_of_the_library_or_over_another_rewrite_nothing(client: EditorClient, root: Path) -> None:
    old = root / "guide" / "auth.md"

    def edit(new: Path) -> object:
        return client.ask("workspace/willRenameFiles", {"files": [{"oldUri": old.as_uri(), "newUri": new.as_uri()}]})

    assert edit(root.parent / "elsewhere.md") is None
    assert client.logged == []
    assert edit(root / "index.md") is None
    assert client.logged[0].startswith("pinakes: Links to moved files are not rewritten: ")


def test_a_broken_link_is_mended_by_what_was_probably_meant(client: EditorClient, root: Path) -> None:
    uri = client.open(root / "index.md")
    found = client.diagnostics(uri, something)
    assert [one["code"] for one in found] == ["broken-link", "broken-anchor"]

    def fixes(number: int) -> list[dict[str, Any]]:
        params = {"textDocument": {"uri": uri}, "range": found[number]["range"], "context": {"diagnostics": found}}
        actions: list[dict[str, Any]] = client.ask("textDocument/codeAction", params)
        return actions

    (link,), (anchor,) = fixes(0), fixes(1)
    assert (link["title"], link["kind"]) == ("Change the link to guide/auth.md", "quickfix")
    assert [one["message"] for one in link["diagnostics"]] == [found[0]["message"]]
    assert anchor["title"] == "Change the link to guide/auth.md#tokens"
    apply(root, link["edit"])
    apply(root, anchor["edit"])
    text = (root / "index.md").read_bytes().decode()
    assert "[x](guide/auth.md), [[Auth]]" in text
    assert text.endswith("[ref]: guide/auth.md#tokens\r\n")


def test_an_ambiguous_link_is_mended_by_each_candidate(root: Path) -> None:
    write_tree(root, {"a/same.md": "# A\n", "b/same.md": "# B\n", "pick.md": "[[same]]\n"})
    with editing() as client:
        client.greet(root)
        uri = client.open(root / "pick.md")
        (found,) = [one for one in client.diagnostics(uri, something) if one["code"] == "ambiguous-link"]
        params = {"textDocument": {"uri": uri}, "range": found["range"], "context": {"diagnostics": []}}
        actions = client.ask("textDocument/codeAction", params)
        assert [one["title"] for one in actions] == ["Change the link to a/same", "Change the link to b/same"]
