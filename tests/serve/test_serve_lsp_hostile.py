"""`pinakes lsp` met by documents, folders and messages that nobody should send: it says what is wrong and goes on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kits.trees import write_tree
from kits.waiting import HANG_S

pytest.importorskip("pygls")

from kits.lsp import EditorClient, editing, framed, something

DOCUMENTS = {"pinakes.toml": "", "a.md": "# A\n\n[b](b.md#b) [x](gone.md)\n", "b.md": "# B\n"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "docs", DOCUMENTS)


def broken(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The findings about links; a document may be an orphan besides."""
    return [one for one in found if one["code"].startswith("broken")]


def symbols(client: EditorClient, uri: str) -> list[str]:
    found = client.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    return [one["name"] for one in found or ()]


GARBAGE = (
    (framed(b"this is no JSON"), -32700),
    (framed(b"[" * 100_000), -32700),
    (framed(b"\xff\xfe\x00"), -32700),
    (framed(b"[1, 2]"), -32600),
    (framed(b'{"jsonrpc": "1.0", "method": "x", "id": 1}'), -32600),
    (framed(b'{"jsonrpc": "2.0", "method": 5, "id": 1}'), -32600),
    (framed(b'{"jsonrpc": "2.0", "method": "textDocument/hover", "id": 1, "params": {"no": 1}}'), -32602),
    (framed(b'{"jsonrpc": "2.0", "method": "textDocument/hover", "id": [1], "params": {}}'), -32602),
    (framed(b'{"jsonrpc": "2.0", "method": "no/such", "id": 1, "params": {}}'), -32601),
    (b"Content-Type: x\r\n\r\n", -32700),
    (b"noise\n" * 20_000, -32700),
    (b"Content-Length: 64000001\r\n\r\n" + b"x" * 64_000_001, -32700),
)


def test_garbage_is_refused_and_the_next_request_is_answered(root: Path) -> None:
    with editing() as client:
        client.greet(root)
        uri = client.open(root / "a.md")
        for garbage, code in GARBAGE:
            client.raw(garbage)
            while "error" not in (heard := client.hear()):
                pass
            assert heard["error"]["code"] == code, garbage[:80]
            assert symbols(client, uri) == ["A"]
        assert client.end() == 0


def test_nothing_is_answered_before_the_greeting_and_the_end_of_input_ends_the_process(root: Path) -> None:
    with editing() as client:
        assert client.answer("textDocument/hover", {})["error"]["code"] == -32002
        client.notify("textDocument/didOpen", {})
        client.greet(root)
        client.stdin.close()
        assert client.process.wait(HANG_S) == 1


def test_an_exit_that_was_not_announced_is_a_failure(root: Path) -> None:
    with editing() as client:
        client.greet(root)
        client.notify("exit", None)
        assert client.process.wait(HANG_S) == 1


def test_a_client_that_stops_reading_ends_the_process(root: Path) -> None:
    with editing() as client:
        client.greet(root)
        client.stdout.close()
        uri = client.open(root / "a.md")
        for number in range(50):
            client.change(uri, f"# A {number}\n\n[x](gone.md)\n")
            if client.process.poll() is not None:
                break
        assert client.process.wait(HANG_S) in (0, 1)


@pytest.mark.parametrize(("encoding", "end"), [("utf-8", "\n"), ("utf-16", "\r\n"), ("utf-32", "\r")])
def test_positions_are_counted_as_the_client_counts(root: Path, encoding: str, end: str) -> None:
    text = end.join(["# 😀 ä\u2028e\x0c", "", "😀😀 [b](b.md#b) ä [x](gone.md)", "# Zwei 😀", ""])
    with editing(encoding=encoding) as client:
        assert client.greet(root)["capabilities"]["positionEncoding"] == encoding
        uri = client.open(root / "a.md", text)
        client.texts[uri] = text.replace(end, "\n")
        (wrong,) = broken(client.diagnostics(uri, broken))
        assert client.covered(uri, wrong["range"]) == "[x](gone.md)"
        (found,) = client.ask("textDocument/definition", client.at(uri, "[b]", 1))
        assert found["uri"] == (root / "b.md").as_uri()
        assert client.ask("textDocument/definition", client.at(uri, "😀😀", 1)) == []
        # An edit in the middle of it all, as the editor sends it while one types.
        at = client.position(uri, "b.md#b", 5)
        client.edit(uri, [{"range": {"start": at, "end": {**at, "character": at["character"] + 1}}, "text": "ü😀"}])
        client.texts[uri] = client.texts[uri].replace("b.md#b", "b.md#ü😀")
        messages = [one["message"] for one in broken(client.diagnostics(uri, lambda found: len(broken(found)) == 2))]
        assert messages[0] == "“b.md#ü😀”: b.md has no such section"
        found = client.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        assert [client.covered(uri, one["selectionRange"]) for one in found][1] == "# Zwei 😀"


def test_edits_at_impossible_places_and_of_unknown_documents_do_no_harm(root: Path) -> None:
    with editing() as client:
        client.greet(root)
        uri = client.open(root / "a.md", "# 😀\n")
        far = {"line": 900, "character": 900}
        client.edit(uri, [{"range": {"start": far, "end": far}, "text": "\n# End"}])
        inside = {"line": 0, "character": 3}  # half of the face
        client.edit(uri, [{"range": {"start": inside, "end": inside}, "text": "x"}])
        turned = {"start": {"line": 0, "character": 3}, "end": {"line": 0, "character": 1}}
        client.edit(uri, [{"range": turned, "text": ""}, {"range": turned, "text": "\ud800\0"}])
        assert len(symbols(client, uri)) == 2
        client.versions["file:///nowhere.md"] = 1
        client.edit("file:///nowhere.md", [{"text": "x"}])
        assert symbols(client, "file:///nowhere.md") == []


