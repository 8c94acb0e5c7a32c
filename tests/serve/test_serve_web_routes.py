"""The page as a plain client sees it: statuses, headers, twins, and what is refused."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("nh3")

from kits.page import HOSTILE, LIBRARY, Served, served
from kits.trees import write_tree

NAME = "/in/library"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("page")
    root = write_tree(folder / "library", LIBRARY)
    write_tree(root, {".env": "SECRET=1\n", ".git/config": "[core]\n"})
    (root / os.fsdecode(b"caf\xe9.md")).write_text("# Coffee\n\nBlack, for the night watch.\n")
    (folder / "outside.png").write_bytes(b"leaked")
    (root / "leaving.png").symlink_to(folder / "outside.png")
    write_tree(root, {"guide/lens.png": b"\x89PNG\r\n\x1a\n"})
    with served(root) as site:
        wait_until_read(site)
        yield site


def wait_until_read(site: Served, name: str = NAME) -> None:
    while not json.loads(site.get(f"{name}/progress.json").body)["is_ready"]:
        site.get(f"{name}/search")


VIEWS = ("search", "search?q=wick", "map", "map/guide", "graph", "files", "read/guide/lamp.md", "read/notes.txt")


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_is_html_under_a_policy_that_allows_only_our_own_files(site: Served, view: str) -> None:
    answer = site.get(f"{NAME}/{view}")
    policy = answer.headers["content-security-policy"]
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert " style=" not in answer.body
    assert "<style" not in answer.body
    assert " on" not in "".join(part.split(">")[0] for part in answer.body.split("<") if part.startswith("body"))


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_names_a_twin_that_holds_the_same_as_data(site: Served, view: str) -> None:
    page = site.get(f"{NAME}/{view}").body
    twin = page.partition('type="application/json" href="')[2].partition('"')[0].replace("&amp;", "&")
    answer = site.get(twin)
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert json.loads(answer.body)


def test_the_first_address_leads_to_search_and_keeps_the_question(site: Served) -> None:
    answer = site.get("/?q=wick")
    assert (answer.status, answer.headers["location"]) == (303, f"{NAME}/search?q=wick")


def test_a_search_without_scripts_is_a_plain_page_with_marked_passages(site: Served) -> None:
    body = site.get(f"{NAME}/search?q=trim+the+wick").body
    assert "<mark>wick</mark>" in body
    assert 'href="/in/library/read/guide/lamp.md?lines=' in body
    assert "words: rank 1" in body


def test_a_filter_in_the_address_narrows_the_hits(site: Served) -> None:
    everywhere = site.get(f"{NAME}/search?q=wick").body
    narrowed = site.get(f"{NAME}/search?q=wick&path=guide").body
    assert "notes.txt:" in everywhere
    assert "notes.txt:" not in narrowed
    assert "guide/lamp.md:" in narrowed


def test_nothing_found_names_the_unknown_words(site: Served) -> None:
    body = site.get(f"{NAME}/search?q=zxqvblorp").body
    assert "Nothing found." in body
    assert "zxqvblorp</" in body or "zxqvblorp." in body


def test_the_reader_has_our_anchors_links_within_and_backlinks(site: Served) -> None:
    body = site.get(f"{NAME}/read/guide/lamp.md").body
    assert '<h2 id="trimming-the-wick" data-lines="10">' in body
    assert '<a href="/in/library/read/guide/fog.md"' in body
    assert '<img src="/in/library/asset/guide/lens.svg" alt="the lens">' in body
    assert 'class="loose" title="Nothing of that name is in the library: missing.md"' in body
    assert "Linked from 2" in body
    assert '<td class="to-right">glass</td>' in body
    assert body.count("<h1") == 1


def test_lines_in_the_address_are_marked_in_the_text(site: Served) -> None:
    body = site.get(f"{NAME}/read/guide/lamp.md?lines=12").body
    assert '<p data-lines="12" class="asked">Trim the wick' in body
    assert body.count('class="asked"') == 1


def test_a_file_name_that_is_not_utf8_can_be_read_and_has_a_twin(site: Served) -> None:
    assert "Black, for the night watch." in site.get(f"{NAME}/read/caf%E9.md").body
    assert json.loads(site.get(f"{NAME}/read/caf%E9.md.json").body)["document"]["text"].startswith("# Coffee")
    assert "/in/library/read/caf%E9.md" in site.get(f"{NAME}/map").body


def test_a_drawing_is_served_under_a_policy_that_lets_it_do_nothing(site: Served) -> None:
    answer = site.get(f"{NAME}/asset/guide/lens.svg")
    assert (answer.status, answer.headers["content-type"]) == (200, "image/svg+xml")
    assert "sandbox" in answer.headers["content-security-policy"]
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


REFUSED = (
    "asset/.env",
    "asset/.git/config",
    "asset/leaving.png",
    "asset/../outside.png",
    "asset/..%2foutside.png",
    "asset/%2e%2e/outside.png",
    "asset/%252e%252e/outside.png",
    "asset/..%5coutside.png",
    "asset/%2fetc/passwd.png",
    "asset/guide/lens.png%00.svg",
    "asset/guide/lamp.md",
    "asset/" + "a" * 5000 + ".png",
    "read/../outside.md",
    "read/%2e%2e%2foutside.md",
    "read/.env",
    "read//etc/passwd",
    "read/file:///etc/passwd",
    "read/nothing.md",
    "read/guide/lens.png",
    "map/..",
    "map/nowhere",
    "branch/../..",
    "read/guide/lamp.md?lines=0",
    "read/guide/lamp.md?lines=9-3",
    "search?q=wick&kind=poem",
    "search?q=wick&limit=-1",
    "search?q=wick&limit=1000000000",
    "search?q=wick&limit=" + "9" * 400,
    "search?q=wick&after=yesterday",
    "search?q=wick&profile=magic",
    "search?q=" + "a" * 10_001,
    "search?q=wick&after=2026-99-99",
    "history?after=2026-99-99",
    "search?q=wick&limt=3",
    "search.json?q=wick&limit=x",
)


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path[:40])
def test_what_must_not_be_had_is_refused_in_words(site: Served, path: str) -> None:
    answer = site.get(f"{NAME}/{path}")
    assert 400 <= answer.status < 500
    assert "SECRET" not in answer.body
    assert "leaked" not in answer.body
    assert "Traceback" not in answer.body
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_another_library_than_those_served_is_not_here(site: Served) -> None:
    answer = site.get("/in/other/search")
    assert answer.status == 404
    assert "There is no library" in answer.body


def test_own_files_are_sent_once_and_then_only_confirmed(site: Served) -> None:
    first = site.get("/static/page.css")
    again = site.get("/static/page.css", {"If-None-Match": first.headers["etag"]})
    assert (first.status, again.status, again.body) == (200, 304, "")
    assert site.get("/static/../routes.py").status == 404
    assert site.get("/static/..%2froutes.py").status == 404


@pytest.mark.parametrize("words", ["<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "\x00\u202e\ud7ff"])
def test_a_question_comes_back_as_text(site: Served, words: str) -> None:
    body = site.get(f"{NAME}/search?q={quote(words)}").body
    assert "<script>alert" not in body
    assert "<img src=x" not in body


def test_several_libraries_are_told_apart_and_lead_to_each_other(tmp_path: Path) -> None:
    one = write_tree(tmp_path / "one", {"a.md": "# Apples\n\nApples keep till spring.\n"})
    two = write_tree(tmp_path / "library", {"b.md": "# Pears\n\nPears do not keep.\n"})
    with served(two, one) as site:
        wait_until_read(site)
        wait_until_read(site, "/in/one")
        pears = site.get(f"{NAME}/search?q=keep").body
        apples = site.get("/in/one/read/a.md").body
    assert 'href="/in/one/search"' in pears
    assert "Pears" in pears
    assert "Apples" not in pears
    assert "Apples keep till spring." in apples


def test_an_empty_folder_says_so(tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    with served(tmp_path / "bare") as site:
        body = site.get("/in/bare/search").body
    assert "There are no documents here" in body or "Nothing is indexed yet" in body


def test_hostile_documents_leave_no_active_markup(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "library", HOSTILE)
    with served(root) as site:
        wait_until_read(site)
        listed = json.loads(site.get(f"{NAME}/files.json").body)["files"]
        pages = [
            site.get(f"{NAME}/{view}").body
            for view in ("search?q=poison", "map", "graph", "files", "read/hostile.md", "read/rst.rst")
        ]
    assert {file["state"] for file in listed} >= {"indexed"}
    for body in pages:
        inside = [part.partition(">")[0] for part in body.split("<")[1:]]
        assert [
            part for part in inside if part.startswith(("iframe", "object", "embed", "base", "style", "video"))
        ] == []
        assert [part for part in inside if part.startswith("script") and "/static/" not in part] == []
        assert [part for part in inside if "evil.invalid" in part and not part.startswith("a href=")] == []
        assert [part for part in inside if "javascript:" in part.lower() and " title=" not in part] == []
