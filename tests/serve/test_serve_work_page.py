"""The page of a workspace in a real Chromium: its editor, what it does without a key, and for whom it works."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("openai", reason="the client packages are not installed: pip install 'pinakes[work]'")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install 'pinakes[browser]'")

from playwright.sync_api import Browser, Locator, Page, expect

from kits.git import Repo
from kits.page import CHROMIUM, HOSTILE, Served
from kits.providers import providing
from kits.trees import write_tree
from kits.work_page import EDIT, WORKPLACE, work_page, working

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium here: apt-get install chromium")
AXE = Path(__file__).resolve().parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
TABS = ("Chat", "Editor", "Context", "Review")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("work") / "lighthouse"
    files = {**WORKPLACE, ".gitignore": ".pinakes\n", "hostile.svg": HOSTILE["hostile.svg"]}
    if shutil.which("git"):
        Repo(folder).commit("All of it", files)
    return write_tree(folder, {**files, "spec/signals.md": f"{files['spec/signals.md']!s}\nThree flashes mean help.\n"})


@pytest.fixture(scope="module")
def site(root: Path) -> Iterator[Served]:
    with providing([EDIT]) as provider, working(root, provider) as site:
        yield site


@pytest.fixture
def page(browser: Browser, site: Served) -> Iterator[Page]:
    with work_page(browser, site) as page:
        yield page


def file(page: Page, name: str) -> Locator:
    return page.get_by_role("treeitem", name=name, exact=True)


def tab(page: Page, name: str) -> None:
    page.locator(".tab-bar").get_by_role("tab", name=name, exact=True).click()


def editor(page: Page) -> Locator:
    return page.locator(".editor .cm-content").last


def write_at_end(page: Page, words: str) -> None:
    editor(page).click()
    page.keyboard.press("Control+End")
    page.keyboard.type(words)


def test_a_drawing_is_written_beside_its_picture_and_saved(page: Page, root: Path) -> None:
    file(page, "lens.svg").click()
    picture = page.get_by_role("img", name="Drawing guide/lens.svg")
    expect(picture).to_have_attribute("src", re.compile("^blob:"))
    before = picture.get_attribute("src")
    editor(page).click()
    page.keyboard.press("Control+Home")
    for _ in range(4):
        page.keyboard.press("Delete")
    expect(page.locator(".drawing")).to_contain_text("no drawing yet")
    page.keyboard.type("<svg")
    write_at_end(page, "<!-- brighter -->")
    expect(page.locator(".drawing .trouble")).to_be_hidden()
    expect(picture).not_to_have_attribute("src", str(before))
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    page.get_by_role("button", name="Larger").click()
    expect(page.locator(".drawing output")).to_have_text("125 %")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".toast", has_text="Saved guide/lens.svg")).to_be_visible()
    assert (root / "guide/lens.svg").read_text().endswith("<!-- brighter -->")


def test_a_hostile_drawing_is_only_looked_at(page: Page) -> None:
    file(page, "hostile.svg").click()
    expect(editor(page)).to_contain_text("poison drawing")
    expect(page.get_by_role("img", name="Drawing hostile.svg")).to_be_visible()
    assert page.evaluate("document.documentElement.dataset.owned") is None


def test_a_file_that_changed_meanwhile_is_not_written_over_unasked(browser: Browser, site: Served, root: Path) -> None:
    with work_page(browser, site, allowed=["409"]) as page:
        file(page, "fog.md").click()
        write_at_end(page, "Mine.\n")
        write_tree(root, {"guide/fog.md": "# Fog\n\nTheirs.\n"})
        page.keyboard.press("Control+s")
        banner = page.get_by_role("alert").filter(has_text="changed on disk")
        expect(banner).to_be_visible()
        assert (root / "guide/fog.md").read_text() == "# Fog\n\nTheirs.\n"
        banner.get_by_role("button", name="Compare both").click()
        expect(page.locator(".editor .cm-content").first).to_contain_text("Theirs.")
        expect(editor(page)).to_contain_text("Mine.")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.locator(".toast", has_text="Saved guide/fog.md")).to_be_visible()
        assert (root / "guide/fog.md").read_text().endswith("Mine.\n")
        page.get_by_role("button", name="Compare", exact=True).click()
        write_at_end(page, "Lost.\n")
        write_tree(root, {"guide/fog.md": "# Fog\n\nTheirs again.\n"})
        page.keyboard.press("Control+s")
        banner.get_by_role("button", name="Reload, lose mine").click()
        expect(editor(page)).to_contain_text("Theirs again.")
        assert (root / "guide/fog.md").read_text() == "# Fog\n\nTheirs again.\n"


def test_line_ends_and_the_last_line_stay_as_they_were(page: Page, root: Path) -> None:
    write_tree(root, {"notes.txt": b"one\r\ntwo\r\nlast"})
    file(page, "notes.txt").click()
    write_at_end(page, "!")
    page.keyboard.press("Control+s")
    expect(page.locator(".toast", has_text="Saved notes.txt")).to_be_visible()
    assert (root / "notes.txt").read_bytes() == b"one\r\ntwo\r\nlast!"


def test_files_are_found_by_name_by_text_and_by_rank(page: Page) -> None:
    box = page.get_by_role("searchbox", name="Find files")
    box.fill("sig")
    expect(page.get_by_role("treeitem")).to_have_count(2)
    page.locator(".segment", has_text="Text").click()
    box.fill("nine miles")
    page.get_by_role("button", name="spec/signals.md:3").click()
    expect(editor(page).locator(".cm-activeLine")).to_contain_text("nine miles away")
    page.locator(".segment", has_text="Ranked").click()
    box.fill("how often must I trim the wick?")
    expect(page.locator(".match").first).to_contain_text("Trimming the wick")


def test_without_a_key_everything_but_the_conversation_works_and_says_why(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "PINAKES_WORK_MODEL"):
        monkeypatch.delenv(name, raising=False)
    root = write_tree(tmp_path / "lighthouse", WORKPLACE)
    with working(root) as site, work_page(browser, site) as page:
        expect(page.locator(".hint.trouble")).to_contain_text("No language model is chosen.")
        expect(page.get_by_role("button", name="Ask", exact=True)).to_be_disabled()
        file(page, "lamp.py").locator(".check").click()
        tab(page, "Context")
        expect(page.locator(".context-shown")).to_contain_text("file:src/lamp.py")
        file(page, "README.md").click()
        write_at_end(page, "More.\n")
        page.keyboard.press("Control+s")
        expect(page.locator(".toast", has_text="Saved README.md")).to_be_visible()
        page.locator(".modes label", has_text="Documents").click()
        expect(page.get_by_role("radio", name="Documents")).to_be_checked()
        expect(editor(page)).to_have_attribute("spellcheck", "true")
        expect(page.get_by_role("button", name="Wrap lines")).to_have_attribute("aria-pressed", "true")


def test_a_page_whose_server_goes_in_the_middle_of_a_build_finds_its_way_back(browser: Browser, tmp_path: Path) -> None:
    words = "The keeper trims the wick, rings the bell and writes the weather into the log of the lighthouse. "
    many = {f"log/{n}.md": f"# Night {n}\n\n{words * 9}\n\n## Weather\n\n{words * 5}\n" for n in range(1000)}
    root = write_tree(tmp_path / "lighthouse", {**WORKPLACE, **many})
    with ExitStack() as first:
        site = first.enter_context(working(root))
        lost = [
            "ERR_CONNECTION_REFUSED",
            "ERR_INCOMPLETE_CHUNKED_ENCODING",
            "ERR_EMPTY_RESPONSE",
            "ERR_CONNECTION_RESET",
        ]
        with work_page(browser, site, lost, waits_for_documents=False) as page:
            expect(page.locator(".pulsing")).to_be_visible()
            expect(page.locator(".progress-bar")).to_be_visible()
            page.locator(".fold").click()
            expect(page.locator(".progress-words")).to_contain_text("%")
            page.locator(".modes label", has_text="Documents").click()
            expect(page.locator(".toast")).to_contain_text("document mode begins when it is ready")
            first.close()
            expect(page.locator(".lost-words")).to_have_text("Not connected; trying again …")
            with working(root, port=site.port):  # it starts in code mode and knows nothing of the page
                expect(page.get_by_role("radio", name="Documents")).to_be_checked(timeout=90_000)
                expect(page.locator(".lost-words")).to_have_text("")
                expect(page.get_by_role("button", name="Executive summary")).to_be_visible()


def test_who_typed_the_address_is_asked_for_the_token_and_the_address_does_not_keep_it(
    browser: Browser, root: Path
) -> None:
    with working(root, token="open-sesame") as site, browser.new_context(base_url=site.address) as context:
        page = context.new_page()
        page.goto("/work")
        expect(page.locator(".start")).to_contain_text("asks for your token")
        page.get_by_label("Token").fill("open-barley")
        page.get_by_role("button", name="Enter").click()
        expect(page.locator(".start")).to_contain_text("That is not the token")
        page.get_by_label("Token").fill("open-sesame")
        page.get_by_role("button", name="Enter").click()
        expect(file(page, "README.md")).to_be_visible(timeout=30_000)
        assert page.url == f"{site.address}/work"
        page.reload()
        expect(file(page, "README.md")).to_be_visible()


def ground(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_dark_follows_the_system_and_the_switch_is_remembered(browser: Browser, site: Served) -> None:
    with work_page(browser, site, color_scheme="dark") as page:
        night = ground(page)
        page.get_by_role("button", name="Light/dark").click()
        day = ground(page)
        assert night != day
        page.reload()
        expect(page.locator(".start")).to_be_hidden()
        assert ground(page) == day
        page.keyboard.press("t")
        assert ground(page) == night


def test_everything_can_be_done_by_keyboard_alone(page: Page) -> None:
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    page.keyboard.press("/")
    page.keyboard.type("lamp.md")
    expect(page.get_by_role("treeitem")).to_have_count(2)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    expect(file(page, "lamp.md")).to_have_attribute("aria-checked", "true")
    page.keyboard.press("Enter")
    expect(editor(page)).to_be_focused()
    page.keyboard.press("Alt+3")
    expect(page.locator(".context-shown")).to_contain_text("file:guide/lamp.md")
    page.keyboard.press("c")
    page.keyboard.type("Trim it more often.")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Apply")).to_be_visible()
    for _ in range(30):
        page.keyboard.press("Shift+Tab")
        if page.evaluate("document.activeElement.textContent") == "Dry run":
            break
    page.keyboard.press("Enter")
    expect(page.locator(".edits-shown .diff")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Alt+1")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Editor")).to_be_focused()


def test_on_a_telephone_every_panel_is_a_tab_and_nothing_is_wider_than_the_screen(
    browser: Browser, site: Served
) -> None:
    with work_page(browser, site, viewport={"width": 390, "height": 760}) as page:
        tab(page, "Files")
        file(page, "lens.svg").click()
        expect(editor(page)).to_be_visible()
        expect(page.get_by_role("img", name="Drawing guide/lens.svg")).to_be_visible()
        for name in ("Files", *TABS):
            tab(page, name)
            assert page.evaluate("document.documentElement.scrollWidth") == 390, name
            assert page.get_by_role("radiogroup", name="Mode").is_visible(), name


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_stands_in_the_way_of_anybody(browser: Browser, site: Served, scheme: str, width: int) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not there: make web brings it")
    with work_page(browser, site, color_scheme=scheme, viewport={"width": width, "height": 800}) as page:
        page.get_by_role("textbox", name="Question").fill("Trim it. See https://example.org/page")
        page.get_by_role("button", name="Ask", exact=True).click()
        page.get_by_role("button", name="Dry run").last.click()
        if width < 800:
            tab(page, "Files")
            assert barriers(page) == []
        file(page, "lens.svg").click()
        expect(editor(page)).to_be_visible()
        for name in TABS:
            tab(page, name)
            expect(page.locator("[aria-busy=true]")).to_have_count(0)
            assert barriers(page) == [], name


def barriers(page: Page) -> list[str]:
    """What axe finds."""
    page.evaluate(f"{AXE.read_text()}; 0")
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found["violations"]]
