"""The page in a real Chromium: what a person does with it, and what a hostile document does not."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install 'pinakes[browser]'")

from playwright.sync_api import Browser, Dialog, Locator, Page, Request, expect

from kits.page import CHROMIUM, HOSTILE, LIBRARY, Served, flawless_page, served
from kits.trees import write_tree

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium here: apt-get install chromium")

NAME = "/in/library"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    root = write_tree(tmp_path_factory.mktemp("page") / "library", LIBRARY)
    with served(root) as site:
        yield site


@pytest.fixture
def page(browser: Browser, site: Served) -> Iterator[Page]:
    with flawless_page(browser, site.address, f"{NAME}/search") as page:
        yield page


def box(page: Page) -> Locator:
    return page.get_by_role("searchbox")


def test_hits_follow_the_typing_and_the_address_keeps_the_question(page: Page) -> None:
    box(page).press_sequentially("trim the wick")
    hit = page.locator("[data-hit]").first
    expect(hit.locator("h2")).to_have_text("Trimming the wick")
    expect(hit.locator("mark").first).to_be_visible()
    expect(hit.locator(".address").first).to_contain_text("guide/lamp.md:")
    page.get_by_role("button", name="Figures").click()
    expect(hit.get_by_role("img")).to_have_attribute("aria-label", re.compile("words: rank 1"))
    expect(page).to_have_url(re.compile("query=trim(\\+|%20)the(\\+|%20)wick"))
    page.reload()
    expect(page.locator("[data-hit] h2").first).to_have_text("Trimming the wick")


def test_half_a_word_finds_those_that_begin_so_and_a_slip_is_told(page: Page) -> None:
    box(page).press_sequentially("trimm")
    expect(page.locator("[data-hit] h2").first).to_have_text("Trimming the wick")
    box(page).fill("tirmming the wick ")
    expect(page.locator(".meant")).to_contain_text("Searched for “trimming” instead of “tirmming”")
    expect(page.locator("[data-hit] h2").first).to_have_text("Trimming the wick")


def test_a_filter_narrows_what_is_shown_without_a_reload(page: Page) -> None:
    box(page).fill("wick")
    expect(page.locator(".address", has_text="notes.txt")).to_be_visible()
    page.get_by_label("Folder or pattern").fill("guide")
    expect(page.locator(".hits .address", has_text="notes.txt")).to_have_count(0)
    expect(page.locator(".hits .address", has_text="guide/lamp.md").first).to_be_visible()
    expect(page).to_have_url(re.compile("path=guide"))


def test_a_hit_opens_in_the_reader_at_its_lines_with_backlinks_beside_it(page: Page) -> None:
    box(page).fill("trim the wick")
    page.locator("[data-hit] a.open").first.click()
    expect(page).to_have_url(re.compile("/read/guide/lamp.md\\?lines=.*#trimming-the-wick"))
    expect(page.locator(".asked").first).to_be_visible()
    expect(page.get_by_role("complementary")).to_contain_text("Linked from 2")
    expect(page.locator(".prose img")).to_have_js_property("complete", True)  # noqa: FBT003 - Playwright's own call
    assert page.locator(".prose img").evaluate("image => image.naturalWidth") > 0
    page.locator(".backlinks a", has_text="guide/fog.md").click()
    expect(page.locator("h1")).to_have_text("Fog")


def test_folders_unfold_to_documents_and_documents_to_sections(page: Page) -> None:
    page.goto(f"{NAME}/map")
    folder = page.locator(".tree li", has=page.locator("> .row a.folder", has_text="guide/"))
    folder.locator("> .row .count").click()
    document = folder.locator("li", has=page.locator("> .row .file", has_text="lamp.md"))
    expect(document).to_be_visible()
    document.locator("summary").first.click()
    expect(document.get_by_role("link", name="Trimming the wick")).to_be_visible()
    folder.locator("> .row .count").click()
    expect(document).to_be_hidden()


def test_the_graph_is_a_picture_whose_documents_can_be_opened(page: Page) -> None:
    page.goto(f"{NAME}/graph")
    expect(page.locator(".graph circle")).to_have_count(6)
    expect(page.locator(".cited-list")).to_contain_text("The lamp")
    page.locator(".graph a", has=page.locator("title", has_text="guide/fog.md")).locator("circle").click()
    expect(page.locator("h1")).to_have_text("Fog")


def test_a_drawing_is_shown_as_a_picture(page: Page) -> None:
    page.goto(f"{NAME}/read/guide/lens.svg")
    assert (
        page.get_by_role("img", name="Drawing").evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    )


def ground(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_dark_follows_the_system_and_the_switch_is_remembered(browser: Browser, site: Served) -> None:
    with browser.new_context(base_url=site.address, color_scheme="dark") as context:
        page = context.new_page()
        page.goto(f"{NAME}/search")
        night = ground(page)
        page.get_by_role("button", name="Light/dark").click()
        day = ground(page)
        assert night != day
        page.goto(f"{NAME}/map")
        assert ground(page) == day
        page.keyboard.press("t")
        assert ground(page) == night


def arrived(page: Page, pattern: str) -> None:
    """Wait until another view is there, scripts included: keys pressed before would be nobody's."""
    expect(page).to_have_url(re.compile(pattern))
    page.wait_for_load_state("load")


