"""Builders for tests of stores: entries with everything in them, changes, edges, and the engines to ask."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from kits.postgres import server
from kits.scratch import ScratchStore
from pinakes.own_folder import OwnFolder
from pinakes.ports import Store
from pinakes.records import (
    DOCS,
    Change,
    Chunk,
    CodeBlock,
    Document,
    Edge,
    Entry,
    Kind,
    Link,
    LinkForm,
    Media,
    Metadata,
    Name,
    NameForm,
    Outcome,
    Ref,
    Relation,
    Section,
    Shape,
    Span,
    Stamp,
    formats,
    name_key,
)
from pinakes.store import open_sqlite
from pinakes.store.sqlite.sums import sums_of, write_sums
from pinakes.store.sqlite.trust import DATABASE, first_seal, read_seal, write_seal
from pinakes.store.sqlite.trust import stamp as stamp_of

if TYPE_CHECKING:
    from pinakes.postgres.database import Database
    from pinakes.store.postgres.store import PostgresStore


@cache
def migrated_database() -> Database:
    """A database with tables, for all tests of this process; the test is skipped where there can be none."""
    from pinakes.library.databases import table_sets
    from pinakes.postgres import shared_database
    from pinakes.postgres.migrations import migrate

    database = shared_database(server().new_database())
    migrate(database, table_sets())
    return database


def postgres_store(library: str, corpus: str = DOCS) -> PostgresStore:
    """The index of a library of that name."""
    database = migrated_database()
    from pinakes.store.postgres.indexes import IndexName
    from pinakes.store.postgres.store import open_postgres

    return open_postgres(database, IndexName(library, corpus))


ENGINES: dict[str, Callable[[Path], Store]] = {
    "scratch": lambda folder: ScratchStore(),
    "sqlite": lambda folder: open_sqlite(OwnFolder(folder)),
    "postgres": lambda folder: postgres_store(str(folder)),
}
"""Every store there is, by name."""


def at(path: str, anchor: str = "", corpus: str = DOCS) -> Ref:
    return Ref(corpus, path, anchor)


def stamp(path: str, version: str = "1", media: Media = formats.MARKDOWN, corpus: str = DOCS) -> Stamp:
    return Stamp(at(path, corpus=corpus), version, media)


def entry(
    path: str,
    headings: tuple[str, ...] = ("top",),
    links: tuple[str, ...] = (),
    *,
    version: str = "1",
    corpus: str = DOCS,
    names: tuple[Name, ...] = (),
) -> Entry:
    """A document whose anchors are its headings; its links stand in the last section, keyed by their target."""
    source = f"{path} {version} {headings} {links}".encode("utf-8", "surrogatepass")
    sections = [Section("", "", 0, -1, Span(0, len(source)), Span(0, 9))]
    for number, heading in enumerate(headings):
        sections.append(Section(heading, heading.title(), 1, 0, Span(number, len(source)), Span(number, 9)))
    written = tuple(
        Link(number, len(headings), Span(number, number + 1), number, LinkForm.LINK, target, f"to {target}")
        for number, target in enumerate(links)
    )
    document = Document(
        stamp=stamp(path, version, corpus=corpus),
        digest=f"digest of {source!r}",
        title=path,
        kind=Kind.GUIDE,
        source=source,
        sections=tuple(sections),
        links=written,
    )
    keys = tuple("" if ":" in target else name_key(target.partition("#")[0]) for target in links)
    return Entry(document, names, keys)


def put(*entries: Entry) -> Change:
    return Change(put=entries)


def edge(item: Entry, number: int, to: Ref | None, outcome: Outcome = Outcome.FOUND) -> Edge:
    link = item.document.links[number]
    return Edge(item.document.section_ref(link.section), link, to, outcome)


FULL = Entry(
    document=Document(
        stamp=stamp("guide/auth.md", "12-3456"),
        digest="d1",
        title="Signing in",
        kind=Kind.SPEC,
        source="# Signing in\n\nÜber alles\n".encode(),
        sections=(
            Section("", "", 0, -1, Span(0, 26), Span(0, 3), aliases=("start",)),
            Section("signing-in", "Signing in", 1, 0, Span(0, 26), Span(0, 3), ("a", "b"), (Shape.TABLE, Shape.CODE)),
            Section("drawn", "Drawn", 2, 1, Span(14, 26), Span(2, 3), (), (Shape.DIAGRAM,), ("box", "arrow")),
        ),
        links=(
            Link(0, 1, Span(3, 9), 2, LinkForm.WIKILINK, "Tokens", "tokens", Relation.RELATED),
            Link(1, 2, Span(0, 0), 0, LinkForm.FRONTMATTER, "https://example.org/ü", "", Relation.IMPLEMENTS),
        ),
        code=(CodeBlock(1, "python", Span(4, 8)), CodeBlock(2, "", Span(9, 12))),
        metadata=Metadata("T", "D", ("k",), ("al", "ias"), "me", "c", "2024-01-01", "2024-02-02", '{"x": [1, null]}'),
        tags=("a", "ü"),
        warnings=("2 bytes were replaced", "odd frontmatter"),
        body=2,
    ),
    names=(
        Name("signing in", NameForm.TITLE, "Signing in", "guide/auth.md"),
        Name("al", NameForm.ALIAS, "al", "guide/auth.md"),
    ),
    keys=("tokens", ""),
    chunks=(
        Chunk(0, 1, 0, Span(0, 26), Span(0, 3), 0.25),
        Chunk(1, 2, 0, Span(14, 26), Span(2, 3), 0.0),
    ),
)


def numbers(store: Store) -> dict[str, int]:
    """By path; those outside the documents' own corpus with its name before them."""
    everything = store.documents_by_number(store.feed(0).changed)
    return {name_of(found.document.ref): found.number for found in everything}


