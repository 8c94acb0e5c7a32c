"""Folders of documents that any embedder can be tried on.

A folder enters, a `Collection` leaves: its index, questions about it, and searches with any embedder. All that does not
depend on the embedder is made once, so that comparing four of them costs little more than their vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

import pinakes
from pinakes import Library
from pinakes.chunk import chunk
from pinakes.evaluation.questions import Judgement, Question
from pinakes.evaluation.sets import open_set
from pinakes.evaluation.verdicts import Evaluation, JudgingLevel, asked_like, evaluate
from pinakes.neural.cache import VectorCache
from pinakes.own_folder import OwnFolder
from pinakes.ports import ActiveVectors, Embedder
from pinakes.records import DOCS, Document, Query, Ref, Results
from pinakes.search import SearchOptions, Tools, Weighing, search
from pinakes.slugs import slug
from pinakes.vectors import open_vectors
from pinakes.vectors.texts import embedded_text
from training.material import Pair, Passage
from training.taken import take_out
from training.written import about, answer, read_written

T = TypeVar("T")

MOST_BYTES = 500_000
"""Of a repository: more pages tell little more, and a transformer reads a megabyte in a minute."""
OWN_STYLES = ("heading", "link", "sentence")
PER_STYLE = 40
"""Questions taken out of a repository, of each style."""
ABSENT = "absent"
"""The style of questions whose page was left out, so that nothing answers them."""
PAGES = (".md", ".mdx", ".markdown")
_LEFT_OUT = 4
"""Of so many pages that people asked about one is left out."""
ANYWAY = Query("", limit=15, abstain=False)
"""Answers are wanted whether or not there is evidence for one; sections without text of their own count as the next, so
ten of them can take more hits."""
USUAL = SearchOptions()
USUAL_WEIGHTS = Weighing()


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents, questions about them, and everything but vectors."""

    name: str
    library: Library
    questions: tuple[Question, ...]
    level: JudgingLevel
    place: Path
    """Where its vectors are kept, a folder for each embedder."""

    def tools(self, embedder: Embedder, cache: VectorCache | None = None) -> Tools:
        """What a search with that embedder works with; makes the vectors that are missing, and none that the cache
        has: the same page may be asked about in several ways."""
        corpus = self.library.corpus()
        tools = corpus.toolbox.tools("balanced", corpus.store)
        self.place.mkdir(parents=True, exist_ok=True)
        vectors = open_vectors(OwnFolder(self.place / embedder.name), cache)
        vectors.update(tools.reader, embedder)
        return replace(tools, meaning=ActiveVectors(vectors.now, embedder))

    def titles(self) -> frozenset[str]:
        """The headings there are, as slugs."""
        outlines = self.library.corpus().store.outlines(DOCS)
        return frozenset(slug(section.title) for outline in outlines for section in outline.sections)


@dataclass(frozen=True, slots=True)
class Asking:
    """How questions are put."""

    tools: Tools
    options: SearchOptions = USUAL
    weighing: Weighing = USUAL_WEIGHTS
    like: Query = ANYWAY

    def ask(self, question: Question) -> Results:
        return search(asked_like(question, self.like), self.tools, self.options, self.weighing)

    def judge(self, questions: Sequence[Question], level: JudgingLevel = JudgingLevel.SECTION) -> Evaluation:
        return evaluate(questions, self.ask, self.tools.reader, level)


def held_out(folder: Path, place: Path, most_bytes: int = MOST_BYTES, per_style: int = PER_STYLE) -> Collection:
    """A repository, asked what was taken out of its documents; of a large one some pages, always the same."""
    with _some(folder, place, most_bytes) as whole:
        questions, left = take_out(whole.corpus().store, per_style)
    for path, data in left.items():
        target = place / "corpus" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.is_file() or target.read_bytes() != data:
            target.write_bytes(data)
    return Collection(
        folder.name, _library(place / "corpus", place, ()), questions, JudgingLevel.SECTION, place / "vectors"
    )


def own_questions(folder: Path, place: Path, most_bytes: int = MOST_BYTES, per_style: int = PER_STYLE) -> Collection:
    """The same pages as they are, asked what `eval --self` asks: headings, texts of links, sentences without their
    rarer words. Words know most of these already."""
    library = _some(folder, place, most_bytes)
    questions = [
        one
        for style in OWN_STYLES
        for one in _first((each for each in library.questions() if each.style == style), per_style)
    ]
    return Collection(
        f"{folder.name} own", library, tuple(questions), JudgingLevel.SECTION, place / "whole" / "vectors"
    )


