"""The published JSON Schema describes what is really written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import pinakes
from kits.trees import write_tree
from pinakes.outline import MapRequest
from pinakes.records import Event, HitDetail, Phase, Query
from pinakes.render import dumps, wire
from pinakes.render.schema import document, schemas

HOME = Path(__file__).resolve().parents[2]
SCHEMA = json.loads(dumps(document()))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pinakes.Library]:
    root = write_tree(
        tmp_path_factory.mktemp("described"),
        {
            "a.md": "---\ntitle: A\nmodified: 2026-01-02\n---\n# A\n\n"
            "About [b](b.md), [[lost]], ![p](p.png).\n\n| x |\n|---|\n",
            "b.md": "# B\n\n## Tides\n\nHigh water. Port is 80.\n\n## Tides again\n\nHigh water. [A](a.md#nope)\n",
            "broken.svg": "<svg><!DOCTYPE x",
            "latin.md": b"# caf\xe9\n",
            "p.png": b"\x89PNG",
        },
    )
    with pinakes.open(root) as opened:
        yield opened


def faults(name: str, record: object) -> list[str]:
    validator = Draft202012Validator({**SCHEMA, "$ref": f"#/$defs/{name}"})
    return [f"{list(error.absolute_path)}: {error.message[:200]}" for error in validator.iter_errors(wire(record))]


def test_the_published_schema_is_the_one_the_records_make() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert (HOME / "docs" / "schema.json").read_text(encoding="utf-8") == dumps(document(), indent=2) + "\n"


def test_memories_and_added_documents_are_as_described(tmp_path: Path) -> None:
    with pinakes.open(write_tree(tmp_path / "docs", {"a.md": "# A\n\nHigh water.\n"})) as opened:
        opened.sync()
        kept = opened.memories.remember(
            "High water, see [[a.md]] and [[gone.md]].", tags=["sea"], review_by="2020-01-01"
        )
        made = opened.added.add_text(b"# B\n\nLow water.\n", title="B")
        answers: list[tuple[str, object]] = [
            ("Memory", kept),
            ("Memory", opened.memories.list().memories[0]),
            ("MemoryList", opened.memories.list()),
            ("Recollection", opened.memories.recall("high water")),
            ("Recollection", opened.memories.recall()),
            ("Addition", made),
            ("AddedText", opened.added.get(made.document.id)),
            ("AddedDocument", opened.added.list()[0]),
            ("Trashed", opened.memories.forget(kept.id)),
        ]
        assert [fault for name, record in answers for fault in faults(name, record)] == []


def test_everything_the_library_answers_is_as_described(library: pinakes.Library) -> None:
    report = library.sync()
    answers: list[tuple[str, object]] = [
        ("Report", report),
        ("Status", library.status()),
        ("Event", Event(Phase.READING, 1, 0, "a.md")),
        ("Map", library.map()),
        ("Map", library.map("", MapRequest(summary=True, tokens=True), focus="tides")),
        ("Passage", library.read("b.md#tides")),
        ("Passage", library.read("b.md:2-3")),
        ("Connections", library.links("a.md")),
        ("Results", library.search("high water")),
        ("Results", library.search("elephants in zanzibar")),
        *[("Results", library.search(Query("high water", detail=detail, profile="thorough"))) for detail in HitDetail],
        *[("FileStatus", file) for file in library.files()],
        *[("Finding", finding) for finding in library.check()],
        *[("Diagnosis", one) for one in library.doctor()],
    ]
    assert {name: faults(name, record) for name, record in answers if faults(name, record)} == {}
    assert {name for name, _ in answers} >= {"Finding", "Diagnosis", "FileStatus"}
    assert report.moved == ()


def test_what_is_not_described_is_not_allowed(library: pinakes.Library) -> None:
    library.sync()
    told = wire(library.read("a.md"))
    assert isinstance(told, dict)
    assert faults("Passage", {**told, "more": 1})
    assert faults("Passage", {name: value for name, value in told.items() if name != "text"})


def test_shapes_refer_to_each_other_by_the_prefix_asked_for() -> None:
    text = dumps(schemas("#/components/schemas/"))
    assert "#/components/schemas/MapBlock" in text
    assert "#/$defs/" not in text
