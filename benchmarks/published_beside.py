"""Is the search page of a published folder as thrifty and as good as Pagefind over the same pages?

    python -m benchmarks.published_beside SET [--pagefind NODE_MODULES] [--documents FOLDER]

A set of questions with its documents (as `pinakes eval` reads it) enters, a table leaves. The documents are published;
Pagefind (from npm) indexes the very pages that were published; one server hands both out, and a real Chromium asks
both, each question in a fresh browser without anything cached: requests and bytes of bodies until nothing moves any
more, as plain files and as a server sends them that compresses. NDCG@10 over pages and over sections of pages is taken
from all questions that have an answer. With `--documents` the requests and bytes are taken on that folder instead.
"""

from __future__ import annotations

import argparse
import gzip
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from urllib.parse import unquote

from benchmarks.clock import say
from benchmarks.publishing import lay_out
from benchmarks.table import Figure, Group, as_markdown, machine
from pinakes import open as open_library
from pinakes.evaluation.headings import Headings
from pinakes.evaluation.questions import Question
from pinakes.evaluation.sets import open_set
from pinakes.evaluation.verdicts import ndcg
from pinakes.library import Library
from pinakes.records import DOCS, Ref

WORDS = 3
MOST_TYPED = 12
"""Questions that are typed, each in a browser of its own."""
_DELAY_MS = 90
_BOX = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Pagefind</title>
<link href="pagefind/pagefind-ui.css" rel="stylesheet"><script src="pagefind/pagefind-ui.js"></script>
<div id="search"></div><script>new PagefindUI({element: "#search", showImages: false});</script>"""

Section = tuple[str, str]
"""The page and the anchor of a section."""

_OURS = """async (questions) => {
  const bring = (name) => new Promise((resolve, reject) => {
    Pinakes.arrival(name, resolve);
    const script = document.createElement("script");
    script.src = `${name}.js`;
    script.onerror = reject;
    document.head.append(script);
  });
  const answers = [];
  for (const question of questions) {
    const asked = Pinakes.parse(question);
    for (const name of Pinakes.needed(asked)) await bring(name);
    if (Pinakes.unknown(asked).length) await bring("spelling"), Pinakes.respell(asked);
    for (const name of Pinakes.needed(asked)) await bring(name);
    const {hits} = Pinakes.rank(asked, 40);
    const found = [];
    for (const hit of hits) {
      if (!Pinakes.isHere(hit)) await bring(`text/${hit.file}`);
      found.push([decodeURIComponent(hit.page), Pinakes.passage(hit, asked).anchor]);
    }
    answers.push(found);
  }
  return answers;
}"""
_THEIRS = """async (questions) => {
  const pagefind = await import("/pagefind/pagefind.js");
  const answers = [];
  for (const question of questions) {
    const {results} = await pagefind.search(question);
    const found = [];
    for (const result of results.slice(0, 20)) {
      const {url, sub_results} = await result.data();
      const ranked = [...sub_results].sort((one, other) =>
        other.weighted_locations.reduce((sum, {balanced_score}) => sum + balanced_score, 0) -
        one.weighted_locations.reduce((sum, {balanced_score}) => sum + balanced_score, 0));
      const [best] = ranked.length ? ranked : [{url}];
      found.push([decodeURIComponent(url), decodeURIComponent(best.url.split("#")[1] || "")]);
    }
    answers.push(found);
  }
  return answers;
}"""


class Fetched(NamedTuple):
    """What a browser asked for."""

    requests: int
    bytes: int


class Counting(SimpleHTTPRequestHandler):
    """Hands files out, whole or compressed, and counts them."""

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        data = path.read_bytes() if path.is_file() else b""
        media = self.guess_type(str(path))
        is_small = self.server.compresses and media.startswith(("text/", "application/json"))  # type: ignore[attr-defined]
        sent = gzip.compress(data, 6) if is_small else data
        self.send_response(200 if path.is_file() else 404)
        self.send_header("Content-Type", media)
        if is_small:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)
        self.server.sent.append(len(sent))  # type: ignore[attr-defined]

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def handed_out(folder: Path, *, compresses: bool) -> Iterator[tuple[str, list[int]]]:
    """A server on loopback: its address, and the bytes of each answer."""
    handler = partial(Counting, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        sent: list[int] = []
        server.sent, server.compresses = sent, compresses  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", sent
        finally:
            server.shutdown()
            thread.join()


def typed(browser: Any, address: str, sent: list[int], box: str, question: str) -> Fetched:
    """What one question costs that is typed into a page nobody opened before."""
    sent.clear()
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(address)
        page.wait_for_selector(box)
        page.locator(box).press_sequentially(question, delay=_DELAY_MS)
        seen = -1
        while seen != len(sent):  # until nothing has come for a while
            seen = len(sent)
            page.wait_for_timeout(1200)
    return Fetched(len(sent), sum(sent))


def costs(out: Path, questions: Sequence[str], browser: Any) -> Group:
    """Requests and bytes of typed questions."""
    pages = (("Pinakes", "search/index.html", "#q"), ("Pagefind", "pagefind.html", ".pagefind-ui__search-input"))
    figures = []
    for compresses in (False, True):
        with handed_out(out, compresses=compresses) as (address, sent):
            for name, path, box in pages:
                rows = [typed(browser, f"{address}/{path}", sent, box, one) for one in questions]
                say(f"{name}: {rows}")
                how = "compressed by the server" if compresses else "plain files"
                note = (
                    f"at most {max(one.requests for one in rows)} requests and {max(one.bytes for one in rows):,} bytes"
                )
                middle = f"{median(one.requests for one in rows):.0f} requests"
                kilobytes = median(one.bytes for one in rows) / 1000
                figures.append(Figure(f"{name}, {how}", kilobytes, "kB", f"{len(rows)} questions", middle, note))
    return Group(f"A question of {WORDS} words, typed into a page that nobody opened before (median)", tuple(figures))


def quality(library: Library, out: Path, questions: Sequence[Question], browser: Any) -> Group:
    """NDCG@10 of both."""
    asked = [one.text for one in questions]
    with handed_out(out, compresses=False) as (address, _), browser.new_context() as context:
        page = context.new_page()
        page.set_default_timeout(0)
        page.goto(f"{address}/search/index.html")
        page.wait_for_function("document.getElementById('said').textContent !== ''")
        ours = page.evaluate(_OURS, asked)
        page.goto(f"{address}/pagefind.html")
        theirs = page.evaluate(_THEIRS, asked)
    pages = {f"/{one}": path for path, one in _pages(library, out).items()}
    figures = []
    for name, answers in (("Pinakes", ours), ("Pagefind", theirs)):
        found = [[(pages.get(f"/{unquote(url).lstrip('/')}", ""), anchor) for url, anchor in one] for one in answers]
        by_page = [
            ndcg(_once([path for path, _ in one]), _grades(question))
            for one, question in zip(found, questions, strict=True)
        ]
        by_section = [
            ndcg(_once(one), _section_grades(library, question)) for one, question in zip(found, questions, strict=True)
        ]
        sections = f"{100 * sum(by_section) / len(by_section):.1f} by section"
        figures.append(
            Figure(f"{name}, NDCG@10", 100 * sum(by_page) / len(by_page), "of 100", f"{len(asked)} questions", sections)
        )
    return Group("Answers, by page", tuple(figures))


def _once(found: Sequence[Any]) -> list[Any]:
    return list(dict.fromkeys(found))[:10]


def _pages(library: Library, out: Path) -> dict[str, str]:
    """By document, its page."""
    from pinakes.publish.site import SitePlaces
    from pinakes.publish.topics import find_topics

    outlines = tuple(library.corpus(DOCS).store.outlines(DOCS))
    site = SitePlaces.of(find_topics(outlines, library.root.name), (), has_pages=True)
    assert all((out / page.place).is_file() for page in site.pages.values())
    return {path: page.place for path, page in site.pages.items()}


def _grades(question: Question) -> dict[str, int]:
    found: dict[str, int] = {}
    for judged in question.relevant:
        found[judged.path] = max(found.get(judged.path, 0), judged.grade)
    return found


def _section_grades(library: Library, question: Question) -> dict[Section, int]:
    found: dict[Section, int] = {}
    for judged in question.relevant:
        document = library.corpus(DOCS).store.document(Ref(DOCS, judged.path))
        place = Headings(document).find(judged.heading) if document else None
        if document is not None and place is not None:
            found[judged.path, document.sections[place].anchor] = judged.grade
    return found


def published(root: Path, out: Path, pagefind: Path) -> Library:
    """Publish, and have Pagefind index what was published; the library stays open."""
    library = open_library(root)
    library.sync(corpora=(DOCS,))
    library.publish(out)
    (out / "pagefind.html").write_text(_BOX, encoding="utf-8")
    runner = pagefind / "pagefind" / "lib" / "runner" / "bin.cjs"
    command = ["node", str(runner), "--site", str(out), "--root-selector", "article", "--glob", "**/*.html"]
    subprocess.run(command, check=True, capture_output=True)
    return library


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.published_beside")
    parser.add_argument("questions", type=Path)
    parser.add_argument("--documents", type=Path)
    parser.add_argument("--pagefind", type=Path, default=Path("web/node_modules"))
    options = parser.parse_args()
    from playwright.sync_api import sync_playwright

    asked = open_set(options.questions)
    if asked.root is None:
        raise SystemExit(f"{options.questions} has no documents of its own")
    of_three = [one.text for one in asked.questions if len(one.text.split()) == WORDS and one.relevant][:MOST_TYPED]
    answerable = [one for one in asked.questions if one.relevant]
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        root, out = Path(scratch, "docs"), Path(scratch, "out")
        lay_out(options.documents or asked.root, root, 1_000_000)
        library = published(root, out, options.pagefind)
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--headless", "--no-sandbox"])
        groups = [costs(out, of_three, browser)]
        if not options.documents:
            groups.append(quality(library, out, answerable, browser))
        browser.close()
        library.close()
    print(as_markdown(machine(), groups))


if __name__ == "__main__":
    main()
