"""What may be asked of commits, memories and added documents over HTTP, and sent to be kept.

As in `questions`: unknown fields are refused, and every limit is said in the OpenAPI document.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from pinakes.library import Library
from pinakes.records import HISTORY, Detail, Filter, Query
from pinakes.records.added import TextType
from pinakes.records.memory import MemoryList, MemoryStatus, MemoryType, Revision
from pinakes.serve.http.questions import (
    LONGEST_ADDRESS,
    LONGEST_QUESTION,
    PROJECT,
    WHOLE_DAY,
    Asked,
    Day,
    Limit,
    Tokens,
    Word,
)

MOST_LETTERS = 150_000
"""Of a memory or of an added text, so that one that is too long by a little still fits into a body, however it is
escaped, and is told what is wrong."""

Question = Annotated[str, Field(max_length=LONGEST_QUESTION, description="The newest when it is empty.")]
WholeDay = Annotated[str, Field(pattern=WHOLE_DAY, description="2026-01-31")]
Text = Annotated[str, Field(min_length=1, max_length=MOST_LETTERS, description="Markdown")]
Title = Annotated[str, Field(max_length=200)]
Tag = Annotated[str, StringConstraints(max_length=100, pattern="^[^,]*$")]
Tags = Annotated[tuple[Tag, ...], Field(max_length=50)]
Target = Annotated[str, StringConstraints(min_length=1, max_length=1000)]
Id = Annotated[str, Field(min_length=1, max_length=500, description="Its id, address or unique title.")]
Source = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_ADDRESS)]
Project = Annotated[str, Field(pattern=PROJECT, description="Small letters, digits and hyphens.")]


class AskedHistory(Asked):
    """Commits that answer a question; without one the newest."""

    query: Annotated[str, Field(max_length=LONGEST_QUESTION, description="A question or a hash.")] = ""
    limit: Limit | None = None
    file: Annotated[
        tuple[Word, ...],
        Field(max_length=50, description="Only commits that changed a file below these, or where these match."),
    ] = ()
    author: Word = ""
    after: Day = ""
    before: Day = ""
    profile: Literal["", "fast", "balanced", "thorough"] = ""
    max_tokens: Tokens = 0
    anyway: Annotated[bool, Field(description="The nearest, even when nothing seems to answer.")] = False

    def record(self, library: Library) -> Query:
        """The question as the library takes it."""
        options = library.config.search
        return Query(
            self.query,
            Filter(
                corpora=(HISTORY,), files=tuple(self.file), author=self.author, after=self.after, before=self.before
            ),
            limit=self.limit or options.limit,
            profile=self.profile or options.profile,
            max_tokens=self.max_tokens,
            detail=Detail.SECTION,
            abstain=not self.anyway,
        )


class AskedRecall(Asked):
    """Memories that answer a question; without one the newest."""

    query: Question = ""
    type: MemoryType | None = None
    tag: Tags = ()
    after: WholeDay = ""
    linked_to: Annotated[str, Field(max_length=LONGEST_ADDRESS, description="What they point at.")] = ""
    limit: Limit = 10
    archived: Annotated[bool, Field(description="Also what is archived or superseded.")] = False


class Remember(Asked):
    """A memory to be kept."""

    text: Text
    title: Title = ""
    type: MemoryType = MemoryType.OBSERVATION
    tag: Tags = ()
    link: Annotated[
        tuple[Target, ...], Field(max_length=100, description="What it is about, besides links in it.")
    ] = ()
    review_by: WholeDay = ""
    supersedes: Annotated[tuple[Id, ...], Field(max_length=100)] = ()


class UpdateMemory(Asked):
    """What is to change in a memory; what is not sent stays."""

    id: Id
    text: Text | None = None
    title: Title | None = None
    type: MemoryType | None = None
    status: MemoryStatus | None = None
    tag: Tags | None = None
    link: Annotated[tuple[Target, ...], Field(max_length=100)] | None = None
    review_by: WholeDay | None = None
    verified: Annotated[bool, Field(description="It is still true: what it points at is taken as it is now.")] = False

    def record(self) -> Revision:
        """The change as the library takes it."""
        return Revision(
            text=self.text,
            title=self.title,
            type=self.type,
            status=self.status,
            tags=None if self.tag is None else tuple(self.tag),
            links=None if self.link is None else tuple(self.link),
            review_by=self.review_by,
            is_verified=self.verified,
        )


class Append(Asked):
    """More text for a memory."""

    id: Id
    text: Text


class OneMemory(Asked):
    """A memory by its id."""

    id: Id


class Merge(Asked):
    """Memories to be folded into one."""

    id: Annotated[tuple[Id, ...], Field(min_length=2, max_length=100)]
    title: Annotated[str, Field(min_length=1, max_length=200)]
    text: Annotated[str, Field(max_length=MOST_LETTERS, description="The old texts when it is empty.")] = ""


class AskedMemories(Asked):
    """All memories, or some."""

    type: Literal["", "plan", "journal", "fact", "observation", "reflection"] = ""
    tag: Tags = ()
    status: Literal["", "active", "archived"] = ""

    def listing(self, library: Library) -> MemoryList:
        """What the library lists for it."""
        kind = MemoryType(self.type) if self.type else None
        return library.memories.list(kind, self.tag, MemoryStatus(self.status) if self.status else None)


class Add(Asked):
    """A document to be kept: a source, or its text."""

    source: Annotated[
        str, Field(max_length=LONGEST_ADDRESS, description="A URL, or the path of one of the library's own files.")
    ] = ""
    text: Annotated[str, Field(max_length=MOST_LETTERS, description="Instead of a source.")] = ""
    project: Project = ""
    title: Title = ""
    type: TextType | None = None


class Drop(Asked):
    """Added documents to be removed, all or none."""

    id: Annotated[
        tuple[Source, ...], Field(min_length=1, max_length=100, description="Each an id, its beginning, or its source.")
    ]


class AskedProject(Asked):
    """The added documents of a project, or all."""

    project: Project = ""


class AskedAdded(Asked):
    """An added document by its id, the beginning of it, or its source."""

    id: Annotated[str, Field(min_length=1, max_length=LONGEST_ADDRESS)]


BODIES = (AskedHistory, AskedRecall, Remember, UpdateMemory, Append, OneMemory, Merge, Add, Drop, AskedProject)
"""What is sent in bodies."""