def asked_about(folder: Path, place: Path, asked: Path, most_bytes: int = MOST_BYTES) -> Collection:
    """A repository, asked what people wrote about it (`training.written`). Every fourth page that they wrote about is
    left out: what they ask of it is plausible, and nothing answers."""
    written = about(read_written(asked), folder)
    absent = {path for path in written if int(_digest(path)[:8], 16) % _LEFT_OUT == 0}
    sizes = {path: path.stat().st_size for path in sorted(folder.rglob("*")) if path.suffix in PAGES and path.is_file()}
    others = {path: size for path, size in sizes.items() if path.relative_to(folder).as_posix() not in written}
    left_out = [*absent, *(path.relative_to(folder).as_posix() for path in _beyond(others, folder, most_bytes))]
    library = _library(folder, place / "asked", [f"/{path}" for path in left_out])
    reader = library.corpus().store
    questions: list[Question] = []
    for path, held in sorted(written.items()):
        document = reader.document(Ref(DOCS, path))
        if document is not None and path not in absent:
            anchors, passages = _sections(document)
            found = [(one, answer(one, passages)) for one in held]
            questions += [
                _written(f"{path}-{number}", one, (Judgement(path, anchors[place], 2),))
                for number, (section, place) in enumerate(found)
                if place is not None
                for one in section.pairs(place)
            ]
        elif path in absent:
            questions += [
                _written(f"{path}-{n}", one, ()) for n, section in enumerate(held) for one in section.pairs(0)
            ]
    return Collection(
        f"{folder.name} asked", library, tuple(questions), JudgingLevel.SECTION, place / "asked" / "vectors"
    )


def _sections(document: Document) -> tuple[list[str], dict[int, Passage]]:
    """The anchor of each section, and its text as it is embedded."""
    wholes = [one for one in chunk(document) if one.parent == one.ordinal]
    texts = {place: Passage(0, embedded_text(document, one)) for place, one in enumerate(wholes)}
    return [document.sections[one.section].anchor for one in wholes], texts


def _written(name: str, pair: Pair, relevant: tuple[Judgement, ...]) -> Question:
    return Question(f"{name}-{_digest(pair.query)[:8]}", pair.query, pair.kind if relevant else ABSENT, relevant)


def _some(folder: Path, place: Path, most_bytes: int) -> Library:
    """The pages of a repository that fit."""
    sizes = {path: path.stat().st_size for path in sorted(folder.rglob("*.md")) if path.is_file()}
    left_out = [f"/{path.relative_to(folder).as_posix()}" for path in _beyond(sizes, folder, most_bytes)]
    return _library(folder, place / "whole", left_out)


def graded(folder: Path, place: Path, most_documents: int = 0, most_questions: int = 0) -> Collection:
    """A set of graded questions; of its documents the judged ones and as many others as are wanted, 0 for all."""
    found = open_set(folder, place)
    assert found.root is not None, f"{folder} holds questions about another library"
    questions = _first(found.questions, most_questions) if most_questions else found.questions
    left_out: list[str] = []
    if most_documents and found.level is JudgingLevel.DOCUMENT:
        judged = {one.path for question in questions for one in question.relevant}
        others = _first((path.name for path in found.root.iterdir() if path.name not in judged), 0)
        left_out = [f"/{name}" for name in others[max(0, most_documents - len(judged)) :]]
    library = _library(found.root, place, left_out)
    return Collection(folder.name, library, tuple(questions), found.level, place / "vectors")


def by_style(evaluation: Evaluation) -> float:
    """NDCG@10, every style counting the same."""
    rows = evaluation.rows()[:-1] or evaluation.rows()
    return sum(row.ndcg for row in rows) / len(rows)


def _library(root: Path, place: Path, left_out: Sequence[str]) -> Library:
    place.mkdir(parents=True, exist_ok=True)
    arguments = {"store": place / "index", "keywords.enabled": False, "history.enabled": False}
    library = pinakes.open(root, {**arguments, "neural.model": "static", "sources.exclude": list(left_out)})
    library.sync(corpora=(DOCS,))
    return library


def _beyond(sizes: Mapping[Path, int], folder: Path, most_bytes: int) -> Iterator[Path]:
    room = most_bytes
    for path in sorted(sizes, key=lambda one: _digest(one.relative_to(folder).as_posix())):
        room -= sizes[path]
        if room < 0:
            yield path


def _first(held: Iterable[T], most: int) -> list[T]:
    """The first by digest, always the same; all of them for 0."""
    ordered = sorted(held, key=lambda one: _digest(str(one)))
    return ordered[:most] if most else ordered


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
