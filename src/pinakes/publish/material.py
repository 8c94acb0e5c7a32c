"""The material of a published folder: the options, the documents from the library, and what all writers share."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple

from msgspec import Struct, field

from pinakes.errors import ConfigError, NotFound
from pinakes.own_folder import OwnFolder
from pinakes.ports import Reader
from pinakes.prose import searchable
from pinakes.publish.alike import Comparing
from pinakes.publish.cutting import Cut
from pinakes.publish.names import GIVE_WAY, href
from pinakes.publish.part import Workers, digest_of
from pinakes.publish.site import SitePlaces
from pinakes.publish.topics import Topic
from pinakes.records import Document, NumberedDocument, Outline, Ref, Span, StoredFile
from pinakes.records.publish import Target
from pinakes.render import one_line


class PublishOptions(Struct, frozen=True):
    """What is published, and how."""

    min_tokens: int = 250
    """Chunks have at least so many tokens, unless the document has fewer."""
    max_tokens: int = 750
    """And at most so many; twice the least or more, so that every document can be cut like that."""
    base_url: str = ""
    """Where the folder will be served; empty for links that are relative."""
    topics: tuple[str, ...] = ()
    """Only these folders and what is below them; none for everything."""
    largest_file: int = 20_000_000
    """Bytes of a file that is copied because documents show it or link to it."""
    title: str = ""
    """What the site is called; empty for the title of the root's own document, or the name of the root."""
    logo: str = ""
    """A picture that stands before the title on every page, as a path on this machine; empty for none."""
    has_pages: bool = True
    """Whether pages for people are written."""
    has_full_text: bool = True
    """Whether `llms-full.txt` is written, which holds all of the text."""
    is_compressed: bool = False
    """Whether each text lies compressed beside itself, for servers that hand out such files."""

    def __post_init__(self) -> None:
        if not (self.min_tokens >= 1 and 2 * self.min_tokens <= self.max_tokens <= 1_000_000):
            raise ConfigError(
                f"Chunks of {self.min_tokens} to {self.max_tokens} tokens cannot be cut.",
                "The second number must be at least twice the first, as in 250-750.",
            )
        if self.base_url and not _is_base(self.base_url):
            raise ConfigError(
                f"“{self.base_url}” is not an address to publish at.",
                "Write it as https://example.org/docs/ or /docs/.",
            )


def _is_base(url: str) -> bool:
    is_rooted = url.startswith(("http://", "https://")) or (url.startswith("/") and not url.startswith("//"))
    return is_rooted and url.isprintable() and not any(sign in url for sign in ' ?#"<>\\')


_LONGEST = 200
_LARGEST_ORIGINAL = 1_000_000_000
"""Bytes of a document's file: it was read once already."""


def _digest(data: bytes) -> str:
    """As sources make it."""
    return blake2b(data, digest_size=16).hexdigest()


def removed_meanwhile(path: str) -> NotFound:
    """What to say of a document that was there when publishing began."""
    return NotFound(f"“{path}” was removed while it was being published.", "Publish again.")


class Piece(NamedTuple):
    """A chunk without its text."""

    start: int
    end: int
    title: str
    trail: tuple[str, ...]
    """The headings above and at its beginning, without the document's own title."""
    parts: tuple[tuple[str, str, str], ...]
    """The sections in it: anchor, title, and what each is found by."""

    @property
    def searchable(self) -> str:
        """What it is found by."""
        return "\n".join(text for _, _, text in self.parts)


def pieces(document: Document, cuts: Sequence[Cut]) -> tuple[Piece, ...]:
    """The chunks of a document as the search page shows them."""
    starts = [section.span.start for section in document.sections]
    found = []
    for one in cuts:
        first = max(0, bisect_right(starts, one.span.start) - 1)
        trail = document.trail(first)
        shown = trail[1:] if trail[:1] == (document.title,) else trail
        inner = range(first + 1, bisect_left(starts, one.span.end))
        borders = [one.span.start, *(starts[place] for place in inner), one.span.end]
        found.append(
            Piece(
                one.span.start,
                one.span.end,
                one_line(one.title, _LONGEST),
                tuple(one_line(title, _LONGEST) for title in shown),
                tuple(
                    (
                        document.sections[place].anchor,
                        one_line(document.sections[place].title, _LONGEST),
                        searchable(document, Span(start, end)),
                    )
                    for place, start, end in zip((first, *inner), borders, borders[1:], strict=False)
                ),
            )
        )
    return tuple(found)


_AT_ONCE = 100
_REMEMBERED_BYTES = 100_000_000
"""Of sources that were read for their topics and are wanted again for the file that holds all of them."""


