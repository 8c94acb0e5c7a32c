"""Fetching a document from the web without being sent elsewhere, filled up or kept waiting.

A URL enters, bytes with what the server said of them leave. Every address that a name has is checked, and the
connection is made to one of those that were checked, so that no second answer of a name server can lead inside. The
certificate is checked for the name. Redirects go through all of it again. Size and time are limited in all: headers,
redirects, compressed bodies and slow ones together.

Proxies of the environment are not used: a proxy looks names up itself, which would undo the check.
"""

from __future__ import annotations

import io
import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException, HTTPResponse
from importlib.metadata import version
from typing import Any

from msgspec import Struct

from pinakes.added.addresses import AllowedHosts, IPAddress, ip_literal, is_public
from pinakes.added.body import read_body
from pinakes.added.urls import Url, read_url, redirected
from pinakes.errors import NotFound, Refused, Unreachable
from pinakes.records import FORMATS

Resolver = Callable[[str, int], Sequence[str]]
"""The numeric addresses of a host; raises `OSError` when it has none."""

REDIRECTS = frozenset((301, 302, 303, 307, 308))
_GONE = frozenset((404, 410))
_ACCEPTED = (
    "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, text/*;q=0.5, application/*;q=0.3"
)


class FetchLimits(Struct, frozen=True):
    """How much is waited for, how long, and what is taken."""

    most_bytes: int = 10_000_000
    seconds: float = 20.0
    redirects: int = 5
    media: tuple[str, ...] = ("text/", "application/xhtml+xml")
    """What types begin with, besides those of formats that can be converted; the empty text for all of them."""


class CacheValidators(Struct, frozen=True):
    """What a server said last time, so that it need not send the same again."""

    etag: str = ""
    last_modified: str = ""


class FetchedDocument(Struct, frozen=True):
    """What a server sent."""

    url: str
    """Where it was found, after all redirects."""
    data: bytes
    media: str
    """As in ``text/html``."""
    charset: str
    """As the server named it, or nothing."""
    etag: str
    last_modified: str


