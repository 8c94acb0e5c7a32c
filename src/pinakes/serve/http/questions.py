"""What may be asked over HTTP, with the ranges the library takes; each turns into a record of the library.

Unknown fields are refused, because a misspelt filter that is ignored gives a wrong answer that looks right.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from pinakes.library import Library
from pinakes.outline import MapRequest
from pinakes.records import Detail, Filter, Kind, Query

LONGEST_QUESTION = 4_000
"""Characters; what is longer is a document and no question."""
LONGEST_ADDRESS = 4_096
"""As long as a path can be."""

_YEAR = "[12][0-9]{3}"
_LEAP = "(?:[12][0-9](?:0[48]|[2468][048]|[13579][26])|1200|1600|2000|2400|2800)"
_DAYS = (
    f"|{_YEAR}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])"
    f"|{_YEAR}-(?:0[13-9]|1[0-2])-(?:29|30)"
    f"|{_YEAR}-(?:0[13578]|1[02])-31"
    f"|{_LEAP}-02-29"
)
DAY = f"^(?:|{_YEAR}(?:-(?:0[1-9]|1[0-2]))?{_DAYS})$"
"""A year, a month or a day of the calendar, or nothing. As a pattern, so that the OpenAPI document says it, too."""
WHOLE_DAY = f"^(?:{_DAYS})$"
"""A day of the calendar, or nothing."""
PROJECT = "^(?:|[a-z0-9][a-z0-9-]{0,63})$"
"""What a project may be called, or nothing."""


def _whole(value: object) -> object:
    """JSON knows one kind of number, and 5.0 is as whole as 5."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Limit = Annotated[
    int,
    Field(ge=1, le=100, description="At most this many hits; the library's own when not said."),
    BeforeValidator(_whole),
]
Tokens = Annotated[int, Field(ge=0, le=1_000_000, description="0 for no limit."), BeforeValidator(_whole)]
Day = Annotated[str, Field(pattern=DAY, description="2026, 2026-01 or 2026-01-31")]
Word = Annotated[str, StringConstraints(max_length=500)]
Words = Annotated[list[Word], Field(max_length=50)]
Name = Annotated[str, Field(max_length=255, description="Which library, by name; the first one when it is not said.")]
Address = Annotated[
    str,
    Field(
        min_length=1,
        max_length=LONGEST_ADDRESS,
        pattern="^[^#]",
        description="path, path#anchor, path:12 or path:12-30",
        examples=["README.md"],
    ),
]
Part = Annotated[str, Field(max_length=LONGEST_ADDRESS, description="A folder or document; everything when empty.")]


class Asked(BaseModel):
    """What every question over HTTP has."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    library: Name = ""


class Search(Asked):
    """A question and what shapes its answer."""

    query: Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]
    limit: Limit | None = None
    path: Annotated[Words, Field(description="Only below these folders, or where these globs match.")] = []
    tag: Annotated[Words, Field(description="Only documents with all of these tags.")] = []
    kind: Annotated[list[Kind], Field(max_length=20, description="Only these kinds.")] = []
    category: Words = []
    lang: Annotated[Words, Field(description="Only sections with code in one of these languages.")] = []
    author: Word = ""
    after: Day = ""
    before: Day = ""
    linked_to: Annotated[str, Field(max_length=LONGEST_ADDRESS, pattern="^(?:[^#]|$)", description="An address.")] = ""
    hypothesis: Annotated[str, Field(max_length=LONGEST_QUESTION, description="A guess of the answer.")] = ""
    profile: Literal["", "fast", "balanced", "thorough"] = ""
    max_tokens: Tokens = 0
    detail: Detail = Detail.SECTION
    pack: bool = False
    diverse: bool = False
    min_score: Annotated[float, Field(ge=0)] = 0.0
    anyway: Annotated[bool, Field(description="The nearest, even when nothing seems to answer.")] = False
    corpus: Annotated[Words, Field(description="docs, docs@NAME, added, memories, history, or all of them.")] = []
    project: Annotated[str, Field(pattern=PROJECT, description="Only documents added to this project.")] = ""

    def record(self, library: Library) -> Query:
        """The question as the library takes it."""
        options = library.config.search
        where = Filter(
            corpora=tuple(self.corpus),
            project=self.project,
            paths=tuple(self.path),
            tags=tuple(self.tag),
            kinds=tuple(self.kind),
            categories=tuple(self.category),
            languages=tuple(self.lang),
            author=self.author,
            after=self.after,
            before=self.before,
            linked_to=library.locate(self.linked_to) if self.linked_to else None,
        )
        return Query(
            self.query,
            where,
            limit=self.limit or options.limit,
            profile=self.profile or options.profile,
            hypothesis=self.hypothesis,
            max_tokens=self.max_tokens,
            detail=self.detail,
            pack=self.pack,
            diverse=self.diverse,
            min_score=self.min_score,
            abstain=not self.anyway,
        )


class AskedMap(Asked):
    """A map of everything or of a part."""

    under: Part = ""
    budget: Annotated[int, Field(ge=0, le=10_000_000, description="Tokens; 0 for everything.")] | None = None
    focus: Annotated[str, Field(max_length=LONGEST_QUESTION)] = ""
    since: Annotated[str, Field(max_length=100, description="The hash of an earlier map, or a git revision.")] = ""
    summary: bool = False
    tokens: bool = False
    format: Literal["json", "text", "svg"] = "json"

    def record(self, library: Library) -> MapRequest:
        """The map as the library takes it."""
        budget = library.config.map.budget_tokens if self.budget is None else self.budget
        return MapRequest(budget_tokens=budget, summary=self.summary, tokens=self.tokens)


class AskedAddress(Asked):
    """A document, a section or lines."""

    address: Address


class AskedPart(Asked):
    """Everything, or what is below a folder."""

    under: Part = ""


class AskedFiles(Asked):
    """Files by their paths, or all of them."""

    path: Annotated[list[Annotated[str, StringConstraints(min_length=1, max_length=500)]], Field(max_length=8)] = []
