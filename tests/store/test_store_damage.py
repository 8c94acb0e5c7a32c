"""A damaged index is named as such, whatever happened to its files, and never answers as if it were empty."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from pathlib import Path

import pytest

from kits.store import copied
from pinakes.errors import NotFound, StoreDamaged, StoreForeign, StoreTooNew
from pinakes.own_folder import OwnFolder
from pinakes.records import (
    DOCS,
    Change,
    ChunkId,
    Document,
    Edge,
    Entry,
    Filter,
    Kind,
    Link,
    LinkForm,
    Outcome,
    Ref,
    Section,
    Span,
    Stamp,
    formats,
)
from pinakes.store import damage, database_identity, open_sqlite, set_aside
from pinakes.store.sqlite.trust import first_seal, write_seal

DOCUMENTS = 60


def entry(number: int) -> Entry:
    source = f"# Page {number}\n".encode() + b"word " * (40 * (number % 60))
    whole = Span(0, len(source))
    document = Document(
        Stamp(Ref(DOCS, f"folder-{number % 7}/page-{number}.md"), f"{len(source)}", formats.MARKDOWN),
        f"digest {number}",
        f"Page {number}",
        Kind.NOTES,
        source,
        (Section("", "", 0, -1, whole, Span(0, 2)), Section("page", f"Page {number}", 1, 0, whole, Span(0, 2))),
        tuple(Link(at, 1, Span(at, at + 1), 0, LinkForm.LINK, f"page-{at}.md", "next") for at in range(5)),
    )
    return Entry(document, (), tuple(f"page-{at}" for at in range(5)))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index that was closed properly."""
    folder = tmp_path_factory.mktemp("sound") / "index"
    store = open_sqlite(OwnFolder(folder))
    entries = tuple(entry(number) for number in range(DOCUMENTS))
    edges = tuple(
        Edge(item.document.ref, item.document.links[1], Ref(DOCS, "folder-1/page-1.md"), Outcome.FOUND)
        for item in entries
    )
    store.write(Change(put=entries, edges=edges, settings={"reading": "1"}))
    store.close()
    return folder


@pytest.fixture
def index(sound: Path, tmp_path: Path) -> Path:
    return copied(sound, tmp_path / "index")


def everything(folder: Path) -> list[object]:
    """All there is to read; raises when any of it cannot be trusted."""
    store = open_sqlite(OwnFolder(folder), read_only=True)
    try:
        kept = dict(store.files(DOCS))
        return [
            kept,
            [store.document(Ref(DOCS, path)) for path in kept],
            [store.anchors(Ref(DOCS, path)) for path in kept],
            list(store.outlines(DOCS)),
            list(store.edges(DOCS)),
            list(store.names(DOCS)),
            list(store.names(DOCS, ["page-1", "page-2"])),
            list(store.edges(DOCS, to=Ref(DOCS, "folder-1/page-1.md"))),
            store.counts(DOCS),
            store.pending_links(DOCS, -1),
            store.setting("reading"),
            store.feed(0),
            list(store.documents_by_number(store.feed(0).changed)),
            store.scope(Filter(paths=("folder-1",), kinds=(Kind.NOTES,))),
            store.scope(Filter(linked_to=Ref(DOCS, "folder-1/page-1.md"))),
        ]
    finally:
        store.close()


def test_a_sound_index_has_nothing_to_report(sound: Path, index: Path) -> None:
    assert damage(OwnFolder(index)) == ""
    assert everything(index) == everything(sound)


