"""A client for a folder that `pinakes publish` wrote: its index, its topics, and the best chunks of a document first.

    from pinakes.client import open_published

    folder = open_published("https://example.org/docs/")     # or a path
    for chunk in folder.document("guide/reading.md").chunks(first=3):
        print(chunk.title, chunk.text)

The address of a published folder enters, its documents leave; a chunk is fetched when the caller reaches it. The module
uses only the standard library, so that other projects can copy this one file. It fetches only files below the given
address: a link in an index that leads outside is refused.
"""

from __future__ import annotations

import json
import posixpath
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from msgspec import Struct

from pinakes.errors import NotFound, Refused, Unreachable

Fetch = Callable[[str], bytes]
"""Takes a name in the folder, such as ``guide/index.json``, and returns the file's bytes."""

FORMAT = 1
INDEX = "index.json"
_SECONDS = 20
_MOST_BYTES = 100_000_000
_NEXT = "Name a folder that pinakes publish wrote, or its address."


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


class PublishedDocument(Struct, frozen=True):
    """A document and the order to read its chunks in."""

    name: str
    """Its path in the library: ``guide/reading.md``."""
    title: str
    order: tuple[int, ...]
    """All chunks, the best to begin with first: the first N are the N to read. Empty when it is not cut."""
    source: str
    """Its place in the folder."""
    _items: tuple[Mapping[str, Any], ...]
    _home: str
    _folder: PublishedSite

    def chunks(self, first: int | None = None) -> Iterator[PublishedChunk]:
        """The `first` chunks in reading order, or all; each is fetched when the iterator reaches it."""
        for index in self.order[:first]:
            item = self._items[index]
            data = self._folder.fetch(self._folder.place(str(item["href"]), self._home))
            text = data.decode("utf-8", "replace")
            yield PublishedChunk(
                index, str(item["title"]), text, str(item["lines"]), int(item["tokens"]), is_code=bool(item["is_code"])
            )

    def text(self) -> str:
        """The whole document, verbatim."""
        return self._folder.fetch(self.source).decode("utf-8", "replace")


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
        self._index = self._read(INDEX)
        if self._index.get("generator") != "pinakes" or not isinstance(self._index.get("_embedded"), dict):
            raise NotFound("pinakes publish did not write this folder.", _NEXT)
        if self._index.get("format") != FORMAT:
            raise NotFound(
                "A newer Pinakes published this folder, and this one cannot read it.", "Use a newer Pinakes."
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
                return self._topic(path, self._read(place), posixpath.dirname(place))
        raise NotFound(f"There is no topic “{path}”.", "PublishedFolder.topics names all of them.")

    def documents(self) -> Iterator[PublishedDocument]:
        """All documents, topic by topic."""
        for path in self.topics:
            yield from self.topic(path).documents

    def document(self, name: str) -> PublishedDocument:
        """The document of a path such as ``guide/reading.md``; raises `NotFound`."""
        path = posixpath.dirname(name)
        if path in self.topics:
            for one in self.topic(path).documents:
                if one.name == name:
                    return one
        raise NotFound(f"There is no document “{name}”.", "Give its whole path, such as guide/reading.md.")

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

    def _read(self, place: str) -> dict[str, Any]:
        try:
            held = json.loads(self.fetch(place))
        except (ValueError, RecursionError):
            held = None
        if not isinstance(held, dict):
            raise NotFound(f"{place} is not an index that pinakes publish wrote.", _NEXT)
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
        held = cut.get(source, {"order": [], "items": []})
        items = tuple(held["items"])
        order = tuple(int(index) for index in held["order"])
        if any(not 0 <= index < len(items) for index in order):
            raise ValueError("an order names a chunk that is not there")
        return PublishedDocument(str(link["name"]), str(link["title"]), order, source, items, home, self)


def open_published(place: str | Path) -> PublishedSite:
    """Open a published folder by its path, or by the http(s) address of the folder or of its ``index.json``.

    Raises `NotFound` when there is none, and `Unreachable` when its server does not answer. An address may be any that
    the program names, private ones too; redirects must stay at the same server.
    """
    text = str(place)
    if urlsplit(text).scheme in ("http", "https"):
        return PublishedSite(_Web(text))
    return PublishedSite(_Disk(Path(text)))


def base_of(url: str) -> str:
    """The address of a folder, with a slash at its end, from that or from the one of its index."""
    bare = url.partition("#")[0].partition("?")[0]
    return f"{bare.removesuffix(INDEX).rstrip('/')}/"


class _Disk:
    """Files below a folder; links out of it are not followed."""

    def __init__(self, root: Path) -> None:
        self._root = (root.parent if root.name == INDEX and root.is_file() else root).resolve()

    def __call__(self, place: str) -> bytes:
        file = (self._root / place).resolve()
        if not file.is_relative_to(self._root):
            raise Refused(f"{place} leads out of {self._root}.", "Publish the folder again.")
        try:
            return file.read_bytes()
        except OSError as error:
            raise NotFound(f"{self._root / place} cannot be read: {error.strerror}.", _NEXT) from None


class _SameServer(urllib.request.HTTPRedirectHandler):
    """Follows redirects only where they stay at the server that was named."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        if urlsplit(newurl)[:2] != urlsplit(req.full_url)[:2]:
            raise Refused(f"{req.full_url} is redirected to another server.", "Name that one if you mean it.")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _Web:
    """Files below an address."""

    def __init__(self, url: str) -> None:
        self._base = base_of(url)
        self._opener = urllib.request.build_opener(_SameServer)

    def __call__(self, place: str) -> bytes:
        url = self._base + quote(place)
        try:
            with self._opener.open(url, timeout=_SECONDS) as response:
                data: bytes = response.read(_MOST_BYTES + 1)
        except urllib.error.HTTPError as error:
            with error:
                raise NotFound(f"{url} is not there: the server says {error.code}.", _NEXT) from None
        except (OSError, ValueError) as error:
            raise Unreachable(f"{url} cannot be fetched: {error}.", "Check the address and your network.") from None
        if len(data) > _MOST_BYTES:
            raise Refused(f"{url} is too large.", _NEXT)
        return data
