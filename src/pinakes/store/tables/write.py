"""Apply a change to the database, inside a transaction that somebody else holds.

A `Change` enters; rows are written. Links elsewhere that may now lead somewhere else lose their edge, so that they are
looked up again; which links those are `stale_keys` decides by their keys.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from pinakes.records import Change, Edge, Entry, Failure, Ref, Stamp, name_key
from pinakes.store.tables import link_texts
from pinakes.store.tables.changes import note_changed, note_gone
from pinakes.store.tables.codes import NO_FILE
from pinakes.store.tables.connection import Row, SqlValue, Tables
from pinakes.store.tables.rows import OUTCOME_CODES, anchors_from, body_row, document_row, link_rows, packed, tree_row
from pinakes.store.tables.stale_keys import NO_NAMES, FileNames, anchors_of, folders_of, section_anchors, stale_keys
from pinakes.store.tables.statements import (
    INSERT_BODY,
    INSERT_CHANGE,
    INSERT_DOCUMENT,
    INSERT_EDGE,
    INSERT_FAILURE,
    INSERT_FILE,
    INSERT_FOLDER,
    INSERT_KEYWORDS,
    INSERT_LINK,
    INSERT_NAME,
    INSERT_PLACE,
    INSERT_SETTING,
    INSERT_TREE,
    TEXT,
    batched,
    placeholders,
)

_Address: TypeAlias = tuple[str, str]
"""Corpus and path. Not a Ref: a tuple hashes several times faster, and every link is looked up by two of them."""

_Wanted: TypeAlias = dict[_Address, "Entry | Stamp | None"]
"""What shall be at each address: a document, an asset or nothing."""

_Known: TypeAlias = dict[_Address, tuple[int, str]]
"""The number and digest of the files that are there."""


def apply(connection: Tables, change: Change) -> None:
    """All of it or an error; the caller's transaction does the rest."""
    with connection.transaction():
        _Writer(connection).apply(change)


