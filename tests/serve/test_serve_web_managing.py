"""What a reader changes on the page, in a real Chromium: with the token, and asked before something goes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install 'pinakes[browser]'")

from msgspec.structs import replace
from playwright.sync_api import Browser, Page, expect

from kits.page import CHROMIUM, LIBRARY, Served, running
from kits.trees import write_tree
from pinakes.serve.http import create_app
from pinakes.serve.libraries import Libraries

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium here: apt-get install chromium")
NAME, TOKEN = "/in/library", "word-of-the-keeper"


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "library", LIBRARY)


@pytest.fixture
def site(root: Path) -> Iterator[Served]:
    libraries = Libraries((root,))
    with running(libraries, lambda options: create_app(libraries, replace(options, write_token=TOKEN))) as site:
        yield site


@pytest.fixture
def page(browser: Browser, site: Served) -> Iterator[Page]:
    with browser.new_context(base_url=site.address, viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()
        page.goto(f"{NAME}/search")
        expect(page.locator(".left .tree a").first).to_be_visible()
        yield page


def give_token(page: Page, token: str = TOKEN) -> None:
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Token").fill(token)
    dialog.get_by_role("button", name="Go on").click()


def answer(page: Page, words: str) -> None:
    page.get_by_role("dialog").get_by_role("button", name=words).click()


def test_remember_edit_archive_and_forget(page: Page, root: Path) -> None:
    page.goto(f"{NAME}/manage")
    form = page.locator("form", has=page.get_by_role("button", name="Remember", exact=True))
    form.get_by_label("Text").fill("Trim at dusk, see [[guide/lamp.md]].")
    form.get_by_label("Title").fill("Dusk")
    form.get_by_label("Tag").fill("oil, wick")
    form.get_by_role("button", name="Remember", exact=True).click()
    give_token(page, "wrong")
    expect(page.get_by_role("dialog")).to_contain_text("This is not the token of this server.")
    give_token(page)
    expect(page).to_have_url(re.compile("/read/memories:dusk.md"))
    expect(page.locator(".about")).to_contain_text("#wick")
    page.locator(".edit summary").click()
    page.locator(".edit").get_by_label("Text").fill("Trim at dusk and at midnight.")
    page.locator(".edit").get_by_label("Tag").fill("")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".prose")).to_contain_text("midnight")
    expect(page.locator(".about .chip", has_text="#oil")).to_have_count(0)
    page.get_by_role("button", name="Archive").click()
    expect(page.locator(".about .care", has_text="archived")).to_be_visible()
    page.get_by_role("button", name="Make active again").click()
    expect(page.locator(".about .care")).to_have_count(0)
    page.get_by_role("button", name="Forget …").click()
    answer(page, "Keep it as it is")
    expect(page).to_have_url(re.compile("dusk.md"))
    page.get_by_role("button", name="Forget …").click()
    answer(page, "Forget")
    expect(page).to_have_url(re.compile("/memories$"))
    page.goto(f"{NAME}/manage")
    page.get_by_role("button", name="Restore Dusk").click()
    expect(page.get_by_role("button", name="Restore Dusk")).to_have_count(0)
    assert "midnight" in (root / ".memories" / "dusk.md").read_text()


def test_add_update_and_drop_a_document(page: Page, root: Path) -> None:
    page.goto(f"{NAME}/manage")
    form = page.locator("form", has=page.get_by_role("button", name="Add", exact=True))
    form.get_by_label("Source").fill("guide/none.md")
    form.get_by_role("button", name="Add", exact=True).click()
    give_token(page)
    expect(form.get_by_role("status")).to_contain_text("is not a file of this library")
    form.get_by_label("Source").fill("guide/fog.md")
    form.get_by_label("Title").fill("Fog, added")
    form.get_by_role("button", name="Add", exact=True).click()
    row = page.locator(".managed li", has_text="Fog, added")
    expect(row).to_be_visible()
    (root / "guide" / "fog.md").write_text("# Fog\n\nThe bell is broken.\n")
    with page.expect_navigation():
        page.get_by_role("button", name="Take in what changed").click()
    row.get_by_role("link").click()
    expect(page.locator(".prose")).to_contain_text("The bell is broken.")
    page.goto(f"{NAME}/manage")
    page.get_by_role("button", name="Drop Fog, added").click()
    expect(page.get_by_role("dialog")).to_contain_text("its source stays as it is")
    answer(page, "Drop")
    expect(row).to_have_count(0)
    assert (root / "guide" / "fog.md").exists()


def test_begin_a_sync_and_choose_a_model(page: Page, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PINAKES_NEURAL_MODEL")
    page.goto(f"{NAME}/manage")
    page.get_by_role("button", name="Look at the folder now").click()
    give_token(page)
    expect(page.get_by_text("It has begun.")).to_be_visible()
    page.get_by_role("button", name="Select auto").click()
    expect(page.get_by_role("dialog")).to_contain_text("neural.model = auto")
    answer(page, "Select")
    expect(page.locator(".managed li", has_text="auto")).to_contain_text("selected")
    assert 'model = "auto"' in (root / "pinakes.toml").read_text()


def test_what_failed_is_listed_with_what_to_do(page: Page, root: Path) -> None:
    (root / "pinakes.toml").write_text("[sources]\nmax_file_bytes = 2000\n")
    (root / "long.md").write_text("# Long\n" + "wick\n" * 1000)
    failure = page.locator(".failures li", has_text="long.md")
    while not failure.count():  # settings are taken up at a question that finds nothing else under way
        page.goto(f"{NAME}/manage")
        expect(page.get_by_role("heading", name="Manage")).to_be_visible()
    expect(failure).to_contain_text("max_file_bytes")
    (root / "long.md").write_text("# Short\n")
    page.get_by_role("button", name="Look at the folder now").click()
    give_token(page)
    while failure.count():
        page.goto(f"{NAME}/manage")
        expect(page.get_by_role("heading", name="Manage")).to_be_visible()


def test_a_document_opens_in_the_editor_that_its_reader_chose(page: Page, root: Path) -> None:
    link = page.get_by_role("link", name="Open in editor")
    page.goto(f"{NAME}/read/guide/lamp.md?lines=12-13")
    expect(page.locator(".tools")).to_be_visible()
    expect(link).to_have_count(0)
    settings = Path(os.environ["XDG_CONFIG_HOME"]) / "pinakes" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('[page]\neditor = "vscode"\n')
    while not link.count():  # settings are taken up at a question that finds nothing else under way
        page.reload()
        expect(page.locator(".tools")).to_be_visible()
    expect(link).to_have_attribute("href", f"vscode://file{root}/guide/lamp.md:12")


def test_without_the_token_nothing_is_written(page: Page, site: Served) -> None:
    page.goto(f"{NAME}/manage")
    page.get_by_role("button", name="Look at the folder now").click()
    answer(page, "Leave it")
    expect(page.get_by_text("Nothing was written: the token is missing.")).to_be_visible()
    for path, body in (("/sync", {}), ("/model", {"name": "static"})):
        assert page.request.post(f"{site.address}{path}", data=body).status == 401
