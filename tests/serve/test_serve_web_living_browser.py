"""Memories and commits on the page, in a real Chromium: by keyboard, narrow, dark, and with hostile words in them."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install 'pinakes[browser]'")

from playwright.sync_api import Browser, Page, expect

from kits.git import Repo, needs_git
from kits.page import CHROMIUM, HOSTILE, LIBRARY, Served, flawless_page, served
from pinakes.library import open_library

pytestmark = [needs_git, pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium here: apt-get install chromium")]

NAME = "/in/library"


def lived_in(folder: Path) -> str:
    """A library with a commit and two memories, all the hostile words we know among them; the hash of the commit."""
    poison = HOSTILE["hostile.md"]
    assert isinstance(poison, str)
    repo = Repo(folder)
    repo.commit("Light the lamp", LIBRARY)
    title = poison.partition("# Poison")[2].partition("\n")[0].strip()
    poisoned = repo.commit(f"Poison {title}\n\n{poison}\n\x1b[31mred", {"src/poison.html": poison})
    with open_library(folder) as library:
        library.sync()
        library.memories.remember("Trim at dusk, see [[guide/lamp.md#trimming-the-wick]].", "Dusk", tags=["oil"])
        library.memories.remember(poison, f"Poison {title}"[:200], tags=["<img src=x>"])
        library.added.add_text(poison.encode(), title="Poison added", project="handbook")
    return poisoned


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, str]]:
    folder = tmp_path_factory.mktemp("lived") / "library"
    poisoned = lived_in(folder)
    with served(folder) as site:
        yield site, poisoned


@pytest.fixture
def page(browser: Browser, site: tuple[Served, str]) -> Iterator[Page]:
    with flawless_page(browser, site[0].address, f"{NAME}/search") as page:
        yield page


def test_memories_and_history_are_a_key_away_and_can_be_walked_through(page: Page, site: tuple[Served, str]) -> None:
    page.locator("body").press("Escape")
    page.locator("main").press("r")
    expect(page).to_have_url(re.compile("/memories$"))
    expect(page.get_by_role("heading", name="Memories", exact=True)).to_be_visible()
    page.wait_for_load_state()
    page.locator("main").press("ArrowDown")
    page.locator(":focus").press("ArrowDown")
    expect(page.locator(":focus")).to_have_text("Dusk")
    page.locator(":focus").press("Enter")
    expect(page).to_have_url(re.compile("/read/memories:dusk.md"))
    page.wait_for_load_state()  # keys are heard once the page's script has run
    page.locator("main").press("h")
    expect(page.get_by_role("list", name="Commits").get_by_role("listitem")).to_have_count(2)
    page.wait_for_load_state()
    page.locator("main").press("ArrowDown")
    page.locator(":focus").press("Enter")
    expect(page).to_have_url(re.compile(f"/read/history:{site[1]}"))
    expect(page.locator(".diff .added").first).to_be_visible()
    page.wait_for_load_state()
    page.locator("main").press("?")
    expect(page.get_by_role("dialog")).to_contain_text("history")
    expect(page.get_by_role("dialog")).to_contain_text("memories")


def test_a_memory_leads_to_what_it_speaks_of_and_back(page: Page) -> None:
    page.goto(f"{NAME}/memories")
    page.get_by_label("Question").fill("when are wicks trimmed")
    page.get_by_label("Question").press("Enter")
    expect(page).to_have_url(re.compile("query=when"))
    page.locator("[data-hit] a.open", has_text="Dusk").click()
    page.locator(".prose a").click()
    expect(page).to_have_url(re.compile("/read/guide/lamp.md#trimming-the-wick"))
    page.get_by_role("complementary").get_by_role("link", name="Dusk").click()
    expect(page).to_have_url(re.compile("/read/memories:dusk.md"))


def test_hits_say_how_many_memories_point_at_them_and_which_corpus_they_are_of(page: Page) -> None:
    page.get_by_role("searchbox").fill("trim the wick")
    expect(page.locator("[data-hit]").first.get_by_role("link", name="1 memory")).to_be_visible()
    page.get_by_label("Look in").select_option("all")
    expect(page.locator(".corpus", has_text="memories").first).to_be_visible()
    expect(page).to_have_url(re.compile("corpus=all"))


def test_commits_are_narrowed_by_the_files_they_changed(page: Page) -> None:
    page.goto(f"{NAME}/history")
    page.get_by_label("Changed file").fill("guide/**")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("[data-hit] h2")).to_have_text(["Light the lamp"])
    expect(page.get_by_label("Changed file")).to_have_value("guide/**")


VIEWS = (
    "memories",
    "memories?q=poison",
    "history",
    "history?q=poison",
    "read/history:{hash}",
    "files",
    "search?q=poison&corpus=all",
)


@pytest.mark.parametrize("view", VIEWS)
def test_a_phone_never_scrolls_sideways(browser: Browser, site: tuple[Served, str], view: str) -> None:
    with browser.new_context(
        base_url=site[0].address, viewport={"width": 360, "height": 740}, color_scheme="dark"
    ) as context:
        page = context.new_page()
        page.goto(f"{NAME}/{view.format(hash=site[1])}")
        expect(page.get_by_role("main")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        unnamed = page.locator("main input:visible, main select:visible").evaluate_all(
            "all => all.filter(one => !one.labels.length && !one.ariaLabel).length"
        )
        assert unnamed == 0


def test_nothing_in_a_commit_or_a_memory_acts_or_is_fetched(
    browser: Browser, site: tuple[Served, str], trap: socket.socket
) -> None:
    with browser.new_context(base_url=site[0].address) as context:
        page = context.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("dialog", lambda dialog: dialog.dismiss())
        memories = page.request.get(f"{NAME}/memories.json").json()["memories"]
        reads = [f"read/{memory['ref']}" for memory in memories]
        reads += [f"read/{one['ref']}" for one in _added(page)]
        for view in (*VIEWS, *reads, "read/guide/lamp.md"):
            page.goto(f"{NAME}/{view.format(hash=site[1])}")
            page.mouse.move(300, 300)
            page.wait_for_load_state("networkidle")
            assert page.evaluate("document.documentElement.dataset.owned") is None, view
            assert page.locator("main :is(iframe, object, embed, form[action*=evil], script, style)").count() == 0
            assert page.locator("[style], [onclick], [onerror], [onload]").count() == 0
        assert all(url.startswith(site[0].address) for url in asked)
        with pytest.raises(BlockingIOError):
            trap.accept()


def _added(page: Page) -> list[dict[str, str]]:
    ids = page.request.get(f"{NAME}/files.json").json()["added"]
    return [{"ref": f"added:{one['project']}/{one['id']}.md"} for one in ids]