def look_up(host: str, port: int) -> Sequence[str]:
    """Ask the system for the addresses of a host."""
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def fetch(
    text: str,
    allowed: AllowedHosts,
    known: CacheValidators | None = None,
    *,
    limits: FetchLimits | None = None,
    resolve: Resolver = look_up,
) -> FetchedDocument | None:
    """What is at a URL, or None when it is what is `known`.

    Raises `Refused` when it must not be fetched, `NotFound` when the server says that it is not there, and
    `Unreachable` for everything that does not work out.
    """
    limits, known = limits or FetchLimits(), known or CacheValidators()
    deadline = time.monotonic() + limits.seconds
    url = read_url(text)
    passed = [str(url)]
    while True:
        try:
            found = _ask(url, allowed, known, limits, deadline, resolve)
        except TimeoutError:
            raise Unreachable(f"{url} took longer than {limits.seconds:g} s.", "Try again later.") from None
        except (OSError, HTTPException, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise Unreachable(f"{url} cannot be fetched: {reason}.", "Check the address and try again.") from error
        if not isinstance(found, Url):
            return found
        url = found
        if str(url) in passed:
            raise Refused(f"{text} is redirected in a circle: {' → '.join([*passed, str(url)])}.", "Give another one.")
        passed.append(str(url))
        if len(passed) > limits.redirects + 1:
            raise Refused(f"{text} is redirected more than {limits.redirects} times.", f"The last was to {url}.")


def _ask(
    url: Url, allowed: AllowedHosts, known: CacheValidators, limits: FetchLimits, deadline: float, resolve: Resolver
) -> FetchedDocument | Url | None:
    """One request: a document, nothing new, or where to ask next."""
    with responding(url, allowed, _headers(known), deadline, resolve) as response:
        if response.status in REDIRECTS:
            if not (place := response.getheader("Location")):
                raise Unreachable(f"{url} is redirected to nowhere.", "Check the address.")
            return redirected(url, place)
        if response.status == 304 and (known.etag or known.last_modified):
            return None
        if response.status in _GONE:
            raise NotFound(f"{url} is not there: the server says {response.status}.", "Check the address.")
        if response.status != 200:
            raise Unreachable(f"{url} answers with status {response.status}.", "Check the address, or try again later.")
        return _taken(url, response, limits)


@contextmanager
def responding(
    url: Url, allowed: AllowedHosts, headers: Sequence[tuple[str, str]], deadline: float, resolve: Resolver
) -> Iterator[HTTPResponse]:
    """What a server answers to one request, its head read and its body not; the connection ends with the block."""
    addresses = _checked(url, allowed, deadline, resolve)
    with _connected(url, addresses, deadline) as wire:
        connection = HTTPConnection(url.host, url.port)
        connection.sock = wire  # all it asks of a socket is there
        connection.putrequest("GET", url.target, skip_host=True, skip_accept_encoding=True)
        fixed = (("Host", url.authority), ("User-Agent", f"pinakes/{version('pinakes')}"), ("Connection", "close"))
        for name, value in (*fixed, *headers):
            connection.putheader(name, value)
        connection.endheaders()
        yield connection.getresponse()


def _taken(url: Url, response: HTTPResponse, limits: FetchLimits) -> FetchedDocument:
    media = (response.getheader("Content-Type") or "").partition(";")[0].strip().lower()
    if not media.startswith((*limits.media, *_converted_types())):
        said = f"is {media[:80]}" if media else "does not say what it is"
        raise Refused(f"{url} {said}.", "Only text can be added: text/html, text/markdown, text/plain and the like.")
    data = read_body(response, str(url), limits.most_bytes)
    charset = response.headers.get_content_charset() or ""
    etag, last_modified = response.getheader("ETag") or "", response.getheader("Last-Modified") or ""
    return FetchedDocument(str(url), data, media, charset, etag, last_modified)


def _converted_types() -> tuple[str, ...]:
    """The types of formats whose converter is installed: PDF, office documents, books."""
    return tuple(one.mime_type for one in FORMATS.values() if one.converter and one.is_available)


def _headers(known: CacheValidators) -> list[tuple[str, str]]:
    headers = [
        ("Accept", _ACCEPTED),
        ("Accept-Encoding", "gzip, deflate"),
    ]
    asked = (("If-None-Match", known.etag), ("If-Modified-Since", known.last_modified))
    return headers + [(name, value) for name, value in asked if value and value.isascii() and value.isprintable()]


def _checked(url: Url, allowed: AllowedHosts, deadline: float, resolve: Resolver) -> list[IPAddress]:
    """Every address of the host; raises `Refused` when a single one of them must not be connected to."""
    literal = ip_literal(url.host)
    spelled = [url.host] if literal else _resolved(url, deadline, resolve)
    addresses = []
    for text in dict.fromkeys(spelled):
        address = ip_literal(text)
        if address is None or not (is_public(address) or allowed.allows(url.host, address)):
            meant = "is" if literal else f"leads to {text}, which is"
            step = f'To fetch from it all the same, put allow = ["{url.host}"] under [added] in your own settings.'
            raise Refused(f"{url}: {url.host} {meant} no public address.", step)
        addresses.append(address)
    if not addresses:
        raise Unreachable(f"{url}: {url.host} has no address.", "Check the name.")
    return addresses


def _resolved(url: Url, deadline: float, resolve: Resolver) -> Sequence[str]:
    """The system's look-up knows no limit of time, so it is left to a thread that nobody has to wait for."""
    answers: queue.SimpleQueue[Sequence[str] | OSError | UnicodeError] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(resolve(url.host, url.port))
        except (OSError, UnicodeError) as error:
            answers.put(error)

    threading.Thread(target=ask, daemon=True, name="look-up").start()
    try:
        answer = answers.get(timeout=_left(deadline))
    except queue.Empty:
        raise TimeoutError from None
    if isinstance(answer, Exception):
        step = "Check the name and your network."
        raise Unreachable(f"{url}: {url.host} cannot be looked up: {answer}.", step) from answer
    return answer


def _connected(url: Url, addresses: Sequence[IPAddress], deadline: float) -> _Wire:
    """A connection to the first of the addresses that answers."""
    last: OSError | None = None
    for address in addresses:
        family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
        connection = socket.socket(family, socket.SOCK_STREAM)
        try:
            connection.settimeout(_left(deadline))
            connection.connect((str(address), url.port))
            if url.scheme == "https":
                connection.settimeout(_left(deadline))
                connection = ssl.create_default_context().wrap_socket(connection, server_hostname=url.host)
            return _Wire(connection, deadline)
        except TimeoutError:
            connection.close()
            raise
        except OSError as error:
            connection.close()
            last = error
    raise last or OSError("there is no address to connect to")


class _Wire:
    """A socket with a moment after which nothing is sent or received, however little at a time."""

    def __init__(self, connection: socket.socket, deadline: float) -> None:
        self._connection = connection
        self._deadline = deadline

    def __enter__(self) -> _Wire:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def sendall(self, data: bytes) -> None:
        self._connection.settimeout(_left(self._deadline))
        self._connection.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        del mode  # only ever read from
        return io.BufferedReader(_Arriving(self._connection, self._deadline))

    def close(self) -> None:
        """Nothing: a response that ends with its connection is closed before it is read."""


class _Arriving(io.RawIOBase):
    """What comes in, until the deadline."""

    def __init__(self, connection: socket.socket, deadline: float) -> None:
        self._connection = connection
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # Python 3.11 has no name for what can be written into
        self._connection.settimeout(_left(self._deadline))
        return self._connection.recv_into(buffer)


def _left(deadline: float) -> float:
    """Seconds until the deadline; raises `TimeoutError` when there are none."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
