"""Serving under a path: every address that goes out begins with it, whatever a proxy does to the requests."""

from __future__ import annotations

import http.client
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("fastapi")

from msgspec.structs import replace

from kits.http import Server, serving
from kits.page import CHROMIUM, LIBRARY, RICH, flawless_page, running
from kits.publish import publish
from kits.trees import write_tree
from pinakes.errors import ConfigError
from pinakes.serve.http import create_app, normal_base_path
from pinakes.serve.libraries import Libraries
from pinakes.serve.web.own_files import own_version

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BASE, TOKEN = "/team/docs", "word-of-the-keeper"
_ADDRESS = re.compile(r'(?:href|src|action|data-base)="(/[^"]*)"')
_HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("under")
    first, second = write_tree(home / "library", LIBRARY), write_tree(home / "other", {"a.md": "# Anchor\n"})
    with serving(first, second, options=("--base-path", f"{BASE}/")) as server:
        yield server


def test_every_address_of_the_page_begins_with_the_path_and_answers_there(server: Server) -> None:
    assert any(f"{server.port}{BASE}/" in line for line in server.said)
    home = server.get(f"{BASE}/")
    assert (home.status, home.headers["location"]) == (303, f"{BASE}/in/library/search")
    unseen, seen = [home.headers["location"], f"{BASE}/in/library/search?query=wick"], set()
    while unseen:
        address = unseen.pop()
        answer = server.get(address.partition("#")[0].replace("&amp;", "&"))
        # The folder has no git repository; the page says so in words.
        assert answer.status == (404 if "/history.json" in address else 200), address
        seen.add(address)
        if answer.media == "text/html":
            for found in _ADDRESS.findall(answer.body.decode()):
                assert found.startswith(f"{BASE}/"), (address, found)
                if found not in seen and "/read/" not in found and not re.search("/in/[^/]+$", found):
                    unseen.append(found)
                    seen.add(found)
    assert {f"{BASE}/static/{own_version()}/page.css", f"{BASE}/in/library/graph", f"{BASE}/in/other/search"} <= seen


def test_the_reader_and_its_pictures_lie_below_the_path(server: Server) -> None:
    shown = server.get(f"{BASE}/in/library/read/guide/lamp.md")
    addresses = _ADDRESS.findall(shown.body.decode())
    assert addresses and all(one.startswith(f"{BASE}/") for one in addresses)
    assert server.get(next(one for one in addresses if "/asset/" in one)).media == "image/svg+xml"
    lost = server.get(f"{BASE}/in/library/read/nowhere.md")
    assert lost.status == 404 and f'href="{BASE}/static/{own_version()}/page.css"' in lost.body.decode()


def test_http_mcp_and_the_description_answer_below_the_path(server: Server) -> None:
    assert server.get(f"{BASE}/openapi.json").json["servers"] == [{"url": BASE}]
    assert server.post(f"{BASE}/search", {"query": "wick"}).json["hits"]
    assert server.get(f"{BASE}/health").json == {"status": "ok"}
    accepts = {"Accept": "application/json, text/event-stream"}
    assert b"pinakes" in server.ask("POST", f"{BASE}/mcp", _HELLO, accepts).body.lower()
    refused = server.ask("POST", f"{BASE}/remember", {"text": "a"}, {"Authorization": None})
    assert refused.status == 401


def test_a_proxy_that_takes_the_path_off_gets_the_same_answers(server: Server) -> None:
    for path in ("/in/library/search?query=wick", "/static/page.js", "/openapi.json", "/in/library/map.json"):
        kept, stripped = server.get(BASE + path), server.get(path)
        assert kept.status == stripped.status == 200
        assert re.sub(rb"[0-9.]+ m?s\b", b"", kept.body) == re.sub(rb"[0-9.]+ m?s\b", b"", stripped.body)
    assert server.get(f"{BASE}x/health").status == 404


def test_a_name_that_is_no_text_is_found_below_the_path(tmp_path: Path) -> None:
    write_tree(tmp_path / "library", {"50 % off#1.md": "# Sale\n\n[ü](ü.md)\n", "ü.md": "# Umlaut\n"})
    with serving(tmp_path / "library", options=("--base-path", BASE)) as server:
        shown = server.get(f"{BASE}/in/library/read/50%20%25%20off%231.md")
        assert shown.status == 200
        (umlaut,) = {one for one in _ADDRESS.findall(shown.body.decode()) if one.endswith("/read/%C3%BC.md")}
        assert "Umlaut" in server.get(umlaut).body.decode()
        assert server.get(umlaut.replace("team", "%74eam")).status == 200


@pytest.mark.parametrize("given", ["/a b", "/../x", "https://docs.example/x", "/a?b", '/"><script>'])
def test_what_is_no_plain_path_is_refused(given: str) -> None:
    with pytest.raises(ConfigError, match="no path to serve under"):
        normal_base_path(given)


@pytest.mark.parametrize(("given", "normal"), [("", ""), ("/", ""), ("docs", "/docs"), ("/a/b.c/", "/a/b.c")])
def test_a_path_is_taken_as_people_write_it(given: str, normal: str) -> None:
    assert normal_base_path(given) == normal


