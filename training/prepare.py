"""Folders of Markdown become training material.

Every folder is one repository. Some are held out: no pair is made from them, and questions about them decide which
variant is best. Pages that share text with folders that must stay unseen (the graded sets) are left out.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
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
from training.pairs import LONGEST, make_pairs
from training.vocabulary import common_words

_PARAGRAPH = re.compile(r"\n\s*\n")
_LETTERS = re.compile(r"\W+")
MOST_SHARED = 0.2
"""A page is left out when more of its paragraphs than this stand in a folder that must stay unseen."""
MOST_QUESTIONS = 400
"""Of each held-out repository and style."""


def prepare(folders: Sequence[Path], held_out: Sequence[Path], sets: Sequence[Path], out: Path, seed: int = 0) -> None:
    """Write the material: pairs from `folders`, questions about `held_out` and those of the graded `sets`."""
    unseen = {digest for folder in (*held_out, *sets) for digest in _paragraphs_below(folder)}
    passages: list[Passage] = []
    pairs: list[Pair] = []
    for folder in folders:
        with tempfile.TemporaryDirectory() as store, _opened(folder, Path(store), unseen) as library:
            page = passages[-1].page + 1 if passages else 0
            more, made = make_pairs(library.corpus().store, len(passages), page, seed)
            passages += more
            pairs += made
    exams = [*map(_held_out, held_out), *map(_graded, sets)]
    words = common_words([page for page in _pages(folder) if not _is_shared(page, unseen)] for folder in folders)
    save(out, Material(passages, pairs, exams, words))


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


def _held_out(folder: Path) -> Exam:
    """Questions that a repository's own documents ask, without those that repeat its headings word for word."""
    with tempfile.TemporaryDirectory() as store, _opened(folder, Path(store), set()) as library:
        asked = [one for one in library.questions() if one.style in ("sentence", "link", "heading")]
        return _exam(f"held-out {folder.name}", library, asked, JudgingLevel.SECTION)


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
