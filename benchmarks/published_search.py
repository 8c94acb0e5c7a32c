"""Is the search page of a published folder small, quick and as good as its method?

A published library and a set of questions enter, figures leave: the size of the index beside the text; what the page in
a real Chromium, from `file://`, takes for every keystroke while the questions are typed; and NDCG@10 of its answers
beside plain BM25 in Python over the same chunks. A chunk is worth the best grade of the judged sections that it holds a
part of.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import log
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.table import Figure, Group, not_installed
from pinakes.evaluation.headings import Headings
from pinakes.evaluation.questions import Question
from pinakes.evaluation.verdicts import ndcg
from pinakes.library import Library
from pinakes.publish.cutting import cut
from pinakes.records import DOCS, Document, Ref

TITLE = "The search page of a published folder"
_K1, _B = 1.2, 0.75
_WORD = re.compile(r"[a-z0-9]+")

# Types every question letter by letter; a keystroke is over when the list stands there, laid out, and then again when
# its snippets do.
_TYPE = """async (questions) => {
  const [field, said, list] = ["q", "said", "hits"].map((id) => document.getElementById(id));
  const isFilled = () => [...list.querySelectorAll(".snippet")].every((one) => one.firstChild);
  const changed = (node, isDone) => new Promise((resolve) => {
    const seen = () => { if (isDone()) { watching.disconnect(); resolve(); } };
    const watching = new MutationObserver(seen);
    watching.observe(node, {childList: true, subtree: true});
  });
  const listed = [], filled = [];
  for (const question of questions) for (let end = 1; end <= question.length; end++) {
    const began = performance.now();
    const shown = changed(said, () => true);
    field.value = question.slice(0, end);
    field.dispatchEvent(new Event("input"));
    await shown;
    document.body.offsetHeight;
    listed.push(performance.now() - began);
    if (!isFilled()) await changed(list, isFilled);
    document.body.offsetHeight;
    filled.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve));
  }
  return {listed, filled};
}"""
_ANSWER = """(questions) => questions.map((question) => {
  const asked = Pinakes.parse(question);
  if (Pinakes.needed(asked).length) throw new Error("not loaded: " + question);
  return Pinakes.rank(asked, 10).hits.map((hit) => [hit.name, hit.index]);
})"""

Place = tuple[str, int]
"""A published document and the number of a chunk in it."""


class Held(NamedTuple):
    """A chunk as the plain ranking sees it."""

    place: Place
    terms: Counter[str]
    length: int


def searched(library: Library, out: Path, questions: Sequence[Question]) -> Group:
    """All figures; the documents must be published with their own names."""
    documents = [_document(library, path) for path in sorted(library.corpus(DOCS).store.files(DOCS))]
    text = sum(len(document.source) for document in documents)
    home = out / "search"
    index = sum(file.stat().st_size for file in (home / "index.js", *home.glob("words-*.js")))
    page = [one for one in home.iterdir() if one.suffix in {".html", ".css", ".js"}]
    scripts = sum(one.stat().st_size for one in page) - index
    texts = sum(file.stat().st_size for file in (home / "text").iterdir())
    size = Figure(
        "index of words",
        100 * index / text,
        "%",
        f"{text:,} bytes of text",
        note=f"{index:,} bytes; page and scripts {scripts:,}, texts for snippets {texts:,}",
    )
    return Group(TITLE, (size, *_in_chromium(documents, out, [one for one in questions if one.relevant])))


def _in_chromium(documents: Sequence[Document], out: Path, questions: Sequence[Question]) -> Iterator[Figure]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        chromium = None
    if not chromium:
        yield not_installed("keystrokes in Chromium", "s", "pinakes[browser] and a Chromium")
        return
    asked = [question.text for question in questions]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--headless", "--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(0)
        page.goto((out / "search" / "index.html").as_uri())
        page.wait_for_function("document.getElementById('said').textContent !== ''")
        times: dict[str, list[float]] = page.evaluate(_TYPE, asked)
        answers: list[list[list[Any]]] = page.evaluate(_ANSWER, asked)
        finished: list[list[list[Any]]] = page.evaluate(_ANSWER, [f"{text} " for text in asked])
        browser.close()
    for name, row in (("a keystroke, until the list stands there", "listed"), ("the same, with snippets", "filled")):
        held = sorted(times[row])
        at = {share: held[min(len(held) - 1, int(share * len(held)))] for share in (0.5, 0.95, 0.99)}
        note = f"95 % {at[0.95]:.1f} ms, 99 % {at[0.99]:.1f} ms, longest {held[-1]:.1f} ms"
        yield Figure(name, at[0.5] / 1000, "s", f"{len(held):,} keystrokes", note=note)
    plain = Plain(documents)
    grades = [_grades(question, {document.ref.path: document for document in documents}) for question in questions]
    beside = [plain.best(text) for text in asked]
    for name, found in (("NDCG@10, as typed", answers), ("NDCG@10, with a space behind", finished)):
        hits = [[(str(path), int(number)) for path, number in one] for one in found]
        alike = sum(len(set(ours) & set(theirs)) for ours, theirs in zip(hits, beside, strict=True))
        yield Figure(
            name,
            100 * _mean(hits, grades),
            "of 100",
            f"{len(asked)} questions",
            f"{100 * _mean(beside, grades):.1f} plain BM25 in Python",
            f"{alike / max(1, sum(map(len, beside))):.0%} of the hits are the same",
        )


def _mean(found: Sequence[Sequence[Place]], grades: Sequence[dict[Place, int]]) -> float:
    return sum(ndcg(hits, held) for hits, held in zip(found, grades, strict=True)) / len(grades)


def _document(library: Library, path: str) -> Document:
    found = library.corpus(DOCS).store.document(Ref(DOCS, path))
    assert found is not None
    return found


def _grades(question: Question, documents: dict[str, Document]) -> dict[Place, int]:
    """What each chunk is worth."""
    found: dict[Place, int] = {}
    for judged in question.relevant:
        document = documents[judged.path]
        section = Headings(document).find(judged.heading)
        if section is None:
            continue
        own = document.own(section)
        for number, one in enumerate(cut(document, 250, 750)):
            if own.start < one.span.end and own.end > one.span.start:
                place = (judged.path, number)
                found[place] = max(found.get(place, 0), judged.grade)
    return found


class Plain:
    """BM25 over published chunks, with nothing but lower case and stems."""

    def __init__(self, documents: Sequence[Document]) -> None:
        import Stemmer

        self._stem = Stemmer.Stemmer("english").stemWords
        self._chunks: list[Held] = []
        self._holding: dict[str, list[int]] = defaultdict(list)
        for document in documents:
            for number, one in enumerate(cut(document, 250, 750)):
                terms = self._terms(f"{document.title} {one.title} {document.text(one.span)}")
                for term in set(terms):
                    self._holding[term].append(len(self._chunks))
                self._chunks.append(Held((document.ref.path, number), Counter(terms), len(terms)))
        self._mean = sum(chunk.length for chunk in self._chunks) / len(self._chunks)

    def _terms(self, text: str) -> list[str]:
        found: list[str] = self._stem(_WORD.findall(text.lower()))
        return found

    def best(self, question: str) -> list[Place]:
        """The ten best."""
        scores: dict[int, float] = defaultdict(float)
        for term in set(self._terms(question)):
            holding = self._holding.get(term, [])
            rarity = log(1 + (len(self._chunks) - len(holding) + 0.5) / (len(holding) + 0.5))
            for at in holding:
                chunk = self._chunks[at]
                times = chunk.terms[term]
                scores[at] += rarity * times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * chunk.length / self._mean))
        best = sorted(scores, key=lambda at: (-scores[at], at))[:10]
        return [self._chunks[at].place for at in best]