class _Writer:
    """One change being written."""

    def __init__(self, connection: Tables) -> None:
        self._connection = connection
        self._vanished: list[_Address] = []
        """Files and folders that are no longer there."""
        generation, self._last_number = connection.all("SELECT generation, last_number FROM meta")[0]
        self._generation: int = generation + 1
        """The one this change makes."""

    def apply(self, change: Change) -> None:
        wanted: _Wanted = dict.fromkeys(_address(ref) for ref in change.drop)
        wanted.update((_address(stamp.ref), stamp) for stamp in change.assets)
        wanted.update((_address(entry.document.ref), entry) for entry in change.put)
        known = self._known(wanted)
        leaving, staying = self._documents(wanted, known)
        keys = self._stale_keys(wanted, known)
        affected = link_texts.linked_places(self._connection, leaving)
        link_texts.remember_texts(self._connection, staying)
        numbers = self._write_files(wanted, known, leaving)
        self._write_documents({numbers[at]: new for at, new in wanted.items() if isinstance(new, Entry)})
        self._forget_edges(keys)
        self._touch(change.touch)
        cleared = [*change.drop, *(entry.document.ref for entry in change.put), *(stamp.ref for stamp in change.touch)]
        self._write_failures(cleared, change.failures)
        affected |= self._write_edges(change.edges, staying)
        note_changed(self._connection, link_texts.affected_documents(self._connection, affected), self._generation)
        self._forget_places()
        self._write_settings(change.settings)
        self._write_keywords(change.keywords, gone=[digest for _, digest in known.values()])
        self._run("UPDATE meta SET generation = ?, last_number = ?", (self._generation, self._last_number))

    # Files and folders

    def _known(self, addresses: Iterable[_Address]) -> _Known:
        """The number and digest of each file that is there already."""
        return {address: (number, digest) for address, number, digest in self._found("files", "digest", addresses)}

    def _found(
        self, table: str, column: str, addresses: Iterable[_Address], *, number: str = "id"
    ) -> Iterator[tuple[_Address, int, str]]:
        """The rows of a table that are at these addresses: the address, the number and one more column."""
        by_corpus: dict[str, list[str]] = {}
        for corpus, path in addresses:
            by_corpus.setdefault(corpus, []).append(path)
        for corpus, paths in by_corpus.items():
            for some in batched(paths):
                query = (
                    f"SELECT path, {number}, {column} FROM {table}"
                    f" WHERE corpus = {TEXT} AND path IN ({placeholders(some)})"
                )
                for path, found, more in self._all(query, [corpus, *some]):
                    yield (corpus, path), found, more

    def _documents(self, wanted: _Wanted, known: _Known) -> tuple[list[int], list[int]]:
        """The numbers of documents that will be none any more, and of those that are put again."""
        there = {
            number
            for some in batched(number for number, _ in known.values())
            for (number,) in self._all(f"SELECT id FROM documents WHERE id IN ({placeholders(some)})", some)
        }
        leaving: list[int] = []
        staying: list[int] = []
        for address, (number, _) in known.items():
            if number in there:
                (staying if isinstance(wanted[address], Entry) else leaving).append(number)
        return leaving, staying

    def _write_files(self, wanted: _Wanted, known: _Known, leaving: Sequence[int]) -> dict[_Address, int]:
        """The number of every file that is there now."""
        gone = [address for address, new in wanted.items() if new is None and address in known]
        self._vanished += gone
        over = {*leaving, *(known[address][0] for address in gone)}
        numbers = {address: number for address, (number, _) in known.items() if number not in over}
        self._many("DELETE FROM files WHERE id = ?", [(number,) for number in sorted(over)])
        note_gone(self._connection, leaving, self._generation)
        # Not REPLACE: a file keeps its number, and only what belonged to its old content goes.
        self._many("DELETE FROM documents WHERE id = ?", [(number,) for number, _ in known.values()])
        rows = []
        for address, new in wanted.items():
            if new is None:
                continue
            if address not in numbers:
                self._last_number += 1
                numbers[address] = self._last_number
            stamp, digest = (new.document.stamp, new.document.digest) if isinstance(new, Entry) else (new, "")
            corpus, path = address
            rows.append((numbers[address], corpus, path, name_key(path), stamp.version, stamp.media.name, digest))
        self._many(INSERT_FILE, rows)
        return numbers

    def _count_folders(self, changes: Mapping[_Address, int]) -> set[str]:
        """Add up how many files each folder gained or lost; the keys of folders that came or went."""
        before = {address: files for address, files, _ in self._found("folders", "''", changes, number="files")}
        after = {address: before.get(address, 0) + change for address, change in changes.items()}
        gone = [address for address, files in after.items() if not files]
        self._many(
            INSERT_FOLDER, [(*address, name_key(address[1]), files) for address, files in after.items() if files]
        )
        self._many(f"DELETE FROM folders WHERE corpus = {TEXT} AND path = {TEXT}", gone)
        self._vanished += gone
        return {name_key(path) for corpus, path in after if not before.get((corpus, path)) or not after[corpus, path]}

    def _touch(self, stamps: Iterable[Stamp]) -> None:
        self._many(
            f"UPDATE files SET version = {TEXT}, media = {TEXT} WHERE corpus = {TEXT} AND path = {TEXT}",
            ((stamp.version, stamp.media.name, stamp.ref.corpus, stamp.ref.path) for stamp in stamps),
        )

    def _write_failures(self, cleared: Iterable[Ref], failures: Iterable[Failure]) -> None:
        self._many(
            f"DELETE FROM failures WHERE corpus = {TEXT} AND path = {TEXT}", ((ref.corpus, ref.path) for ref in cleared)
        )
        self._many(
            INSERT_FAILURE,
            (
                (failure.ref.corpus, failure.ref.path, failure.version, failure.reason, failure.next_step)
                for failure in failures
            ),
        )

    # Documents

    def _write_documents(self, entries: Mapping[int, Entry]) -> None:
        numbered = entries.items()
        self._many(INSERT_DOCUMENT, (document_row(number, entry.document) for number, entry in numbered))
        self._many(INSERT_BODY, (body_row(number, entry) for number, entry in numbered))
        self._many(INSERT_TREE, (tree_row(number, entry.document.sections) for number, entry in numbered))
        self._many(
            INSERT_NAME,
            (
                (number, form, text, key)
                for number, entry in numbered
                for form, text, key in sorted(_names_of(entry).names)
            ),
        )
        self._many(INSERT_LINK, (row for number, entry in numbered for row in link_rows(number, entry)))
        self._many(INSERT_CHANGE, ((number, self._generation) for number in entries))

    # Links

    def _stale_keys(self, wanted: _Wanted, known: _Known) -> set[str]:
        """The keys this change touches. Folders are counted on the way."""
        before = self._stored_names({number for number, _ in known.values()})
        keys: set[str] = set()
        folders: Counter[_Address] = Counter()
        for address, new in wanted.items():
            corpus, path = address
            was, now = address in known, new is not None
            if was != now:
                keys.add(name_key(path))
                for folder in folders_of(path):
                    folders[corpus, folder] += 1 if now else -1
            old = before.get(known[address][0], NO_NAMES) if was else NO_NAMES
            keys |= stale_keys(path, old, _names_of(new) if isinstance(new, Entry) else NO_NAMES)
        return keys | self._count_folders({folder: change for folder, change in folders.items() if change})

    def _stored_names(self, numbers: Iterable[int]) -> dict[int, FileNames]:
        """What documents in the database answer to."""
        names: dict[int, set[tuple[str, str, str]]] = {}
        found = {}
        for some in batched(sorted(numbers)):
            marks = placeholders(some)
            for number, form, text, key in self._all(
                f"SELECT document, form, text, key FROM names WHERE document IN ({marks})", some
            ):
                names.setdefault(number, set()).add((form, text, key))
            for number, anchors, sections in self._all(
                f"SELECT document, anchors, sections FROM trees WHERE document IN ({marks})", some
            ):
                before = anchors_of(anchors_from(anchors, sections))
                found[number] = FileNames(frozenset(names.get(number, ())), before)
        return found

    def _forget_edges(self, keys: Iterable[str]) -> None:
        for some in batched(sorted(key for key in keys if key)):
            where = f"key IN ({placeholders(some)})"
            numbers = self._all(f"SELECT DISTINCT document FROM edges WHERE {where}", some)
            if numbers:
                self._run(link_texts.remember_texts_where(f"edges.{where}"), some)
                self._run(f"DELETE FROM edges WHERE {where}", some)
                self._count_pending(number for (number,) in numbers)

    def _write_edges(self, edges: Sequence[Edge], staying: Iterable[int]) -> set[link_texts.DocumentPlace]:
        """Documents and places where what the one says of the other is no longer the same.

        `staying` are documents that may not have any links to wait for.
        """
        origins = self._known({_address(edge.origin): None for edge in edges})
        speaking = {*staying, *(number for number, _ in origins.values())}
        before = link_texts.texts_of(self._connection, speaking)
        places = self._places({_address(edge.to): None for edge in edges if edge.to})
        self._many(
            INSERT_EDGE,
            (
                (
                    OUTCOME_CODES[edge.outcome],
                    places[_address(edge.to)] if edge.to else None,
                    edge.to.anchor if edge.to else "",
                    packed(edge.candidates),
                    origins[_address(edge.origin)][0],
                    edge.link.ordinal,
                )
                for edge in edges
                if _address(edge.origin) in origins
            ),
        )
        self._count_pending(number for number, _ in origins.values())
        link_texts.forget_settled(self._connection, before)
        # What was silent before needs no second look: everything it says is new.
        new = {
            (origins[_address(edge.origin)][0], places[_address(edge.to)])
            for edge in edges
            if edge.to and _address(edge.origin) in origins
        }
        changed = link_texts.changed_places(before, link_texts.texts_of(self._connection, before))
        return changed | {pair for pair in new if pair[0] not in before}

    def _places(self, addresses: Iterable[_Address]) -> dict[_Address, int]:
        wanted = list(addresses)
        found = {address: number for address, number, _ in self._found("places", "''", wanted)}
        new = [address for address in wanted if address not in found]
        self._many(INSERT_PLACE, new)
        found.update((address, number) for address, number, _ in self._found("places", "''", new))
        return found

    def _forget_places(self) -> None:
        self._many(
            f"DELETE FROM places WHERE corpus = {TEXT} AND path = {TEXT}"
            " AND NOT EXISTS (SELECT 1 FROM edges WHERE edges.place = places.id)",
            self._vanished,
        )

    def _count_pending(self, numbers: Iterable[int]) -> None:
        self._many(
            "UPDATE documents SET (pending, unreal) = (SELECT documents.links - count(*), "
            f"count(CASE outcome WHEN {NO_FILE} THEN 1 END) FROM edges WHERE document = documents.id) WHERE id = ?",
            ((number,) for number in numbers),
        )

    # The rest

    def _write_settings(self, settings: Mapping[str, str]) -> None:
        self._many(f"DELETE FROM settings WHERE name = {TEXT}", ((name,) for name in settings))
        self._many(INSERT_SETTING, ((name, value) for name, value in settings.items() if value))
        if settings.get("keywords") == "":
            self._run("DELETE FROM keywords")

    def _write_keywords(self, keywords: Mapping[str, Sequence[Sequence[str]]], gone: Iterable[str]) -> None:
        self._many(INSERT_KEYWORDS, ((digest, packed(words), digest) for digest, words in keywords.items()))
        self._many(
            f"DELETE FROM keywords WHERE digest = {TEXT}"
            " AND NOT EXISTS (SELECT 1 FROM files WHERE files.digest = keywords.digest AND files.digest <> '')",
            ((digest,) for digest in gone if digest),
        )

    # Statements

    def _run(self, sql: str, values: Sequence[SqlValue] = ()) -> None:
        self._connection.run(sql, values)

    def _many(self, sql: str, rows: Iterable[Sequence[SqlValue]]) -> None:
        self._connection.many(sql, rows)

    def _all(self, sql: str, values: Sequence[SqlValue]) -> list[Row]:
        return self._connection.all(sql, values)


def _address(ref: Ref) -> _Address:
    return (ref.corpus, ref.path)


def _names_of(entry: Entry) -> FileNames:
    names = frozenset((name.form.value, name.text, name.key) for name in entry.names)
    return FileNames(names, section_anchors(entry.document.sections))
