"""What documents are made of, in a real Chromium: tabs, copy buttons, formulas, and diagrams in a frame."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install 'pinakes[browser]'")

from playwright.sync_api import Browser, Page, expect

from kits.page import CHROMIUM, LIBRARY, Served, flawless_page, served
from kits.trees import write_tree

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium here: apt-get install chromium")

_ACT = "document.documentElement.dataset.owned='yes'"
RICH = """# Rich

Energy is $E = mc^2$ and this is none: $\\nonsense{$.

$$\\frac{a}{b}$$

```mermaid
flowchart LR
  A[Lit] --> B[Dark]
```

```mermaid
no diagram at all
```

=== "Python"

    ```python
    print("wick")
    ```

=== "Shell"

    ## Inside

    echo wick

Between.

=== "Python"

    two

=== "Shell"

    three
"""
HOSTILE_DIAGRAM = f"""# Hostile

```mermaid
flowchart LR
  A[Lit] --> B["<img src=x onerror={_ACT}><b onmouseover={_ACT}>unlit</b>"]
  click A "javascript:{_ACT}"
```
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    root = write_tree(
        tmp_path_factory.mktemp("rich") / "library", {**LIBRARY, "rich.md": RICH, "bad.md": HOSTILE_DIAGRAM}
    )
    with served(root) as site:
        yield site


@pytest.fixture
def page(browser: Browser, site: Served) -> Iterator[Page]:
    with flawless_page(browser, site.address, "/in/library/read/rich.md") as page:
        yield page


def test_formulas_are_drawn_and_what_is_none_stays_as_written(page: Page) -> None:
    expect(page.locator(".formula math")).to_have_count(2)
    expect(page.locator(".formula.block mfrac")).to_have_count(1)


def test_a_diagram_is_drawn_in_a_frame_that_can_do_nothing(page: Page) -> None:
    expect(page.locator(".source[open] summary")).to_contain_text("This diagram could not be drawn")
    frame = page.locator("iframe.diagram")
    expect(frame).to_have_attribute("sandbox", "allow-scripts")
    expect(page.frame_locator("iframe.diagram").locator("svg .node").first).to_be_visible()
    assert page.frames[1].evaluate("self.origin") == "null"
    expect(page.locator(".source[open] pre")).to_have_text("no diagram at all")


def test_words_of_a_diagram_run_nothing(browser: Browser, site: Served) -> None:
    with browser.new_context(base_url=site.address) as context:
        page = context.new_page()
        page.goto("/in/library/read/bad.md")
        page.frame_locator("iframe.diagram").locator("svg .node").last.hover()
        for frame in page.frames:
            assert frame.evaluate("document.documentElement.dataset.owned ?? 'free'") == "free"


def test_only_a_document_with_a_diagram_may_hold_frames_and_only_of_this_page(site: Served) -> None:
    rich, plain = (site.get(f"/in/library/read/{name}") for name in ("rich.md", "guide/lamp.md"))
    assert "frame-src 'self'" in rich.headers["content-security-policy"]
    assert "frame-src" not in plain.headers["content-security-policy"]
    frame = site.get("/static/diagram.html")
    assert frame.headers["content-security-policy"] == "sandbox allow-scripts; frame-ancestors 'self'"
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', frame.body)
    assert policy and re.fullmatch(
        r"default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src 'unsafe-inline'", policy[1]
    )


def test_tabs_of_one_name_are_chosen_together_also_by_keyboard(page: Page) -> None:
    bars = page.get_by_role("tablist")
    expect(bars).to_have_count(2)
    expect(page.get_by_role("tabpanel")).to_have_count(2)
    bars.first.get_by_role("tab", name="Shell").first.click()
    expect(page.get_by_role("tabpanel").last).to_contain_text("three")
    bars.last.get_by_role("tab", name="Shell").press("ArrowLeft")
    expect(bars.last.get_by_role("tab", name="Python")).to_be_focused()
    expect(page.get_by_role("tabpanel").first).to_contain_text("wick")


def test_code_is_copied_by_a_button(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    code = page.locator(".copied", has_text="print")
    code.hover()
    code.get_by_role("button", name="Copy").click()
    expect(code.get_by_role("button")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == 'print("wick")\n'
