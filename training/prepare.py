"""Folders of Markdown become training material.

Every folder is one repository. Some are held out: no pair is made from them, and questions about them decide which
variant is best: those that people wrote, where there are any, else those that their own documents ask. Pages that
share text with folders that must stay unseen (the graded sets) are left out.
"""

from __future__ import annotations

import hashlib
import random
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path

import pinakes
from pinakes import Library
from pinakes.chunk import chunk
from pinakes.evaluation.questions import Question
from pinakes.evaluation.sets import open_set
from pinakes.evaluation.verdicts import JudgingLevel
from pinakes.records import DOCS, Document
from pinakes.vectors.texts import embedded_text
from training.material import Asked, Exam, Material, Pair, Passage, save
from training.pairs import LONGEST, Made, Numbering, make_pairs
from training.vocabulary import common_words
from training.written import HURRIED, WRITTEN, WrittenFor, about, answer, read_written

_PARAGRAPH = re.compile(r"\n\s*\n")
_LETTERS = re.compile(r"\W+")
MOST_SHARED = 0.2
"""A page is left out when more of its paragraphs than this stand in a folder that must stay unseen."""
MOST_QUESTIONS = 400
"""Of each held-out repository and style."""
MOST_PASSAGES = 20_000
MOST_PAIRS = 30_000
"""Of each repository, besides what people wrote: the largest should not speak for all."""


@dataclass(frozen=True, slots=True)
class Origins:
    """What material is made from."""

    folders: Sequence[Path]
    """Repositories to learn from."""
    held_out: Sequence[Path] = ()
    sets: Sequence[Path] = ()
    asked: Path | None = None
    """A folder of questions that people wrote; see `training.written`."""


def prepare(origins: Origins, out: Path, seed: int = 0) -> None:
    """Write the material: pairs from the folders, questions about what is held out and those of the graded sets."""
    unseen = {digest for folder in (*origins.held_out, *origins.sets) for digest in _paragraphs_below(folder)}
    written = read_written(origins.asked) if origins.asked else ()
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        words = pool.submit(_words, origins.folders, unseen)
        learned = [
            pool.submit(_learned, folder, number, unseen, about(written, folder), seed)
            for number, folder in enumerate(origins.folders)
        ]
        held_out = [pool.submit(_held_out, folder, about(written, folder)) for folder in origins.held_out]
        graded = [pool.submit(_graded, folder) for folder in origins.sets]
        passages, pairs = _joined(origins.folders, [one.result() for one in learned])
        exams = [one.result() for one in (*held_out, *graded)]
        save(out, Material(passages, pairs, exams, words.result()))


def _learned(
    folder: Path, number: int, unseen: set[bytes], written: Mapping[str, Sequence[WrittenFor]], seed: int
) -> Made:
    """What is made of one folder, numbered from zero."""
    with tempfile.TemporaryDirectory() as store, _opened(folder, Path(store), unseen) as library:
        made = make_pairs(library.corpus().store, Numbering(repository=number), seed)
    return _some(_with_written(made, written), random.Random(f"{seed} {number}"))


def _joined(folders: Sequence[Path], learned: Sequence[Made]) -> tuple[list[Passage], list[Pair]]:
    """All folders, the numbers of each counting on from those before."""
    passages: list[Passage] = []
    pairs: list[Pair] = []
    for folder, made in zip(folders, learned, strict=True):
        first, page = len(passages), passages[-1].page + 1 if passages else 0
        passages += [replace(passage, page=passage.page + page) for passage in made.passages]
        pairs += [replace(pair, passage=pair.passage + first) for pair in made.pairs]
        asked = sum(pair.kind in (WRITTEN, HURRIED) for pair in made.pairs)
        print(
            f"{folder.name}: {len(made.passages):,} passages, {len(made.pairs):,} pairs, {asked:,} written", flush=True
        )
    return passages, pairs


def _words(folders: Sequence[Path], unseen: set[bytes]) -> list[str]:
    return common_words([page for page in _pages(folder) if not _is_shared(page, unseen)] for folder in folders)


def _with_written(made: Made, written: Mapping[str, Sequence[WrittenFor]]) -> Made:
    """With the questions that people wrote for passages that are there."""
    by_page: dict[int, dict[int, Passage]] = defaultdict(dict)
    for number, passage in enumerate(made.passages):
        by_page[passage.page][number] = passage
    pages = {path: place for place, path in enumerate(made.paths)}
    more = [
        pair
        for path, asked in written.items()
        for one in asked
        if (found := answer(one, by_page[pages.get(path, -1)])) is not None
        for pair in one.pairs(found)
    ]
    return replace(made, pairs=[*made.pairs, *more])


