"""A browser asks its user for the token, and the page does what that token allows, in a real Chromium."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install 'pinakes[browser]'")

from playwright.sync_api import Browser, expect

from kits.http import Server, serving
from kits.page import CHROMIUM, LIBRARY
from kits.store import migrated_database
from kits.trees import write_tree
from pinakes import open as open_library
from pinakes.access import TokenScope
from pinakes.access.tokens import TokenTable

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium here: apt-get install chromium")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("browser")
    roots = [write_tree(folder / name, LIBRARY) for name in ("lighthouse", "lamp-store")]
    url = migrated_database().url
    for root in roots:
        with open_library(root, {"store": url}) as library:
            library.sync()
    with serving(*roots, environment={"PINAKES_STORE_URL": url}) as running:
        yield running


@pytest.mark.parametrize("scope", [TokenScope.READ, TokenScope.WRITE])
def test_the_page_is_there_for_who_signs_in_and_writes_as_far_as_the_token_reaches(
    browser: Browser, server: Server, scope: TokenScope
) -> None:
    token, _ = TokenTable(migrated_database()).create(f"{scope} in a browser", scope, ["lighthouse"], None)
    address = f"http://{server.authority}"
    with browser.new_context(base_url=address, http_credentials={"username": "ada", "password": token}) as context:
        page = context.new_page()
        page.goto("/")
        page.fill("input[type=search]", "whale oil")
        page.keyboard.press("Enter")
        expect(page.locator("[data-hit]").first).to_be_visible()
        assert page.locator("details.libraries").count() == 0  # the other library is not there
        answer = page.goto("/in/lamp-store/search")
        assert answer is not None
        assert answer.status == 404
        page.goto("/in/lighthouse/manage")
        form = page.locator('form[data-write$="/remember"]').first
        form.locator("[name=text]").fill("The wick is trimmed.")
        form.locator("button").first.click()
        if scope is TokenScope.READ:
            expect(form.locator("[role=status]")).to_contain_text("This token may read")
        else:
            expect(page.locator("h1").first).to_contain_text("The wick is trimmed.")


def test_without_a_token_there_is_nothing_to_see(browser: Browser, server: Server) -> None:
    with browser.new_context(
        base_url=f"http://{server.authority}", http_credentials={"username": "x", "password": "y"}
    ) as context:
        answer = context.new_page().goto("/in/lighthouse/search")
        assert answer is not None
        assert answer.status == 401
        assert "lighthouse" not in answer.text()
