"""Rows of the table that stand in several requests, and the forms that texts must have."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated

from pinakes.added.identity import project_advice
from pinakes.parse.language import code_of
from pinakes.records.memory import MemoryType
from pinakes.search import PROFILES
from pinakes.serve.requests.parameters import Doors, Parameter, TextForm

CLI, HTTP, MCP, PAGE = Doors.CLI, Doors.HTTP, Doors.MCP, Doors.PAGE
NOT_PAGE = CLI | HTTP | MCP

LONGEST_NOTE = 1_000_000
"""Characters of a memory; the library keeps as many bytes. A body of HTTP has a limit of its own."""
MOST_HITS = 100

_YEAR = "[12][0-9]{3}"
_LEAP = "(?:[12][0-9](?:0[48]|[2468][048]|[13579][26])|1200|1600|2000|2400|2800)"
_SECONDS = "[1-9][0-9]{8,9}"
_DAYS = (
    f"|{_YEAR}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])"
    f"|{_YEAR}-(?:0[13-9]|1[0-2])-(?:29|30)"
    f"|{_YEAR}-(?:0[13578]|1[02])-31"
    f"|{_LEAP}-02-29"
)
DATE = TextForm(
    f"|{_YEAR}(?:-(?:0[1-9]|1[0-2]))?{_DAYS}|{_SECONDS}",
    "date",
    lambda _: "Write a year, a month or a day: 2026, 2026-01-31. Seconds since 1970 are taken too.",
    lambda text: datetime.fromtimestamp(int(text), UTC).date().isoformat() if re.fullmatch(_SECONDS, text) else text,
    (100_000_000, 9_999_999_999),
)
DAY = TextForm(_DAYS, "day", lambda _: "Write it as 2026-01-31.")
PROJECT = TextForm("|[a-z0-9][a-z0-9-]{0,63}", "project", project_advice)
ADDRESS = TextForm("|[^#](?:.|[\\n\\r])*", "address", lambda _: "Write path, path#anchor, path:12 or path:12-30.")
LANGUAGE = TextForm(
    "|[A-Za-z]{2}(?:[-_][A-Za-z]{2,4})?|[A-Za-z]{4,20}", "language", lambda _: "Write a code: de, zh, pt-BR.", code_of
)
TAG = TextForm("[^,]*", "tag", lambda _: "Leave the comma out, or give several tags.")

EXAMPLE = "2026-01-31"

Limit = Annotated[
    int | None,
    Parameter(
        "At most this many hits. Default: as configured (10), less those that are far below the best.",
        least=1,
        most=MOST_HITS,
        label="At most",
        at_doors={MCP: 8},
        aliases=("top_n",),
    ),
]
ProfileName = Annotated[
    str,
    Parameter(
        "How thoroughly to look. Default: as configured (balanced).",
        choices=tuple(PROFILES),
        label="How thoroughly",
    ),
]
Anyway = Annotated[
    bool,
    Parameter("Show the nearest hits even when nothing seems to answer.", "even if nothing answers", label="Anyway"),
]
Author = Annotated[str, Parameter("Only what this author wrote; a commit's also by a part of the name or address.")]
After = Annotated[
    str,
    Parameter(
        "Only what is dated on or after this day (2026-01-31).",
        EXAMPLE,
        form=DATE,
        longest=10,
        label="Since",
        example=EXAMPLE,
    ),
]
Before = Annotated[str, Parameter("Only what is dated before this day.", form=DATE, longest=10, example="2026-12-31")]
Under = Annotated[str, Parameter("A folder or document. Default: everything.", "folder or document")]
AddressText = Annotated[
    str,
    Parameter(
        "path, path#anchor, path:12 or path:12-30",
        "path#anchor or path:12-30",
        form=ADDRESS,
        example="README.md",
        is_required=True,
    ),
]
Type = Annotated[MemoryType | None, Parameter("What kind of memory.", label="Type")]
Tags = Annotated[
    tuple[str, ...],
    Parameter("A tag; a memory must have all of them.", form=TAG, longest=100, entries=50, aliases=("tags",)),
]
ReviewBy = Annotated[str, Parameter("The day after which it is marked as due.", EXAMPLE, form=DAY, longest=10)]
NoteText = Annotated[str, Parameter("Markdown.", longest=LONGEST_NOTE, is_required=True)]
Id = Annotated[str, Parameter("Its id, address or unique title.", is_required=True)]
Project = Annotated[
    str, Parameter("The project of added documents.", form=PROJECT, longest=64, label="Project of added documents")
]
At = Annotated[
    str,
    Parameter(
        "As it was at this revision of git: a branch, a tag or a commit (v1.2, HEAD~5). Default: the files on disk.",
        "git revision",
        longest=200,
        doors=NOT_PAGE,
        example="v1.2",
    ),
]
AtForPeople = Annotated[
    str,
    Parameter(
        "As they were at this revision of git: a branch, a tag or a commit. Default: as they are on disk.",
        longest=200,
        doors=CLI | HTTP,  # a model pays for every parameter, and reads and searches when it looks back
        example="v1.2",
    ),
]
PlainFlag = Annotated[bool, Parameter("Only the text, byte for byte, without its address.", doors=CLI)]


def budget(default: int, doors: Doors = MCP) -> Parameter:
    """How long an answer may be; a model is given few tokens unless it asks for more."""
    return Parameter(
        "At most this many tokens in all; 0 for no limit.",
        "",  # the instructions of the server say it once
        least=0,
        doors=doors,
        label="Tokens at most",
        at_doors={MCP: default},
        aliases=("max_tokens", "budget_tokens"),
    )
