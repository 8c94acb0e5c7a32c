"""A file of any format works alike in a folder, on the map, in a search, read, added, published and watched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pinakes
from kits import office
from kits.hostile import pinakes_here
from kits.trees import write_tree
from pinakes import Library
from pinakes.records import Query

NOTEBOOK = {"cells": [{"cell_type": "markdown", "source": ["# Heron\n", "The heron stands."]}], "metadata": {}}
API = "openapi: 3.0.0\ninfo: {title: Birds}\npaths: {/gull: {get: {summary: The gull flies, responses: {}}}}\n"
FILES: dict[str, bytes] = {
    "heron.ipynb": json.dumps(NOTEBOOK).encode(),
    "gull.yaml": API.encode(),
    "raven.csv": b"bird,colour\nraven,black\nrook,grey\n",
    "falcon.1": b".TH FALCON 1\n.SH NAME\nfalcon \\- stoops on its prey\n",
    "owl.rst": b"Owl\n===\n\nThe owl listens.\n",
    "stork.adoc": b"= Stork\n\nThe stork clatters.\n",
    "crane.org": b"* Crane\nThe crane dances.\n",
    "robin.html": b"<title>Robin</title><script>alert(1)</script><h1 onclick=x() id=here>Robin</h1>"
    b"<p>The robin sings.</p>",
    "eagle.pdf": office.pdf(["Some words"], ["The eagle soars"], title="Eagle"),
    "swan.docx": office.docx(("Heading1", "Swan"), ("", "The swan hisses.")),
    "duck.pptx": office.pptx(("Duck", "The duck dabbles")),
    "goose.xlsx": office.xlsx({"Birds": [["bird", "sound"], ["goose", "honks"]]}),
    "thrush.epub": office.epub("Thrush", "<h1>Thrush</h1><p>The thrush repeats.</p>"),
    "plover.odt": office.odt('<text:h text:outline-level="1">Plover</text:h><text:p>The plover runs.</text:p>'),
}
FOUND = {
    "heron.ipynb": ("heron stands", "#heron"),
    "gull.yaml": ("gull flies", "#get-gull"),
    "raven.csv": ("raven black", ""),
    "falcon.1": ("falcon stoops prey", "#name"),
    "owl.rst": ("owl listens", "#owl"),
    "stork.adoc": ("stork clatters", "#stork"),
    "crane.org": ("crane dances", "#crane"),
    "robin.html": ("robin sings", "#robin"),
    "eagle.pdf": ("eagle soars", "#page=2"),
    "swan.docx": ("swan hisses", "#swan"),
    "duck.pptx": ("duck dabbles", "#slide=1"),
    "goose.xlsx": ("goose honks", "#birds"),
    "thrush.epub": ("thrush repeats", "#thrush"),
    "plover.odt": ("plover runs", "#plover"),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    root = tmp_path_factory.mktemp("birds")
    (root / "pinakes.toml").write_text("")
    for name, data in FILES.items():
        (root / name).write_bytes(data)
    found = pinakes.open(root)
    assert len(found.sync().put) == len(FILES)
    return found


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_any_format_is_found_read_and_on_the_map(name: str, library: Library) -> None:
    question, anchor = FOUND[name]
    hit = next(iter(library.search(Query(question, limit=1)).hits))
    assert str(hit.ref) == f"docs:{name}{anchor}"
    passage = library.read(str(hit.ref))
    assert hit.text in passage.text
    assert question.split()[-1] in passage.text
    assert name in library.map().text()


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_any_format_is_added(name: str, library: Library, tmp_path: Path) -> None:
    write_tree(tmp_path, {"pinakes.toml": ""})
    other = pinakes.open(tmp_path)
    made = other.added.add(str(library.root / name))
    question, _ = FOUND[name]
    other.sync()
    hit = next(iter(other.search(Query(question, limit=1)).hits))
    assert hit.ref.path == made.ref.path
    assert hit.origin == str(library.root / name)


def test_an_added_pdf_keeps_the_numbers_of_its_pages(library: Library, tmp_path: Path) -> None:
    write_tree(tmp_path, {"pinakes.toml": ""})
    other = pinakes.open(tmp_path)
    made = other.added.add(str(library.root / "eagle.pdf"))
    other.sync()
    assert "eagle soars" in other.read(f"{made.ref}#page=2").text
    assert made.document.title == "Eagle"


def test_published_files_are_the_originals_and_a_page_does_nothing(library: Library, tmp_path: Path) -> None:
    done = pinakes_here(library.root, "publish", str(tmp_path / "out"))
    assert done.code == 0, done.error
    for name, data in FILES.items():
        if name != "robin.html":
            assert (tmp_path / "out" / name).read_bytes() == data
    page = (tmp_path / "out" / "robin.html").read_text()
    assert '<h1 id="here">Robin</h1><p>The robin sings.</p>' in page
    assert "default-src 'none'" in page
    assert "alert" not in page
    assert "onclick" not in page


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    write_tree(tmp_path, {"pinakes.toml": ""})
    (tmp_path / "a.docx").write_bytes(office.docx(("", "The first words.")))
    library = pinakes.open(tmp_path)
    library.sync()
    (tmp_path / "a.docx").write_bytes(office.docx(("", "Other words came.")))
    library.sync()
    assert library.read("a.docx").text.strip() == "Other words came."


WITHOUT = """
import importlib.util, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name in ("html_to_markdown", "pypdfium2") else find(name, *more)
import pinakes.records.media as media
media.find_spec = importlib.util.find_spec
from pinakes.serve.cli import main
main()
"""


@pytest.mark.parametrize(("name", "extra"), [("eagle.pdf", "office"), ("robin.html", "add")])
def test_without_its_extra_a_file_is_no_document_and_the_extra_is_named(name: str, extra: str, tmp_path: Path) -> None:
    write_tree(tmp_path, {"pinakes.toml": ""})
    (tmp_path / name).write_bytes(FILES[name])
    step = f"pip install 'pinakes[{extra}]'"

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", WITHOUT, *words],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=os.environ,
            check=False,
        )

    assert run("sync").stdout.startswith("0 unchanged;")
    assert step in run("status", name).stdout
    added = run("add", name)
    assert added.returncode == 2
    assert step in added.stderr