def test_a_document_outside_of_every_library_answers_for_itself(tmp_path: Path, root: Path) -> None:
    with editing() as client:
        client.greet(root)
        uri = client.open(tmp_path / "alone.md", "# Own\n\n[o](#own) [p](#not) [q](other.md)\n")
        answers_for_itself(client, uri)


@pytest.mark.parametrize(
    "uri", ["untitled:Untitled-1", "untitled:/new/notes.md", "git:/a.md?ref=HEAD", "file:///%ff%00.md", "x:"]
)
def test_a_document_without_a_file_answers_for_itself_wherever_the_server_runs(root: Path, uri: str) -> None:
    with editing(cwd=root) as client:
        client.greet(root)
        client.open_text(uri, "# Own\n\n[o](#own) [p](#not) [b](b.md)\n")
        answers_for_itself(client, uri)
        client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 1}]})
        inside = client.open(root / "a.md")
        assert broken(client.diagnostics(inside, broken))
        assert client.logged == []
        assert client.end() == 0


def answers_for_itself(client: EditorClient, uri: str) -> None:
    """Whether a document of no library has its symbols and the links to its own headings."""
    assert symbols(client, uri) == ["Own"]
    assert [one["code"] for one in client.diagnostics(uri, something)] == ["broken-anchor"]
    (found,) = client.ask("textDocument/definition", client.at(uri, "[o]", 1))
    assert (found["uri"], found["range"]["start"]["line"]) == (uri, 0)
    refused = client.answer("textDocument/rename", client.at(uri, "# Own", 3, newName="Other"))
    assert "belongs to no library" in str(refused["error"]["message"])


def test_a_folder_that_is_no_project_is_not_indexed_and_the_log_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    write_tree(folder, {"data.bin": "x"})
    with editing() as client:
        client.greet(folder)
        uri = client.open(folder / "a.md", "# A\n")
        assert symbols(client, uri) == ["A"]
    assert "is no project" in client.logged[0]
    assert os.listdir(folder) == ["data.bin"]


def test_several_folders_are_several_libraries_that_come_and_go(tmp_path: Path) -> None:
    one = write_tree(
        tmp_path / "one" / "docs", {"pinakes.toml": "", "a.md": "# A\n\n[x](here.md)\n", "here.md": "# H\n"}
    )
    two = write_tree(tmp_path / "two" / "docs", {"pinakes.toml": "", "a.md": "# Z\n\n[x](here.md)\n"})
    with editing() as client:
        client.greet(one)
        first, second = client.open(one / "a.md"), client.open(two / "a.md")
        assert [found["name"] for found in client.ask("workspace/symbol", {"query": "z"})] == []
        folder = {"uri": two.as_uri(), "name": "docs"}
        client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [folder], "removed": []}})
        assert any("does not exist" in found["message"] for found in client.diagnostics(second, something))
        assert [found["name"] for found in client.ask("workspace/symbol", {"query": "z"})] == ["Z"]
        client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [folder]}})
        client.diagnostics(second, lambda found: not found)
        assert [found["name"] for found in client.ask("workspace/symbol", {"query": "z"})] == []
        assert client.ask("textDocument/definition", client.at(first, "[x]", 1))


def test_a_root_of_the_command_line_is_used_in_place_of_the_editor_s_folders(tmp_path: Path, root: Path) -> None:
    with editing("--root", str(root)) as client:
        client.greet(tmp_path)
        uri = client.open(root / "a.md")
        assert client.ask("textDocument/definition", client.at(uri, "[b]", 1))


def misses_b(found: list[dict[str, Any]]) -> bool:
    return any("b.md" in one["message"] for one in found)


def test_a_damaged_index_and_a_removed_document_do_not_end_the_server(root: Path) -> None:
    with editing() as client:
        client.greet(root)
        uri = client.open(root / "a.md")
        assert client.ask("textDocument/definition", client.at(uri, "[b]", 1))
        (root / "b.md").unlink()
        (root / "a.md").unlink()
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": (root / "b.md").as_uri(), "type": 3}]})
        client.diagnostics(uri, misses_b)
        write_tree(root, DOCUMENTS)
        database = root / ".pinakes" / "library.db"
        database.write_bytes(b"no database" * 1000)
        client.save(uri, root / "a.md")
        client.diagnostics(uri, lambda found: not misses_b(found))
        assert client.ask("textDocument/definition", client.at(uri, "[b]", 1))
        assert client.end() == 0


def test_a_huge_document_is_left_out_with_a_sentence(root: Path) -> None:
    with editing() as client:
        client.greet(root)
        uri = client.open(root / "a.md", "# A\n" + "word " * 2_100_000)
        assert symbols(client, uri) == []
        assert "a.md has 11 MB; at most 10 are read." in " ".join(client.logged)
        client.change(uri, "# Small\n")
        assert symbols(client, uri) == ["Small"]


def test_a_long_line_of_links_is_answered(root: Path) -> None:
    with editing() as client:
        client.greet(root)
        uri = client.open(root / "a.md", "ä [x](gone.md) " * 20_000)
        assert len(client.diagnostics(uri, something)) == 1000


def test_without_the_extra_one_sentence_says_how_to_get_it(tmp_path: Path) -> None:
    write_tree(tmp_path, {"sitecustomize.py": "import sys\nsys.modules['pygls'] = None\n"})
    ran = subprocess.run(
        [sys.executable, "-m", "pinakes", "lsp"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "pinakes: pygls is not installed. pip install 'pinakes[lsp]' brings it.\n"


def test_a_root_that_is_no_folder_is_one_sentence(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "pinakes", "lsp", "--root", str(tmp_path / "no")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "is not a folder." in ran.stderr
