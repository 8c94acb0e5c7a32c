"""The search page of a published folder in a real Chromium, from `file://`."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install 'pinakes[browser]'")

from playwright.sync_api import Browser, Page, expect

from kits.http import serving
from kits.page import CHROMIUM, HOSTILE, LIBRARY
from kits.publish import publish
from kits.trees import write_tree

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium here: apt-get install chromium")


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("searched")
    publish(write_tree(home / "docs", {**LIBRARY, **HOSTILE}), home / "out")
    return home / "out"


@pytest.fixture
def page(browser: Browser, out: Path) -> Iterator[Page]:
    with browser.new_context() as context:
        page = context.new_page()
        troubles: list[str] = []
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda said: troubles.append(said.text) if said.type == "error" else None)
        page.on("dialog", lambda dialog: troubles.append(dialog.message))
        page.on("request", lambda asked: troubles.append(asked.url) if not asked.url.startswith("file:") else None)
        page.goto((out / "search" / "index.html").as_uri())
        yield page
        assert troubles == []


def test_typing_lists_pages_with_sections_and_marks_and_links_that_lead_there(page: Page, out: Path) -> None:
    page.keyboard.type("trim the wick")
    first = page.locator(".hit").first
    expect(first.locator(".title")).to_have_text("The lamp")
    expect(first.locator("mark").first).to_be_visible()
    expect(first.locator(".section").first).to_have_text("Trimming the wick")
    assert first.locator(".title").get_attribute("href") == "../guide/lamp.html#trimming-the-wick"
    assert (out / "search" / str(first.locator(".source").get_attribute("href"))).is_file()
    page.wait_for_url("**/index.html#q=trim%20the%20wick")
    page.keyboard.press("ArrowDown")
    expect(first.locator(".title")).to_be_focused()
    page.keyboard.press("/")
    expect(page.get_by_label("Search these documents")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".hit")).to_have_count(0)


def test_a_hit_opens_its_page_at_the_section_even_when_enter_comes_at_once(page: Page) -> None:
    page.keyboard.type("trim wick")
    page.keyboard.press("Enter")
    page.wait_for_url("**/guide/lamp.html#trimming-the-wick")
    page.go_back()
    expect(page.locator("#q")).to_have_value("trim wick")


def test_a_misspelt_word_is_found_and_the_page_says_so(page: Page) -> None:
    page.keyboard.type("singals")
    expect(page.locator(".hit .title").first).to_have_text("Specification of signals")
    expect(page.locator("#said")).to_contain_text("searched for signal… instead of singal…")


def test_hostile_titles_and_texts_run_nothing(page: Page, trap: socket.socket) -> None:
    for question in ("poison", "script", "onerror", "<img src=x onerror=alert(1)>", "__proto__ constructor"):
        page.fill("#q", question)
        expect(page.locator("#said")).to_have_text(re.compile(r"passage|Nothing"))
    page.fill("#q", "poison")
    expect(page.locator(".hit mark").first).to_be_visible()
    for href in page.eval_on_selector_all(".hit a", "all => all.map(one => one.href)"):
        assert href.startswith("file:///")
    assert page.evaluate("document.documentElement.dataset.owned || ''") == ""
    assert page.locator("main script, main img, main iframe").count() == 0
    with pytest.raises(BlockingIOError):
        trap.accept()


def test_a_narrow_and_a_dark_screen_show_everything(page: Page) -> None:
    page.set_viewport_size({"width": 320, "height": 600})
    page.emulate_media(color_scheme="dark")
    page.fill("#q", "poison")
    expect(page.locator(".hit mark").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(23, 21, 26)"


def test_a_server_hands_the_same_page_out(browser: Browser, out: Path) -> None:
    with serving(options=("--published", str(out))) as server, browser.new_context() as context:
        page = context.new_page()
        troubles: list[str] = []
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda said: troubles.append(said.text) if said.type == "error" else None)
        page.goto(f"http://{server.authority}/search/")
        page.keyboard.type("fog bell")
        expect(page.locator(".hit .title").first).to_have_text("Fog")
        expect(page.locator(".hit mark").first).to_be_visible()
        page.keyboard.press("Enter")
        page.wait_for_url("**/guide/fog.html*")
        page.go_back()
        expect(page.locator("#q")).to_have_value("fog bell")
        assert troubles == []
