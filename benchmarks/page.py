"""How heavy the page is and how soon it can be used: first views in a real Chromium, with nothing kept from before.

    python -m benchmarks.page FOLDER [--rounds 15]

A folder enters, a table leaves: for each view the bytes that travelled (compressed, headers included), the requests,
and the milliseconds from the end of the server's answer until every script of the page has run (`interactive`), the
median and the least of all rounds: what else the machine does makes every one of them longer. `work` is the processor
time of the browser's main thread, which it does not.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.table import machine

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
_LIMIT_BYTES, _LIMIT_MS = 60_000, 150
_TIMING = """() => {
  const [page] = performance.getEntriesByType("navigation");
  return {interactive: page.domContentLoadedEventEnd - page.responseEnd, answer: page.responseEnd - page.requestStart};
}"""


def first_view(browser: Browser, address: str) -> tuple[int, int, dict[str, float]]:
    """Bytes, requests and times of one view in a browser that has never been here."""
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        page = context.new_page()
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        sizes: list[int] = []
        session.on("Network.loadingFinished", lambda told: sizes.append(int(told["encodedDataLength"])))
        page.goto(address)
        times: dict[str, float] = page.evaluate(_TIMING)
        metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
        times["work"] = metrics["TaskDuration"] * 1000
        return sum(sizes), len(sizes), times


class ViewFigures(NamedTuple):
    """What was measured of one view."""

    size: int
    requests: int
    least: float
    """Until interactive, as all times in milliseconds."""
    middle: float
    work: float
    answer: float


def measure(browser: Browser, address: str, rounds: int) -> ViewFigures:
    """The largest number of bytes and requests, the least and the median time until interactive, other medians."""
    views = [first_view(browser, address) for _ in range(rounds)]
    interactive, work, answer = ([view[2][name] for view in views] for name in ("interactive", "work", "answer"))
    middle, busy, answered = map(statistics.median, (interactive, work, answer))
    return ViewFigures(max(v[0] for v in views), max(v[1] for v in views), min(interactive), middle, busy, answered)


def addresses(site: Any, name: str, page: Page) -> dict[str, str]:
    """The views that are measured, by what they are."""
    base = f"{site.address}/in/{name}"
    page.goto(f"{base}/search")
    page.locator(".left .tree a").first.wait_for(timeout=600_000)
    leaf = page.locator(".left .tree a:not(.folder)")
    while not leaf.count():
        page.locator(".left .tree summary").last.click()
        page.wait_for_timeout(300)
    document = leaf.first.get_attribute("href")
    return {
        "start": f"{base}/search",
        "hits": f"{base}/search?query=how+does+it+start",
        "document": f"{site.address}{document}",
        "map": f"{base}/map",
        "manage": f"{base}/manage",
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the views and say which are over the limits; 1 when the first view is."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args(arguments)
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
    from playwright.sync_api import sync_playwright

    from kits.page import CHROMIUM, served

    if not CHROMIUM:
        raise SystemExit("There is no Chromium here. On Debian: apt-get install chromium")
    root = options.folder.resolve()
    with served(root) as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        views = addresses(site, root.name, browser.new_page())
        found = {name: measure(browser, address, options.rounds) for name, address in views.items()}
        browser.close()
    print(machine())
    print(f"{'view':10} {'bytes':>9} {'requests':>9} {'interactive':>22} {'work':>9} {'answer':>9}")
    for name, one in found.items():
        times = f"{one.least:>7.0f} least {one.middle:>6.0f} ms {one.work:>6.0f} ms {one.answer:>6.0f} ms"
        print(f"{name:10} {one.size:>9,} {one.requests:>9} {times}")
    first = found["start"]
    print(f"first view: {first.size:,} of {_LIMIT_BYTES:,} bytes, {first.least:.0f} of {_LIMIT_MS} ms")
    return int(first.size > _LIMIT_BYTES or first.least > _LIMIT_MS)


if __name__ == "__main__":
    raise SystemExit(main())