def name_of(ref: Ref) -> str:
    return ref.path if ref.corpus == DOCS else f"{ref.corpus}:{ref.path}"


def changed(store: Store, since: int) -> list[str]:
    """Paths of what the feed says must be made again."""
    return [found.document.ref.path for found in store.documents_by_number(store.feed(since).changed)]


def called(store: Store, path: str) -> tuple[str, ...]:
    return next(iter(store.documents_by_number([numbers(store)[path]]))).called


def saying(item: Entry, *texts: str) -> Entry:
    """The same document with other words for its links."""
    links = tuple(replace(link, text=text) for link, text in zip(item.document.links, texts, strict=True))
    return replace(item, document=replace(item.document, links=links, digest=f"{item.document.digest} {texts}"))


TARGET = entry("b.md", ("top", "other"))
USER = saying(entry("a.md", ("one",), ("b.md#top", "b.md")), "the top", "all of it")
SETTLED = (edge(USER, 0, at("b.md", "top")), edge(USER, 1, at("b.md")))


def settled(store: Store) -> int:
    """A store in which a.md links to b.md; the generation it is at."""
    store.write(put(USER, TARGET))
    store.write(Change(edges=SETTLED))
    return store.generation


def copied(folder: Path, to: Path) -> Path:
    """A copy of a folder whose indexes count as if they had been made there."""
    shutil.copytree(folder, to, dirs_exist_ok=True)
    for database in to.rglob(DATABASE):
        if seal := read_seal(place := OwnFolder(database.parent)):
            size, modified, changed, inode = stamp_of(place)
            write_seal(place, replace(seal, file_bytes=size, modified_ns=modified, changed_ns=changed, inode=inode))
    return to


def vouch(folder: Path) -> None:
    """Sign a database as it is, as if this user had written it last."""
    write_sums(OwnFolder(folder), sums_of(OwnFolder(folder), DATABASE))
    write_seal(OwnFolder(folder), first_seal(OwnFolder(folder)))
