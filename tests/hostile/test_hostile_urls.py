"""URLs that must not be fetched, in every spelling and behind every redirect: nothing inside is ever asked."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from kits.web import Web, self_signed, send, web
from pinakes.added import AddedOptions
from pinakes.added.addresses import AllowedHosts, ip_literal, is_public
from pinakes.added.fetch import FetchLimits, fetch
from pinakes.added.urls import read_url, redirected
from pinakes.errors import ConfigError, Refused, Unreachable
from pinakes.library.added import Added
from pinakes.own_folder import OwnFolder

NOBODY = AllowedHosts()
HERE = AllowedHosts.of(["127.0.0.1"])
SHORT = FetchLimits(seconds=0.5)


@pytest.fixture
def inner() -> Iterator[Web]:
    """A server that nobody may ask."""
    with web() as server:
        server.page("/", "# Secret")
        yield server


@pytest.fixture
def outer() -> Iterator[Web]:
    """A server on 127.0.0.1, which the tests allow; everything else is inside."""
    with web() as server:
        yield server


LOOPBACK = (
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0X7F.0.0.1",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "00000127.0.0.1",
    "127.0.0.0x1",
    "127.0.0.1.0x",
    "0",
    "0.0.0.0",
    "1.2.3.4.5",
    "256.0.0.1",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "localhost..",
    "１２７.０.０.１",
    "127。0。0。1",
    "①②⑦.⓪.⓪.①",
    "ⓛocalhost",
    "%31%32%37.0.0.1",
    "127.0.0.1%00.example.org",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::]",
    "[::127.0.0.1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:7f00:0001]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b:1::127.0.0.1]",
    "[2002:7f00:1::]",
    "[2001:0:7f00:1::]",
    "[2001:0:4136:e378:8000:63bf:80ff:fffe]",
    "[::1%25lo]",
    "[::1%lo]",
    "[fe80::1%lo]",
    "[::1",
    "[v1.127.0.0.1]",
    "user@127.0.0.1",
    "user:word@127.0.0.1",
    "example.org@127.0.0.1",
    "127.0.0.1\\@example.org",
    "example.org\\@127.0.0.1",
    "127.0.0.1\r\nX-Evil: yes",
    "127.0.\t0.1",
    "127.0.\n0.1",
    " 127.0.0.1",
    "127.0.0.1 ",
    "127.0.0.1\x00",
    "",
    ".",
    "-",
    "a..b",
)


@pytest.mark.parametrize("host", LOOPBACK)
def test_loopback_is_refused_in_every_spelling(host: str, inner: Web) -> None:
    with pytest.raises((Refused, Unreachable)):
        fetch(f"http://{host}:{inner.port}/", NOBODY, limits=FetchLimits(seconds=5))
    assert inner.asked == []


INSIDE = (
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.100.100.200",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "0.1.2.3",
    "::",
    "::1",
    "::10.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::808:808",
    "100::1",
    "2001::1",
    "2001:2::1",
    "2001:10::1",
    "2001:db8::1",
    "2002:a9fe:a9fe::1",
    "2002:808:808::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
)
OUTSIDE = ("8.8.8.8", "1.1.1.1", "172.15.255.255", "172.32.0.1", "2606:4700:4700::1111", "64:ff9b::808:808")


@pytest.mark.parametrize("text", INSIDE)
def test_addresses_that_are_not_public_are_refused_as_they_are_and_behind_names(text: str) -> None:
    written = f"[{text}]" if ":" in text else text
    with pytest.raises(Refused, match="no public address"):
        fetch(f"http://{written}/", NOBODY, limits=SHORT)
    with pytest.raises(Refused, match="no public address"):
        fetch("http://page.example/", NOBODY, limits=SHORT, resolve=lambda host, port: ["8.8.8.8", text])


def test_public_addresses_are_public() -> None:
    assert [text for text in OUTSIDE if not is_public(ip_literal(text) or ip_literal("::1"))] == []  # type: ignore[arg-type]


@pytest.mark.parametrize("answer", [["fe80::1%eth0"], ["127.0.0.1"], ["nonsense"], ["::ffff:127.0.0.1", "8.8.8.8"]])
def test_a_name_that_leads_inside_is_refused(answer: Sequence[str], inner: Web) -> None:
    with pytest.raises(Refused):
        fetch(f"http://page.example:{inner.port}/", NOBODY, limits=SHORT, resolve=lambda host, port: answer)
    assert inner.asked == []


def test_a_name_is_looked_up_once_and_its_second_meaning_is_never_asked(outer: Web) -> None:
    outer.page("/", "# Here")
    meanings = itertools.chain([["127.0.0.1"]], itertools.repeat(["10.9.9.9"]))
    asked: list[str] = []

    def resolve(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return next(meanings)

    found = fetch(f"http://page.example:{outer.port}/", HERE, limits=SHORT, resolve=resolve)
    assert found is not None
    assert found.data == b"# Here"
    assert asked == ["page.example"]
    assert outer.heads[0]["Host"] == f"page.example:{outer.port}"


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://example.org/a.md",
        "gopher://example.org/",
        "data:text/plain,hello",
        "javascript:alert(1)",
        "dict://127.0.0.1:11211/",
        "ws://example.org/",
        "http:",
        "http://",
        "http:///etc/passwd",
        "https://:443/",
        "http://example.org:0/",
        "http://example.org:99999/",
        "http://example.org:80:80/",
        "http://example.org:x/",
        "http://[::1]x/",
        "http://ex ample.org/",
        "http://example.org/a\r\nHost: evil",
        "http://example.org/\u2028",
        "http://" + "a" * 300 + ".org/",
        "http://example.org/" + "a" * 5_000,
    ],
)
def test_other_schemes_and_malformed_urls_are_refused(url: str, tmp_path: Path) -> None:
    added = Added(OwnFolder(tmp_path / "added", 2), AddedOptions(), resolve=lambda host, port: ["127.0.0.1"])
    with pytest.raises(Refused):
        added.add(url)
    assert added.list() == ()


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.2:{port}/",
        "//127.0.0.2:{port}/",
        "http://0x7f000002:{port}/",
        "http://[::ffff:127.0.0.2]:{port}/",
        "http://user@127.0.0.2:{port}/",
        "http://inner.example:{port}/",
        "http://127.0.0.2:{port}\\@127.0.0.1/",
        "file:///etc/passwd",
        "ftp://127.0.0.2:{port}/",
        "http:\\\\127.0.0.2:{port}\\",
        "http://127.0.0.2%00.example:{port}/",
        "https://127.0.0.2:{port}/",
    ],
)
@pytest.mark.parametrize("status", [301, 307])
def test_a_redirect_inside_is_refused_and_the_inner_server_is_not_asked(target: str, status: int, outer: Web) -> None:
    with web("127.0.0.2") as within:
        outer.redirect("/", target.format(port=within.port), status)
        with pytest.raises(Refused):
            fetch(outer.url(), HERE, limits=SHORT, resolve=lambda host, port: ["127.0.0.2"])
        assert within.asked == []


def test_a_redirect_without_a_target_is_no_answer(outer: Web) -> None:
    outer.answers["/"] = lambda handler: send(handler, b"", "", {}, 302)
    with pytest.raises(Unreachable, match="nowhere"):
        fetch(outer.url(), HERE, limits=SHORT)


def test_redirects_end(outer: Web) -> None:
    outer.redirect("/a", "/b")
    outer.redirect("/b", outer.url("/a"))
    with pytest.raises(Refused, match="circle"):
        fetch(outer.url("/a"), HERE)
    for step in range(9):
        outer.redirect(f"/{step}", f"/{step + 1}")
    outer.page("/9", "# There")
    with pytest.raises(Refused, match="more than 5"):
        fetch(outer.url("/0"), HERE)
    assert outer.asked.count("/6") == 0
    found = fetch(outer.url("/4"), HERE)
    assert found is not None
    assert found.url == outer.url("/9")


def test_a_redirect_from_https_to_http_is_refused() -> None:
    with pytest.raises(Refused, match="from https to http"):
        redirected(read_url("https://example.org/a"), "http://example.org/a")
    assert str(redirected(read_url("https://example.org/a/b"), "../c?d e")) == "https://example.org/c?d%20e"


def test_a_proxy_of_the_environment_is_not_used(outer: Web, inner: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, inner.url())
    outer.page("/", "# Here")
    assert fetch(outer.url(), HERE) is not None
    assert inner.asked == []


def test_a_certificate_that_nobody_vouches_for_is_not_accepted(tmp_path: Path) -> None:
    context = self_signed(tmp_path, "DNS:page.example")
    with web(tls=context) as server:
        server.page("/", "# Secret")
        with pytest.raises(Unreachable, match="certificate"):
            fetch(f"https://page.example:{server.port}/", HERE, resolve=lambda host, port: ["127.0.0.1"])
        assert server.asked == []


@pytest.mark.parametrize("entry", ["10.0.0.0/99", "", "http://wiki.local/", "wiki.local:80", "a/b"])
def test_an_allowance_that_means_nothing_is_an_error(entry: str) -> None:
    with pytest.raises(ConfigError, match=r"added\.allow"):
        AllowedHosts.of([entry])


def test_an_allowance_holds_for_what_it_names_and_nothing_else(outer: Web) -> None:
    outer.page("/", "# Here")

    def lead_here(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"]

    url = f"http://wiki.local:{outer.port}/"
    for entry in ("wiki.local", "WIKI.local.", "127.0.0.0/8", "127.0.0.1"):
        assert fetch(url, AllowedHosts.of([entry]), limits=SHORT, resolve=lead_here) is not None
    for entry in ("other.local", "local", "10.0.0.0/8", "127.0.0.2", "::1"):
        with pytest.raises(Refused):
            fetch(url, AllowedHosts.of([entry]), limits=SHORT, resolve=lead_here)
