"""Ways that readers take through the page, from the question to what they came for, in a real Chromium."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install 'pinakes[browser]'")

from playwright.sync_api import Browser, Locator, Page, expect

from kits.git import Repo, needs_git
from kits.page import CHROMIUM, LIBRARY, Served, flawless_page, served
from kits.trees import write_tree

pytestmark = [needs_git, pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium here: apt-get install chromium")]

NAME = "/in/library"
TOWER = "\u05de\u05d2\u05d3\u05dc\u05d5\u05e8"
MORE: dict[str, str | bytes] = {
    **LIBRARY,
    "log/of/nights/first.md": "# First night\n\nCalm.\n",
    "log/of/nights/second.md": "# Second night\n\nFog until four.\n",
    "hebrew.md": f"# {TOWER}\n\n\u05d4{TOWER} \u05de\u05d0\u05d9\u05e8. {TOWER}.\n",
}
HARBOUR: dict[str, str | bytes] = {
    "tides.md": "# Tides\n\nThe tide table hangs beside the lamp of the harbour.\n",
    "moorings.md": "# Moorings\n\nRopes are counted each night.\n",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("journeys")
    root = folder / "library"
    repo = Repo(root)
    repo.commit("Light the lamp", MORE)
    lamp = str(MORE["guide/lamp.md"]).replace("every four hours", "every five hours")
    repo.commit("Trim less often", {"guide/lamp.md": lamp})
    repo.commit(
        "Watch the harbour", {"notes.txt": "Keeper's notes: the wick burned badly on Tuesday, and on Friday.\n"}
    )
    with served(root, write_tree(folder / "harbour", HARBOUR)) as site:
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


def test_tags_and_languages_of_the_hits_are_counted_and_narrow_them(page: Page) -> None:
    page.goto(f"{NAME}/search?query=wick")
    tag, code = (page.locator(".facet", has=page.get_by_role("heading", name=name)) for name in ("Tag", "Code in"))
    expect(code.get_by_role("link")).to_have_text(["python"])
    found = tag.locator(".row", has=page.get_by_role("link", name="oil", exact=True))
    count = found.locator(".count").text_content()
    found.get_by_role("link").click()
    expect(page).to_have_url(re.compile(r"tag=oil"))
    expect(page.get_by_role("group", name="Filters in use").get_by_role("link", name="Tag: oil")).to_be_visible()
    expect(tag).to_have_count(0)
    expect(page.locator("[data-hit] .address", has_not_text="guide/lamp.md")).to_have_count(0)
    expect(page.locator(".counted")).to_contain_text(f"{count} passages")


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


def test_follow_a_link_the_outline_and_the_links_around(page: Page) -> None:
    page.goto(f"{NAME}/read/guide/lamp.md")
    outline = page.locator(".outline")
    expect(outline.locator("[aria-current]")).to_have_text("The lamp")
    outline.get_by_role("link", name="Trimming the wick").click()
    expect(outline.locator("[aria-current]")).to_have_text("Trimming the wick")
    near = page.locator(".neighbours a.near")
    expect(near).to_have_count(3)
    page.get_by_role("link", name="guide/fog.md: linked both ways").focus()
    expect(page.locator(".near .label", has_text="fog.md")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Fog")
    page.get_by_role("link", name="In the whole graph").click()
    expect(page).to_have_url(re.compile("/graph#guide/fog.md"))
    expect(page.locator(".graph .dim").first).to_be_attached()


def test_map_with_joined_folders_and_an_edge_to_draw(page: Page) -> None:
    column = page.locator(".left")
    expect(column.get_by_role("link", name="log/of/nights/")).to_have_count(1)
    width = column.bounding_box()
    page.get_by_role("separator", name="Width of the map").press("ArrowRight")
    wider = column.bounding_box()
    assert width and wider and wider["width"] > width["width"]
    page.goto(f"{NAME}/map")
    page.reload()
    page.goto(f"{NAME}/search")
    kept = column.bounding_box()
    assert kept and kept["width"] == wider["width"]
    column.get_by_role("link", name="log/of/nights/").click()
    expect(page).to_have_url(re.compile("/map/log/of/nights"))
    expect(page.get_by_role("link", name="First night")).to_be_visible()


def test_graph_closer_filtered_and_to_a_document(page: Page) -> None:
    page.goto(f"{NAME}/graph")
    drawing = page.locator(".graph svg")
    names = page.locator(".graph .label")
    expect(names.first).to_be_visible()
    whole = drawing.get_attribute("viewBox")
    page.get_by_role("button", name="Closer").click()
    expect(drawing).not_to_have_attribute("viewBox", whole or "")
    page.locator("figure.graph").press("0")
    expect(drawing).to_have_attribute("viewBox", whole or "")
    page.locator(".dots a", has=page.locator("title", has_text="guide/fog.md")).hover()
    expect(page.locator(".graph .arc.lit").first).to_be_attached()
    page.mouse.move(5, 5)
    field = page.get_by_role("textbox", name="Show only documents")
    field.fill("signals")
    expect(page.locator(".graph-tools [role=status]")).to_have_text(re.compile("1 of"))
    expect(names).to_have_count(1)
    field.press("Enter")
    expect(page.locator("h1")).to_contain_text("Specification of signals")


def test_the_list_of_files_can_be_filtered(page: Page) -> None:
    page.goto(f"{NAME}/files")
    page.get_by_role("textbox", name="Show only files").fill("LAMP.md")
    expect(page.locator("caption")).to_have_text(re.compile("1 of"))
    expect(page.locator("tbody tr:visible")).to_have_count(1)


def test_compare_what_commits_did_to_a_document(page: Page) -> None:
    page.goto(f"{NAME}/read/guide/lamp.md")
    page.locator(".tools").get_by_role("link", name="History").click()
    commits = page.get_by_role("list", name="Commits").get_by_role("listitem")
    expect(commits).to_have_count(2, timeout=60_000)
    page.get_by_role("link", name="Trim less often").click()
    expect(page.locator(".diff .gone", has_text="every four hours")).to_be_visible()
    expect(page.locator(".diff .added", has_text="every five hours")).to_be_visible()
    page.get_by_role("complementary").get_by_role("link", name="guide/lamp.md").click()
    expect(commits).to_have_count(2)


def test_on_a_phone_nothing_lies_over_anything_else(browser: Browser, site: Served) -> None:
    with browser.new_context(base_url=site.address, viewport={"width": 390, "height": 760}) as context:
        page = context.new_page()
        page.goto(f"{NAME}/search?query=lamp")
        parts = page.locator(".mark, .libraries summary, .theme, .top form, .ways a")
        boxes = [one.bounding_box() for one in parts.all()]
        shown = [one for one in boxes if one and one["x"] < 390]
        for place, one in enumerate(shown):
            for other in shown[place + 1 :]:
                apart = (
                    one["x"] + one["width"] <= other["x"] + 1
                    or other["x"] + other["width"] <= one["x"] + 1
                    or one["y"] + one["height"] <= other["y"] + 1
                    or other["y"] + other["height"] <= one["y"] + 1
                )
                assert apart, (one, other)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.locator("[data-hit] a.open").first.click()
        expect(page.locator(".prose")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_without_scripts_a_question_filters_and_documents_still_work(browser: Browser, site: Served) -> None:
    with browser.new_context(base_url=site.address, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{NAME}/search")
        box(page).fill("wick")
        box(page).press("Enter")
        page.locator(".facet a").first.click()
        page.get_by_role("link", name="Reset").click()
        expect(page.locator("[data-hit] .figure").first).to_be_visible()
        page.locator("[data-hit] a.open", has_text="Trimming").click()
        expect(page.locator(".prose mark").first).to_be_visible()
        page.get_by_role("link", name="Graph", exact=True).click()
        expect(page.locator(".graph .label").first).to_be_visible()


def test_text_from_the_right_is_read_from_the_right(page: Page) -> None:
    page.goto(f"{NAME}/search?query=%D7%9E%D7%92%D7%93%D7%9C%D7%95%D7%A8")
    page.locator("[data-hit] a.open").first.click()
    paragraph = page.locator(".prose p").first
    expect(paragraph).to_have_css("direction", "rtl")
    expect(paragraph.locator("mark")).to_have_text("מגדלור")


def test_an_address_that_leads_nowhere_offers_what_is_near(browser: Browser, site: Served) -> None:
    with browser.new_context(base_url=site.address) as context:
        page = context.new_page()
        page.goto(f"{NAME}/read/guides/lmp.md")
        expect(page.locator("h1")).to_have_text("Not here")
        page.locator(".nearest a", has_text="guide/lamp.md").click()
        expect(page.locator("h1")).to_have_text("The lamp")
    lost = site.get("/nowhere", {"Accept": "text/html"})
    assert lost.status == 404 and "<h1>Not here</h1>" in lost.body and "All files" in lost.body
    assert site.get("/nowhere").headers["content-type"] == "application/problem+json"
    assert site.get("/remember", {"Accept": "text/html"}).status == 405
