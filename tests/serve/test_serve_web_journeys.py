"""Ways that readers take through the page, from the question to what they came for, in a real Chromium."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install 'pinakes[browser]'")

from playwright.sync_api import Browser, Locator, Page, expect

from kits.page import CHROMIUM, LIBRARY, Served, flawless_page, served
from kits.trees import write_tree

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium here: apt-get install chromium")

NAME = "/in/library"
HARBOUR: dict[str, str | bytes] = {
    "tides.md": "# Tides\n\nThe tide table hangs beside the lamp of the harbour.\n",
    "moorings.md": "# Moorings\n\nRopes are counted each night.\n",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("journeys")
    with served(write_tree(folder / "library", LIBRARY), write_tree(folder / "harbour", HARBOUR)) as site:
        yield site


@pytest.fixture
def page(browser: Browser, site: Served) -> Iterator[Page]:
    with flawless_page(browser, site.address, f"{NAME}/search") as page:
        yield page


def box(page: Page) -> Locator:
    return page.get_by_role("searchbox")


def test_find_and_come_back(page: Page) -> None:
    box(page).press_sequentially("trim the wick")
    expect(page.locator("[data-hit] h2").first).to_have_text("Trimming the wick")
    box(page).press("Enter")
    box(page).fill("bell in fog")
    expect(page.locator("[data-hit] h2").first).to_have_text("Bell")
    page.go_back()
    expect(box(page)).to_have_value("trim the wick")
    expect(page.locator("[data-hit] h2").first).to_have_text("Trimming the wick")
    page.goto(f"{NAME}/search")
    expect(page.locator(".asked-before a")).to_have_text(["trim the wick"])
    page.get_by_role("button", name="Forget them").click()
    expect(page.locator(".asked-before")).to_have_count(0)


def test_figures_are_for_those_who_ask_for_them(page: Page) -> None:
    page.goto(f"{NAME}/search?query=wick")
    figure = page.locator("[data-hit] .figure").first
    expect(figure).to_be_hidden()
    page.get_by_role("button", name="Figures").click()
    expect(figure).to_be_visible()
    page.reload()
    expect(figure).to_be_visible()
    expect(page.get_by_role("button", name="Figures")).to_have_attribute("aria-pressed", "true")


def test_filter_by_what_the_hits_are_and_take_it_back(page: Page) -> None:
    box(page).fill("wick")
    folder = page.locator(".facet", has_text="Folder").get_by_role("link", name="guide")
    kind = page.locator(".facet", has_text="Kind")
    expect(kind.locator(".count").first).to_have_text(re.compile(r"\d"))
    kind.get_by_role("link").first.click()
    chip = page.get_by_role("group", name="Filters in use").get_by_role("link", name="Kind")
    expect(chip).to_be_visible()
    expect(page).to_have_url(re.compile("kind="))
    expect(folder.or_(chip)).to_be_visible()
    chip.click()
    expect(page).not_to_have_url(re.compile("kind="))
    page.goto(f"{NAME}/search?query=wick&path=guide&recent=true")
    page.get_by_role("link", name="Reset").click()
    expect(page).to_have_url(re.compile(r"search\?query=wick$"))


def test_a_hit_opens_with_the_words_of_the_question_marked(page: Page) -> None:
    box(page).fill("trimmed wicks")
    page.locator("[data-hit] a.open", has_text="Trimming the wick").click()
    expect(page.locator(".prose mark").first).to_be_visible()
    assert {"Trimming", "wick", "Trim"} <= set(page.locator(".prose mark").all_text_contents())
    page.get_by_role("link", name="Without marks").click()
    expect(page.locator(".prose mark")).to_have_count(0)
    page.get_by_role("link", name="Raw", exact=True).click()
    expect(page.locator("body")).to_contain_text("title: The lamp")


def test_ask_all_libraries_from_anywhere(page: Page) -> None:
    page.goto(f"{NAME}/map")
    page.keyboard.press("Control+k")
    dialog = page.get_by_role("dialog", name="Ask from anywhere")
    expect(dialog.get_by_role("option", name="Graph")).to_be_visible()
    page.keyboard.type("tide table")
    hit = dialog.get_by_role("option", name="harbour · tides.md")
    expect(hit).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/in/harbour/read/tides.md"))
    expect(page.locator("h1")).to_have_text("Tides")
    page.locator(".libraries summary").click()
    page.get_by_role("link", name="All libraries").click()
    box(page).fill("lamp")
    box(page).press("Enter")
    expect(page.locator("h2.library")).to_have_count(2)
    expect(page.locator("[data-hit] h2", has_text="Tides")).to_be_visible()
