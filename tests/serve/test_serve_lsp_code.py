"""`pinakes lsp` where source code is read beside documents: symbols, and what leads from one to the other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kits.lsp import EditorClient, editing
from kits.trees import write_tree
from kits.waiting import until

pytest.importorskip("pygls")
pytest.importorskip("tree_sitter_python")

SHOP = '''class Shop:
    """Sells things: ```a```"""

    def sell(self) -> int:
        return 1


def make() -> Shop:
    return Shop()
'''
FILES = {
    "pinakes.toml": "[code]\nenabled = true\n",
    "src/shop.py": SHOP,
    "src/use.py": "from src.shop import Shop, make\n\nmake()\n",
    "guide.md": "# Guide\n\nSee [sell](src/shop.py#Shop.sell) in [the shop](src/shop.py).\n\nA `Shop` has `make()`.\n",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tree(tmp_path_factory.mktemp("code") / "project", FILES)


@pytest.fixture(scope="module")
def running(root: Path) -> Iterator[EditorClient]:
    """An editor that has opened the folder, once its code is indexed."""
    with editing() as client:
        client.greet(root, capabilities={"textDocument": {"hover": {"contentFormat": ["markdown"]}}})
        guide = client.open(root / "guide.md")
        until(lambda: client.ask("textDocument/definition", client.at(guide, "`Shop`", 2)), "an index of the code")
        yield client


@pytest.fixture
def client(running: EditorClient, root: Path) -> EditorClient:
    """The editor with the documents as they are on disk."""
    for name in FILES:
        running.open(root / name)
    return running


def places(found: list[dict[str, Any]], root: Path) -> list[tuple[str, int, int]]:
    """Where locations lead: path, line, character."""
    head = root.as_uri() + "/"
    return [(one["uri"].removeprefix(head), *one["range"]["start"].values()) for one in found]


def outline(symbols: list[dict[str, Any]]) -> list[Any]:
    return [(one["name"], outline(one["children"])) for one in symbols]


def test_symbols_of_code_are_outlined_and_led_to_from_code_and_documents(client: EditorClient, root: Path) -> None:
    shop, use, guide = ((root / name).as_uri() for name in ("src/shop.py", "src/use.py", "guide.md"))
    symbols = client.ask("textDocument/documentSymbol", {"textDocument": {"uri": shop}})
    assert outline(symbols) == [("Shop", [("sell", [])]), ("make", [])]
    assert client.covered(shop, symbols[1]["selectionRange"]) == "def make() -> Shop:"

    def definition(uri: str, needle: str, behind: int) -> list[tuple[str, int, int]]:
        return places(client.ask("textDocument/definition", client.at(uri, needle, behind)), root)

    assert definition(guide, "[sell]", 2) == [("src/shop.py", 3, 4)]
    assert definition(shop, "return Shop", 9) == [("src/shop.py", 0, 0)]  # the second use in a function
    assert definition(use, "\nmake()", 2) == [("src/shop.py", 7, 0)]
    assert definition(use, "import Shop", 8) == [("src/shop.py", 0, 0)]
    assert definition(use, ", make", 3) == [("src/shop.py", 7, 0)]
    assert definition(use, "src.shop", 5) == [("src/shop.py", 0, 0)]


def test_a_symbol_is_referred_to_by_links_by_code_and_by_documents_that_name_it(
    client: EditorClient, root: Path
) -> None:
    shop = (root / "src/shop.py").as_uri()

    def references(needle: str, behind: int) -> list[tuple[str, int, int]]:
        where = client.at(shop, needle, behind, context={"includeDeclaration": False})
        return places(client.ask("textDocument/references", where), root)

    assert references("def sell", 5) == [("guide.md", 2, 4)]
    assert references("class Shop", 7) == [
        ("guide.md", 4, 3),
        ("src/shop.py", 7, 14),
        ("src/shop.py", 8, 11),
        ("src/use.py", 0, 21),
    ]
    assert references("def make", 5) == [("guide.md", 4, 14), ("src/use.py", 0, 27), ("src/use.py", 2, 0)]


def test_a_name_in_code_type_leads_to_its_symbol_also_before_it_is_saved(client: EditorClient, root: Path) -> None:
    guide = (root / "guide.md").as_uri()
    client.change(guide, "# Guide\n\nNow `Shop.sell` and `shop`, and `make` too.\n")
    found = client.ask("textDocument/definition", client.at(guide, "`Shop.sell`", 4))
    assert places(found, root) == [("src/shop.py", 3, 4)]
    assert client.ask("textDocument/definition", client.at(guide, "`shop`", 2)) == []
    shop = (root / "src/shop.py").as_uri()
    where = client.at(shop, "def sell", 5, context={"includeDeclaration": False})
    assert places(client.ask("textDocument/references", where), root) == [("guide.md", 2, 5)]


def test_hovering_shows_a_symbol_as_code(client: EditorClient, root: Path) -> None:
    found = client.ask("textDocument/hover", client.at((root / "guide.md").as_uri(), "`Shop`", 2))
    assert found["contents"]["value"] == (
        '````python\nclass Shop:\n    """Sells things: ```a```"""\n\n    def sell(self) -> int:\n        return 1\n````'
        "\n\n— code:src/shop.py#Shop"
    )
    assert client.covered((root / "guide.md").as_uri(), found["range"]) == "Shop"
    found = client.ask("textDocument/hover", client.at((root / "guide.md").as_uri(), "`make()`", 2))
    assert found["contents"]["value"] == (
        "```python\ndef make() -> Shop:\n    return Shop()\n```\n\n— code:src/shop.py#make"
    )


def test_symbols_are_offered_behind_the_path_of_their_file(client: EditorClient, root: Path) -> None:
    guide = (root / "guide.md").as_uri()
    client.change(guide, "# Guide\n\n[x](src/shop.py#)\n")
    found = client.ask("textDocument/completion", client.at(guide, "shop.py#", 8))
    assert [one["label"] for one in found["items"]] == ["Shop", "Shop.sell", "make"]
