"""Pictures of the pages for their documentation, taken in a real Chromium over our own documents.

`make screenshots` runs it; it needs Chromium and writes docs/images/page-*.png and work-*.png.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from kits.git import Repo
from kits.page import CHROMIUM, FLAGS, served
from kits.trees import write_tree
from kits.work_pictures import work_pictures
from pinakes.library import open_library
from pinakes.records.memory import MemoryType

DOCS = Path(__file__).resolve().parents[1] / "docs"
LARGEST = 200_000


class Shot(NamedTuple):
    """One picture: its name, the view, and how it is looked at."""

    name: str
    view: str
    is_dark: bool = False
    width: int = 1280
    height: int = 800
    asks: str = ""
    """What is asked in the dialog of Ctrl K."""


SHOTS = (
    Shot("search", "search?q=how+are+files+ignored%3F"),
    Shot("search-dark", "search?q=how+are+files+ignored%3F", is_dark=True),
    Shot("reader", "read/configuration.md?lines=6-20#who-wins", height=600),
    Shot("map", "map", height=640),
    Shot("graph", "graph", is_dark=True),
    Shot("memories", "memories", height=720),
    Shot("history", "history?q=why+do+editors+save+twice%3F", height=720),
    Shot("anywhere", "map", height=560, asks="how are files ignored?"),
    Shot("document", "read/notes/rich.md", height=760),
    Shot("manage", "manage", height=900),
    Shot("nothing-found", "search?q=quantum+chromodynamics", height=560),
    Shot("narrow", "search?q=how+are+files+ignored%3F", width=390, height=760),
)


NOTES: dict[str, str | bytes] = {"notes/quiet.md": "# Quiet period\n\n500 ms after the last change.\n"}
RICH = """# From a save to an answer

A save is taken in after a quiet time of $t_q = 500$ ms, so that $n$ saves in a row cost one sync:

```mermaid
flowchart LR
  S[Save] --> Q{Quiet?}
  Q -- no --> Q
  Q -- yes --> I[Index] --> A[Answer]
```

!!! tip "Nothing to do"
    Servers watch by themselves, see [watch](../watch.md).

=== "Shell"

    ```sh
    pinakes serve docs
    ```

=== "Python"

    ```python
    with pinakes.open("docs") as library:
        library.sync()
    ```
"""
MEMORIES = (
    (
        "Why half a second",
        MemoryType.FACT,
        ["watch", "editors"],
        "Editors save in two steps, so changes are looked at after 500 ms of quiet; see [[watch.md#what-is-watched]].",
    ),
    (
        "Plan for the handbook",
        MemoryType.PLAN,
        ["handbook"],
        "Move the notes of the team into the handbook, after [[publish.md]]. It depends on [[style-guide.md]].",
    ),
    (
        "Search at 11 ms",
        MemoryType.JOURNAL,
        ["speed"],
        "Measured again after the new ranks: 11 ms for a question, as [[search.md]] says.",
    ),
)


def live_in(root: Path) -> None:
    """Give the library a history and something to remember."""
    repo = Repo(root)
    write_tree(root, {".gitignore": ".pinakes\n"})
    repo.commit("Documentation of the first version")
    repo.commit("The quiet period is 500 ms\n\nEditors save in two steps, and a sync between them sees half.", NOTES)
    repo.commit(
        "Say what a project may not decide",
        {"notes/consent.md": "# Consent\n\nA project is not its user.\n", "notes/rich.md": RICH},
    )
    with open_library(root) as library:
        library.sync()
        for title, kind, tags, text in MEMORIES:
            library.memories.remember(text, title, type=kind, tags=tags, review_by="2026-01-31" if tags[1:] else "")


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
        live_in(root)
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
                    page.wait_for_load_state("load")
                    expect(page.locator("main")).not_to_contain_text("for the first time", timeout=60_000)
                    if shot.asks:
                        page.keyboard.press("Control+k")
                        page.keyboard.type(shot.asks)
                        expect(page.locator(".palette .address", has_text=".md").first).to_be_visible()
                    if page.locator("iframe.diagram").count():
                        expect(page.frame_locator("iframe.diagram").locator("svg .node").first).to_be_visible()
                    data = page.screenshot()
                keep(f"page-{shot.name}", data)
        for name, data in work_pictures(browser, Path(folder) / "handbook", root):
            keep(f"work-{name}", data)
        browser.close()
    return 0


def keep(name: str, data: bytes) -> None:
    """Write a picture for the documentation; raises `SystemExit` for one that is too large to be kept."""
    if len(data) > LARGEST:
        raise SystemExit(f"{name}: {len(data):,} bytes are more than {LARGEST:,}; make it smaller.")
    (DOCS / "images" / f"{name}.png").write_bytes(data)


if __name__ == "__main__":
    sys.exit(main())
