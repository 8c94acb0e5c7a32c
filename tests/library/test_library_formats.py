"""Files of other formats go the way of every document: listed, mapped, searched, read, added, published."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kits.publish import publish
from kits.trees import write_tree
from pinakes.errors import BadMove
from pinakes.library import open_library

NOTEBOOK = json.dumps(
    {
        "metadata": {"language_info": {"name": "python"}},
        "cells": [
            {"cell_type": "markdown", "source": "# Tides\nHow the harbour fills."},
            {"cell_type": "code", "source": "moon = 1", "outputs": []},
            {"cell_type": "markdown", "source": "## The lighthouse\nIts keeper counts ships."},
        ],
    }
)
FILES = {
    "index.md": "# Home\n\nSee [the keeper](work/tides.ipynb#cell=3) and [the lamp](man/lamp.1).\n",
    "work/tides.ipynb": NOTEBOOK,
    "work/ships.csv": "ship,tons\nalbatross,400\nkestrel,90\n",
    "man/lamp.1": ".TH LAMP 1\n.SH NAME\nlamp \\- light the lamp\n.SH OPTIONS\n.BR wick (5)\nburns paraffin\n",
    "man/wick.5": ".TH WICK 5\n.SH NAME\nwick \\- what burns\n",
    "api/ships.yaml": "openapi: 3.1.0\npaths:\n  /ships:\n    get: {summary: All corvettes}\n",
    "package.json": '{"name": "x"}',
    "logs/server.1": "10:00 started paraffin\n",
}


def test_every_format_goes_through_everything(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", FILES)
    with open_library(root) as library:
        library.sync()
        assert {one.ref.path for one in library.outlines()} == FILES.keys() - {"logs/server.1", "package.json"}
        drawn = library.map().text()
        for line in ("tides.ipynb", "The lighthouse", "ships.csv", "lamp.1", "OPTIONS"):
            assert line in drawn
        found = {
            words: library.search(words).hits[0].ref.label
            for words in ("keeper counts", "albatross", "paraffin", "corvettes")
        }
        assert list(found.values()) == ["work/tides.ipynb", "work/ships.csv", "man/lamp.1", "api/ships.yaml"]
        assert "Its keeper counts ships." in library.read("work/tides.ipynb#cell=3").text
        (status,) = library.files(["logs/server.1"])
        assert "nothing in it shows that it is a document (manual)" in status.reason
        assert [str(edge.to) for edge in library.links("index.md").outgoing] == [
            "docs:work/tides.ipynb#the-lighthouse",
            "docs:man/lamp.1",
        ]
        assert [str(edge.to) for edge in library.links("man/lamp.1").outgoing] == ["docs:man/wick.5"]
        added = {path: library.added.add(str(root / path)).document for path in FILES if path != "index.md"}
        texts = {path: library.added.get(one.id).text for path, one in added.items()}
    assert texts["work/tides.ipynb"].startswith("# Tides\nHow the harbour fills.\n\n```python\nmoon = 1\n```")
    assert texts["work/ships.csv"].startswith("2 rows of 2 columns")
    assert "## GET /ships" in texts["api/ships.yaml"] and texts["package.json"] == FILES["package.json"]
    assert "wick(5) burns paraffin" in texts["man/lamp.1"]
    assert texts["logs/server.1"] == FILES["logs/server.1"]
    publish(root, tmp_path / "out")
    assert (tmp_path / "out/work/tides.ipynb").read_text("utf-8") == FILES["work/tides.ipynb"]
    chunk = (tmp_path / "out/work/_chunks/tides.ipynb-0.md").read_text("utf-8")
    assert chunk.strip() and chunk.strip() in texts["work/tides.ipynb"]


def test_a_file_becomes_a_document_when_its_content_does(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", {"a.1": "nothing yet\n", "b.md": "# B\n"})
    with open_library(root) as library:
        for content, expected in ((FILES["man/lamp.1"], {"a.1", "b.md"}), ("nothing again\n", {"b.md"})):
            library.sync()
            (root / "a.1").write_text(content, "utf-8")
            library.sync()
            assert {one.ref.path for one in library.outlines()} == expected


def test_a_heading_that_was_made_is_not_renamed(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", {"tides.ipynb": NOTEBOOK})
    with open_library(root) as library:
        library.sync()
        with pytest.raises(BadMove, match="is made from the file"):
            library.plan_rename("tides.ipynb#the-lighthouse", "The tower")
