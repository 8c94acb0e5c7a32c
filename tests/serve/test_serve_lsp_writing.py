"""`pinakes lsp` while one writes: completion, hover, and links and headings of the whole library."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kits.trees import write_tree

pytest.importorskip("pygls")

from kits.lsp import EditorClient, editing

DOCUMENTS: dict[str, str | bytes] = {
    "pinakes.toml": "",
    "README.md": "---\ntags: [start, area/work]\n---\n# Start\n\n#start See [auth](guide/auth.md).\n",
    "guide/auth.md": "---\naliases: [Login]\ntags: [area/work]\n---\n# Auth 😀\n\n## Tokens\n\nThey expire.\n\n"
    "## Key (old)\n\nNo.\n",
    "guide/my setup.md": "# Set-up\n\n## Tokens too\n\nText.\n",
    "guide/deep/README.md": "# Deep\n",
    "images/auth flow.png": b"\x89PNG",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tree(tmp_path_factory.mktemp("writing") / "docs", DOCUMENTS)


@pytest.fixture(scope="module")
def editor(root: Path) -> Iterator[EditorClient]:
    with editing() as client:
        client.greet(root, capabilities={"textDocument": {"hover": {"contentFormat": ["markdown"]}}})
        yield client


@pytest.fixture
def client(editor: EditorClient) -> Iterator[EditorClient]:
    """The editor, with nothing open before and after."""
    yield editor
    for uri in tuple(editor.versions):
        editor.close(uri)


def completed(client: EditorClient, text: str, file: str = "guide/auth.md") -> list[str]:
    """What each item makes of the line that is being typed; the cursor stands at ``|``."""
    root = Path(client.ask("workspace/symbol", {"query": "Start"})[0]["location"]["uri"].removeprefix("file://")).parent
    before, _, after = text.partition("|")
    uri = client.open(root / file, before + after)
    line, column = before.count("\n"), len(before.rpartition("\n")[2].encode("utf-16-le")) // 2
    asked = {"textDocument": {"uri": uri}, "position": {"line": line, "character": column}}
    found = client.ask("textDocument/completion", asked)
    made = []
    for item in sorted(found["items"], key=lambda one: one["sortText"]):
        edit = item["textEdit"]
        assert edit["range"]["end"] == asked["position"]
        typed = client.covered(uri, edit["range"])
        assert item["filterText"].casefold().startswith(typed.casefold())
        made.append(before.rpartition("\n")[2].removesuffix(typed) + edit["newText"])
    return made


def test_paths_are_offered_from_the_document_the_nearest_first(client: EditorClient) -> None:
    assert completed(client, "😀 [x](|)") == [
        "😀 [x](my%20setup.md",
        "😀 [x](deep/README.md",
        "😀 [x](../README.md",
        "😀 [x](../pinakes.toml",
        "😀 [x](../images/auth%20flow.png",
    ]
    assert completed(client, "[x](set|") == ["[x](my%20setup.md"]
    assert completed(client, "[x](../im|)") == ["[x](../images/auth%20flow.png"]
    assert completed(client, "[x](/guide/de|)") == ["[x](/guide/deep/README.md"]
    assert completed(client, "[x](../../../|)") == []
    assert completed(client, "[x]: ../R|") == ["[x]: ../README.md", "[x]: ../guide/deep/README.md"]
    assert completed(client, '<a href="dee|"') == ['<a href="deep/README.md']
    assert completed(client, "[x](guide/a|)", "new.md") == ["[x](guide/auth.md"]


def test_anchors_are_those_of_the_document_in_the_editor(client: EditorClient) -> None:
    assert completed(client, "[x](#|)\n\n# Here\n\n## There\n") == ["[x](#here", "[x](#there"]
    assert completed(client, "[x](my%20setup.md#to|)") == ["[x](my%20setup.md#tokens-too"]
    assert completed(client, "[[my setup#tok|]]") == ["[[my setup#Tokens too"]
    assert completed(client, "[x](gone.md#|)") == []


def test_wikilinks_are_offered_by_what_leads_to_one_document(client: EditorClient) -> None:
    assert completed(client, "[[|", "guide/new.md") == [
        "[[Login",
        "[[auth",
        "[[my setup",
        "[[guide/deep/README",
        "[[README",
    ]
    assert completed(client, "![[log|", "guide/new.md") == ["![[Login"]
    assert completed(client, "[[Set-|") == ["[[my setup"]


def test_tags_are_offered_in_the_frontmatter_and_in_the_text_the_most_frequent_first(client: EditorClient) -> None:
    for line in ("tags: [|", "tags: [x, |", "tags: |", "tags:\n  - one\n  - |"):
        assert [one.split()[-1].lstrip("[") for one in completed(client, f"---\n{line}", "new.md")][:2] == [
            "area/work",
            "start",
        ]
    assert completed(client, "Text #st|", "new.md") == ["Text #start"]
    assert completed(client, "#|", "new.md") == []
    assert completed(client, "---\ntitle: |", "new.md") == []


def test_nothing_is_offered_in_code_and_where_no_link_is_written(client: EditorClient) -> None:
    assert completed(client, "```\n[x](|\n```\n") == []
    assert completed(client, "`[x](|") == []
    assert completed(client, "plain |") == []
    assert completed(client, "[x](https://|") == []


def test_only_a_hundred_are_offered_and_the_client_is_told_to_ask_again(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "docs", {"pinakes.toml": "", **{f"note {number}.md": "# N\n" for number in range(130)}}
    )
    with editing() as client:
        client.greet(root)
        uri = client.open(root / "new.md", "[x](")
        found = client.ask("textDocument/completion", client.at(uri, "[x](", 4))
        assert (len(found["items"]), found["isIncomplete"]) == (100, True)
        client.change(uri, "[x](note%20129")
        found = client.ask("textDocument/completion", client.at(uri, "[x](", 14))
        assert [(one["label"], found["isIncomplete"]) for one in found["items"]] == [("note%20129.md", False)]


def shown(client: EditorClient, uri: str, needle: str) -> str | None:
    found = client.ask("textDocument/hover", client.at(uri, needle, 1))
    return None if found is None else str(found["contents"]["value"])


def test_hovering_shows_the_first_lines_of_a_target_or_what_is_wrong(client: EditorClient, root: Path) -> None:
    uri = client.open(
        root / "README.md",
        "# Start\n\n[t](guide/auth.md#tokens) [d](guide/auth.md) [x](guide/aut.md) [i](<images/auth flow.png>) [w](https://a.b)\n",
    )
    assert shown(client, uri, "[t]") == "## Tokens\n\nThey expire.\n\n— guide/auth.md#tokens"
    assert (shown(client, uri, "[d]") or "").startswith("# Auth 😀\n\n## Tokens\n")
    assert shown(client, uri, "[x]") == "“guide/aut.md” does not exist. Did you mean guide/auth.md?"
    assert shown(client, uri, "[i]") == "images/auth flow.png"
    assert shown(client, uri, "[w]") is None
    auth = client.open(root / "guide" / "auth.md")
    assert shown(client, auth, "## Tokens") == "1 link leads here: `guide/auth.md#tokens`"
    assert shown(client, auth, "They expire") is None


def test_a_long_target_is_cut_and_its_code_closed(client: EditorClient, root: Path) -> None:
    client.open(root / "guide" / "auth.md", "# Long\n\n```\n" + "line\n" * 50 + "```\n")
    uri = client.open(root / "README.md", "[d](guide/auth.md)\n")
    assert shown(client, uri, "[d]") == "# Long\n\n```\n" + "line\n" * 9 + "```\n\n…\n\n— guide/auth.md"


def test_links_of_a_document_lead_to_files_and_lines(client: EditorClient, root: Path) -> None:
    uri = client.open(root / "README.md", "[t](guide/auth.md#tokens) [x](gone.md) [[my setup]]\n")
    found = client.ask("textDocument/documentLink", {"textDocument": {"uri": uri}})
    assert [(client.covered(uri, one["range"]), one["target"]) for one in found] == [
        ("[t](guide/auth.md#tokens)", f"{(root / 'guide' / 'auth.md').as_uri()}#L7"),
        ("[[my setup]]", (root / "guide" / "my setup.md").as_uri()),
    ]


def test_headings_of_the_whole_library_are_found_by_their_beginning(client: EditorClient) -> None:
    def found(query: str) -> list[tuple[str, str, int]]:
        symbols: list[dict[str, Any]] = client.ask("workspace/symbol", {"query": query})
        return [(one["name"], one["containerName"], one["location"]["range"]["start"]["line"]) for one in symbols]

    assert found("tok") == [("Tokens", "guide/auth.md", 6), ("Tokens too", "guide/my setup.md", 2)]
    assert found("old key") == [("Key (old)", "guide/auth.md", 10)]
    assert found("tkt") == [("Tokens too", "guide/my setup.md", 2)]
    assert found("zzz") == []
    assert len(found("")) == 7