def test_an_address_of_our_own_is_refused_as_the_path(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pinakes", "serve", str(write_tree(tmp_path / "library", LIBRARY)), "--port", "0"]
    refused = subprocess.run([*command, "--base-path", "/search"], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "/search is one of its own addresses" in refused.stderr


def test_a_published_folder_is_handed_out_below_the_path(tmp_path: Path) -> None:
    publish(write_tree(tmp_path / "docs", LIBRARY), tmp_path / "out")
    with serving(options=("--published", str(tmp_path / "out"), "--base-path", BASE)) as server:
        home = server.get(BASE)
        assert (home.status, home.headers["location"]) == (308, f"{BASE}/")
        front = server.get(home.headers["location"])
        assert front.media == "text/html"
        assert b'href="_pages/site.css"' in front.body
        assert server.get(f"{BASE}/_pages/site.css").status == 200


@pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium here: apt-get install chromium")
@pytest.mark.parametrize("is_stripping", [False, True])
def test_a_browser_searches_and_reads_behind_a_proxy(
    tmp_path: Path, request: pytest.FixtureRequest, *, is_stripping: bool
) -> None:
    pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install 'pinakes[browser]'")
    from playwright.sync_api import expect

    browser = request.getfixturevalue("browser")
    libraries = Libraries((write_tree(tmp_path / "library", {**LIBRARY, "rich.md": RICH}),))
    with _proxy(is_stripping=is_stripping) as proxy:
        name = f"127.0.0.1:{proxy.server_port}"
        with running(
            libraries, lambda o: create_app(libraries, replace(o, base_path=BASE, names=(name,), write_token=TOKEN))
        ) as site:
            proxy.behind = site.port
            with flawless_page(browser, f"http://{name}", f"{BASE}/") as page:
                page.get_by_role("searchbox").press_sequentially("trim the wick")
                expect(page.locator("[data-hit] h2").first).to_have_text("Trimming the wick")
                page.locator("[data-hit] a").first.click()
                page.wait_for_url(re.compile(f"{BASE}/in/library/read/guide/lamp.md"))
                page.get_by_role("link", name="Map", exact=True).click()
                page.wait_for_url(re.compile(f"{BASE}/in/library/map"))
                if not is_stripping:
                    _use_every_script(page)
            if not is_stripping:
                _begin_a_sync(browser, f"http://{name}")


def _use_every_script(page: Page) -> None:
    """What the scripts of the page load, open and send lies below the path, too."""
    from playwright.sync_api import expect

    page.locator(".middle .tree summary").first.click()
    expect(page.locator(".middle .tree .branch .branch a").first).to_be_visible()
    page.keyboard.press("Control+k")
    page.keyboard.type("whale oil")
    page.get_by_role("option", name="guide/lamp.md").first.click()
    page.wait_for_url(re.compile(f"{BASE}/in/library/read/guide/lamp.md"))
    page.get_by_role("button", name="Ask from anywhere").click()
    page.keyboard.type("Gra")
    page.get_by_role("option", name="Graph").click()
    page.wait_for_url(re.compile(f"{BASE}/in/library/graph"))
    page.locator(".graph-tools input").fill("lamp")
    page.locator(".graph-tools input").press("Enter")
    page.wait_for_url(re.compile(f"{BASE}/in/library/read/guide/lamp.md"))
    page.goto(f"{BASE}/in/library/read/rich.md")
    expect(page.locator(".formula math")).to_have_count(1)
    expect(page.frame_locator("iframe.diagram").locator("svg .node").first).to_be_visible()
    page.get_by_role("tab", name="Two").click()
    expect(page.get_by_role("tabpanel")).to_contain_text("lens")
    page.goto(f"{BASE}/in/library/search?query=wick")
    page.locator(".facet a").first.click()
    page.wait_for_url(re.compile(f"{BASE}/in/library/search.*query=wick"))


def _begin_a_sync(browser: Browser, address: str) -> None:
    """What the page sends goes below the path."""
    from playwright.sync_api import expect

    with browser.new_context(base_url=address) as context:
        page = context.new_page()
        page.goto(f"{BASE}/in/library/manage")
        page.get_by_role("button", name="Look at the folder now").click()
        page.get_by_role("dialog").get_by_label("Token").fill(TOKEN)
        page.get_by_role("dialog").get_by_role("button", name="Go on").click()
        expect(page.get_by_text("It has begun.")).to_be_visible()


class _Proxy(ThreadingHTTPServer):
    """Hands requests below the path on, streams answers back, and answers nothing else."""

    daemon_threads = True
    behind = 0
    is_stripping = False


class _Hand(BaseHTTPRequestHandler):
    server: _Proxy

    def do_GET(self) -> None:
        if not self.path.startswith(BASE):
            self.send_error(404)
            return
        path = self.path[len(BASE) :] or "/" if self.server.is_stripping else self.path
        ours = http.client.HTTPConnection("127.0.0.1", self.server.behind)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {**dict(self.headers), "Connection": "close", "Accept-Encoding": "identity"}
        ours.request(self.command, path, body or None, headers)
        answer = ours.getresponse()
        self.send_response(answer.status)
        for header, value in answer.getheaders():
            if header.lower() not in ("transfer-encoding", "connection", "date", "server"):
                self.send_header(header, value)
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            while part := answer.read1(65_536):
                self.wfile.write(part)
                self.wfile.flush()
        except OSError:
            return  # the browser went, or the server ended
        finally:
            ours.close()

    do_POST = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


@contextmanager
def _proxy(*, is_stripping: bool) -> Iterator[_Proxy]:
    with _Proxy(("127.0.0.1", 0), _Hand) as proxy:
        proxy.is_stripping = is_stripping
        thread = threading.Thread(target=proxy.serve_forever)
        thread.start()
        try:
            yield proxy
        finally:
            proxy.shutdown()
            thread.join()