def test_everything_can_be_done_by_keyboard_alone(page: Page) -> None:
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    page.keyboard.press("/")
    page.keyboard.type("wick")
    expect(page.locator("[data-hit]").nth(1)).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(page.locator("[data-hit] a.open").first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator("[data-hit] a.open").nth(1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(box(page)).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    arrived(page, "/read/")
    page.keyboard.press("m")
    arrived(page, "/map")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".tree a.folder").first).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".tree a", has_text="The lamp")).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    arrived(page, "/read/guide/")
    page.keyboard.press("g")
    arrived(page, "/graph")
    page.keyboard.press("f")
    arrived(page, "/files")
    expect(page.get_by_role("table")).to_contain_text("guide/lamp.md")


@pytest.mark.parametrize("view", ["search?q=wick", "read/guide/lamp.md", "map", "graph", "files"])
def test_a_phone_shows_one_pane_and_never_scrolls_sideways(browser: Browser, site: Served, view: str) -> None:
    with browser.new_context(base_url=site.address, viewport={"width": 360, "height": 740}) as context:
        page = context.new_page()
        page.goto(f"{NAME}/{view}")
        expect(page.get_by_role("main")).to_be_visible()
        expect(page.locator("nav.left")).not_to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


_UNNAMED = """() => [...document.querySelectorAll("a[href], button, input, select, img, svg[role=img]")]
  .filter(part => part.checkVisibility())
  .filter(part => !(part.labels?.length || part.ariaLabel || part.textContent.trim() || part.title || part.alt))
  .map(part => part.outerHTML)"""


@pytest.mark.parametrize("view", ["search", "search?q=wick", "read/guide/lamp.md", "map", "graph", "files"])
def test_a_screen_reader_finds_one_heading_landmarks_and_a_name_for_everything(page: Page, view: str) -> None:
    page.goto(f"{NAME}/{view}")
    assert page.evaluate(_UNNAMED) == []
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    for landmark in ("banner", "main", "search"):
        expect(page.get_by_role(landmark)).to_have_count(1)


