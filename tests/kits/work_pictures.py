"""What the documentation of a workspace shows: a small handbook with some code, and a conversation over both."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from kits.git import Repo
from kits.page import Served
from kits.providers import ScriptedAnswer, providing
from kits.work_page import WORKPLACE, work_page, working

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_LENS = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 150" font-family="sans-serif" font-size="11">
  <rect x="20" y="52" width="56" height="46" rx="5" fill="#f1e6cf" stroke="#b0894a"/>
  <text x="35" y="79">Lamp</text>
  <path d="M120 25 Q146 75 120 125 Q94 75 120 25" fill="#dfe5f4" stroke="#26458f"/>
  <text x="108" y="79">Lens</text>
  <path d="M78 75 H104 M138 60 L212 34 M138 75 H216 M138 90 L212 116" stroke="#b0894a" fill="none"/>
  <text x="176" y="70">Beam</text>
</svg>
"""
_HANDBOOK: dict[str, str | bytes] = {
    **WORKPLACE,
    ".gitignore": ".pinakes\n",
    "guide/lens.svg": _LENS,
    "guide/lamp.md": (
        "# The lamp\n\nThe lamp burns whale oil all night. It stands behind the [lens](lens.svg).\n\n"
        "## Trimming the wick\n\nTrim the wick every four hours, or the flame smokes. "
        "In [fog](fog.md) look more often.\n\n"
        "## Oil\n\nA night takes two gallons in summer and five in winter. Order in spring, when the road is dry.\n"
    ),
    "guide/watch.md": "# The watch\n\nTwo keepers share a night. Who leaves writes the weather into the log.\n",
    "reports/2025.md": "# Report of the year 2025\n\nThe lamp was dark for eleven minutes in all.\n",
}
_DOCUMENTS = ScriptedAnswer(
    "The page says *when* to trim, but not *who* does it. In short:\n\n"
    "- The lamp burns all night, on two to five gallons of oil.\n"
    "- The wick is trimmed every **four hours**, in [fog](guide/fog.md) more often.\n"
    "- Oil is ordered in spring.\n\n"
    "I would name the keeper, as [the watch](guide/watch.md) does:\n\n"
    "guide/lamp.md\n<<<<<<< FIND\nTrim the wick every four hours, or the flame smokes.\n=======\n"
    "The keeper on watch trims the wick every four hours, or the flame smokes.\n>>>>>>> END\n",
    piece=40,
    when="document",
)
_CODE = ScriptedAnswer(
    "`trim` repeats a word, so a negative number of hours gives an empty text without a warning. "
    "`Keeper.night` is its only caller and passes 4.\n\n"
    '```python\nassert trim(-1) == ""  # passes today\n```\n\nI would refuse such numbers:\n\n'
    'src/lamp.py\n<<<<<<< FIND\n    return "trim" * hours\n=======\n'
    '    if hours < 0:\n        raise ValueError("hours cannot be negative")\n    return "trim" * hours\n>>>>>>> END\n',
    piece=40,
    when="function",
)


def work_pictures(browser: Browser, root: Path, library: Path) -> Iterator[tuple[str, bytes]]:
    """Names and pictures, of a handbook that is made at `root`, and of what a library of some size sends."""
    Repo(root).commit("The handbook", _HANDBOOK)
    with providing([_DOCUMENTS, _CODE]) as provider, working(root, provider) as site:
        yield from _on_a_desk(browser, site)
        yield from _in_the_dark(browser, site)
        yield from _on_a_telephone(browser, site)
    with providing(["It is so."]) as provider, working(library, provider) as site:
        yield from _what_is_sent(browser, site)


def _on_a_desk(browser: Browser, site: Served) -> Iterator[tuple[str, bytes]]:
    with work_page(browser, site) as page:
        page.locator(".modes label", has_text="Documents").click()
        page.get_by_role("treeitem", name="lamp.md").locator(".check").click()
        _ask(page, "Summarise this document, and say what a new keeper would miss.")
        yield "documents", _picture(page)
        page.get_by_role("button", name="Dry run").click()
        page.get_by_role("button", name="Compare and edit guide/lamp.md").click()
        page.locator(".editor .cm-changedLine").first.wait_for()
        yield "compare", _picture(page)
        page.get_by_role("treeitem", name="lens.svg").click()
        page.get_by_role("img", name="Drawing guide/lens.svg").wait_for()
        yield "drawing", _picture(page)


def _in_the_dark(browser: Browser, site: Served) -> Iterator[tuple[str, bytes]]:
    with work_page(browser, site, color_scheme="dark") as page:
        page.locator(".modes label", has_text="Code").click()
        page.get_by_role("tab", name="Conversations").click()
        page.get_by_role("button", name="New conversation").click()
        page.get_by_role("tab", name="Files").click()
        page.get_by_role("treeitem", name="lamp.py").locator(".check").click()
        _ask(page, "What does this function do with negative hours?")
        yield "code", _picture(page)


def _on_a_telephone(browser: Browser, site: Served) -> Iterator[tuple[str, bytes]]:
    with work_page(browser, site, viewport={"width": 390, "height": 760}) as page:
        page.locator(".answer").first.wait_for()
        yield "narrow", _picture(page)


def _what_is_sent(browser: Browser, site: Served) -> Iterator[tuple[str, bytes]]:
    with work_page(browser, site, viewport={"width": 1280, "height": 900}) as page:
        page.locator(".modes label", has_text="Documents").click()
        page.get_by_role("searchbox", name="Find files").fill("w")
        page.get_by_role("treeitem", name="watch.md").locator(".check").click()
        for number in range(1, 6):
            page.get_by_role("textbox", name="Question").fill("Is it so?")
            page.get_by_role("button", name="Ask", exact=True).click()
            page.locator(".usage").nth(number - 1).wait_for()
        page.locator(".tab-bar").get_by_role("tab", name="Context").click()
        page.locator(".context-shown table").first.wait_for()
        yield "context", _picture(page)


def _ask(page: Page, words: str) -> None:
    page.get_by_role("textbox", name="Question").fill(words)
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_role("button", name="Dry run").wait_for()


def _picture(page: Page) -> bytes:
    """The page as it stands, with the notes that come and go taken away."""
    page.locator(".toasts").evaluate("notes => notes.replaceChildren()")
    page.wait_for_load_state("load")
    picture: bytes = page.screenshot(animations="disabled")
    return picture
