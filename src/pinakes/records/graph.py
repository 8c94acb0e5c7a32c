"""What points where: the names documents answer to, links as understood, and the graph of them as a picture."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from pinakes.records.address import Ref
from pinakes.records.document import Chunk, Document, Kind, Link, Section
from pinakes.records.formats import MARKDOWN, Media

MARKDOWN_ENDINGS = tuple([f".{ending}" for ending in MARKDOWN.endings])
INDEX_STEMS = ("readme", "index", "_index")
"""What readers of a folder see first, in lower case and in the order of preference where it holds several."""
_UNTOLD_ENDINGS = (*MARKDOWN_ENDINGS, ".html", ".htm")
"""Endings a link may leave out or swap: sites publish ``auth.md`` as ``auth`` or ``auth.html``."""


_LONGEST_KEY = 200
"""Characters."""


def name_key(name: str) -> str:
    """What two names must share to possibly mean the same thing: the last segment, folded, without a page's ending.

    A link is only looked up again when a name with its key appears, changes or vanishes, so this must be coarse:
    ``guide/Auth.md``, ``auth.html`` and ``../AUTH`` all give ``auth``. The root folder's key is ``/``. A key is short
    enough for the index of a table: a title can be as long as a page.
    """
    last = name.rstrip("/").rpartition("/")[2]
    folded = unicodedata.normalize("NFC", last).casefold()
    if folded.endswith(_UNTOLD_ENDINGS):
        folded = folded.rpartition(".")[0] or folded
    return folded[:_LONGEST_KEY] or "/"


class NameForm(StrEnum):
    """How a document, file or folder can be called by a link."""

    PATH = "path"
    """A file, by its path. Stores know these by themselves for every file they keep, assets too."""
    FOLDER = "folder"
    """A folder that holds files, however deep. Stores know these by themselves too; `Name.path` is the folder."""
    INDEX = "index"
    """The README or index of the folder in `Name.text`."""
    ALIAS = "alias"
    TITLE = "title"
    ADDRESS = "address"
    """Where a document is published on its site, as a path without an ending, when that is not where it lies."""
    MODULE = "module"
    """A file of source code as imports call it, from the root: ``src/ac/history``."""
    SYMBOL = "symbol"
    """What a file of source code defines at its top level: ``src/ac/history#History``."""
    EXPORT = "export"
    """What a file of source code hands on: what it imports at its top level, as ``src/ac#Run``, and behind a tab from
    where, as ``ac/run#Run``; in C what it announces, as ``src/run.h#run``."""


class Name(Struct, frozen=True, order=True):
    """One thing a link can call a document, file or folder by."""

    key: str
    """`name_key` of `text`."""
    form: NameForm
    text: str
    """The path, folder, alias or title itself."""
    path: str
    """Where it leads."""


class Outcome(StrEnum):
    """What became of a link when it was looked up."""

    FOUND = "found"
    """It leads to a document, section or file of the corpus, or to a folder."""
    EXTERNAL = "external"
    """It leaves the corpus (``https:``, ``mailto:``, …); nobody looks there."""
    BROKEN_ANCHOR = "broken_anchor"
    """The document exists, the section does not; `Edge.to` is the document."""
    MISSING = "missing"
    """Nothing of that name exists."""
    AMBIGUOUS = "ambiguous"
    """Several documents answer to that name; they are the candidates."""
    OUTSIDE = "outside"
    """It climbs out of the root."""
    NO_FILE = "no_file"
    """A path-like word that is not a file here, so it is no link at all."""


class Edge(Struct, frozen=True):
    """A link as understood. A loose end (`to` is None) is kept and countable."""

    origin: Ref
    """The section the link stands in."""
    link: Link
    to: Ref | None
    outcome: Outcome
    candidates: tuple[str, ...] = ()
    """Paths that could have been meant, when ambiguous."""


class Entry(Struct, frozen=True):
    """A document with all that is kept about it."""

    document: Document
    names: tuple[Name, ...]
    """What it answers to besides its path: index, alias and title names."""
    keys: tuple[str, ...]
    """For each link the key under which names are looked up for it; empty for links that need none."""
    chunks: tuple[Chunk, ...] = ()


class Reference(Struct, frozen=True):
    """One resolved link of an outline: from a section to a document or section."""

    section: int
    to: Ref


class Outline(Struct, frozen=True):
    """A document as the map sees it: everything but its text."""

    ref: Ref
    title: str
    kind: Kind
    media: Media
    digest: str
    sections: tuple[Section, ...]
    cited: int
    """How many sections of other documents link to the document as a whole."""
    cited_sections: tuple[int, ...]
    """How many sections of other documents link to each section, in the order of `sections`."""
    references: tuple[Reference, ...]
    """Resolved links to other documents and files, in reading order, each (section, target) once."""


class Listed(NamedTuple):
    """A document in a list of all of them."""

    number: int
    """The store's."""
    path: str
    sections: int
    """How many it has, the root among them."""


class FilterValues(NamedTuple):
    """What filters find a document by, besides its path, kind and dates."""

    tags: tuple[str, ...]
    language: str
    """The natural language it is written in; empty where nothing tells."""
    code: Mapping[str, tuple[str, ...]]
    """By anchor of a section, the languages of the code in it."""


class Feed(Struct, frozen=True):
    """What happened to the documents of a store after some generation: what a derived part has to do again."""

    generation: int
    """The store's, when it answered."""
    changed: tuple[int, ...]
    """Numbers of documents that were put, or whose incoming links changed, ascending."""
    gone: tuple[int, ...]
    """Numbers of documents that are no longer kept, ascending. Numbers are never given twice."""
    is_whole: bool = False
    """Whether `changed` is everything there is, so that what was made before must be forgotten first: asked since 0,
    or since a generation that is too long ago, or one that this store never had. `gone` is empty then."""
    history: str = ""
    """Names the run of generations. One that is not that of the last answer means another store in the same place: its
    numbers and generations have nothing to do with those before, so start over from 0."""


class NumberedDocument(Struct, frozen=True):
    """A document under the store's number for it, with what search needs to know about it."""

    number: int
    document: Document
    chunks: tuple[Chunk, ...]
    called: tuple[str, ...]
    """For each section the texts of links that lead to it from elsewhere, one a line, each once, sorted; the root's are
    those of links to the document as a whole."""


class Dot(Struct, frozen=True):
    """A document in the picture."""

    path: str
    title: str
    x: float
    y: float
    """Both from 0, in the picture's own units."""
    cited: int
    """How many sections of other documents link to it or into it."""
    community: int
    """0 for the largest community of the picture; -1 for a document without links."""


class Picture(Struct, frozen=True):
    """The documents of a corpus and the links between them, laid out."""

    width: float
    height: float
    dots: tuple[Dot, ...]
    """The most cited first."""
    arcs: tuple[tuple[int, int], ...]
    """From and to, as positions in `dots`; each pair once, sorted."""
    left_out: int
    """Documents that exist but are not drawn."""
