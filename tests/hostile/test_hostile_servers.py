"""Servers that mean no good: slow, endless, packed, of the wrong type or no HTTP at all; each is left in time."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler

import pytest

from kits.web import Web, send, web
from pinakes.added.addresses import AllowedHosts
from pinakes.added.fetch import FetchLimits, fetch
from pinakes.errors import PinakesError, Refused, Unreachable

HERE = AllowedHosts.of(["127.0.0.1"])
SHORT = FetchLimits(seconds=0.5)


@pytest.fixture
def outer() -> Iterator[Web]:
    """A server on 127.0.0.1, which the tests allow; everything else is inside."""
    with web() as server:
        yield server


def drip(handler: BaseHTTPRequestHandler, server: Web, piece: bytes) -> None:
    """Something, again and again."""
    while not server.ending.wait(0.02):
        handler.wfile.write(piece)
        handler.wfile.flush()


def slow_head(handler: BaseHTTPRequestHandler, server: Web) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    drip(handler, server, b"x")


def silent(handler: BaseHTTPRequestHandler, server: Web) -> None:
    server.ending.wait()


def slow_body(handler: BaseHTTPRequestHandler, server: Web) -> None:
    send(handler, b"", "text/plain", {"Content-Length": "1000000"})
    drip(handler, server, b"x")


def slow_chunks(handler: BaseHTTPRequestHandler, server: Web) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n")
    drip(handler, server, b"1\r\nx\r\n")


def always_continue(handler: BaseHTTPRequestHandler, server: Web) -> None:
    drip(handler, server, b"HTTP/1.1 100 Continue\r\n\r\n")


@pytest.mark.parametrize("answer", [slow_head, silent, slow_body, slow_chunks, always_continue])
def test_a_server_that_keeps_us_waiting_is_left(answer: object, outer: Web) -> None:
    assert callable(answer)
    outer.answers["/"] = lambda handler: answer(handler, outer)
    with pytest.raises(Unreachable, match="took longer than"):
        fetch(outer.url(), HERE, limits=SHORT)


def test_a_name_server_that_keeps_us_waiting_is_left(outer: Web) -> None:
    def resolve(host: str, port: int) -> Sequence[str]:
        outer.ending.wait()
        return ["127.0.0.1"]

    with pytest.raises(Unreachable, match="took longer than"):
        fetch("http://page.example/", HERE, limits=SHORT, resolve=resolve)


def test_an_endless_body_is_left_at_the_limit(outer: Web) -> None:
    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
        while not outer.ending.is_set():
            handler.wfile.write(b"x" * 65536)

    outer.answers["/"] = endless
    with pytest.raises(Refused, match="larger than 100,000 bytes"):
        fetch(outer.url(), HERE, limits=FetchLimits(most_bytes=100_000))


def test_a_body_that_says_it_is_too_large_is_not_read(outer: Web) -> None:
    outer.answers["/"] = lambda handler: send(handler, b"", "text/plain", {"Content-Length": "10000001"})
    with pytest.raises(Refused, match="larger than 10,000,000 bytes"):
        fetch(outer.url(), HERE)


@pytest.mark.parametrize("packing", ["gzip", "deflate", "bare deflate"])
def test_a_packed_bomb_is_never_unpacked(packing: str, outer: Web) -> None:
    engine = zlib.compressobj(9, wbits={"gzip": 31, "deflate": 15, "bare deflate": -15}[packing])
    bomb = b"".join(engine.compress(b"\0" * 1_000_000) for _ in range(200)) + engine.flush()
    outer.page("/", bomb, "text/plain", Content_Encoding=packing.split()[-1])
    tracemalloc.start()
    try:
        with pytest.raises(Refused, match="larger than 10,000,000 bytes"):
            fetch(outer.url(), HERE)
        assert tracemalloc.get_traced_memory()[1] < 40_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("packing", ["br", "zstd", "gzip, gzip", "compress", "x" * 500])
def test_packings_that_nobody_asked_for_are_refused(packing: str, outer: Web) -> None:
    outer.page("/", b"whatever", "text/plain", Content_Encoding=packing)
    with pytest.raises(Refused, match="is compressed with"):
        fetch(outer.url(), HERE)


def test_a_packed_body_that_is_cut_short_or_damaged_is_no_document(outer: Web) -> None:
    packed = gzip.compress(b"words " * 10_000)
    outer.page("/short", packed[:-20], "text/plain", Content_Encoding="gzip")
    outer.page("/damaged", b"no gzip at all", "text/plain", Content_Encoding="gzip")
    outer.answers["/cut"] = lambda handler: send(handler, b"half", "text/plain", {"Content-Length": "8"})
    for path in ("/short", "/damaged", "/cut"):
        with pytest.raises(Unreachable):
            fetch(outer.url(path), HERE, limits=SHORT)


@pytest.mark.parametrize(
    "media",
    ["application/zip", "image/png", "application/octet-stream", "application/json", "multipart/mixed", "", "nonsense"],
)
def test_what_is_no_text_by_its_type_is_refused(media: str, outer: Web) -> None:
    outer.answers["/"] = lambda handler: send(handler, b"# Looks like text", media, {})
    with pytest.raises((Refused, Unreachable)):
        fetch(outer.url(), HERE, limits=SHORT)


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"nonsense\r\n\r\n",
        b"HTTP/9.9 200 OK\r\n\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1_000 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000,
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx",
        b"HTTP/1.1 206 Partial\r\nContent-Type: text/plain\r\n\r\nx",
        b"HTTP/1.1 304 Not Modified\r\n\r\n",
    ],
)
def test_answers_that_are_no_http_are_no_document(said: bytes, outer: Web) -> None:
    outer.answers["/"] = lambda handler: handler.wfile.write(said)
    with pytest.raises(PinakesError):
        fetch(outer.url(), HERE, limits=SHORT)
