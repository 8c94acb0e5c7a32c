"""Finds the documents and sections that a filter lets through.

A filter enters, numbers leave. Filters come with every question, and the data only changes with the store, so the
lookup tables (from each value to the documents that have it) are made once per generation. A document's date is what it
says about itself, never its file's time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeAlias, TypeVar

from pinakes.records import Filter, Ref, Scope, formats
from pinakes.store.globs import glob
from pinakes.store.tables.codes import NO_FILE
from pinakes.store.tables.connection import Tables
from pinakes.store.tables.rows import packed
from pinakes.store.tables.slices import CitedDocuments
from pinakes.store.tables.statements import TEXT

_YEAR = re.compile(r"[0-9]{4}(?![0-9])")


def date_of(modified: str, created: str) -> str:
    """When it was modified, else created, by its own words; what is no date there is passed over."""
    return next((date for date in (modified, created) if _YEAR.match(date)), "")


def is_within(date: str, after: str, before: str) -> bool:
    """From `after` on and up to, not including, `before`, each as exact as it is written: a year, a month, a day."""
    return bool(date) and after <= date and (not before or date < before)


def is_tag_within(wanted: str, tag: str) -> bool:
    """Whether a tag is the wanted one, or lies below it as “area/work” does below “area”."""
    return f"{tag}/".startswith(f"{wanted}/")


DocumentNumbers: TypeAlias = frozenset[int]
Sections: TypeAlias = frozenset[tuple[int, int]]
_Member = TypeVar("_Member", int, tuple[int, int])

KEPT_SCOPES = 32
"""A wide one of a large library is a few megabytes."""

# Positions in the list that `metadata` is.
_AUTHOR, _CATEGORY, _CREATED, _MODIFIED, _EXTRA, _LANGUAGE = 4, 5, 6, 7, 8, 9


def _item(position: int) -> str:
    return f"json_extract(metadata, '$[{position}]')"


_KNOWN = "FROM documents WHERE metadata <> ''"
_VALUES = {
    "kind": "SELECT kind, id FROM documents",
    "tag": "SELECT value, documents.id FROM documents, json_each(tags) WHERE tags <> ''",
    "category": f"SELECT {_item(_CATEGORY)}, id {_KNOWN}",
    "language": f"SELECT {_item(_LANGUAGE)}, id {_KNOWN}",
    "author": f"SELECT {_item(_AUTHOR)}, id {_KNOWN}",
    "file": "SELECT value, documents.id FROM documents JOIN files USING (id),"
    f" json_each({_item(_EXTRA)}, '$.files') WHERE media = '{formats.COMMIT.name}'",
}
_DATES = f"SELECT {_item(_MODIFIED)}, {_item(_CREATED)}, id {_KNOWN}"


class Facets:
    """Documents by what filters ask for, as of one generation; each part is read when it is first asked for."""

    def __init__(self, history: str, generation: int) -> None:
        self.history = history
        self.generation = generation
        self._paths: dict[str, tuple[list[str], list[int]]] | None = None
        self._numbers: dict[str, dict[str, DocumentNumbers]] = {}
        self._sections: dict[str, Sections] = {}
        self._scopes: dict[Filter, Scope] = {}
        self.cited = CitedDocuments()

    def scope(self, connection: Tables, where: Filter) -> Scope:
        """What passes the filter. Kept, because filters repeat and a wide one takes as long as a search."""
        found = self._scopes.get(where)
        if found is None:
            if len(self._scopes) == KEPT_SCOPES:
                self._scopes.clear()
            found = self._scopes[where] = _scope(connection, where, self)
        return found

    def newest(self, connection: Tables, where: Filter, limit: int) -> list[int]:
        """The documents that a filter lets through, newest first; those of one date in the order of their numbers."""
        inside = None if where == Filter() else self.scope(connection, where).documents
        dates = self.numbers(connection, "date")
        found: list[int] = []
        for date in sorted(dates.keys() - {""}, reverse=True):
            found += sorted(dates[date] if inside is None else dates[date] & inside)
            if len(found) >= limit:
                break
        return found[:limit]

    def paths(self, connection: Tables) -> dict[str, tuple[list[str], list[int]]]:
        """By corpus, the paths in order and the numbers that belong to them."""
        if self._paths is None:
            rows = connection.all("SELECT corpus, path, id FROM documents JOIN files USING (id)")
            rows.sort()
            self._paths = {}
            for corpus, path, number in rows:
                paths, numbers = self._paths.setdefault(corpus, ([], []))
                paths.append(path)
                numbers.append(number)
        return self._paths

    def numbers(self, connection: Tables, facet: str) -> dict[str, DocumentNumbers]:
        """By kind, tag, category, language, author, changed file or date."""
        if facet not in self._numbers:
            if facet == "date":
                pairs = [(date_of(modified, created), number) for modified, created, number in connection.all(_DATES)]
            else:
                pairs = [(value, number) for value, number in connection.all(_VALUES[facet])]
            self._numbers[facet] = _turned(pairs)
        return self._numbers[facet]

    def sections(self, connection: Tables, language: str) -> Sections:
        """Those with code in this language."""
        if language not in self._sections:
            # Looking for the quoted word first spares unpacking the lists of all other documents.
            rows = connection.all(
                "SELECT DISTINCT document, CAST(json_extract(value, '$[0]') AS INTEGER) FROM bodies, json_each(code)"
                f" WHERE instr(code, {TEXT}) > 0 AND json_extract(value, '$[1]') = {TEXT}",
                (packed([language])[1:-1], language),
            )
            self._sections[language] = frozenset(rows)
        return self._sections[language]


def _scope(connection: Tables, where: Filter, facets: Facets) -> Scope:
    """What passes every part of the filter that asks for something."""

    def having(facet: str, is_wanted: Callable[[str], bool]) -> DocumentNumbers:
        values = facets.numbers(connection, facet)
        return frozenset().union(*(values[value] for value in values if is_wanted(value)))

    found: list[DocumentNumbers] = []
    if where.corpora or where.paths:
        found.append(_at(facets.paths(connection), where))
    if where.kinds:
        found.append(having("kind", {kind.value for kind in where.kinds}.__contains__))
    found += [having("tag", partial(is_tag_within, tag)) for tag in where.tags]
    if where.categories:
        found.append(having("category", where.categories.__contains__))
    if where.written_in:
        found.append(having("language", where.written_in.__contains__))
    if where.author:
        found.append(having("author", lambda value: where.author.casefold() in value.casefold()))
    if where.files:
        changed = facets.numbers(connection, "file")
        paths = sorted(changed)
        matching = {at for pattern in where.files for at in glob(pattern).positions(paths)}
        found.append(frozenset().union(*(changed[paths[at]] for at in matching)))
    if where.after or where.before:
        found.append(having("date", lambda value: is_within(value, where.after, where.before)))
    sections = _sections(connection, where, facets)
    if sections is None:
        return Scope(_common(found))
    documents = _common([*found, frozenset(document for document, _ in sections)])
    return Scope(documents, frozenset(one for one in sections if one[0] in documents))


def _at(paths_of: dict[str, tuple[list[str], list[int]]], where: Filter) -> DocumentNumbers:
    globs = [glob(pattern) for pattern in where.paths]
    found: set[int] = set()
    for corpus, (paths, numbers) in paths_of.items():
        if where.corpora and corpus not in where.corpora:
            continue
        if not globs:
            found.update(numbers)
        for pattern in globs:
            found.update([numbers[position] for position in pattern.positions(paths)])
    return frozenset(found)


def _sections(connection: Tables, where: Filter, facets: Facets) -> Sections | None:
    found: list[Sections] = []
    if where.languages:
        found.append(frozenset().union(*(facets.sections(connection, name.lower()) for name in where.languages)))
    if where.linked_to is not None:
        found.append(_linked(connection, where.linked_to))
    return _common(found) if found else None


def _linked(connection: Tables, to: Ref) -> Sections:
    anchor, values = "", [to.corpus, to.path]
    if to.anchor:
        anchor = f" AND anchor = {TEXT}"
        values.append(to.anchor)
    rows = connection.all(
        "SELECT document, section FROM places CROSS JOIN edges ON place = places.id"
        f" WHERE corpus = {TEXT} AND path = {TEXT} AND outcome <> {NO_FILE}{anchor}",
        values,
    )
    return frozenset(rows)


def _turned(pairs: Iterable[tuple[str, int]]) -> dict[str, DocumentNumbers]:
    found: dict[str, set[int]] = {}
    for value, number in pairs:
        found.setdefault(value, set()).add(number)
    return {value: frozenset(numbers) for value, numbers in found.items()}


def _common(sets: list[frozenset[_Member]]) -> frozenset[_Member]:
    """What is in all of them, beginning with the smallest."""
    first, *others = sorted(sets, key=len)
    return first.intersection(*others)