class Recent:
    """Sources that were read already, as many as there is room for."""

    def __init__(self) -> None:
        self.held: dict[Ref, bytes] = {}
        self.pieces: dict[Ref, tuple[Piece, ...]] = {}
        """Of documents that were cut."""
        self._room = _REMEMBERED_BYTES

    def keep(self, document: Document) -> None:
        if len(document.source) <= self._room:
            self._room -= len(document.source)
            self.held[document.ref] = document.source


class Material(Struct, frozen=True, dict=True):
    """A library on its way out."""

    reader: Reader
    topics: tuple[Topic, ...]
    """In order, the root first."""
    title: str
    """What the library is called when no document of its root says so."""
    options: PublishOptions
    comparing: Comparing
    questions: tuple[str, ...] | None
    """What somebody might ask; None when prompts are off."""
    draw_map: Callable[[Sequence[Outline]], str]
    read_file: Callable[[str, int], bytes | None]
    """The bytes of a file of the library; None when it is gone, has more bytes than the number, or is not to be
    read."""
    version: str
    """Of everything that shapes what is computed from a document: the program, and how search cuts documents."""
    look_at: Callable[[str], tuple[int, int] | None]
    """The size of a file of the library and when it was changed, in nanoseconds; None when it is gone or is not to be
    read."""
    stored: Mapping[str, StoredFile]
    """All files of the library by their paths, documents and others."""
    logo: tuple[str, bytes] | None = None
    """The picture before the title: the name it gets, and its bytes."""
    workers: Workers | None = None
    """Processes that take a share of the work; None where whoever publishes does all of it."""
    memory: OwnFolder | None = None
    """A folder of the library for what spares work in the next run; None when nothing may be written there."""

    recent: Recent = field(default_factory=Recent)
    """What was read in this run."""

    @property
    def site_title(self) -> str:
        """What the whole is called."""
        return one_line(self.options.title or self.topics[0].title, _LONGEST)

    @cached_property
    def site(self) -> SitePlaces:
        """Where pages and copied files lie."""
        return SitePlaces.of(self.topics, self.own_files, has_pages=self.options.has_pages)

    @property
    def own_files(self) -> tuple[str, ...]:
        """Files at the top of the library that its owner wrote for a site and that are no documents."""
        return tuple(name for name in GIVE_WAY if name in self.stored and not self.stored[name].stamp.media.is_document)

    @property
    def outlines(self) -> tuple[Outline, ...]:
        return tuple(outline for topic in self.topics for outline in topic.outlines)

    @property
    def settings(self) -> str:
        """A digest of what every file depends on."""
        options = (self.options.min_tokens, self.options.max_tokens, self.options.base_url, self.options.has_pages)
        return digest_of(self.version, options, self.comparing.name, self.questions)

    def documents(self, outlines: Sequence[Outline]) -> Iterator[NumberedDocument]:
        """The documents behind outlines, in their order, a few at a time."""
        for first in range(0, len(outlines), _AT_ONCE):
            refs = [outline.ref for outline in outlines[first : first + _AT_ONCE]]
            places = self.reader.places(refs)
            numbers = [places[ref].document for ref in refs if ref in places]
            found = {one.document.ref: one for one in self.reader.documents_by_number(numbers)}
            for ref in refs:
                yield found[ref] if ref in found else self._unnumbered(ref)

    def sources(self, outlines: Sequence[Outline]) -> Iterator[bytes]:
        """Their texts, from memory where they were read in this run."""
        for first in range(0, len(outlines), _AT_ONCE):
            some = outlines[first : first + _AT_ONCE]
            missing = [outline for outline in some if outline.ref not in self.recent.held]
            found = {one.document.ref: one.document.source for one in self.documents(missing)}
            for outline in some:
                yield found[outline.ref] if outline.ref in found else self.recent.held[outline.ref]

    def original(self, document: Document) -> bytes:
        """The file of a document, byte for byte. Its text is that of the file unless it was made from it, or some
        bytes were no UTF-8; a file that was changed since it was read is published as it was read."""
        if _digest(document.source) != document.digest:
            data = self.read_file(document.ref.path, _LARGEST_ORIGINAL)
            if data is not None and _digest(data) == document.digest:
                return data
        return document.source

    def _unnumbered(self, ref: Ref) -> NumberedDocument:
        """A document without any chunk: empty, or a drawing without words."""
        document = self.reader.document(ref)
        if document is None:
            raise removed_meanwhile(ref.path)
        return NumberedDocument(0, document, (), ())

    def target(self, place: str, home: str, *, name: str | None = None, title: str | None = None) -> Target:
        """The link to a published place from a file in the folder `home`."""
        return Target(self.href(place, home), name, title)

    def href(self, place: str, home: str) -> str:
        return href(place, home, self.options.base_url)
