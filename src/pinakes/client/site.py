"""The files of a published folder as a program reads them: index, topics, documents, chunks.

The address of a published folder enters, its documents leave; a chunk is fetched when the caller reaches it. Only files
below the given address are fetched: a link in an index that leads outside is refused.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from msgspec import Struct

from pinakes.client.fetching import INDEX, NEXT_STEP, DiskFiles, Fetch, WebFiles
from pinakes.client.search import WordSearch
from pinakes.errors import NotFound, Refused

FORMAT = 2


class PublishedChunk(Struct, frozen=True):
    """A part of a document, byte for byte."""

    index: int
    """Its place in the document, from 0."""
    title: str
    text: str
    lines: str
    """Of the source, from 1, both ends in: ``12-30``."""
    tokens: int
    is_code: bool


class PublishedHit(Struct, frozen=True):
    """A chunk that answers a question."""

    source: str
    """The place of its document in the folder."""
    title: str
    index: int
    """Its place in the document, from 0."""
    score: float
    _stem: str
    _folder: PublishedSite

    def document(self) -> PublishedDocument:
        """The document it is a part of; one file is fetched."""
        return self._folder.document_at(self.source, self._stem)

    def chunk(self) -> PublishedChunk:
        """The chunk itself."""
        return self.document().chunk(self.index)


class PublishedDocument:
    """A document and the orders to read its chunks in; what lies in other files is fetched when it is asked for."""

    def __init__(self, folder: PublishedSite, link: Mapping[str, Any], index: str, held: Mapping[str, Any]) -> None:
        self._folder = folder
        self._index = index
        self._held = held
        self.name = str(link["name"])
        """Its path in the library: ``guide/reading.md``."""
        self.title = str(link["title"])
        self.source = str(link["source"])
        """Its place in the folder."""

    @property
    def order(self) -> tuple[int, ...]:
        """All chunks, the best to begin with first: the first N are the N to read. Empty when it is not cut."""
        return self._numbers("order")

    @property
    def technical_order(self) -> tuple[int, ...]:
        """The order for somebody who looks something up: a reference or cheat sheet comes first. It is `order` when the
        document has none."""
        first = self._held.get("baseline_technical")
        return self.order if first is None else (int(first), *self._numbers("stripe_order_technical"))

    def chunks(
        self,
        first: int | None = None,
        *,
        technical: bool = False,
        is_code: bool | None = None,
        keyword: str = "",
    ) -> Iterator[PublishedChunk]:
        """The `first` chunks in reading order, or all; each is fetched when the iterator reaches it.

        `technical` takes the order for looking things up, `is_code` only chunks that are code or only others, `keyword`
        only those that hold a keyword of the topic.
        """
        order = self.technical_order if technical else self.order
        wanted = (
            index
            for index in order
            if (is_code is None or bool(self._items[index]["is_code"]) is is_code) and self.has_keyword(index, keyword)
        )
        for index in islice(wanted, first):
            yield self.chunk(index)

    def chunk(self, index: int) -> PublishedChunk:
        """The chunk at a place, from 0."""
        item = self._items[index]
        data = self._folder.fetch(self._folder.place(str(item["href"]), posixpath.dirname(self._index)))
        text = data.decode("utf-8", "replace")
        facts = str(item["lines"]), int(item["tokens"])
        return PublishedChunk(index, str(item["title"]), text, *facts, is_code=bool(item["is_code"]))

    def is_code(self, index: int) -> bool:
        """Whether a chunk is code."""
        return bool(self._items[index]["is_code"])

    def has_keyword(self, index: int, keyword: str) -> bool:
        """Whether a chunk holds a keyword of its topic, in upper or lower case; every chunk holds an empty one."""
        if not keyword:
            return True
        stem = posixpath.basename(self._index).removesuffix(".json")
        return keyword.casefold() in self._folder.keywords(posixpath.dirname(self.source), stem, index)

    def text(self) -> str:
        """The whole document, verbatim."""
        return self._folder.fetch(self.source).decode("utf-8", "replace")

    @cached_property
    def _items(self) -> list[Mapping[str, Any]]:
        held = self._held if "items" in self._held else self._folder.read(self._index)
        items = held.get("items")
        if not isinstance(items, list) or any(not isinstance(item, dict) for item in items):
            raise NotFound(f"{self._index} is not what pinakes publish writes.", "Publish it again.")
        if any(not 0 <= index < len(items) for index in {*self.order, *self.technical_order}):
            raise NotFound(f"An order of “{self.name}” names a chunk that is not there.", "Publish it again.")
        return items

    def _numbers(self, name: str) -> tuple[int, ...]:
        return tuple(int(index) for index in self._held.get(name) or ())


class PublishedTopic(Struct, frozen=True):
    """A folder of documents."""

    path: str
    """Its path in the library; empty for the root."""
    title: str
    documents: tuple[PublishedDocument, ...]


class PublishedSite:
    """A published folder. The root's index is read when it is opened, those of topics when they are asked for."""

    def __init__(self, fetch: Fetch) -> None:
        self.fetch = fetch
        self._base = ""
        self._keywords: dict[str, dict[str, Any]] = {}
        self._index = self.read(INDEX)
        if self._index.get("generator") != "pinakes" or not isinstance(self._index.get("_embedded"), dict):
            raise NotFound("pinakes publish did not write this folder.", NEXT_STEP)
        if self._index.get("format") != FORMAT:
            raise NotFound(
                "Another version of Pinakes published this folder, and this one cannot read it.",
                "Publish it again, or use that version.",
            )
        # Links are relative, or begin with the address that it was published for, which need not be this one.
        own = str(self._index["_links"]["self"]["href"])
        self._base = own.removesuffix(INDEX) if own != INDEX else ""

    @property
    def title(self) -> str:
        """What the library is called."""
        return str(self._index["title"])

    @property
    def topics(self) -> tuple[str, ...]:
        """The paths of all topics, the root's, which is empty, first."""
        return ("", *(str(one["path"]) for one in self._index["_embedded"]["topics"]))

    def topic(self, path: str) -> PublishedTopic:
        """A topic with its documents; raises `NotFound`."""
        if not path:
            return self._topic("", self._index, "")
        for one in self._index["_embedded"]["topics"]:
            if one["path"] == path:
                place = self.place(str(one["_links"]["self"]["href"]), "")
                return self._topic(path, self.read(place), posixpath.dirname(place))
        raise NotFound(f"There is no topic “{path}”.", "PublishedFolder.topics names all of them.")

    def documents(self) -> Iterator[PublishedDocument]:
        """All documents, topic by topic."""
        for path in self.topics:
            yield from self.topic(path).documents

    def document(self, name: str) -> PublishedDocument:
        """The document of a path such as ``guide/reading.md``; raises `NotFound`.

        Nearly always it lies where its path says, and one small file is fetched; else the index of its topic.
        """
        folder, file = posixpath.split(name)
        try:
            found = self.document_at(name, file.removesuffix(".md") or file)
            if found.name == name:
                return found
        except (NotFound, Refused):
            pass
        if folder in self.topics:
            for one in self.topic(folder).documents:
                if one.name == name:
                    return one
        raise NotFound(f"There is no document “{name}”.", "Give its whole path, such as guide/reading.md.")

    def document_at(self, source: str, stem: str) -> PublishedDocument:
        """The document whose source lies at a place of the folder and whose chunks are called by `stem`."""
        place = self.place(quote(f"_chunks/{stem}.json"), posixpath.dirname(source))
        held = self.read(place)
        try:
            link = {"name": held["path"], "title": held["title"]}
            found = self.place(str(held["_links"]["source"]["href"]), posixpath.dirname(place))
            return PublishedDocument(self, {**link, "source": found}, place, held)
        except (LookupError, TypeError) as error:
            raise NotFound(f"{place} is not what pinakes publish writes.", "Publish it again.") from error

    def search(
        self, question: str, limit: int = 10, *, path: str = "", keyword: str = "", is_code: bool | None = None
    ) -> list[PublishedHit]:
        """The chunks that hold the words of a question best, found offline in the index of the search page.

        `path` leaves documents below a folder, `keyword` and `is_code` are those of `PublishedDocument.chunks`; for
        these two a small file is fetched for each document that is looked at.
        """
        found: list[PublishedHit] = []
        documents: dict[str, PublishedDocument] = {}
        for one in self._words.find(question).ranked:
            if path and not one.place.startswith(f"{path.strip('/')}/"):
                continue
            if keyword or is_code is not None:
                if one.place not in documents:
                    documents[one.place] = self.document_at(one.place, one.stem)
                held = documents[one.place]
                if is_code not in (None, held.is_code(one.number)) or not held.has_keyword(one.number, keyword):
                    continue
            found.append(PublishedHit(one.place, one.title, one.number, one.score, one.stem, self))
            if len(found) == limit:
                break
        return found

    def foreseen(self, question: str) -> list[PublishedHit]:
        """The chunks that answer a question which was foreseen, from hashes alone; none when it was not, or when the
        folder was published without prompts."""
        from pinakes.publish.prompts import ask
        from pinakes.records.publish import Asked, PromptIndex, Target

        if "prompts" not in self._index["_links"]:
            return []
        held = self.read(self.place(str(self._index["_links"]["prompts"]["href"]), ""))
        try:
            prompts = tuple(
                Asked(one["digest"], one["simhash"], tuple(Target(row["href"]) for row in one["chunks"]))
                for one in held["prompts"]
            )
            tried = ask(PromptIndex(prompts, int(held["radius"])), question)
        except (LookupError, TypeError, ValueError) as error:
            raise NotFound("prompts.json is not what pinakes publish writes.", "Publish it again.") from error
        return [self._hit(self.place(one.href, "")) for one in tried.chunks]

    def _hit(self, place: str) -> PublishedHit:
        home, _, file = place.rpartition("/_chunks/" if "/_chunks/" in place else "_chunks/")
        stem, _, number = file.removesuffix(".md").rpartition("-")
        document = self.document_at(f"{home}/{stem}" if home else stem, stem)
        return PublishedHit(document.source, document.title, int(number), 1.0, stem, self)

    def keywords(self, folder: str, stem: str, index: int) -> frozenset[str]:
        """The keywords of a chunk in lower case, of the documents that lie in a folder."""
        if folder not in self._keywords:
            self._keywords[folder] = self.read(posixpath.join(folder, "_keywords/chunks.json"))
        held = self._keywords[folder]
        try:
            return frozenset(str(held["keywords"][at]["name"]).casefold() for at in held["chunks"][stem][index])
        except (LookupError, TypeError) as error:
            raise NotFound(f"The keywords of “{folder}” are not what pinakes publish writes.", NEXT_STEP) from error

    @cached_property
    def _words(self) -> WordSearch:
        return WordSearch(self.fetch)

    def place(self, href: str, home: str) -> str:
        """The name in the folder that a link in the file of the folder `home` means; raises `Refused`."""
        if self._base and href.startswith(self._base):
            found = unquote(href[len(self._base) :])
        elif urlsplit(href).scheme or href.startswith("/"):
            raise Refused(f"A link leads elsewhere: {href}.", "Publish the folder again.")
        else:
            found = posixpath.normpath(posixpath.join(home, unquote(href)))
        if any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in found.split("/")):
            raise Refused(f"A link leads out of the folder: {href}.", "Publish the folder again.")
        return found

    def read(self, place: str) -> dict[str, Any]:
        """A file of JSON in the folder."""
        try:
            held = json.loads(self.fetch(place))
        except (ValueError, RecursionError):
            held = None
        if not isinstance(held, dict):
            raise NotFound(f"{place} is not an index that pinakes publish wrote.", NEXT_STEP)
        return held

    def _topic(self, path: str, index: dict[str, Any], home: str) -> PublishedTopic:
        try:
            cut = {self.place(str(one["source"]), home): one for one in index["_embedded"]["chunks"].values()}
            documents = tuple(self._document(link, cut, home) for link in index["_links"]["documents"])
            return PublishedTopic(path, str(index["title"]), documents)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise NotFound(f"The index of “{path}” is not what pinakes publish writes.", "Publish it again.") from error

    def _document(self, link: dict[str, Any], cut: Mapping[str, dict[str, Any]], home: str) -> PublishedDocument:
        source = self.place(str(link["href"]), home)
        held = cut.get(source, {})
        index = self.place(str(held["index"]), home) if held else ""
        return PublishedDocument(self, {**link, "source": source}, index, held or {"items": []})


def open_published(place: str | Path) -> PublishedSite:
    """Open a published folder by its path, or by the http(s) address of the folder or of its ``index.json``.

    Raises `NotFound` when there is none, and `Unreachable` when its server does not answer. An address may be any that
    the program names, private ones too; redirects must stay at the same server.
    """
    text = str(place)
    if urlsplit(text).scheme in ("http", "https"):
        return PublishedSite(WebFiles(text))
    return PublishedSite(DiskFiles(Path(text)))
