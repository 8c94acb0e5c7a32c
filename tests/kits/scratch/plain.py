"""What search asks of a store, worked out the plain way: one document after the other.

Documents and what links say enter; who is called what, and what passes a filter, leaves. Nothing is kept here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from pinakes.records import Document, Edge, Filter, FilterValues, Layout, Ref
from pinakes.store.globs import glob
from pinakes.store.tables.scope import date_of, is_within

Saying: TypeAlias = frozenset[tuple[Ref, str]]
"""What the links of one document say: where they lead, and in which words."""


def calls(said: Mapping[Ref, Saying]) -> dict[Ref, Saying]:
    """The same seen from the other end: for each document what others say of it and its sections."""
    found: dict[Ref, set[tuple[Ref, str]]] = {}
    for origin, saying in said.items():
        for to, text in saying:
            if to.document != origin:
                found.setdefault(to.document, set()).add((to, text))
    return {ref: frozenset(saying) for ref, saying in found.items()}


def called(document: Document, calls: Saying) -> tuple[str, ...]:
    """One text per section: each way it is called on a line of its own."""
    lines: dict[str, set[str]] = {}
    for to, text in calls:
        lines.setdefault(to.anchor, set()).add(" ".join(text.split()))
    return tuple("\n".join(sorted(lines.get(section.anchor, set()) - {""})) for section in document.sections)


def filter_values(document: Document) -> FilterValues:
    """What filters find a document by; its code by sections."""
    code: dict[str, tuple[str, ...]] = {}
    for block in document.code:
        anchor = document.sections[block.section].anchor
        if block.language and block.language not in code.get(anchor, ()):
            code[anchor] = (*code.get(anchor, ()), block.language)
    return FilterValues(document.tags, document.metadata.language, code)


def passes(document: Document, where: Filter) -> bool:
    """What can be told from the document alone, and not of its sections."""
    known = document.metadata
    date = date_of(known.modified, known.created)
    return (
        (not where.corpora or document.ref.corpus in where.corpora)
        and (not where.paths or any(glob(pattern).matches(document.ref.path) for pattern in where.paths))
        and all(any(tag == one or tag.startswith(f"{one}/") for tag in document.tags) for one in where.tags)
        and (not where.files or _changes(document, where.files))
        and (not where.kinds or document.kind in where.kinds)
        and (not where.categories or known.category in where.categories)
        and (not where.written_in or known.language in where.written_in)
        and where.author.casefold() in known.author.casefold()
        and (not (where.after or where.before) or is_within(date, where.after, where.before))
    )


def _changes(document: Document, patterns: Iterable[str]) -> bool:
    """Whether it is a commit that changed a file of such a name."""
    if document.stamp.media.layout is not Layout.COMMIT:
        return False
    files = json.loads(document.metadata.extra).get("files", ())
    return any(glob(pattern).matches(path) for pattern in patterns for path in files)


def passing_sections(document: Document, edges: Iterable[Edge], where: Filter) -> frozenset[int] | None:
    """Positions of the sections that pass; None where the filter does not speak of sections."""
    if not where.languages and where.linked_to is None:
        return None
    found = frozenset(range(len(document.sections)))
    if where.languages:
        languages = {language.lower() for language in where.languages}
        found &= {block.section for block in document.code if block.language in languages}
    if where.linked_to is not None:
        found &= {edge.link.section for edge in edges}
    return found
