"""Documents that were added: what is known of each, and what became of it."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from pinakes.records.address import ADDED, Ref


class Origin(StrEnum):
    """Where an added document came from."""

    FILE = "file"
    URL = "url"
    TEXT = "text"
    """Raw text, as on standard input; it cannot be looked at again."""


class TextType(StrEnum):
    """What was added."""

    MARKDOWN = "md"
    TEXT = "txt"
    HTML = "html"


class AddedDocument(Struct, frozen=True):
    """What is known of an added document, beside its text."""

    id: str
    """Derived from source and project, so adding a source again, by anybody, gives the same one."""
    project: str
    origin: Origin
    source: str
    """The absolute path, the URL without what follows a ``#``, or nothing."""
    type: TextType
    title: str
    checksum: str
    """SHA-256 of the bytes as they were found, before anything was made of them."""
    size: int
    """Of those bytes."""
    created: str
    """When it was first added: ISO 8601, UTC."""
    updated: str
    """When it last changed."""
    is_titled: bool = False
    """Whether the title was given; then it stays when the text changes."""
    etag: str = ""
    last_modified: str = ""
    """Both as a server gave them, for asking again."""
    voucher: str = ""
    """Shows that this user wrote the record, so that its source may be looked at again."""

    @property
    def path(self) -> str:
        """Its path in the corpus. A web page is kept as the Markdown that was made of it."""
        return f"{self.project}/{self.id}.{'txt' if self.type is TextType.TEXT else 'md'}"

    @property
    def ref(self) -> Ref:
        return Ref(ADDED, self.path)


class AddedText(Struct, frozen=True):
    """An added document, whole."""

    ref: Ref
    document: AddedDocument
    text: str


class Became(StrEnum):
    """What adding a document did."""

    ADDED = "added"
    UPDATED = "updated"
    UNCHANGED = "unchanged"


class Addition(Struct, frozen=True):
    """A document that was added, and whether that changed anything."""

    ref: Ref
    document: AddedDocument
    became: Became


class SourceState(StrEnum):
    """How a document's source compares with what is kept of it."""

    CHANGED = "changed"
    MISSING = "missing"
    """The source says that it is no longer there."""
    UNCHANGED = "unchanged"
    UNREACHABLE = "unreachable"
    """Nobody can say: no answer, no permission, or nothing that could be added."""


class Update(Struct, frozen=True):
    """One document's source, looked at again."""

    id: str
    project: str
    source: str
    state: SourceState
    reason: str = ""
    """Why it is missing or unreachable."""
    is_applied: bool = False
    """Whether the change was taken in."""


class SkippedPage(Struct, frozen=True):
    """A page of a site that was not taken in."""

    url: str
    reason: str


class SiteReport(Struct, frozen=True):
    """What became of the pages of a site."""

    project: str
    start: str
    """The address that was given."""
    found_by: str
    """What said which pages there are: llms.txt, sitemap.xml or links."""
    added: int
    updated: int
    unchanged: int
    waiting: int
    """Pages that are known and were not asked for, because of a limit or trouble."""
    skipped: tuple[SkippedPage, ...] = ()
