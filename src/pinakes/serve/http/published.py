"""A published folder, handed out: what `pinakes serve --published` runs.

A request enters, a file of the folder's manifest leaves, whole or in part. Nothing of any library is known here,
nothing is written, and no path is ever joined from what a client sent: it is looked up among the names of the manifest,
and the file is opened component by component without following a link out of the folder.

Every site may read these answers (`Access-Control-Allow-Origin: *`): they are public files, the same for everybody,
without cookies or tokens. That would be wrong on any route of a library, and none of them is here.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from email.utils import formatdate, parsedate_to_datetime
from typing import NamedTuple
from urllib.parse import quote

from anyio import to_thread
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from pinakes.errors import ConfigError
from pinakes.html.scripts import DIAGRAMS
from pinakes.html.targets import PICTURES
from pinakes.publish.listing import Listing
from pinakes.publish.searching import PAGE
from pinakes.publish.twins import BROTLI, GZIP
from pinakes.serve.http.base_path import without_base_path
from pinakes.serve.http.bounds import request_refusal
from pinakes.serve.http.compression import LEAST_BYTES, accepted_encoding, compressed, is_text
from pinakes.serve.http.options import ServeOptions
from pinakes.serve.http.problems import problem
from pinakes.sources.inside import open_inside

_CHUNK_BYTES = 1 << 16
_MOST_KEPT_BYTES = 50_000_000
_METHODS = "GET, HEAD, OPTIONS"
_HTML = "text/html; charset=utf-8"
_NOT_FOUND = "404.html"
_TWINS: Mapping[str, str] = {"br": BROTLI, "gzip": GZIP}
_TEXT = "text/plain; charset=utf-8"
_MEDIA: Mapping[str, str] = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
    "markdown": "text/markdown; charset=utf-8",
    "xml": "application/xml",
    "ico": "image/x-icon",
    "pdf": "application/pdf",
    **PICTURES,
}
"""Others are plain text: documents are text, and one of them that is HTML must not be a page of this site."""
_SANDBOX_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""For drawings and whatever else a browser might open as a page."""
_READ_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
"""For pages of documents: no script runs on them, but ours where the text needs one."""
_SCRIPT_POLICY, _FRAME_POLICY = "; script-src 'self'", "; frame-src 'self'"
_FRAMED_POLICY = "sandbox allow-scripts; frame-ancestors 'self'"
"""For the frame that draws a diagram: it has no origin, and its own policy allows one script and no network."""
_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS: Mapping[str, str] = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "Accept-Ranges, Content-Range, ETag",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
    "Accept-Ranges": "bytes",
    "Content-Security-Policy": _SANDBOX_POLICY,
}


class PublishedOptions(ServeOptions, frozen=True):
    """Where a published folder is handed out. It is public, so there is no token, on loopback or off it."""

    def check(self) -> None:
        if self.token:
            raise ConfigError(
                "A published folder is for everybody, but a token is set.",
                "Leave --token out and PINAKES_TOKEN empty, or serve a library instead.",
            )


class _OpenFile(NamedTuple):
    descriptor: int
    size: int
    etag: str
    modified: float


