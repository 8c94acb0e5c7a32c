"""What is known of a format, and which one a file has by its name.

A row is made known with `add_format`; the rows are in `formats`, and those of plug-ins join them.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache
from importlib.util import find_spec

from msgspec import Struct

TELLING = 4_096
"""How many bytes at the beginning and at the end of a file tell whether it is a document."""


class Layout(StrEnum):
    """How the text of a document lies in its source."""

    SECTIONS = "sections"
    """Text under headings."""
    PLAIN = "plain"
    """Text without headings; the whole of it is one section."""
    DRAWING = "drawing"
    """Labels in markup. The labels are the text; a slice of the source says nothing."""
    COMMIT = "commit"
    """A message and the differences of files, which `Metadata.extra` lists. The path is a hash, not words."""
    CODE = "code"
    """Source code: sections are symbols, and some text may belong to none of them but the file."""


class ProgrammingLanguage(Struct, frozen=True):
    """The facts of a programming language that rooms besides its parser go by."""

    grammar: str
    """The package that reads it."""
    folder_stems: tuple[str, ...] = ()
    """Files without their ending that imports call by their folder, as ``__init__``; ``*`` for all files."""
    keeps_ending: bool = False
    """Whether imports name files with their endings, as in C."""


class Media(Struct, frozen=True, eq=False):
    """A format. There is one object for each, also after unpickling, so `is` compares them."""

    name: str
    """As stored and as shown."""
    parser: str = "pinakes.parse.plain:parse_plain"
    """Module and function, imported when the first document of the format is read."""
    endings: tuple[str, ...] = ()
    """Of file names, in lower case, without the dot."""
    names: tuple[str, ...] = ()
    """Whole file names without an ending, in lower case."""
    mime_type: str = "text/plain"
    layout: Layout = Layout.SECTIONS
    is_document: bool = True
    """Whether it is read at all."""
    is_prose: bool = True
    """Whether people write it to be read: it may be the index of its folder, and its statements can be compared."""
    is_linkable: bool = True
    """Whether readers come to it by following links: without any it is an orphan."""
    has_title: bool = True
    """Whether people call the document by its title. Titles that were made from a first line or label are not used."""
    is_markdown: bool = False
    """Whether its text is Markdown: pages render it, and search passes over the markup."""
    is_converted: bool = False
    """Whether its text is made from the file: positions are those of the text, and nothing can be written back."""
    telling: str = ""
    """A pattern that the first or the last `TELLING` bytes of a file hold. Where there is one, the ending alone makes
    no document: other programs use it for other files."""
    is_page: bool = False
    """Whether a browser opens the file as a page, in which scripts would run."""
    converter: str = ""
    """Module and function that make the text of it, in a process of their own; only for `parse_guarded`."""
    requires: tuple[str, ...] = ()
    """Packages without which no file is of this format."""
    extra: str = ""
    """What brings them: the name of our extra."""
    plugin: str = ""
    """The plug-in that brings it, for sentences; empty for the formats of Pinakes itself."""
    code: ProgrammingLanguage | None = None
    """What else is known of a format of source code, which only the corpus of code reads."""

    def is_told_by(self, data: bytes) -> bool:
        """Whether a file whose name allows this format is of it."""
        return not self.telling or _compiled(self.telling).search(data[:TELLING] + b"\n" + data[-TELLING:]) is not None

    @property
    def is_available(self) -> bool:
        """Whether what it requires is installed."""
        return all(map(_is_installed, self.requires))

    def __reduce__(self) -> tuple[object, ...]:
        return format_named, (self.name,)


@cache
def _is_installed(package: str) -> bool:
    return find_spec(package) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[bytes]:
    return re.compile(pattern.encode())


FORMATS: dict[str, Media] = {}
"""Every format by its name."""
_BY_ENDING: dict[str, Media] = {}
_BY_NAME: dict[str, Media] = {}
_BY_CONTENT: dict[str, Media] = {}
_CODE_BY_ENDING: dict[str, Media] = {}


def add_format(row: Media) -> Media:
    """Make a format known. Its endings and names mean this format from now on."""
    FORMATS[row.name] = row
    by_ending = _CODE_BY_ENDING if row.code else _BY_CONTENT if row.telling else _BY_ENDING
    by_ending.update(dict.fromkeys(row.endings, row))
    _BY_NAME.update(dict.fromkeys(row.names, row))
    return row


def format_named(name: str) -> Media:
    """The format with this name. One that is not known belonged to a plug-in that is gone; no file has it any more."""
    return FORMATS.get(name) or _gone(name)


@cache
def _gone(name: str) -> Media:
    return Media(name, is_document=False, is_prose=False, is_linkable=False)


ASSET = add_format(
    Media("asset", layout=Layout.PLAIN, is_document=False, is_prose=False, is_linkable=False, has_title=False)
)
"""Anything else: links may point at it, but it is never read."""


def media_of(name: str) -> Media:
    """The format of a document, by its name alone; source code, hidden files and unknown endings are assets.

    So is what only its content makes a document; see `possible_media_of`.
    """
    _, dot, ending = name.rpartition(".")
    if not dot:
        return _BY_NAME.get(name.lower(), ASSET)
    media = _BY_ENDING.get(ending) or _BY_ENDING.get(ending.lower())
    return media if media is not None and name[0] != "." and (not media.requires or media.is_available) else ASSET


def format_of_ending(ending: str) -> Media | None:
    """The format that files with this ending have, or would have if what it requires were installed."""
    return _BY_ENDING.get(ending.lower())


def possible_media_of(name: str) -> Media:
    """The format that a file with this name has if it is a document at all, which its content may have to tell."""
    media = media_of(name)
    _, dot, ending = name.rpartition(".")
    is_unknown = dot and name[0] != "." and not media.is_document
    return _BY_CONTENT.get(ending.lower(), ASSET) if is_unknown else media


def code_media_of(name: str) -> Media:
    """The language of a file of source code, by its name alone; everything else, documents too, is an asset."""
    _, dot, ending = name.rpartition(".")
    media = _CODE_BY_ENDING.get(ending) or _CODE_BY_ENDING.get(ending.lower())
    return media if dot and media is not None and name[0] != "." else ASSET
