"""Pictures of the page for its documentation, taken in a real Chromium over our own documents.

`make screenshots` runs it; it needs Chromium and writes docs/images/page-*.png.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from page_kit import CHROMIUM, FLAGS, served

DOCS = Path(__file__).resolve().parents[1] / "docs"
LARGEST = 200_000


class Shot(NamedTuple):
    """One picture: its name, the view, and how it is looked at."""

    name: str
    view: str
    is_dark: bool = False
    width: int = 1280
    height: int = 800


SHOTS = (
    Shot("search", "search?q=how+are+files+ignored%3F"),
    Shot("search-dark", "search?q=how+are+files+ignored%3F", is_dark=True),
    Shot("reader", "read/configuration.md?lines=6-20#who-wins", height=700),
    Shot("map", "map", height=640),
    Shot("graph", "graph", is_dark=True),
    Shot("nothing-found", "search?q=quantum+chromodynamics", height=560),
    Shot("narrow", "search?q=how+are+files+ignored%3F", width=390, height=760),
)


def main() -> int:
    """Take every picture; says what is missing instead of failing with a trace."""
    if not CHROMIUM:
        sys.stderr.write("There is no Chromium here. On Debian: apt-get install chromium\n")
        return 2
    from playwright.sync_api import expect, sync_playwright

    images = DOCS / "images"
    images.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        # A copy, so that neither the name in the pictures nor what is listed depends on where the project lies.
        root = Path(folder) / "docs"
        shutil.copytree(DOCS, root, ignore=shutil.ignore_patterns(".pinakes", "images"))
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        with served(root) as site:
            for shot in SHOTS:
                with browser.new_context(
                    base_url=site.address,
                    viewport={"width": shot.width, "height": shot.height},
                    color_scheme="dark" if shot.is_dark else "light",
                ) as context:
                    page = context.new_page()
                    page.goto("/in/docs/search")
                    expect(page.locator("main")).to_contain_text("documents", timeout=60_000)  # once all is read
                    page.goto(f"/in/docs/{shot.view}")
                    page.wait_for_load_state("networkidle")
                    data = page.screenshot()
                if len(data) > LARGEST:
                    sys.stderr.write(f"{shot.name}: {len(data):,} bytes are more than {LARGEST:,}; make it smaller.\n")
                    return 1
                (images / f"page-{shot.name}.png").write_bytes(data)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
