"""What a browser asks, as records: the question with its filters, and lines.

Query strings enter, records leave; what makes no sense is refused with a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pinakes.errors import BadAddress
from pinakes.records import ADDED, Detail, Filter, Kind, Query, Span
from pinakes.search import PROFILES
from pinakes.serve.web.fields import choice, field
from pinakes.serve.web.markup import Markup, tag

_LONGEST = 2_000
_LINES = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?\Z")
_DAY = re.compile(r"[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?\Z")
_PROJECT = re.compile(r"[a-z0-9][a-z0-9-]{0,63}\Z")
_MOST_HITS = 50

FIELDS = ("q", "kind", "path", "tag", "lang", "author", "after", "before", "profile", "limit", "corpus", "project")


def asked_query(given: Mapping[str, str], limit: int, profile: str) -> Query:
    """The question in an address; raises `BadAddress` for values that cannot be meant."""
    wanted = {name: given.get(name, "").strip() for name in FIELDS}
    if any(len(value) > _LONGEST for value in wanted.values()):
        raise BadAddress("The question is too long.", f"Ask in at most {_LONGEST:,} characters.")
    kinds = (Kind(wanted["kind"]),) if wanted["kind"] in set(Kind) else ()
    if wanted["kind"] and not kinds:
        raise BadAddress(f"There is no kind “{wanted['kind']}”.", f"There are {', '.join(Kind)}.")
    for name in ("after", "before"):
        if wanted[name] and not _DAY.match(wanted[name]):
            raise BadAddress(f"“{wanted[name]}” is no day.", "Write 2026-01-31.")
    if wanted["profile"] and wanted["profile"] not in PROFILES:
        raise BadAddress(f"There is no profile “{wanted['profile']}”.", f"There are {', '.join(PROFILES)}.")
    if wanted["project"] and not _PROJECT.match(wanted["project"]):
        raise BadAddress(f"“{wanted['project']}” is no project.", "Small letters, digits and hyphens.")
    return Query(
        wanted["q"],
        where=Filter(
            corpora=_several(wanted["corpus"]),
            project=wanted["project"],
            paths=_several(wanted["path"]),
            tags=tuple(name.removeprefix("#") for name in _several(wanted["tag"])),
            kinds=kinds,
            languages=_several(wanted["lang"]),
            author=wanted["author"],
            after=wanted["after"],
            before=wanted["before"],
        ),
        limit=_count(wanted["limit"], limit),
        profile=wanted["profile"] or profile,
        detail=Detail.SNIPPET,
    )


def asked_lines(given: str) -> Span | None:
    """Lines as people count them; None when none are named."""
    if not given:
        return None
    found = _LINES.match(given)
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not first or last < first:
        raise BadAddress(f"“{given[:40]}” names no lines.", "Write 12 or 12-30.")
    return Span(first - 1, last)


def filters_html(given: Mapping[str, str], corpora: Sequence[str] = ()) -> Markup:
    """The fields that narrow a search; they belong to the search box's form wherever they stand."""
    kinds = [("", "any kind"), *((kind.value, kind.value) for kind in Kind if kind is not Kind.UNKNOWN)]
    profiles = [("", "as configured"), *((name, name) for name in PROFILES)]
    is_used = any(given.get(name) for name in FIELDS if name != "q")
    return tag(
        "details",
        tag("summary", tag("h2", "Narrow it down")),
        choice(
            "corpus", "Look in", [("", "documents"), *((name, name) for name in (*corpora, "all"))], given, "pk-search"
        ),
        field("project", "Project of added documents", "", given, "pk-search") if ADDED in corpora else None,
        choice("kind", "Kind", kinds, given, "pk-search"),
        field("path", "Folder or pattern", "guide/ or **/api*.md", given, "pk-search"),
        field("tag", "Tag", "draft", given, "pk-search"),
        field("lang", "Code in", "python", given, "pk-search"),
        field("author", "Author", "", given, "pk-search"),
        field("after", "Since", "2026-01-31", given, "pk-search"),
        field("before", "Before", "2026-12-31", given, "pk-search"),
        choice("profile", "How thoroughly", profiles, given, "pk-search"),
        tag("p", tag("button", "Apply", form="pk-search"), class_="apply"),
        class_="filters",
        open=True,
        data_used="yes" if is_used else None,
    )


def _several(value: str) -> tuple[str, ...]:
    return tuple(part for part in re.split(r"[,\s]+", value) if part)


def _count(value: str, otherwise: int) -> int:
    if not value:
        return otherwise
    if not value.isascii() or not value.isdigit() or len(value) > 3 or not 1 <= int(value) <= _MOST_HITS:
        raise BadAddress(f"“{value[:20]}” is no count of hits.", f"Ask for 1 to {_MOST_HITS}.")
    return int(value)