def test_without_scripts_links_and_forms_do_the_same(browser: Browser, site: Served) -> None:
    with browser.new_context(base_url=site.address, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{NAME}/search")
        box(page).fill("bell")
        box(page).press("Enter")
        page.locator("[data-hit] a.open").first.click()
        expect(page.locator("h1")).to_have_text("Fog")
        page.goto(f"{NAME}/map")
        page.get_by_role("link", name="guide/", exact=True).click()
        expect(page).to_have_url(re.compile("/map/guide"))


def test_nothing_found_says_what_is_unknown(page: Page) -> None:
    box(page).fill("zxqvblorp")
    expect(page.get_by_role("status")).to_have_text("Nothing found.")
    expect(page.locator(".state")).to_contain_text("zxqvblorp")


def test_a_change_in_the_folder_shows_in_the_files_view(browser: Browser, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "library", LIBRARY)
    with served(root) as site, browser.new_context(base_url=site.address) as context:
        page = context.new_page()
        page.goto(f"{NAME}/files")
        expect(page.get_by_role("table")).to_contain_text("notes.txt")
        write_tree(root, {"arrived.md": "# Arrived\n\nA new document.\n"})
        expect(page.get_by_role("table")).to_contain_text("arrived.md", timeout=20_000)


HOSTILE_VIEWS = (
    "search?q=poison",
    f"search?q={quote('<img src=x onerror=alert(1)> poison')}",
    "map",
    "graph",
    "files",
    "read/hostile.md",
    "read/hostile.svg",
    "read/rst.rst",
    f"read/{quote('quote')}%22.md",
    "read/hash%23and%3Fquestion.md",
    "asset/hostile.svg",
    f"read/{quote('<script>alert(1)</script>')}.md",
)


_TOUCH = """() => {
  for (const details of document.querySelectorAll("details")) details.open = true;
  for (const element of document.querySelectorAll("main *"))
    for (const kind of ["mouseover", "focus", "pointerenter", "toggle", "error", "load"])
      element.dispatchEvent(new Event(kind, { bubbles: true }));
  return [...document.querySelectorAll("[href]")].map(element => element.getAttribute("href"));
}"""
"""Opens and touches everything, as a curious reader would, and tells where links lead."""


def test_a_hostile_document_runs_nothing_and_asks_nothing_of_anyone(
    browser: Browser, trap: socket.socket, tmp_path: Path
) -> None:
    root = write_tree(tmp_path / "library", HOSTILE)
    asked: list[Request] = []
    dialogs: list[str] = []

    def heard(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    with served(root) as site, browser.new_context(base_url=site.address) as context:
        context.on("request", lambda request: asked.append(request))  # a built-in cannot be handed over itself
        page = context.new_page()
        page.on("dialog", heard)
        page.goto(f"{NAME}/search")
        expect(page.locator("main")).to_contain_text("documents,", timeout=20_000)  # once all is read
        named = [f"read/{quote(name)}" for name in HOSTILE if name.startswith("<")]
        for view in (*HOSTILE_VIEWS, *named):
            answer = page.goto(f"{NAME}/{view}")
            assert answer is not None
            assert answer.status == (404 if "script" in view else 200), view
            hrefs = page.evaluate(_TOUCH)
            assert [href for href in hrefs if href.strip().lower().startswith(("javascript", "data", "vbscript"))] == []
            assert page.evaluate("document.documentElement.dataset.owned") is None, view
            assert page.evaluate("document.querySelectorAll('main script, main iframe, main [onclick]').length") == 0
        page.goto(f"{NAME}/search")
        box(page).press_sequentially("poison")
        expect(page.locator("[data-hit]").first).to_be_visible()
        assert page.evaluate("document.documentElement.dataset.owned") is None
        # The browser reports what a drawing wanted and its policy refused; refused means that nothing was sent.
        sent = [request.url for request in asked if request.failure not in ("csp", "origin")]
    assert dialogs == []
    assert [url for url in sent if not url.startswith(f"{site.address}/")] == []
    assert any("/asset/hostile.svg" in url for url in sent)
    with pytest.raises(BlockingIOError):
        trap.accept()


def test_the_trap_would_have_heard_a_request(browser: Browser, trap: socket.socket) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.set_content("<img src='http://evil.invalid/spy.png'>", wait_until="commit")
        trap.settimeout(20)
        heard, _ = trap.accept()
        heard.close()
        trap.setblocking(False)  # noqa: FBT003 - the standard library's own call
