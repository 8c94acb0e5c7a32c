"""Published pages in a real Chromium, from `file://` and from a server: what they look like, and what cannot run."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install 'pinakes[browser]'")

from playwright.sync_api import Browser, Page, expect

from kits.http import serving
from kits.page import CHROMIUM, HOSTILE, LIBRARY, RICH
from kits.publish import publish
from kits.trees import write_tree

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium here: apt-get install chromium")
AXE = Path(__file__).resolve().parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
DIALECT = """# Boxes

!!! note "Mind the gap"
    The step is high.

=== "Bash"
    ```bash
    ls -l
    ```

=== "Fish"
    Swim.

> A quotation, with `code` and a [link](guide/lamp.md).

- [x] done
- [ ] not done

| a | b |
|---|---|
| 1 | 2 |

Water[^1] boils.

[^1]: At sea level.
"""


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("pages")
    publish(write_tree(home / "docs", {**LIBRARY, **HOSTILE, "boxes.md": DIALECT}), home / "out")
    return home / "out"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context() as context:
        page = context.new_page()
        troubles: list[str] = []
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda said: troubles.append(said.text) if said.type == "error" else None)
        page.on("dialog", lambda dialog: troubles.append(dialog.message))
        yield page
        assert troubles == []


def test_one_reads_follows_links_and_searches_from_a_disk(page: Page, out: Path) -> None:
    page.goto((out / "index.html").as_uri())
    page.get_by_role("main").get_by_role("link", name="guide", exact=True).first.click()
    page.wait_for_url("**/guide/lamp.html#trimming-the-wick")
    expect(page.get_by_role("main").get_by_role("img", name="the lens")).to_be_visible()
    page.get_by_role("link", name="Next lens.svg").click()
    page.wait_for_url("**/guide/lens.html")
    page.get_by_role("complementary").get_by_role("link", name="The lamp").click()
    page.get_by_role("searchbox", name="Search").fill("fog bell")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search/index.html*")
    expect(page.locator("#q")).to_have_value("fog bell")
    expect(page.locator(".hit .title").first).to_have_text("Fog")


def test_hostile_documents_run_nothing_and_ask_nobody(page: Page, out: Path, trap: socket.socket) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for file in sorted(out.glob("*.html")):
        page.goto(file.as_uri())
        assert page.evaluate("document.documentElement.dataset.owned || ''") == ""
        ours = "script[src='_pages/document.js']"
        assert page.locator(f"script:not({ours}), iframe, object, embed, form[action*=evil]").count() == 0
    assert {url.partition(":")[0] for url in asked} == {"file"}
    with pytest.raises(BlockingIOError):
        trap.accept()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_stands_in_the_way_of_anybody(browser: Browser, out: Path, scheme: str, width: int) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not there: make web brings it")
    # The policy of the pages lets no script run, so that axe needs a browser that is told to look away.
    with browser.new_context(
        color_scheme=scheme,  # type: ignore[arg-type]
        viewport={"width": width, "height": 800},
        bypass_csp=True,
    ) as context:
        page = context.new_page()
        for name in ("guide/lamp.html", "boxes.html", "guide/index.html", "search/index.html"):
            page.goto(f"{(out / name).as_uri()}#q=wick")
            if name.startswith("search/"):
                expect(page.locator(".hit mark").first).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            page.evaluate(f"{AXE.read_text()}; 0")
            found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
            barriers = [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found["violations"]]
            assert barriers == [], name


def test_a_phone_has_the_contents_below_and_paper_has_only_the_text(page: Page, out: Path) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto((out / "guide/lamp.html").as_uri())
    page.get_by_role("link", name="Contents", exact=True).click()
    expect(page.get_by_role("navigation", name="Contents").get_by_role("link", name="Fog")).to_be_in_viewport()
    page.emulate_media(media="print")
    expect(page.get_by_role("banner")).to_be_hidden()
    expect(page.get_by_role("navigation", name="Contents")).to_be_hidden()
    expect(page.get_by_role("main")).to_be_visible()


@pytest.mark.parametrize("is_served", [False, True])
def test_formulas_diagrams_and_tabs_are_drawn_from_a_disk_and_from_a_server(
    page: Page, tmp_path: Path, *, is_served: bool
) -> None:
    publish(write_tree(tmp_path / "docs", {**LIBRARY, "guide/rich.md": RICH}), tmp_path / "out")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    with serving(options=("--published", str(tmp_path / "out"))) if is_served else nullcontext() as server:
        home = f"http://{server.authority}" if server else (tmp_path / "out").as_uri()
        page.goto(f"{home}/guide/rich.html")
        expect(page.locator(".formula math")).to_have_count(1)
        expect(page.frame_locator("iframe.diagram").locator("svg .node").first).to_be_visible()
        assert page.frames[1].evaluate("self.origin") == "null"
        page.get_by_role("tab", name="Two").click()
        expect(page.get_by_role("tabpanel")).to_contain_text("lens")
        page.emulate_media(color_scheme="dark")
        expect(page.frame_locator("iframe.diagram").locator("html")).to_have_css("color-scheme", "dark")
        assert all(one.startswith(home) for one in asked)
        page.goto(f"{home}/guide/fog.html")
        assert page.locator("script").count() == 0


def test_without_scripts_all_of_a_document_can_be_read(browser: Browser, tmp_path: Path) -> None:
    publish(write_tree(tmp_path / "docs", {"rich.md": RICH}), tmp_path / "out")
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto((tmp_path / "out" / "rich.html").as_uri())
        expect(page.locator("pre.diagram")).to_contain_text("A[Lit] --> B[Dark]")
        expect(page.locator("code.formula")).to_have_text("E = mc^2")
        expect(page.locator(".tab")).to_have_text([re.compile("One.*wick", re.S), re.compile("Two.*lens", re.S)])


def test_a_server_hands_pages_out_under_a_policy_without_scripts(page: Page, out: Path) -> None:
    with serving(options=("--published", str(out))) as server:
        answer = page.goto(f"http://{server.authority}/")
        assert answer is not None
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert "script-src" not in answer.headers["content-security-policy"]
        expect(page.get_by_role("heading", name="Lighthouse")).to_be_visible()
        page.get_by_role("navigation", name="Contents").get_by_role("link", name="guide").click()
        page.wait_for_url(f"http://{server.authority}/guide/index.html")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(248, 244, 234)"
        page.goto(f"http://{server.authority}/guide/")
        page.get_by_role("main").get_by_role("link", name="The lamp").click()
        expect(page.get_by_role("img", name="the lens")).to_be_visible()