def _some(made: Made, chance: random.Random) -> Made:
    """Of a large repository no more than others have: all that people asked for, and of the rest what chance leaves."""
    asked = {pair.passage for pair in made.pairs if pair.kind in (WRITTEN, HURRIED)}
    others = [number for number in range(len(made.passages)) if number not in asked]
    room = max(0, MOST_PASSAGES - len(asked))
    kept = sorted(asked | set(chance.sample(others, min(room, len(others)))))
    new = {old: place for place, old in enumerate(kept)}
    pairs = [replace(pair, passage=new[pair.passage]) for pair in made.pairs if pair.passage in new]
    weak = [number for number, pair in enumerate(pairs) if pair.kind not in (WRITTEN, HURRIED)]
    left = set(chance.sample(weak, max(0, len(weak) - MOST_PAIRS)))
    return Made(
        [made.passages[old] for old in kept],
        [pair for number, pair in enumerate(pairs) if number not in left],
        made.paths,
    )


def _opened(folder: Path, store: Path, unseen: set[bytes]) -> Library:
    """The library of a folder without the pages that must stay unseen."""
    shared = [page.relative_to(folder).as_posix() for page in _pages(folder) if _is_shared(page, unseen)]
    arguments = {"store": store / "index", "keywords.enabled": False, "history.enabled": False}
    library = pinakes.open(folder, {**arguments, "sources.exclude": [f"/{path}" for path in shared]})
    library.sync(corpora=(DOCS,))
    return library


def _pages(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*.md")) if path.is_file())


def _paragraphs_below(folder: Path) -> Iterator[bytes]:
    for page in _pages(folder):
        yield from _paragraphs(page)


def _paragraphs(page: Path) -> Iterator[bytes]:
    """Digests of the paragraphs that say something."""
    for paragraph in _PARAGRAPH.split(page.read_text(encoding="utf-8", errors="replace")):
        letters = _LETTERS.sub("", paragraph).lower()
        if len(letters) > 80:
            yield hashlib.blake2b(letters.encode(), digest_size=8).digest()


def _is_shared(page: Path, unseen: set[bytes]) -> bool:
    found = list(_paragraphs(page))
    return sum(digest in unseen for digest in found) > MOST_SHARED * max(len(found), 1)


def _held_out(folder: Path, written: Mapping[str, Sequence[WrittenFor]]) -> Exam:
    """Questions that people wrote about a repository; without any, those that its own documents ask, except those that
    repeat its headings word for word."""
    with tempfile.TemporaryDirectory() as store, _opened(folder, Path(store), set()) as library:
        if written:
            return _written_exam(f"written {folder.name}", library, written)
        asked = [one for one in library.questions() if one.style in ("sentence", "link", "heading")]
        return _exam(f"held-out {folder.name}", library, asked, JudgingLevel.SECTION)


def _written_exam(name: str, library: Library, written: Mapping[str, Sequence[WrittenFor]]) -> Exam:
    exam = _exam(name, library, (), JudgingLevel.SECTION)
    by_path: dict[str, dict[int, Passage]] = defaultdict(dict)
    for number, (key, text) in enumerate(zip(exam.keys, exam.texts, strict=True)):
        by_path[key.rpartition("#")[0]][number] = Passage(0, text)
    asked = [
        Asked(pair.query, pair.kind, {exam.keys[found]: 3.0})
        for path, held in written.items()
        for one in held
        if (found := answer(one, by_path[path])) is not None
        for pair in one.pairs(found)
    ]
    return replace(exam, questions=tuple(asked))


def _graded(folder: Path) -> Exam:
    with tempfile.TemporaryDirectory() as place:
        found = open_set(folder, Path(place))
        assert found.root is not None
        with pinakes.open(found.root, {"store": Path(place) / "index", "keywords.enabled": False}) as library:
            library.sync(corpora=(DOCS,))
            return _exam(folder.name, library, found.questions, found.level)


def _exam(name: str, library: Library, questions: Iterable[Question], level: JudgingLevel) -> Exam:
    texts, keys = [], []
    reader = library.corpus().store
    for known in reader.files(DOCS).values():
        document = reader.document(known.stamp.ref) if known.digest else None
        if document is None:
            continue
        for anchor, text in _sections(document) if level is JudgingLevel.SECTION else _whole(document):
            texts.append(text)
            keys.append(f"{document.ref.path}#{anchor}")
    known_keys = set(keys)
    asked = []
    for one in questions:
        grades = {
            f"{judged.path}#{judged.heading if level is JudgingLevel.SECTION else ''}": 2.0**judged.grade - 1
            for judged in one.relevant
        }
        if grades.keys() & known_keys:
            asked.append(Asked(one.text, one.style, grades))
    return Exam(name, tuple(texts), tuple(keys), tuple(asked))


def _sections(document: Document) -> Iterator[tuple[str, str]]:
    """Each section's anchor and the text of its first part."""
    seen = set()
    for one in chunk(document):
        if one.parent == one.ordinal and one.section not in seen:
            seen.add(one.section)
            yield document.sections[one.section].anchor, embedded_text(document, one)[:LONGEST]


def _whole(document: Document) -> Iterator[tuple[str, str]]:
    yield "", document.source.decode("utf-8", "replace")[:LONGEST]
