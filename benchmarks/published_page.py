"""How heavy published pages are and how soon they can be read: first views in a real Chromium, as Lighthouse has it.

    python -m benchmarks.published_page FOLDER [--rounds 7]

A folder of documents enters; it is published and handed out by `serve --published`. A table leaves: for the front page,
the page of a folder, a middling document, the one of most bytes, one with a diagram where there is one, and the search
page, the bytes that travelled without pictures (compressed, headers included) and the requests, both the most of all
rounds; then the medians of the milliseconds from the request to the first and to the largest thing drawn, of how long
scripts block the reader, and of the shift of what was drawn. Over 100,000 bytes, 200 ms blocked or a shift of 0.1 it
says so and ends with 1; a diagram may weigh what draws it.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.page import FLAGS
from benchmarks.table import machine
from pinakes import open as open_library
from pinakes.html.scripts import DIAGRAMS
from pinakes.publish.listing import Listing
from pinakes.publish.searching import PAGE
from pinakes.records import DOCS

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_LIMIT_BYTES, _LIMIT_BLOCKED_MS, _LIMIT_SHIFT = 100_000, 200, 0.1
_LONG_TASK_MS = 50
"""What a script may take before a reader notices; Lighthouse counts what is above it."""
_OBSERVED = """() => {
  window.seen = {largest: 0, blocked: 0, shift: 0};
  const watch = (type, take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({type, buffered: true});
  watch("largest-contentful-paint", (one) => (seen.largest = one.startTime));
  watch("longtask", (one) => (seen.blocked += Math.max(0, one.duration - %d)));
  watch("layout-shift", (one) => (seen.shift += one.hadRecentInput ? 0 : one.value));
}"""
_TOLD = """() => {
  const [first] = performance.getEntriesByName("first-contentful-paint");
  return {first: first ? first.startTime : 0, ...seen};
}"""


class PageView(NamedTuple):
    """A first view."""

    size: int
    requests: int
    times: dict[str, float]


class ViewFigures(NamedTuple):
    """All first views of a page."""

    size: int
    requests: int
    first: float
    largest: float
    blocked: float
    shift: float

    def troubles(self, name: str) -> list[str]:
        """What is over the limits."""
        said = []
        if self.size > _LIMIT_BYTES and name != "diagram":
            said.append(f"{name}: {self.size:,} of {_LIMIT_BYTES:,} bytes")
        if self.blocked > _LIMIT_BLOCKED_MS and name != "diagram":
            said.append(f"{name}: blocked for {self.blocked:.0f} of {_LIMIT_BLOCKED_MS} ms")
        if self.shift > _LIMIT_SHIFT:
            said.append(f"{name}: shifts by {self.shift:.2f} of {_LIMIT_SHIFT}")
        return said


def first_view(browser: Browser, address: str) -> PageView:
    """One view in a browser that has never been there."""
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        page = context.new_page()
        page.add_init_script(f"({_OBSERVED % _LONG_TASK_MS})()")
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        pictures: set[str] = set()
        sizes: dict[str, int] = {}
        session.on(
            "Network.responseReceived",
            lambda told: pictures.add(told["requestId"]) if told["type"] == "Image" else None,
        )
        session.on(
            "Network.loadingFinished", lambda told: sizes.__setitem__(told["requestId"], int(told["encodedDataLength"]))
        )
        page.goto(address, wait_until="networkidle")
        times: dict[str, float] = page.evaluate(_TOLD)
        kept = {name: size for name, size in sizes.items() if name not in pictures}
        return PageView(sum(kept.values()), len(sizes), times)


def measure(browser: Browser, address: str, rounds: int) -> ViewFigures:
    """The most bytes and requests, and the medians of the times."""
    views = [first_view(browser, address) for _ in range(rounds)]
    first, largest, blocked, shift = (
        statistics.median(view.times[name] for view in views) for name in ("first", "largest", "blocked", "shift")
    )
    size, requests = max(view.size for view in views), max(view.requests for view in views)
    return ViewFigures(size, requests, first, largest, blocked, shift)


def chosen(out: Path) -> dict[str, str]:
    """The pages that are measured, by what they are."""
    listing = Listing(out)
    pages = [str(one.relative_to(out)) for one in out.rglob("*.html")]
    ours = sorted((one for one in pages if listing.is_page(one)), key=lambda one: (out / one).stat().st_size)
    fronts = [one for one in ours if one.endswith("/index.html")]
    found = {"front": "", "folder": fronts[len(fronts) // 2] if fronts else "", "middling": ours[len(ours) // 2]}
    found |= {"heaviest": ours[-1], "search": f"{PAGE}#q=how to begin"}
    if drawn := [one for one in ours if DIAGRAMS in listing.scripts(one)]:
        found["diagram"] = drawn[len(drawn) // 2]
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the pages and say which are over the limits; 1 when any is."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.published_page", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args(arguments)
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
    from playwright.sync_api import sync_playwright

    from kits.http import serving
    from kits.page import CHROMIUM

    if not CHROMIUM:
        raise SystemExit("There is no Chromium here. On Debian: apt-get install chromium")
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch, "out")
        with open_library(options.folder.resolve()) as library:
            library.sync(corpora=(DOCS,))
            library.publish(out)
        with serving(options=("--published", str(out))) as server, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            found = {
                name: measure(browser, f"http://{server.authority}/{place}", options.rounds)
                for name, place in chosen(out).items()
            }
            browser.close()
    print(machine())
    print(f"{'page':10} {'bytes':>9} {'requests':>9} {'first':>9} {'largest':>9} {'blocked':>9} {'shift':>7}")
    for name, one in found.items():
        times = " ".join(f"{value:>6.0f} ms" for value in (one.first, one.largest, one.blocked))
        print(f"{name:10} {one.size:>9,} {one.requests:>9} {times} {one.shift:>7.2f}")
    troubles = [trouble for name, one in found.items() for trouble in one.troubles(name)]
    print("\n".join(troubles) or "every page is within its limits")
    return int(bool(troubles))


if __name__ == "__main__":
    raise SystemExit(main())