def test_an_index_cut_off_anywhere_is_damaged(index: Path) -> None:
    database = index / "library.db"
    whole = database.read_bytes()
    sizes = [0, 1, 15, 16, 99, 100, 512, 4095, 4096, 4097, 8192, len(whole) // 2, len(whole) - 4096, len(whole) - 1]
    for size in sizes:
        database.write_bytes(whole[:size])
        for read_only in (True, False):
            with pytest.raises(StoreDamaged, match=r"library\.db is damaged.*pinakes doctor --repair"):
                open_sqlite(OwnFolder(index), read_only=read_only)
        assert "damaged" in damage(OwnFolder(index))


def test_an_index_cut_off_is_damaged_without_its_seal_too(index: Path) -> None:
    (index / "seal.json").unlink()
    database = index / "library.db"
    whole = database.read_bytes()
    for size in (0, 1, 99, 4096, 8192, len(whole) // 2, len(whole) - 4096):
        database.write_bytes(whole[:size])
        with pytest.raises(StoreDamaged):
            everything(index)
        assert damage(OwnFolder(index)) != ""


@pytest.mark.parametrize("content", [b"", b"not a database at all", b"SQLite format 3\x00" + b"\x00" * 4080])
def test_a_file_that_is_no_database_is_damaged(index: Path, content: bytes) -> None:
    (index / "library.db").write_bytes(content)

    with pytest.raises(StoreDamaged):
        open_sqlite(OwnFolder(index))
    assert damage(OwnFolder(index)) != ""


def test_a_missing_database_is_noticed_by_its_seal(index: Path) -> None:
    (index / "library.db").unlink()

    for read_only in (True, False):
        with pytest.raises(StoreDamaged, match="missing"):
            open_sqlite(OwnFolder(index), read_only=read_only)
    assert "missing" in damage(OwnFolder(index))


def test_an_empty_but_sound_database_in_its_place_is_noticed(index: Path, tmp_path: Path) -> None:
    open_sqlite(OwnFolder(tmp_path / "other")).close()
    shutil.copy(tmp_path / "other" / "library.db", index / "library.db")

    with pytest.raises(StoreDamaged):
        open_sqlite(OwnFolder(index))


def test_a_database_of_an_earlier_day_is_noticed(sound: Path, index: Path) -> None:
    store = open_sqlite(OwnFolder(index))
    store.write(Change(drop=(Ref(DOCS, "folder-0/page-0.md"),)))
    store.close()
    shutil.copy(sound / "library.db", index / "library.db")

    with pytest.raises(StoreDamaged, match="generation 1, and generation 2 was written"):
        open_sqlite(OwnFolder(index))


def test_documents_lost_at_the_same_generation_are_noticed(index: Path) -> None:
    with sqlite3.connect(index / "library.db") as driver:
        driver.execute("DELETE FROM documents WHERE id = 1")
    driver.close()

    with pytest.raises(StoreDamaged, match="59 documents where 60"):
        open_sqlite(OwnFolder(index))


@pytest.mark.parametrize("seal", [None, b"", b"garbage", b"[]", b'{"generation": "x"}', b"\xff\xfe"])
def test_an_index_without_a_legible_seal_is_not_believed(index: Path, seal: bytes | None) -> None:
    (index / "seal.json").unlink()
    if seal is not None:
        (index / "seal.json").write_bytes(seal)

    with pytest.raises(StoreForeign, match="was not made here"):
        everything(index)
    assert "was not made here" in damage(OwnFolder(index))


def test_overwritten_pages_are_noticed_or_do_no_harm(sound: Path, index: Path) -> None:
    """Whatever page is lost: either nobody needed it, or there is an error; never another answer."""
    database = index / "library.db"
    whole = database.read_bytes()
    expected = everything(sound)
    chance = random.Random(7)
    noticed = 0
    for page in range(len(whole) // 4096):
        spoilt = bytearray(whole)
        spoilt[page * 4096 : (page + 1) * 4096] = chance.randbytes(4096)
        database.write_bytes(spoilt)
        try:
            assert everything(index) == expected
        except StoreDamaged:
            noticed += 1
    assert noticed > len(whole) // 4096 // 2


def test_text_changed_behind_our_back_is_noticed(index: Path) -> None:
    before = (index / "library.db").stat()
    with sqlite3.connect(index / "library.db") as driver:
        driver.execute("UPDATE bodies SET source = CAST('# Page 9' AS BLOB) WHERE document = 9")
    driver.close()
    with pytest.raises(StoreDamaged, match="not what was written"):
        open_sqlite(OwnFolder(index))
    assert "not what was written" in damage(OwnFolder(index))

    # A disk that forgets leaves no trace in the times.
    os.utime(index / "library.db", ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(StoreDamaged, match="not what was written"):
        open_sqlite(OwnFolder(index))
    write_seal(OwnFolder(index), first_seal(OwnFolder(index)))
    store = open_sqlite(OwnFolder(index))
    with pytest.raises(StoreDamaged, match="not what was written"):
        [store.document(Ref(DOCS, path)) for path in store.files(DOCS)]
    with pytest.raises(StoreDamaged, match="not what was written"):
        store.slices([ChunkId(9, 0)])
    assert "not what was written" in damage(OwnFolder(index))
    store.close()


@pytest.mark.parametrize(
    ("statement", "finding"),
    [
        ("DELETE FROM bodies WHERE document = 1", "documents without text: 1"),
        ("UPDATE trees SET anchors = '[]' WHERE document = 1", "sections are incomplete: 1"),
        ("DELETE FROM links WHERE document = 1 AND ordinal = 2", "links are incomplete: 1"),
        ("UPDATE documents SET pending = 1 WHERE id = 1", "waiting links are miscounted: 1"),
        ("UPDATE folders SET files = 3 WHERE path = ''", "folders that are miscounted: 1"),
        ("INSERT INTO keywords VALUES ('nobody', 'f', '[]')", "keywords of no document: 1"),
        ("DELETE FROM changes WHERE document = 1", "documents nobody knows the last change of: 1"),
        ("UPDATE meta SET last_number = 58", "numbers that may be given twice: 2"),
        ("INSERT INTO gone VALUES (1, 7)", "numbers that may be given twice: 1"),
        ("INSERT INTO former SELECT 999, id, '', 'x' FROM places", "1 rows belong to nothing"),
        ("INSERT INTO names VALUES (9999, 'alias', 'x', 'x')", "1 rows belong to nothing, the first of them in names"),
    ],
)
def test_doctor_finds_what_does_not_fit_together(index: Path, statement: str, finding: str) -> None:
    with sqlite3.connect(index / "library.db") as driver:
        driver.execute(statement)
    driver.close()

    assert finding in damage(OwnFolder(index))


def test_a_damaged_index_is_set_aside_and_a_new_one_made(index: Path) -> None:
    broken = b"broken" * 1000
    (index / "library.db").write_bytes(broken)
    aside = set_aside(OwnFolder(index))

    assert aside is not None
    assert (aside / "library.db").read_bytes() == broken
    assert damage(OwnFolder(index)) == ""
    store = open_sqlite(OwnFolder(index))
    assert (store.generation, dict(store.files(DOCS))) == (0, {})
    store.write(Change(put=(entry(1),)))
    store.close()
    again = set_aside(OwnFolder(index))
    assert again != aside
    with pytest.raises(NotFound, match="no index"):
        open_sqlite(OwnFolder(index), read_only=True)


def test_an_open_store_goes_on_with_the_database_that_was_made_in_its_place(index: Path) -> None:
    store = open_sqlite(OwnFolder(index))
    store.write(Change())
    set_aside(OwnFolder(index))
    other = open_sqlite(OwnFolder(index))
    other.write(Change(put=(entry(3),)))
    other.close()

    assert list(store.files(DOCS)) == ["folder-3/page-3.md"]
    store.write(Change(put=(entry(4),)))
    assert list(store.files(DOCS)) == ["folder-3/page-3.md", "folder-4/page-4.md"]
    store.close()


def test_an_open_store_notices_that_its_database_was_removed(index: Path) -> None:
    store = open_sqlite(OwnFolder(index))
    (index / "library.db").unlink()

    with pytest.raises(StoreDamaged, match="missing"):
        store.files(DOCS)
    with pytest.raises(StoreDamaged, match="missing"):
        store.write(Change())
    store.close()


def test_an_open_store_notices_that_its_log_cannot_be_one(index: Path) -> None:
    store = open_sqlite(OwnFolder(index))
    (index / "library.db-wal").unlink(missing_ok=True)
    (index / "library.db-wal").mkdir()

    with pytest.raises(StoreDamaged, match=r"library\.db-wal is no file"):
        store.files(DOCS)
    store.close()


def test_an_index_of_a_newer_pinakes_is_left_alone(index: Path) -> None:
    with sqlite3.connect(index / "library.db") as driver:
        driver.execute("PRAGMA user_version = 9999")
    driver.close()
    before = (index / "library.db").read_bytes()

    for read_only in (True, False):
        with pytest.raises(StoreTooNew, match="9999"):
            open_sqlite(OwnFolder(index), read_only=read_only)
    assert (index / "library.db").read_bytes() == before


def test_a_spoilt_lock_file_does_not_matter(index: Path) -> None:
    (index / "write.lock").write_bytes(b"garbage" * 999)
    (index / "writer.json").write_bytes(b"\xff")
    store = open_sqlite(OwnFolder(index))
    store.write(Change(put=(entry(999),)))

    assert len(store.files(DOCS)) == DOCUMENTS + 1
    store.close()


def test_only_the_last_index_set_aside_is_kept(tmp_path: Path) -> None:
    for _ in range(3):
        open_sqlite(OwnFolder(tmp_path)).close()
        kept = set_aside(OwnFolder(tmp_path))
    assert list(tmp_path.glob("set-aside-*")) == [kept]


def test_whoever_comes_second_leaves_the_new_index_alone(index: Path) -> None:
    damaged = database_identity(OwnFolder(index))
    assert set_aside(OwnFolder(index), damaged) is not None
    store = open_sqlite(OwnFolder(index))
    store.write(Change(put=(entry(1),)))
    store.close()
    assert set_aside(OwnFolder(index), damaged) is None
    assert damage(OwnFolder(index)) == ""
    assert (index / "library.db").exists()


def test_where_an_index_was_moved_away_and_the_new_one_is_not_made_yet_nothing_is_set_aside(tmp_path: Path) -> None:
    assert set_aside(OwnFolder(tmp_path), database_identity(OwnFolder(tmp_path))) is None
    assert list(tmp_path.glob("set-aside-*")) == []
