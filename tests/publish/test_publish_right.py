"""What is computed of documents says what it should: code, baselines, words, folders, bytes."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from kits.publish import broken, document_index, files, indexes, publish
from kits.trees import write_tree
from pinakes.publish.authority import Authority
from pinakes.publish.stripes import conceptual_chunk
from pinakes.records import DOCS, Kind, Outline, Ref, Section, Span, formats

LONG = "text " * 300


def test_only_fences_make_a_chunk_code(tmp_path: Path) -> None:
    indented = "".join(f"    word {number} of a note that is indented\n" for number in range(60))
    fenced = "```py\n" + "".join(f"print({number})\n" for number in range(120)) + "```\n"
    root = write_tree(tmp_path / "docs", {"a.md": f"# A\n\nWords.\n\n{indented}", "b.md": f"# B\n\n{fenced}"})
    publish(root, tmp_path / "out")
    held = {name: document_index(tmp_path / "out", "index.json", name) for name in ("a", "b")}
    assert [item["is_code"] for item in held["a"]["items"]] == [False]
    assert [item["code_ratio"] for item in held["a"]["items"]] == [0.0]
    assert all(item["is_code"] for item in held["b"]["items"])


@pytest.mark.parametrize(
    ("heading", "place"),
    [
        ("Overview", 1),
        ("1. Introduction", 1),
        ("About", 1),
        ("Concepts", 1),
        ("Overview of the device flow", 0),
        ("Permissions overview", 0),
        ("Access to data in security overview", 0),
    ],
)
def test_a_baseline_is_a_heading_that_is_an_overview_and_not_one_that_names_it(heading: str, place: int) -> None:
    assert conceptual_chunk([["Title"], [heading], ["Other"]]) == place


def outline(path: str, *sections: tuple[str, tuple[str, ...]]) -> Outline:
    root = Section("", "", 0, -1, Span(0, 0), Span(0, 0))
    made = [
        Section(title.lower(), title, 2, 0, Span(0, 0), Span(0, 0), keywords=keywords) for title, keywords in sections
    ]
    counts = (0,) * (len(made) + 1)
    return Outline(Ref(DOCS, path), path, Kind.UNKNOWN, formats.MARKDOWN, "", (root, *made), 0, counts, ())


def test_a_plain_word_of_one_section_says_nothing_of_a_topic() -> None:
    sections = [
        (f"Port {number}", ("port", f"server.port{number}", f"chance{'abcdefghijkl'[number]}")) for number in range(12)
    ]
    words = Authority([outline("a.md", *sections[:6]), outline("b.md", *sections[6:], ("End", ("noted", "foo")))]).words
    assert words[0].name == "port"
    assert not {word.name for word in words} & {"noted", "foo", *(f"chance{one}" for one in "abcdefghijkl")}


def test_no_score_is_shared_by_more_than_a_fifth_of_the_words() -> None:
    names = [f"name.{number}" for number in range(100)]
    words = Authority([outline("a.md", *((name, (name,)) for name in names))]).words
    assert (len(words), words[0].score) == (100, 10)
    assert max(Counter(word.score for word in words).values()) <= 20


def test_folders_of_folders_have_an_index_so_that_one_can_walk_down(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", {"a/b/c/deep.md": "# Deep\n", "a/b/d/other.md": "# Other\n"})
    done = publish(root, tmp_path / "out")
    held = indexes(tmp_path / "out")
    assert (done.topics, broken(tmp_path / "out")) == (2, [])
    place, passed = "index.json", []
    for _ in range(3):
        below = held[place]["_embedded"]["topics"][0]
        passed.append(below["path"])
        place = str(Path(place).parent / below["_links"]["self"]["href"])
    assert passed == ["a", "a/b", "a/b/c"]
    assert held[place]["_links"]["parent"]["href"] == "../index.json"


def test_what_is_published_of_any_bytes_are_these_bytes(tmp_path: Path) -> None:
    notebook = json.dumps({"cells": [{"cell_type": "markdown", "source": ["# Book"], "metadata": {}}], "nbformat": 4})
    held = {"latin.md": b"# Gr\xf6\xdfe\n\nText\r\n", "cells.csv": b"a,b\n1,2\n", "book.ipynb": notebook.encode()}
    root = write_tree(tmp_path / "docs", held)
    publish(root, tmp_path / "out")
    there = files(tmp_path / "out")
    assert {name: there[name] for name in held} == held
