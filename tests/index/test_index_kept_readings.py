"""What documents say, kept in a database: it comes back as it was, for equal bytes read by equal settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from kits.queue import empty_database
from kits.trees import write_tree
from pinakes.chunk import ChunkOptions
from pinakes.index.kept_readings import KeptReadings
from pinakes.index.reading import USUAL, ReadingOptions, read_entries
from pinakes.postgres.database import Database
from pinakes.records import Entry, Stamp
from pinakes.records.module_paths import NO_MODULE_PATHS, ModulePaths
from pinakes.records.sites import AnchorStyle, Site, Sites
from pinakes.sources import FolderOptions, FolderSource

PAGES: dict[str, str | bytes] = {
    "a.md": "---\ntitle: A\ntags: [x]\nodd: {deep: [1, 2]}\n---\n# A\n\nSee [b](b.md#c) and `a.py`.\n\n```py\nx\n```\n",
    "b.rst": "B\n=\n\n.. _c:\n\nC\n-\n\nText of :ref:`c`.\n",
    "latin.md": b"# caf\xe9\n",
    "nul.md": "# N\x00\n\nText with a NUL \x00 inside.\n",
    "picture.svg": '<svg xmlns="http://www.w3.org/2000/svg"><text>Label</text></svg>',
}


@pytest.fixture
def database() -> Database:
    return empty_database()


def read(root: Path, options: ReadingOptions) -> tuple[list[Stamp], list[Entry]]:
    source = FolderSource(root, FolderOptions())
    stamps = [stamp for stamp in source.scan().stamps if stamp.media.is_document]
    return stamps, [one for one in read_entries(source, stamps, {}, options) if isinstance(one, Entry)]


def test_what_was_read_comes_back_as_it_was(database: Database, tmp_path: Path) -> None:
    stamps, entries = read(write_tree(tmp_path, PAGES), USUAL)
    kept = KeptReadings(database, USUAL)
    assert kept.missing(stamps) == stamps
    with database.transaction() as connection:
        kept.keep(connection, entries)
        kept.keep(connection, entries)
    found = kept.find(stamps)
    assert [found[stamp.ref] for stamp in stamps] == entries
    assert all(found[stamp.ref].document.stamp.media is stamp.media for stamp in stamps)
    assert kept.missing(stamps) == []
    with database.transaction() as connection:
        kept.forget(connection, stamps[:2])
    assert kept.missing(stamps) == stamps[:2]


def test_what_was_read_by_other_settings_is_not_found(database: Database, tmp_path: Path) -> None:
    stamps, entries = read(write_tree(tmp_path, PAGES), USUAL)
    with database.transaction() as connection:
        KeptReadings(database, USUAL).keep(connection, entries)
    for other in (
        ReadingOptions(ChunkOptions(section_chars=300)),
        ReadingOptions(sites=Sites((Site(AnchorStyle.MKDOCS, ""),))),
    ):
        assert KeptReadings(database, other).find(stamps) == {}
        assert KeptReadings(database, other).missing(stamps) == stamps


def test_a_name_that_is_not_utf_8_is_read_again_by_whoever_needs_it(database: Database, tmp_path: Path) -> None:
    (tmp_path / "caf\udce9.md").write_bytes(b"# A\n")
    stamps, entries = read(tmp_path, USUAL)
    assert len(entries) == 1
    kept = KeptReadings(database, USUAL)
    with database.transaction() as connection:
        kept.keep(connection, entries)
    assert kept.missing(stamps) == stamps


def test_what_names_of_modules_mean_goes_with_a_job_as_text() -> None:
    table = (("@app/*", ("src/app/*", "lib/*")), ("x", ("y",)))
    one = ModulePaths({"": 0, "web": -1}, (table,))
    assert ModulePaths.parse(one.text()) == one
    assert ModulePaths.parse(NO_MODULE_PATHS.text()) == NO_MODULE_PATHS
