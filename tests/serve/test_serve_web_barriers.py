"""What axe finds on every view of the page, light and dark, wide and narrow: nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install 'pinakes[browser]'")

from playwright.sync_api import Browser, Page, expect

from kits.git import Repo, needs_git
from kits.page import CHROMIUM, LIBRARY, Served, served
from kits.trees import write_tree
from pinakes.library import open_library

AXE = Path(__file__).resolve().parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
pytestmark = [
    needs_git,
    pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium here: apt-get install chromium"),
    pytest.mark.skipif(not AXE.exists(), reason="axe-core is not there: make web brings it"),
]
RICH = (
    "# Rich\n\n$x^2$\n\n```mermaid\nflowchart LR\n  A --> B\n```\n\n!!! warning\n    Mind it.\n\n"
    '=== "One"\n\n    ```python\n    class Lamp: ...  # a comment\n    ```\n\n=== "Two"\n\n    two\n'
)
VIEWS = (
    "search",
    "search?query=lamp+wick&kind=guide",
    "search?query=zxqvb",
    "map",
    "graph",
    "history",
    "memories",
    "files",
    "manage",
    "read/guide/lamp.md?lines=10-12&words=wick",
    "read/rich.md",
    "read/memories:dusk.md",
    "read/guide/lens.svg",
    "read/nope.md",
    "/everywhere?query=lamp",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("barriers")
    root, other = folder / "library", write_tree(folder / "harbour", {"lamp.md": "# Lamp\n\nOf the harbour.\n"})
    Repo(root).commit("Light the lamp", {**LIBRARY, "rich.md": RICH})
    with open_library(root) as library:
        library.sync()
        library.memories.remember(
            "See [[guide/lamp.md]] and [[gone.md]].", "Dusk", tags=["oil"], review_by="2026-01-01"
        )
        library.added.add_text(b"# Added\n\nA text.\n", title="Added")
        library.models.upgrade_state()
    with served(root, other) as site:
        yield site


def barriers(page: Page, rules: str = "") -> list[str]:
    # Into the frame of a diagram axe cannot look: it has no origin.
    only = f", runOnly: ['{rules}']" if rules else ""
    found = page.evaluate(f"axe.run(document, {{iframes: false, resultTypes: ['violations']{only}}})")
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found["violations"]]


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_stands_in_the_way_of_anybody(browser: Browser, site: Served, view: str) -> None:
    with browser.new_context(base_url=site.address, viewport={"width": 1280, "height": 800}) as context:
        page = context.new_page()
        page.goto(view if view.startswith("/") else f"/in/library/{view}")
        expect(page.locator("h1").first).to_be_attached()
        page.evaluate(f"{AXE.read_text()}; 0")
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme="light", reduced_motion="reduce")
            assert barriers(page) == [], width
            page.emulate_media(color_scheme="dark", reduced_motion="reduce")  # of which nothing but colours depends
            assert barriers(page, "color-contrast") == [], width


def test_the_dialog_of_a_question_from_anywhere_is_open_to_everybody(browser: Browser, site: Served) -> None:
    with browser.new_context(base_url=site.address) as context:
        page = context.new_page()
        page.goto("/in/library/search")
        page.keyboard.press("Control+k")
        page.keyboard.type("lamp")
        expect(page.get_by_role("dialog").get_by_role("option").nth(2)).to_be_visible()
        page.evaluate(f"{AXE.read_text()}; 0")
        assert barriers(page) == []
