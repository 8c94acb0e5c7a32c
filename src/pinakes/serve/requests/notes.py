"""The table of what may be asked of memories and added documents, and sent to be kept.

As in `questions`: a class for each request, a row for each parameter, and how the request is put to a library.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pinakes.access import TokenScope
from pinakes.index import ignore_progress
from pinakes.library import Library
from pinakes.ports import Progress
from pinakes.records.added import AddedDocument, AddedText, TextType, Update
from pinakes.records.memory import Memory, MemoryList, MemoryStatus, MemoryType, Recollection, Revision
from pinakes.serve.requests.parameters import Doors, Request, row
from pinakes.serve.requests.rows import (
    CLI,
    DAY,
    EXAMPLE,
    HTTP,
    LONGEST_NOTE,
    MCP,
    MOST_HITS,
    NOT_PAGE,
    PAGE,
    TAG,
    Id,
    NoteText,
    PlainFlag,
    Project,
    ReviewBy,
    Tags,
    Type,
    budget,
)

LONGEST_DOCUMENT = 2_000_000
"""Characters of a text that is added."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest(Request):
    """Memories that answer a question, the recent ones lifted; without a question the newest."""

    query: str = row(
        "A question. Default: the newest memories.",
        "default the newest",
        label="Question",
        example="why did we …",
        aliases=("q",),
    )
    type: Type = None
    tag: Tags = ()
    after: str = row(
        "Only memories written or changed on or after this day (2026-01-31).",
        form=DAY,
        longest=10,
        label="Since",
        example=EXAMPLE,
    )
    linked_to: str = row(
        "Only memories that link to this document, section or file.",
        label="About",
        example="guide/auth.md#tokens",
        aliases=("about",),
    )
    archived: bool = row("Also archived and superseded memories.", default=False, label="Archived ones, too")
    limit: int = row("At most this many.", default=10, least=1, most=MOST_HITS, label="At most", at_doors={PAGE: 50})
    budget: Annotated[int, budget(4000)] = 0

    def run(self, library: Library, progress: Progress = ignore_progress) -> Recollection:
        return library.memories.recall(
            self.query,
            type=self.type,
            tags=self.tag,
            after=self.after,
            linked_to=self.linked_to,
            limit=self.limit,
            archived=self.archived,
            progress=progress,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListMemories(Request):
    """Memories with their marks, the newest first, and how many there are of each type and tag."""

    doors: ClassVar[Doors] = CLI | HTTP | PAGE
    type: Type = None
    tag: Tags = ()
    status: MemoryStatus | None = row("Active or archived.", default=None)
    trash: bool = row("List forgotten memories, which can be restored.", default=False, doors=CLI)

    def run(self, library: Library) -> MemoryList:
        """The memories, with how many there are of each type and tag."""
        return library.memories.list(self.type, self.tag, self.status)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remember(Request):
    """Write a memory down. It is on disk when this is answered, and the next recall finds it."""

    doors: ClassVar[Doors] = NOT_PAGE
    needs: ClassVar[TokenScope] = TokenScope.WRITE
    text: str = row(
        "Markdown; link what it is about: [[src/a.py]], [[guide.md#setup]].",
        "Markdown; link what it is about: [[guide.md#setup]]",
        longest=LONGEST_NOTE,
        is_required=True,
    )
    title: str = row("Default: the first line of the text.", longest=200)
    type: MemoryType = row("What kind of memory.", default=MemoryType.OBSERVATION)
    tag: Tags = ()
    link: tuple[str, ...] = row(
        "What it is about: path, path#anchor or memory.", default=(), shortest=1, longest=1000, aliases=("links",)
    )
    review_by: ReviewBy = ""
    supersedes: tuple[str, ...] = row("A memory that it replaces, by its id.", default=(), shortest=1)
    append_to: str = row("The id of a memory to lengthen instead.", "id, to lengthen", doors=MCP)

    def run(self, library: Library) -> Memory:
        if self.append_to:
            return library.memories.append(self.append_to, self.text)
        return library.memories.remember(
            self.text,
            self.title,
            type=self.type,
            tags=self.tag,
            links=self.link,
            review_by=self.review_by,
            supersedes=self.supersedes,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateMemory(Request):
    """Change a memory's text or fields, or say that it is still true; what is not sent stays."""

    doors: ClassVar[Doors] = CLI | HTTP
    needs: ClassVar[TokenScope] = TokenScope.WRITE
    id: Id = ""
    text: str | None = row("Another text.", default=None, shortest=1, longest=LONGEST_NOTE)
    title: str | None = row("Another title; the id stays.", default=None, longest=200)
    type: Type = None
    status: MemoryStatus | None = row("Active or archived.", default=None)
    tag: tuple[str, ...] | None = row(
        "The new tags; an empty one removes all.", default=None, form=TAG, longest=100, entries=50, aliases=("tags",)
    )
    link: tuple[str, ...] | None = row(
        "What it is about; an empty one removes all.", default=None, longest=1000, aliases=("links",)
    )
    review_by: str | None = row(
        "The day after which it is marked as due; empty for none.", default=None, form=DAY, longest=10
    )
    verified: bool = row("It is still true: accept the present state of what it links to.", default=False)

    def run(self, library: Library) -> Memory:
        revision = Revision(
            text=self.text,
            title=self.title,
            type=self.type,
            status=self.status,
            tags=self.tag,
            links=self.link,
            review_by=self.review_by,
            is_verified=self.verified,
        )
        return library.memories.update(self.id, revision)


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendMemory(Request):
    """Add to the end of a memory."""

    doors: ClassVar[Doors] = CLI | HTTP
    needs: ClassVar[TokenScope] = TokenScope.WRITE
    id: Id = ""
    text: NoteText = ""

    def run(self, library: Library) -> Memory:
        return library.memories.append(self.id, self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class OneMemory(Request):
    """A memory by its id."""

    doors: ClassVar[Doors] = HTTP | MCP
    needs: ClassVar[TokenScope] = TokenScope.WRITE
    id: Id = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SomeMemories(Request):
    """Memories by their ids, on the command line."""

    doors: ClassVar[Doors] = CLI
    needs: ClassVar[TokenScope] = TokenScope.WRITE
    id: tuple[str, ...] = row("What `pinakes memories` shows first.", default=(), entries=100_000, is_required=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeMemories(Request):
    """Fold several memories into a new one that supersedes them; the old ones are archived."""

    doors: ClassVar[Doors] = CLI | HTTP
    needs: ClassVar[TokenScope] = TokenScope.WRITE
    id: tuple[str, ...] = row("Their ids.", default=(), shortest=1, fewest=2, is_required=True)
    title: str = row("The title of the new memory.", longest=200, is_required=True)
    text: str = row(
        "The text of the new memory. Default: the texts of the old ones, one after another.", longest=LONGEST_NOTE
    )

    def run(self, library: Library) -> Memory:
        return library.memories.merge(self.id, self.title, self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddDocument(Request):
    """Keep a document from elsewhere: a URL, one of the library's own files, or a text."""

    doors: ClassVar[Doors] = NOT_PAGE
    needs: ClassVar[TokenScope] = TokenScope.WRITE
    source: str = row("A URL, or the path of one of the library's own files.", "URL or path in the library")
    text: str = row("Instead of a source.", "instead of a source", longest=LONGEST_DOCUMENT, doors=HTTP | MCP)
    project: Project = ""
    title: str = row("The title. Default: the document's own.", longest=200)
    type: TextType | None = row(
        "The format. Default: by the ending, or what the server says; Markdown for a text.",
        default=None,
    )
    follow: bool = row("Take in the whole site: all pages on this host, below this folder.", default=False, doors=CLI)
    pages: int = row("With --follow: at most so many pages.", default=500, least=1, most=100_000, doors=CLI)
    delay: float = row("With --follow: seconds between two pages.", default=1.0, least=0, most=600, doors=CLI)


@dataclass(frozen=True, slots=True, kw_only=True)
class DropDocuments(Request):
    """Remove added documents; when one of them is not there, none is removed."""

    doors: ClassVar[Doors] = NOT_PAGE
    needs: ClassVar[TokenScope] = TokenScope.WRITE
    id: tuple[str, ...] = row(
        "Each an id, its beginning, or its source.", default=(), shortest=1, fewest=1, is_required=True
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListDocuments(Request):
    """The added documents of a project, or all, by project and title."""

    doors: ClassVar[Doors] = NOT_PAGE
    project: Project = ""
    budget: Annotated[int, budget(4000)] = 0

    def run(self, library: Library) -> tuple[AddedDocument, ...]:
        """The documents, by project and title."""
        return library.added.list(self.project)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSources(Request):
    """The state of added documents at their source: changed, missing, unchanged or unreachable."""

    doors: ClassVar[Doors] = CLI | HTTP
    needs: ClassVar[TokenScope] = TokenScope.WRITE
    project: Project = ""
    apply: bool = row("Store the new texts.", default=False, doors=CLI)

    def run(self, library: Library) -> tuple[Update, ...]:
        """The state of each document at its source."""
        return library.added.updates(self.project, apply=self.apply)


@dataclass(frozen=True, slots=True, kw_only=True)
class GetDocument(Request):
    """An added document by its id, the beginning of it, or its source."""

    doors: ClassVar[Doors] = CLI | HTTP
    id: str = row("Its id, the first four letters of it or more, or its path or URL.", is_required=True)
    plain: PlainFlag = False

    def run(self, library: Library) -> AddedText:
        """The document with its text."""
        return library.added.get(self.id)


def speaks_of_documents(request: Request) -> bool:
    """Whether a note links to documents, which are then to be seen as they are now."""
    if not isinstance(request, (Remember, UpdateMemory, AppendMemory)):
        return False
    return "[" in (request.text or "") or any(getattr(request, name, False) for name in ("link", "verified"))