class PublishedApp:
    """The ASGI app of one folder."""

    def __init__(self, listing: Listing, options: ServeOptions) -> None:
        self._listing = listing
        self._authorities = options.authorities()
        self._limits = options.limits
        self._base_path = options.base_path
        self._kept: dict[tuple[str, str, str], bytes] = {}
        """Files that were compressed on the way."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
        elif scope["type"] == "http":
            answer = await self._answer(scope)
            await answer(scope, receive, send)

    def close(self) -> None:
        """Nothing stays open here."""

    async def _answer(self, scope: Scope) -> ASGIApp:
        if refusal := request_refusal(scope, self._limits):
            return refusal
        headers = Headers(scope=scope)
        if headers.get("host", "").lower() not in self._authorities:
            return problem(421, "This server is not the one the request is for.", "pinakes serve --name adds a name.")
        if scope["method"] == "OPTIONS":
            allowed = {"Access-Control-Allow-Methods": _METHODS, "Access-Control-Allow-Headers": "Range, If-None-Match"}
            return Response(None, 204, {**_HEADERS, **allowed, "Allow": _METHODS})
        if scope["method"] not in ("GET", "HEAD"):
            return problem(405, "Files can only be read here.", headers={**_HEADERS, "Allow": _METHODS})
        path = without_base_path(scope, self._base_path)["path"].removeprefix("/")
        name = await to_thread.run_sync(self._listing.named, path)
        if self._base_path and scope["path"] == self._base_path:  # relative links need the slash behind it
            return Response(None, 308, {**_HEADERS, "Location": f"{self._base_path}/"})
        if not path and not name.endswith(".html") and self._listing.named(PAGE):
            return Response(
                None, 302, {**_HEADERS, "Location": f"{self._base_path}/{PAGE}" if self._base_path else PAGE}
            )
        is_head = scope["method"] == "HEAD"
        file = await to_thread.run_sync(_open, self._listing.root, name) if name else None
        if file is not None:
            return await self._file(file, name, headers, is_head=is_head)
        if path and not name and self._listing.named(f"{path}/"):
            # Relative links in a folder's index need the slash. The path is one of ours, so it leads nowhere else.
            return Response(None, 308, {**_HEADERS, "Location": f"{self._base_path}/{quote(path)}/"})
        if "text/html" in headers.get("accept", "") and self._listing.is_page(_NOT_FOUND):
            missing = await to_thread.run_sync(_open, self._listing.root, _NOT_FOUND)
            if missing is not None:
                return await self._file(missing, _NOT_FOUND, headers, is_head=is_head, status=404)
        return problem(404, "There is no such file here.", headers=_HEADERS)

    async def _file(self, file: _OpenFile, name: str, asked: Headers, *, is_head: bool, status: int = 200) -> ASGIApp:
        """A file, compressed where that is asked for: from its twin in the folder, or on the way and then kept."""
        headers = self._head(file, name)
        encoding = accepted_encoding(asked)
        if not is_text(headers["Content-Type"]) or file.size < LEAST_BYTES:
            return _FileAnswer(file, headers, asked, is_head=is_head, status=status)
        headers["Vary"] = "Accept-Encoding"
        if not encoding or "range" in asked or _is_cached(asked, file):
            return _FileAnswer(file, headers, asked, is_head=is_head, status=status)
        headers |= {"ETag": f"W/{file.etag}", "Content-Encoding": encoding}
        twin = self._listing.twin(name, _TWINS[encoding])
        beside = await to_thread.run_sync(_open, self._listing.root, twin) if twin else None
        if beside is not None:
            os.close(file.descriptor)
            return _FileAnswer(beside, headers, Headers(), is_head=is_head, status=status)
        try:
            data = await to_thread.run_sync(self._shrunk, file, name, encoding)
        finally:
            os.close(file.descriptor)
        headers["Content-Length"] = str(len(data))
        return Response(b"" if is_head else data, status, headers)

    def _head(self, file: _OpenFile, name: str) -> dict[str, str]:
        modified = formatdate(file.modified, usegmt=True)
        policy = self._policy(name)
        media = _HTML if policy != _SANDBOX_POLICY else _media(name)
        held = {"ETag": file.etag, "Last-Modified": modified, "Content-Type": media, "Content-Security-Policy": policy}
        return {**_HEADERS, **held}

    def _policy(self, name: str) -> str:
        """What a browser may do with a file that it opens."""
        if name == PAGE:
            return _PAGE_POLICY
        if self._listing.is_frame(name):
            return _FRAMED_POLICY
        if not self._listing.is_page(name):
            return _SANDBOX_POLICY
        scripts = self._listing.scripts(name)
        return f"{_READ_POLICY}{_SCRIPT_POLICY if scripts else ''}{_FRAME_POLICY if DIAGRAMS in scripts else ''}"

    def _shrunk(self, file: _OpenFile, name: str, encoding: str) -> bytes:
        """A file compressed, kept for who asks next until there are too many of them."""
        key = (name, file.etag, encoding)
        if key not in self._kept:
            data = compressed(_read(file.descriptor, file.size, 0), encoding)
            if sum(map(len, self._kept.values())) + len(data) > _MOST_KEPT_BYTES:
                self._kept.clear()
            self._kept[key] = data
        return self._kept[key]


class _FileAnswer:
    """A file on its way, closed whatever happens to who asked for it."""

    def __init__(
        self, file: _OpenFile, headers: Mapping[str, str], asked: Headers, *, is_head: bool, status: int
    ) -> None:
        self._file = file
        self._is_head = is_head
        self._headers = headers
        self._asked = asked
        self._status = status

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            if _is_cached(self._asked, self._file):
                await self._start(send, 304, {})
                await send({"type": "http.response.body", "body": b""})
                return
            size = self._file.size
            part = _byte_range(self._asked, self._file)
            if part is None:
                await self._start(send, 416, {"Content-Range": f"bytes */{size}", "Content-Length": "0"})
                await send({"type": "http.response.body", "body": b""})
                return
            start, end = part
            length = {"Content-Length": str(end - start)}
            if part == (0, size):
                await self._start(send, self._status, length)
            else:
                await self._start(send, 206, {**length, "Content-Range": f"bytes {start}-{end - 1}/{size}"})
            await self._body(send, start, start if self._is_head else end)
        finally:
            os.close(self._file.descriptor)

    async def _start(self, send: Send, status: int, more: Mapping[str, str]) -> None:
        headers = [(name.lower().encode(), value.encode()) for name, value in {**self._headers, **more}.items()]
        await send({"type": "http.response.start", "status": status, "headers": headers})

    async def _body(self, send: Send, at: int, end: int) -> None:
        while at < end:
            piece = await to_thread.run_sync(_read, self._file.descriptor, min(_CHUNK_BYTES, end - at), at)
            if not piece:
                return  # it was cut short meanwhile; the connection is closed because less came than was promised
            at += len(piece)
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


def _open(root: str, name: str) -> _OpenFile | None:
    """A plain file of the folder; None when it is gone or is something else by now."""
    try:
        descriptor = open_inside(root, name)
    except OSError:
        return None
    facts = os.fstat(descriptor)
    if not stat.S_ISREG(facts.st_mode):
        os.close(descriptor)
        return None
    etag = f'"{facts.st_mtime_ns:x}-{facts.st_size:x}-{facts.st_ino:x}"'
    return _OpenFile(descriptor, facts.st_size, etag, facts.st_mtime)


def _read(descriptor: int, count: int, at: int) -> bytes:
    os.lseek(descriptor, at, os.SEEK_SET)
    return os.read(descriptor, count)


def _media(name: str) -> str:
    if name.rpartition("/")[2] == "index.json":
        return "application/hal+json"
    return _MEDIA.get(name.rpartition(".")[2].lower(), _TEXT)


def _is_cached(asked: Headers, file: _OpenFile) -> bool:
    """Whether the client has this very file already."""
    if "if-none-match" in asked:
        tags = ",".join(asked.getlist("if-none-match"))
        return tags.strip() == "*" or file.etag in {one.strip().removeprefix("W/") for one in tags.split(",")}
    since = _timestamp(asked.get("if-modified-since", ""))
    return since is not None and int(file.modified) <= since


def _byte_range(asked: Headers, file: _OpenFile) -> tuple[int, int] | None:
    """From where to where; everything when no part or several are asked for, None when there is no such part."""
    whole = (0, file.size)
    unit, _, wanted = asked.get("range", "").partition("=")
    condition = asked.get("if-range", "")
    if unit.strip().lower() != "bytes" or (condition and condition != file.etag):
        return whole
    first, dash, last = (part.strip() for part in wanted.partition("-"))
    digits = first + last
    if not dash or not digits.isascii() or not digits.isdigit() or len(digits) > 40:
        return whole
    if not first:
        return (max(0, file.size - int(last)), file.size) if int(last) and file.size else None
    start, end = int(first), min(file.size, int(last) + 1) if last else file.size
    if last and int(last) < start:
        return whole
    return (start, end) if start < file.size else None


def _timestamp(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp() if text else None
    except (ValueError, TypeError, OverflowError):
        return None


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
