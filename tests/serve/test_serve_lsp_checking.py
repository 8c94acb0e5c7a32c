"""What `check` says of links whose file is there, an editor is told as one types, and where they stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pinakes
from kits.trees import write_tree
from kits.waiting import until

pytest.importorskip("pygls")

from kits.lsp import EditorClient, editing


def messages(found: list[dict[str, Any]]) -> list[str]:
    return [one["message"] for one in found if one["code"] == "broken-anchor"]


def checked(root: Path) -> list[str]:
    """What `check` says of anchors, as an editor shows it."""
    with pinakes.open(root) as library:
        library.sync()
        return [
            one.message + (f" (did you mean {one.suggestion}?)" if one.suggestion else "")
            for one in library.check()
            if one.code.value == "broken-anchor"
        ]


def fixed(client: EditorClient, uri: str) -> list[str]:
    """What the fixes of the whole document write."""
    last = {"line": 1000, "character": 0}
    where = {"start": {"line": 0, "character": 0}, "end": last}
    params = {"textDocument": {"uri": uri}, "range": where, "context": {"diagnostics": []}}
    found = client.ask("textDocument/codeAction", params)
    return [one["edit"]["changes"][uri][0]["newText"] for one in found]


def test_a_link_to_a_symbol_that_is_not_there_is_marked(tmp_path: Path) -> None:
    pytest.importorskip("tree_sitter_python")
    root = write_tree(
        tmp_path / "project",
        {
            "pinakes.toml": "[code]\nenabled = true\n",
            "src/shop.py": "class Shop:\n    def sell(self) -> int:\n        return 1\n",
            "guide.md": "# Guide\n\nSee [it](src/shop.py#Shop.sel), [this](src/shop.py#Shop.sell) and `src/shop.py`.\n",
        },
    )
    wrong = "“src/shop.py#Shop.sel”: src/shop.py has no such symbol (did you mean src/shop.py#Shop.sell?)"
    assert checked(root) == [wrong]
    with editing() as client:
        client.greet(root)
        guide = client.open(root / "guide.md")
        assert messages(client.diagnostics(guide, messages)) == [wrong]
        assert fixed(client, guide) == ["src/shop.py#Shop.sell"]
        hover = client.ask("textDocument/hover", client.at(guide, "[it]", 1))
        assert "has no such symbol. Did you mean src/shop.py#Shop.sell?" in hover["contents"]["value"]
        # The symbols of a file that is open are those that it has in the editor.
        client.open(root / "src" / "shop.py", "class Shop:\n    def sel(self) -> int:\n        return 1\n")
        client.change(guide, client.texts[guide].replace("and", "or"))
        other = "“src/shop.py#Shop.sell”: src/shop.py has no such symbol (did you mean src/shop.py#Shop.sel?)"
        assert messages(client.diagnostics(guide, messages)) == [other]


def test_a_link_by_an_anchor_that_the_site_does_not_have_is_marked(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "project",
        {
            "mkdocs.yml": "",
            "pinakes.toml": "",
            "docs/index.md": "# Home\n\n[x](auth.md#questions--answers) [y](auth.md#questions-answers)\n",
            "docs/auth.md": "# Auth\n\n## Questions & answers\n",
        },
    )
    wrong = (
        "“auth.md#questions--answers”: MkDocs (mkdocs.yml) calls that section of docs/auth.md questions-answers "
        "(did you mean auth.md#questions-answers?)"
    )
    assert checked(root) == [wrong]
    with editing() as client:
        client.greet(root)
        uri = client.open(root / "docs" / "index.md")
        assert messages(client.diagnostics(uri, messages)) == [wrong]
        assert fixed(client, uri) == ["auth.md#questions-answers"]
        client.open(root / "docs" / "auth.md", "# Auth\n\n## More & more\n")
        client.change(uri, "# Home\n\n[x](auth.md#more--more) [y](auth.md#more-more)\n")
        found = messages(client.diagnostics(uri, lambda found: len(messages(found)) == 1))
        assert found == [wrong.replace("questions", "more").replace("answers", "more")]


def test_a_link_in_the_frontmatter_is_marked_where_it_stands(tmp_path: Path) -> None:
    text = "---\ntitle: gone.md and there.md\nrelated: [there.md, gone.md]\n---\n# A\n"
    root = write_tree(tmp_path / "docs", {"pinakes.toml": "", "a.md": text, "there.md": "# There\n"})
    with editing() as client:
        client.greet(root)
        uri = client.open(root / "a.md")
        (wrong,) = client.diagnostics(uri, lambda found: any(one["code"] == "broken-link" for one in found))[:1]
        assert (wrong["range"]["start"]["line"], client.covered(uri, wrong["range"])) == (2, "gone.md")
        until(lambda: client.ask("textDocument/definition", client.at(uri, "[there", 2)), "an index")
        assert client.ask("textDocument/definition", client.at(uri, "and there", 6)) == []
