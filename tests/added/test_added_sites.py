"""A documentation site is taken in page by page: its own pages, as it allows, and on from where it stopped."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from kits import office
from kits.hostile import environment
from kits.trees import write_tree
from kits.web import Web, send, web
from pinakes.added import AddedOptions
from pinakes.added.site import Robots, SiteScope, linked_pages, listed_pages, mapped_pages
from pinakes.added.urls import read_url
from pinakes.errors import Refused, Unreachable
from pinakes.library.added import Added
from pinakes.library.following import FollowLimits
from pinakes.own_folder import OwnFolder
from pinakes.records.added import SiteReport, SourceState


@pytest.fixture
def server() -> Iterator[Web]:
    with web() as served:
        yield served


@pytest.fixture
def added(tmp_path: Path) -> Added:
    return Added(OwnFolder(tmp_path / "store" / "added", 2), AddedOptions(allow=("127.0.0.1",)))


def html(*links: str, text: str = "words") -> str:
    return f"<title>Page</title><nav>{''.join(f'<a href={one!r}>x</a>' for one in links)}</nav><h1>{text}</h1><p>{text}"


def follow(
    added: Added, server: Web, *, pages: int = 500, pauses: list[float] | None = None, **more: float
) -> SiteReport:
    kept = pauses if pauses is not None else []
    limits = FollowLimits(pages, delay_s=more.get("delay_s", 0.0))
    return added.follow(server.url("/docs/"), project="site", limits=limits, pause=kept.append)


def sources(added: Added, server: Web) -> list[str]:
    return sorted(one.source.removeprefix(server.url("")) for one in added.list("site"))


def site(server: Web) -> None:
    """Four pages that link to each other, and elsewhere."""
    server.page("/docs/", html("a.html", "sub/b.html#part", "/other/c.html", "http://example.com/d"), "text/html")
    server.page("/docs/a.html", html("../docs/", "sub/../../up.html", "style.css", "mailto:x@y"), "text/html")
    server.page("/docs/sub/b.html", html("/docs/sub/deep.html", "?q=1", "//example.com/docs/"), "text/html")
    server.page("/docs/sub/deep.html", html(), "text/html")
    server.page("/docs/sub/b.html?q=1", html(), "text/html")
    server.page("/other/c.html", html(), "text/html")
    server.page("/up.html", html(), "text/html")


ALL = ["/docs/", "/docs/a.html", "/docs/sub/b.html", "/docs/sub/b.html?q=1", "/docs/sub/deep.html"]


def test_blanks_in_a_list_of_pages_cost_their_length(server: Web) -> None:
    scope = SiteScope(read_url(server.url("/docs/")))
    page = server.url("/docs/a.html")
    many = " " * 1_000_000
    for text in (f"<loc>{many}", f"<loc>{many}<x", f"<loc>{many}{page}{many}</loc>", f"<loc>\n {page} \n</loc>" * 3):
        found, _ = mapped_pages(text, page, scope)
        assert found in ([], [page])
    assert list(linked_pages(f"<a href={many}<a {many}href", page, scope)) == []
    assert listed_pages(f"]({many}<{page}>) ]({many}", page, scope) == [page]


def test_lists_without_end_are_not_held(added: Added, server: Web) -> None:
    names = "".join(f"<url><loc>{server.url('/docs/')}{'x' * 2_000}{number}</loc></url>" for number in range(3_000))
    listed = "".join(f"<sitemap><loc>{server.url(f'/docs/map{number}.xml')}</loc></sitemap>" for number in range(12))
    server.page("/docs/sitemap.xml", f"<sitemapindex>{listed}</sitemapindex>", "application/xml")
    for number in range(12):
        server.page(f"/docs/map{number}.xml", names.replace("/docs/x", f"/docs/{number}x"), "application/xml")
    server.page("/docs/", html(), "text/html")
    tracemalloc.start()
    try:
        report = follow(added, server, pages=1)
        assert tracemalloc.get_traced_memory()[1] < 60_000_000
    finally:
        tracemalloc.stop()
    assert (report.found_by, report.added) == ("sitemap.xml", 1)
    assert report.waiting * 2_000 < 10_000_000


def test_without_a_list_the_links_on_the_host_and_below_the_folder_are_followed(added: Added, server: Web) -> None:
    site(server)
    report = follow(added, server)
    assert sources(added, server) == ALL
    assert (report.found_by, report.added, report.waiting, report.skipped) == ("links", 5, 0, ())
    assert not {"/other/c.html", "/up.html", "/docs/style.css"} & set(server.asked)


def test_what_llms_txt_lists_is_taken_and_no_link_is_followed(added: Added, server: Web) -> None:
    site(server)
    listed = "# Docs\n\n- [A](a.html): first\n- [elsewhere](/other/c.html)\n- [deep](/docs/sub/deep.html)\n"
    server.page("/docs/llms.txt", listed, "text/plain")
    assert follow(added, server).found_by == "llms.txt"
    assert sources(added, server) == ["/docs/", "/docs/a.html", "/docs/sub/deep.html"]


def test_what_a_sitemap_lists_is_taken_through_an_index_too(added: Added, server: Web) -> None:
    site(server)
    server.page("/robots.txt", f"User-agent: *\nAllow: /\nSitemap: {server.url('/map.xml')}\n", "text/plain")
    index = f"<sitemapindex><sitemap><loc>{server.url('/more.xml')}</loc></sitemap></sitemapindex>"
    server.page("/map.xml", index, "application/xml")
    pages = f"<urlset><url><loc> {server.url('/docs/sub/b.html?q=1')} </loc></url><url><loc>http://example.com/docs/</loc></url>"
    server.page("/more.xml", pages, "application/xml")
    assert follow(added, server).found_by == "sitemap.xml"
    assert sources(added, server) == ["/docs/", "/docs/sub/b.html?q=1"]


def test_robots_txt_is_obeyed_and_says_how_fast(added: Added, server: Web) -> None:
    site(server)
    server.page("/robots.txt", "User-agent: *\nDisallow: /docs/sub/\nCrawl-delay: 7\n", "text/plain")
    pauses: list[float] = []
    report = follow(added, server, pauses=pauses, delay_s=1.0)
    assert sources(added, server) == ["/docs/", "/docs/a.html"]
    assert {one.reason for one in report.skipped} == {"robots.txt asks programs to stay out"}
    assert not [path for path in server.asked if path.startswith("/docs/sub")]
    assert pauses
    assert max(pauses) > 6
    server.page("/robots.txt", "User-agent: pinakes\nDisallow: /\n", "text/plain")
    with pytest.raises(Refused, match="asks programs to stay out"):
        follow(added, server)


def test_a_host_whose_robots_txt_does_not_answer_is_left_alone(added: Added, server: Web) -> None:
    site(server)
    server.answers["/robots.txt"] = lambda handler: send(handler, b"", "text/plain", {}, 503)
    with pytest.raises(Unreachable):
        follow(added, server)
    assert server.asked == ["/robots.txt"]


def test_the_same_call_goes_on_where_a_limit_stopped_it(added: Added, server: Web) -> None:
    site(server)
    first = follow(added, server, pages=2)
    assert (first.added, first.waiting > 0) == (2, True)
    before = len(server.asked)
    rest = follow(added, server)
    assert (rest.added, rest.waiting) == (3, 0)
    asked = [path for path in server.asked[before:] if path in ALL]
    assert len(asked) == len(set(asked)) == 3
    assert sources(added, server) == ALL
    again = follow(added, server)
    assert (again.added, again.unchanged) == (0, 5)


def test_pages_that_fail_are_named_and_many_in_a_row_end_it(added: Added, server: Web) -> None:
    server.page("/docs/", html("gone.html", "picture", *(f"{n}.html" for n in range(20))), "text/html")
    server.page("/docs/picture", b"\x89PNG", "image/png")
    for number in range(20):
        server.answers[f"/docs/{number}.html"] = lambda handler: send(handler, b"", "text/html", {}, 500)
    report = follow(added, server)
    reasons = {one.url.removeprefix(server.url("")): one.reason for one in report.skipped}
    assert "is not there" in reasons["/docs/gone.html"]
    assert "is image/png" in reasons["/docs/picture"]
    assert "status 500" in reasons["/docs/0.html"]
    assert (report.added, len(report.skipped), report.waiting) == (1, 7, 16)


def test_a_page_that_leads_out_of_the_site_is_not_kept(added: Added, server: Web) -> None:
    site(server)
    server.redirect("/docs/a.html", "/other/c.html")
    report = follow(added, server)
    assert [one.url for one in report.skipped] == [server.url("/docs/a.html")]
    assert "outside of the site" in report.skipped[0].reason
    assert "/docs/a.html" not in sources(added, server)


def test_updates_keep_a_site_fresh_one_request_after_the_other(added: Added, server: Web) -> None:
    site(server)
    follow(added, server)
    server.page("/docs/a.html", html(text="other words"), "text/html")
    del server.answers["/docs/sub/deep.html"]
    states = {one.source.removeprefix(server.url("")): one.state for one in added.updates("site", apply=True)}
    assert states["/docs/a.html"] is SourceState.CHANGED
    assert states["/docs/sub/deep.html"] is SourceState.MISSING
    found = next(one for one in added.list("site") if one.source.endswith("a.html"))
    assert "other words" in added.get(found.id).text


def test_a_pdf_of_a_site_is_taken_in_too(added: Added, server: Web) -> None:
    server.page("/docs/", html("report.pdf"), "text/html")
    server.page("/docs/report.pdf", office.pdf(["Harbour"], ["Dredging"], title="Report"), "application/pdf")
    assert follow(added, server).added == 2
    found = next(one for one in added.list("site") if one.source.endswith(".pdf"))
    assert found.title == "Report"
    assert '## Page 2 <a id="page=2"></a>\n\nDredging' in added.get(found.id).text


def test_what_a_hostile_site_says_costs_what_stands_in_it() -> None:
    scope = SiteScope(read_url("http://example.org/docs/"))
    assert [*linked_pages("<a " * 200_000 + "<a href='" * 50_000, "http://example.org/docs/", scope)] == []
    assert mapped_pages("<loc>" * 100_000 + "<!ENTITY a 'b'>", "http://example.org/", scope) == ([], [])
    odd = [
        "http://example.org@evil/",
        "/docs/../etc",
        "/docs/%2e%2e/x",
        "\\\\evil\\docs",
        "http://example.org:81/docs/a",
        "//[",
    ]
    assert [scope.page(one, "http://example.org/docs/") for one in odd] == [""] * len(odd)
    assert scope.page("a b.html", "http://example.org/docs/") == ""
    robots = Robots("Crawl-delay: 99999\nUser-agent: *\nCrawl-delay: 99999\nDisallow: /x\n")
    assert robots.delay_s == 30.0
    assert not robots.allows("http://example.org/x/y")


def test_a_robots_txt_that_cannot_be_meant_is_read_as_far_as_it_can() -> None:
    lines = ("Crawl-delay: ²", f"Crawl-delay: {'9' * 5000}", "Request-rate: ²/³", "Disallow: //[x", "Allow: /%5b%5b")
    robots = Robots("User-agent: *\n" + "\n".join(lines) + "\nDisallow: /private\nCrawl-delay: 3\n")
    assert robots.delay_s == 3.0
    assert not robots.allows("http://example.org/private/a")
    assert robots.allows("http://example.org/docs/a")
    assert not robots.allows("http://example.org//%5bx")


def test_a_kept_list_that_somebody_changed_leads_nowhere_else(added: Added, server: Web, tmp_path: Path) -> None:
    site(server)
    follow(added, server, pages=1)
    state = tmp_path / "store" / "added" / "site-site.json"
    told = json.loads(state.read_text())
    told["waiting"] = ["http://example.com/docs/x", server.url("/other/c.html"), server.url("/docs/a.html")]
    state.write_text(json.dumps(told))
    assert follow(added, server).added == 1
    assert "/other/c.html" not in server.asked


def test_the_command_tells_what_became_of_the_site(tmp_path: Path, server: Web) -> None:
    site(server)
    root = write_tree(tmp_path / "root", {"a.md": "# A\n", "pinakes.toml": ""})
    words = ("add", server.url("/docs/"), "--follow", "--project", "guide", "--pages", "2", "--delay", "0")

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pinakes", *words, *more]
        allowed = {**environment(), "PINAKES_ADDED_ALLOW": "127.0.0.1"}
        return subprocess.run(
            command, capture_output=True, text=True, cwd=root, env={**os.environ, **allowed}, check=False
        )

    first = run()
    assert first.returncode == 0, first.stderr
    place = f"{server.url('/docs/')} [guide], by its links"
    assert first.stdout.startswith(f"2 pages added, 0 updated, 0 unchanged: {place}\n")
    assert "pages are left; the same command goes on with them." in first.stdout
    assert json.loads(run("--json").stdout)["added"] == 2
