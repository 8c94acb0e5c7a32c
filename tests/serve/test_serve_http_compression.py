"""Answers are small, and not sent twice to whoever has them; streams go on as they come."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from http.client import HTTPConnection

import pytest

pytest.importorskip("fastapi")

from starlette.datastructures import Headers

from kits.http import Answer
from kits.page import LIBRARY, Served, served
from kits.trees import write_tree
from pinakes.serve.http.compression import accepted_encoding, encodings

NAME = "/in/library"
LONG = {"long.md": "# Long\n\n" + "The lamp burns whale oil all night, and the bell rings in fog.\n\n" * 200}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    root = write_tree(tmp_path_factory.mktemp("small") / "library", LIBRARY | LONG)
    with served(root) as site:
        asked(site, "/search?query=lamp")  # once all is read
        yield site


def asked(site: Served, path: str, method: str = "GET", body: bytes | None = None, **headers: str) -> Answer:
    """An answer with its bytes as they came."""
    connection = HTTPConnection("127.0.0.1", site.port, timeout=60)
    try:
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        return Answer(answer.status, {key.lower(): value for key, value in answer.getheaders()}, answer.read())
    finally:
        connection.close()


@pytest.mark.parametrize(
    "path", [f"{NAME}/read/long.md", f"{NAME}/read/long.md.json", "/search?query=lamp", "/map", "/openapi.json"]
)
def test_every_door_answers_in_gzip_and_the_same_as_plain(site: Served, path: str) -> None:
    plain, small = asked(site, path), asked(site, path, Accept_Encoding="gzip")
    assert "content-encoding" not in plain.headers
    assert small.headers["content-encoding"] == "gzip"
    assert small.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"
    assert int(small.headers["content-length"]) == len(small.body) < len(plain.body) / 2
    if "search" not in path:  # which says how long it took
        assert gzip.decompress(small.body) == plain.body


@pytest.mark.parametrize("path", [f"{NAME}/read/long.md", f"{NAME}/map", "/map", "/read?address=long.md"])
def test_what_has_not_changed_is_not_sent_again(site: Served, path: str) -> None:
    first = asked(site, path, Accept_Encoding="gzip")
    assert "no-cache" in first.headers["cache-control"]
    again = asked(site, path, Accept_Encoding="gzip", If_None_Match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert asked(site, path, If_None_Match='"another"').status == 200


def test_what_is_asked_with_a_body_or_refused_is_kept_nowhere(site: Served) -> None:
    json = {"Content_Type": "application/json"}
    question = asked(site, "/search", "POST", b'{"query": "lamp"}', **json)
    refused = asked(site, "/search?quary=lamp")
    assert [question.headers["cache-control"], refused.headers["cache-control"]] == ["no-store", "no-store"]
    assert "etag" not in question.headers


def test_a_stream_comes_as_it_is_told(site: Served) -> None:
    answer = asked(
        site, "/search/stream", "POST", b'{"query": "lamp"}', Content_Type="application/json", Accept_Encoding="gzip"
    )
    assert answer.media == "text/event-stream"
    assert "content-encoding" not in answer.headers
    assert answer.body.startswith(b"id: 1\nevent: words\n")


def test_who_takes_brotli_gets_it_and_what_is_kept_is_packed_best(site: Served) -> None:
    brotli = pytest.importorskip("brotli", reason="Brotli is not installed: pip install brotli")
    for path in (f"{NAME}/read/long.md", "/static/page.css"):
        plain, small, gzipped = (asked(site, path, Accept_Encoding=one) for one in ("identity", "br, gzip", "gzip"))
        assert small.headers["content-encoding"] == "br"
        assert brotli.decompress(small.body) == plain.body
        assert len(small.body) < len(gzipped.body)
    known = asked(site, f"{NAME}/map", Accept_Encoding="br").headers["etag"]
    assert asked(site, f"{NAME}/map", Accept_Encoding="gzip", If_None_Match=known).status == 304


def test_pictures_and_what_is_short_are_left_as_they_are(site: Served) -> None:
    assert "content-encoding" not in asked(site, "/health", Accept_Encoding="gzip").headers


def test_the_pages_own_files_are_small_and_kept_for_ever_below_their_version(site: Served) -> None:
    page = asked(site, f"{NAME}/search").body.decode()
    address = next(part for part in page.split('"') if part.endswith("/page.css"))
    style = asked(site, address, Accept_Encoding="gzip")
    assert gzip.decompress(style.body) == asked(site, "/static/page.css").body
    assert "immutable" in style.headers["cache-control"]
    assert asked(site, "/static/page.css").headers["cache-control"] == "no-cache"
    assert asked(site, "/static/0123456789ab/page.css").headers["cache-control"] == "no-cache"
    assert asked(site, address, If_None_Match=style.headers["etag"]).status == 304


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", ""),
        ("identity", ""),
        ("gzip, deflate", "gzip"),
        ("gzip;q=0", ""),
        ("gzip;q=0.000, *", encodings()[0] if encodings()[0] != "gzip" else ""),
        ("GZIP;q=0.5", "gzip"),
        ("br, gzip", encodings()[0]),
        ("*", encodings()[0]),
    ],
)
def test_the_smallest_encoding_that_a_client_takes(header: str, expected: str) -> None:
    assert accepted_encoding(Headers({"accept-encoding": header})) == expected
