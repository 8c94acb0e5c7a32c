"""What is wrong with links, and what was probably meant."""

from __future__ import annotations

import pytest

from kits.linked import link, page, shelf, wiki
from pinakes.check import check
from pinakes.records import DOCS, Document, Link, LinkForm


def told(*documents: Document, assets: tuple[str, ...] = ()) -> list[str]:
    """Findings about links, in short."""
    return [
        f"{finding.ref.path}:{finding.line} {finding.code} {finding.suggestion}".strip()
        for finding in check(shelf(*documents, assets=assets), DOCS)
        if finding.code != "orphan"
    ]


def suggested(written: Link | str, *paths: str, origin: str = "guide/start.md") -> str:
    """What is offered in place of a link that leads nowhere."""
    store = shelf(page(origin, [written]), *(page(path) for path in paths))
    (finding,) = [found for found in check(store, DOCS) if found.code != "orphan"]
    return finding.suggestion


def test_each_kind_of_wrong_link_has_its_code_and_its_line() -> None:
    pages = [
        page("x/twin.md", headings=["Twin"]),
        page("y/twin.md"),
        page("start.md", ["gone.md", "x/twin.md#gone", wiki("twin"), wiki("nobody"), "../up.md", "", "x/twin.md"]),
    ]
    assert told(*pages) == [
        "start.md:1 broken-link",
        "start.md:2 broken-anchor",
        "start.md:3 ambiguous-link x/twin",
        "start.md:4 loose-wikilink",
        "start.md:5 outside-link",
        "start.md:6 broken-link",
    ]


def test_a_finding_stands_in_the_section_of_its_link_and_says_what_is_wrong() -> None:
    store = shelf(page("a.md", ["b.md#usage"], headings=["Intro"]), page("b.md", ["a.md"], headings=["Use"]))
    (finding,) = check(store, DOCS)
    assert (str(finding.ref), finding.line, finding.severity) == ("docs:a.md#intro", 1, "error")
    assert finding.message == "“b.md#usage”: b.md has no such section"


def test_links_that_lead_somewhere_or_away_are_fine() -> None:
    pages = [page("a.md", ["b.md", "https://example.org", "#top", "src/", link("x/y.py", LinkForm.PATH)]), page("b.md")]
    assert told(*pages, assets=("src/main.py",)) == []


@pytest.mark.parametrize(
    ("written", "paths", "suggestion"),
    [
        ("auth.md", ["api/auth.md"], "../api/auth.md"),
        ("auth.md#tokens", ["api/auth.md"], "../api/auth.md#tokens"),
        ("/auth.md", ["api/auth.md"], "/api/auth.md"),
        ("old/auth.md", ["api/auth.md", "web/old/auth.md"], "../web/old/auth.md"),
        ("atuh.md", ["guide/auth.md"], "auth.md"),
        ("install.md", ["guide/installs.md"], "installs.md"),
        ("instalation.md", ["guide/installation.md"], "installation.md"),
        ("authentication-guide.md", ["guide/authorisation-guide.md"], "authorisation-guide.md"),
        ("my-note.md", ["guide/my note.md"], "my%20note.md"),
        ("totally-else.md", ["guide/auth.md"], ""),
        ("a.md", ["guide/b.md"], ""),
        ("api/overview/", ["web/api/overview/index.md"], "../web/api/overview/index.md"),
        (wiki("My nota"), ["notes/My note.md"], "notes/My note"),
        (wiki("old/auth#Tokens"), ["guide/auth.md"], "guide/auth#Tokens"),
        (link("flow.pgn", LinkForm.IMAGE), ["guide/flow.png.md"], "flow.png.md"),
    ],
)
def test_the_nearest_existing_path_is_offered(written: str | Link, paths: list[str], suggestion: str) -> None:
    assert suggested(written, *paths) == suggestion


def test_a_title_leads_to_its_document() -> None:
    assert told(page("start.md", [wiki("Sining in")]), page("auth.md", title="Signing in")) == [
        "start.md:1 loose-wikilink auth"
    ]


def test_a_document_is_not_offered_to_itself() -> None:
    assert suggested("start.md", origin="guide/start.mdx") == ""


def test_the_nearest_anchor_is_offered() -> None:
    target = page("b.md", headings=["Token lifetime", "Other"])
    broken = page(
        "a.md", ["b.md#token-livetime", "b.md#Token%20life-time", wiki("b#Tokens lifetime"), "b.md#quite-else"]
    )
    assert told(broken, target) == [
        "a.md:1 broken-anchor b.md#token-lifetime",
        "a.md:2 broken-anchor b.md#token-lifetime",
        "a.md:3 broken-anchor b#token-lifetime",
        "a.md:4 broken-anchor",
    ]


def test_ambiguous_links_name_a_few_candidates_and_offer_the_closest() -> None:
    twins = [page(f"{folder}/twin.md") for folder in ("a", "b", "c", "guide", "z")]
    store = shelf(page("guide/deep/start.md", [wiki("twin")]), *twins)
    (finding,) = [found for found in check(store, DOCS) if found.code != "orphan"]
    assert finding.message == "“twin” could be a/twin.md or b/twin.md or c/twin.md or 2 more"
    assert finding.suggestion == "guide/twin"
