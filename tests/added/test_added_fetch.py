"""Documents from the web: types, character sets, changes."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from kits.web import Web, send, web
from pinakes.added import AddedOptions
from pinakes.errors import NotFound, Refused, Unfit, Unreachable
from pinakes.library.added import Added
from pinakes.own_folder import OwnFolder
from pinakes.records.added import Became, Origin, SourceState, TextType


@pytest.fixture
def server() -> Iterator[Web]:
    with web() as served:
        yield served


@pytest.fixture
def added(tmp_path: Path) -> Added:
    return Added(OwnFolder(tmp_path / "store" / "added", 2), AddedOptions(allow=("127.0.0.1",)))


def test_a_page_is_kept_with_what_is_known_of_it(server: Web, added: Added) -> None:
    url = server.page("/guide.md", "# Guide\n\nWords.\n", ETag='"1"', Last_Modified="Sat, 31 Jan 2026 10:00:00 GMT")
    made = added.add(url, project="web")
    document = made.document
    assert (made.became, document.origin, document.source) == (Became.ADDED, Origin.URL, url)
    assert (document.title, document.type, document.project) == ("Guide", TextType.MARKDOWN, "web")
    assert (document.etag, document.last_modified) == ('"1"', "Sat, 31 Jan 2026 10:00:00 GMT")
    assert (document.size, document.created, document.updated) == (16, document.created, document.created)
    assert added.get(document.id).text == "# Guide\n\nWords.\n"


def test_a_server_that_says_nothing_changed_is_believed(server: Web, added: Added, tmp_path: Path) -> None:
    def answer(handler: object) -> None:
        known = server.heads[-1]
        if known.get("If-None-Match") == '"1"' and known.get("If-Modified-Since"):
            send(handler, b"", "", {}, 304)  # type: ignore[arg-type]
        else:
            headers = {"ETag": '"1"', "Last-Modified": "Sat, 31 Jan 2026 10:00:00 GMT"}
            send(handler, b"# One\n", "text/markdown", headers)  # type: ignore[arg-type]

    server.answers["/"] = answer
    first = added.add(server.url())
    before = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.*")}
    assert added.add(server.url()).became is Became.UNCHANGED
    assert [one.state for one in added.updates()] == [SourceState.UNCHANGED]
    assert len(server.asked) == 3
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.*") if "lock" not in file.name} == {
        file: when for file, when in before.items() if "lock" not in file.name
    }
    assert added.list() == (first.document,)


def test_a_changed_page_keeps_its_id_and_when_it_was_first_added(server: Web, added: Added) -> None:
    first = added.add(server.page("/", "# One\n", ETag='"1"')).document
    second = added.add(server.page("/", "# Two\n", ETag='"2"'))
    assert second.became is Became.UPDATED
    assert (second.document.id, second.document.created) == (first.id, first.created)
    assert (second.document.title, second.document.etag) == ("Two", '"2"')
    assert added.get(first.id).text == "# Two\n"


@pytest.mark.parametrize(
    ("path", "media", "kind"),
    [
        ("/a", "text/html", TextType.HTML),
        ("/a", "application/xhtml+xml; charset=utf-8", TextType.HTML),
        ("/a.html", "text/plain", TextType.TEXT),
        ("/a", "TEXT/Markdown", TextType.MARKDOWN),
        ("/a.md", "text/plain; charset=utf-8", TextType.MARKDOWN),
        ("/a.md?raw=1", "text/plain", TextType.MARKDOWN),
        ("/a", "text/plain", TextType.TEXT),
        ("/a.log", "text/x-log", TextType.TEXT),
        ("/a.csv", "text/csv", TextType.MARKDOWN),  # a table is made of it
    ],
)
def test_the_server_and_then_the_ending_say_what_it_is(
    path: str, media: str, kind: TextType, server: Web, added: Added
) -> None:
    assert added.add(server.page(path, "<p>Words</p>", media)).document.type is kind


def test_the_type_that_is_asked_for_wins(server: Web, added: Added) -> None:
    made = added.add(server.page("/", "<h1>Top</h1>", "text/plain"), type_name="html")
    assert added.get(made.document.id).text == "# Top\n"


@pytest.mark.parametrize(
    ("data", "media"),
    [
        ("Füße\n".encode("latin-1"), "text/plain; charset=iso-8859-1"),
        ("Füße\n".encode("utf-16"), "text/plain; charset=utf-16"),
        ("Füße\n".encode(), "text/plain; charset=UTF-8"),
        ("Füße\n".encode(), "text/plain"),
        ("Füße\n".encode(), 'text/plain; charset="no such thing"'),
        ("<p>Füße".encode("latin-1"), "text/html; charset=windows-1252"),
        ("<meta charset=latin1><p>Füße".encode("latin-1"), "text/html"),
        ("<p>Füße".encode("latin-1"), "text/html"),
        ("<p>Füße".encode(), "text/html"),
    ],
)
def test_character_sets_are_honoured(data: bytes, media: str, server: Web, added: Added) -> None:
    made = added.add(server.page("/", data, media))
    assert added.get(made.document.id).text.strip() == "Füße"


def test_packed_bodies_are_unpacked(server: Web, added: Added) -> None:
    text = b"# Packed\n\n" + b"words " * 1000
    bare = zlib.compressobj(wbits=-15)
    bodies = {"gzip": gzip.compress(text), "deflate": zlib.compress(text)}
    for packing, body in bodies.items():
        made = added.add(server.page(f"/{packing}.md", body, Content_Encoding=packing))
        assert added.get(made.document.id).text.encode() == text
    body = bare.compress(text) + bare.flush()
    assert added.add(server.page("/bare.md", body, Content_Encoding="deflate")).document.title == "Packed"


def test_a_redirect_is_followed_and_the_address_that_was_given_stays(server: Web, added: Added) -> None:
    server.page("/new/page.html", "<h1>Top</h1><a href='next.html'>next</a>", "text/html")
    document = added.add(server.redirect("/old", "new/page.html", 301)).document
    assert document.source == server.url("/old")
    assert added.get(document.id).text == f"# Top\n\n[next]({server.url('/new/next.html')})\n"


def test_what_cannot_be_had_is_named_and_nothing_is_stored(server: Web, added: Added) -> None:
    server.answers["/broken"] = lambda handler: send(handler, b"sorry", "text/plain", {}, 503)
    cases = {
        server.url("/nowhere"): NotFound,
        server.url("/broken"): Unreachable,
        server.page("/empty", " \n ", "text/plain"): Unfit,
        server.page("/hollow", "<script>only()</script><nav>menu</nav>", "text/html"): Unfit,
        server.page("/binary", b"\0\1\2\3", "text/plain"): Unfit,
        server.page("/large", b"x" * 10_000_001, "text/plain"): Refused,
        "http://127.0.0.1:1/": Unreachable,
    }
    for url, error in cases.items():
        with pytest.raises(error, match=url.replace("?", ".")):
            added.add(url)
    assert added.list() == ()


def test_updates_tell_changed_missing_unchanged_and_unreachable_apart(server: Web, added: Added) -> None:
    paths = ("/changed", "/missing", "/same", "/down", "/binary")
    ids = {path: added.add(server.page(path, f"# {path}\n")).document.id for path in paths}
    server.page("/changed", "# Another\n")
    del server.answers["/missing"]
    server.answers["/down"] = lambda handler: send(handler, b"", "text/plain", {}, 500)
    server.page("/binary", b"\x89PNG", "image/png")
    told = {one.id: one for one in added.updates()}
    assert {path: told[ids[path]].state.value for path in paths} == {
        "/changed": "changed",
        "/missing": "missing",
        "/same": "unchanged",
        "/down": "unreachable",
        "/binary": "unreachable",
    }
    assert [one.id for one in told.values() if one.is_applied] == []
    assert added.get(ids["/changed"]).text == "# /changed\n"
    assert [one.id for one in added.updates(apply=True) if one.is_applied] == [ids["/changed"]]
    assert added.get(ids["/changed"]).text == "# Another\n"
    assert added.get(ids["/missing"]).text == "# /missing\n"


@pytest.mark.parametrize("charset", ["punycode", "unicode_escape", "zlib", "no such", "utf-7"])
def test_a_server_that_names_no_character_set_is_not_believed(server: Web, added: Added, charset: str) -> None:
    text = f"# A\\u0041\n\n{'b' * 300_000}-{'a' * 30_000}\n"
    document = added.add(server.page("/a.md", text, f"text/markdown; charset={charset}")).document
    assert added.get(document.id).text == text
