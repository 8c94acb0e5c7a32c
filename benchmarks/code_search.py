"""Is a function found by what its documentation said, once that is taken out?

    python -m benchmarks.code_search [FOLDER] [--questions 300]

A folder of Python code enters, the standard library by default. From random functions with a documentation string that
string is taken out, and its first sentence is asked. What leaves: how often the function is the first hit and among the
first ten, and the mean reciprocal rank, for words alone, for words and meaning together, and for what people do without
an index: the lines that hold a word of the question (as ripgrep finds them), ranked by BM25 over lines. A line counts
as a hit of the function that it stands in.
"""

from __future__ import annotations

import argparse
import ast
import math
import random
import re
import sysconfig
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pinakes.library import Library, open_library
from pinakes.prose import SENTENCE_END
from pinakes.records import CODE, Filter, Query

_FEWEST_WORDS = 5
_WORD = re.compile(r"[A-Za-z]{2,}")
_LEFT_OUT = ("site-packages", "test", "tests", "idlelib", "lib2to3", "__pycache__")
_TEN = 10
_K1, _B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class DocstringQuestion:
    """A sentence, and the function that it was written for."""

    text: str
    path: str
    anchor: str


def take_out(folder: Path, out: Path, count: int) -> list[DocstringQuestion]:
    """Copy the code of a folder without some documentation strings; return those as questions."""
    chosen = random.Random(7)
    sources = {file.relative_to(folder).as_posix(): file.read_bytes() for file in _files(folder)}
    functions = [(path, *one) for path, source in sorted(sources.items()) for one in _documented(source)]
    sample = chosen.sample(functions, min(count, len(functions)))
    for path, source in sources.items():
        lines = source.split(b"\n")
        for where, _, _, first, last in sample:
            if where == path:
                lines[first - 1 : last] = [b""] * (last - first + 1)
        target = out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(b"\n".join(lines))
    return [DocstringQuestion(text, path, anchor) for path, anchor, text, _, _ in sample]


def _files(folder: Path) -> Iterator[Path]:
    for file in folder.rglob("*.py"):
        if not any(part in _LEFT_OUT for part in file.relative_to(folder).parts):
            yield file


def _documented(source: bytes) -> Iterator[tuple[str, str, int, int]]:
    """Anchor, first sentence, and first and last line of the documentation of each function that does more."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    waiting: list[tuple[ast.AST, str]] = [(tree, "")]
    while waiting:
        node, above = waiting.pop()
        for child in ast.iter_child_nodes(node):
            name = getattr(child, "name", "") if isinstance(child, ast.FunctionDef | ast.ClassDef) else ""
            anchor = f"{above}.{name}".lstrip(".") if name else above
            waiting.append((child, anchor))
            text = ast.get_docstring(child) if isinstance(child, ast.FunctionDef) else None
            if text and isinstance(child, ast.FunctionDef) and len(child.body) > 1:
                sentence = " ".join(SENTENCE_END.split(text.replace("\n\n", ". "))[0].split())
                if len(_WORD.findall(sentence)) >= _FEWEST_WORDS:
                    yield anchor, sentence, child.body[0].lineno, child.body[0].end_lineno or child.body[0].lineno


def rank_of(hits: Sequence[tuple[str, str]], question: DocstringQuestion) -> int:
    """The place of the function among the hits, from 1; 0 for none."""
    return next((at for at, hit in enumerate(hits, 1) if hit == (question.path, question.anchor)), 0)


def asked(library: Library, profile: str) -> Callable[[str], list[tuple[str, str]]]:
    """What the library finds for a question."""

    def ask(text: str) -> list[tuple[str, str]]:
        where = Filter(corpora=(CODE,))
        query = Query(re.sub(r"[\"\-:]", " ", text), where, limit=_TEN, profile=profile, min_share=0.0, abstain=False)
        return [(hit.ref.path, hit.ref.anchor) for hit in library.search(query).hits]

    return ask


class Lines:
    """All lines of a folder, ranked by BM25."""

    def __init__(self, library: Library) -> None:
        reader = library.corpus(CODE).store
        self._places: list[tuple[str, str]] = []
        self._lengths: list[int] = []
        self._held: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for outline in library.outlines("code:"):
            document = reader.document(outline.ref)
            assert document is not None
            owners = [""] * (document.source.count(b"\n") + 1)
            for section in document.sections[1:]:
                owners[section.lines.start : section.lines.end] = [section.anchor] * section.lines.length
            for anchor, line in zip(owners, document.source.decode("utf-8", "replace").split("\n"), strict=True):
                words = Counter(_WORD.findall(line.lower()))
                for word, times in words.items():
                    self._held[word].append((len(self._places), times))
                self._places.append((outline.ref.path, anchor))
                self._lengths.append(sum(words.values()))
        self._average = sum(self._lengths) / len(self._lengths)

    def ask(self, text: str) -> list[tuple[str, str]]:
        """The functions of the best lines, each once."""
        scores: dict[int, float] = defaultdict(float)
        for word in set(_WORD.findall(text.lower())):
            held = self._held.get(word, [])
            rarity = math.log(1 + (len(self._places) - len(held) + 0.5) / (len(held) + 0.5))
            for line, times in held:
                length = 1 - _B + _B * self._lengths[line] / self._average
                scores[line] += rarity * times * (_K1 + 1) / (times + _K1 * length)
        ranked = sorted(scores, key=lambda line: -scores[line])
        best = (self._places[line] for line in ranked[: 50 * _TEN])
        return list(dict.fromkeys(best))[:_TEN]


def measure(ways: Mapping[str, Callable[[str], list[tuple[str, str]]]], questions: Sequence[DocstringQuestion]) -> None:
    print("| way | MRR@10 | first | among ten |\n|---|---|---|---|")
    for name, ask in ways.items():
        ranks = [rank_of(ask(question.text), question) for question in questions]
        found = [1 / rank for rank in ranks if rank]
        shares = (sum(rank == 1 for rank in ranks), len(found))
        first, ten = (f"{share / len(ranks):.1%}" for share in shares)
        print(f"| {name} | {sum(found) / len(ranks):.3f} | {first} | {ten} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default=sysconfig.get_path("stdlib"), type=Path)
    parser.add_argument("--questions", type=int, default=300)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        questions = take_out(Path(options.folder), Path(made), options.questions)
        with open_library(made, {"code.enabled": True, "history.enabled": False}) as library:
            library.sync()
            ways = {
                "lines by BM25": Lines(library).ask,
                "words": asked(library, "fast"),
                "words and meaning": asked(library, "balanced"),
            }
            print(f"{len(questions)} questions from documentation strings, {len(library.outlines('code:')):,} files")
            measure(ways, questions)


if __name__ == "__main__":
    main()
