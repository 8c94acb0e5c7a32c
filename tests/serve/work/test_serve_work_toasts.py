"""What the page of a workspace tells by itself, in a real Chromium."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("openai", reason="the client packages are not installed: pip install 'pinakes[work]'")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install 'pinakes[browser]'")

from playwright.sync_api import APIResponse, Browser, Page, Route, expect

from kits.http import Server
from kits.page import CHROMIUM
from kits.trees import write_tree
from kits.work import FILES, working

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium here: apt-get install chromium")


def address(server: Server) -> str:
    return f"http://{server.authority}/work#token={server.headers['Authorization'].removeprefix('Bearer ')}"


def test_a_document_index_that_is_ready_is_told_and_nothing_is_covered_meanwhile(
    browser: Browser, tmp_path: Path
) -> None:
    words = "High water comes twice a day, and so does low water, as the tables of the harbour office say. "
    pages = {f"docs/{number}.md": f"# Page {number}\n\n{words * 9}\n" for number in range(800)}
    write_tree(tmp_path, {**FILES, **pages})
    with working(tmp_path, waits=False) as work:
        page = browser.new_page()
        late = _states_come_late(page)
        page.goto(address(work.server))
        expect(page.locator(".modes .mode-docs")).to_contain_text("⏳")
        page.get_by_role("tab", name="Context").click()
        expect(page.locator(".toast", has_text="📝 Document index ready — doc mode available")).to_be_visible(
            timeout=90_000
        )
        assert any(answer.json()["modes"]["docs"]["building"] for _, answer in late)
        page.route("**/work/state", lambda route: route.continue_())
        for route, answer in late:  # from before the index was ready, and here after its event
            route.fulfill(response=answer)
        page.get_by_role("tab", name="Chat").click()
        expect(page.locator(".modes .mode-docs")).to_contain_text("📝")
        expect(page.locator(".progress-bar")).to_be_hidden()
        page.close()


def _states_come_late(page: Page) -> list[tuple[Route, APIResponse]]:
    """Keeps every answer about the state but the first, which the page is drawn from."""
    late: list[tuple[Route, APIResponse]] = []
    is_first = True

    def keep(route: Route) -> None:
        nonlocal is_first
        if is_first:
            is_first = False
            route.continue_()
        else:
            late.append((route, route.fetch()))

    page.route("**/work/state", keep)
    return late


def test_missing_keywords_are_told_on_the_page_with_the_command(browser: Browser, tmp_path: Path) -> None:
    write_tree(tmp_path, dict(FILES))
    with working(tmp_path, environment={"PINAKES_KEYWORDS_MODEL": "sentence-transformers:some/model"}) as work:
        page = browser.new_page()
        page.goto(address(work.server))
        page.locator(".modes label", has_text="Documents").click()
        expect(page.locator(".toast", has_text="pip install").first).to_be_visible()
        page.close()


def test_a_page_that_comes_after_the_document_index_failed_is_told_once_why(browser: Browser, tmp_path: Path) -> None:
    write_tree(tmp_path, {**FILES, ".pinakes": "no folder"})
    with working(tmp_path) as work:
        page = browser.new_page()
        page.goto(address(work.server))
        told = page.locator(".toast", has_text="The document index could not be built")
        expect(told).to_contain_text("--store")
        told.get_by_role("button", name="Close this note").click()
        page.get_by_role("tab", name="Context").click()
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        expect(told).to_have_count(0)
        page.close()
