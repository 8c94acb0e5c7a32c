"""How long does publishing take, and what are the orders and hashes worth?

    python -m benchmarks.publishing FOLDER [--documents 6000] [--questions SET]

A folder of documents enters, a table leaves: publishing so many of them after a sync, publishing again with nothing
changed, and after one document was edited, each in a process of its own. With a set of questions as `pinakes eval`
reads it, also how many judged sections the first N chunks hold, in the published order and in that of the documents,
what the hashes of half of the questions know of the other half, and how the search page does. The folder is only read.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from benchmarks.clock import say
from benchmarks.published_search import searched
from benchmarks.table import Figure, Group, as_markdown, machine
from pinakes import open as open_library
from pinakes.config import load_config
from pinakes.evaluation.headings import Headings
from pinakes.evaluation.questions import Question, as_line
from pinakes.evaluation.sets import open_set
from pinakes.library import Library, ask_published
from pinakes.publish.cutting import cut
from pinakes.records import DOCS, Ref, formats
from pinakes.sources import FolderSource

DEEPEST = 10


def lay_out(folder: Path, root: Path, count: int) -> int:
    """Copy so many documents, in the order of their paths; says how many there were."""
    stamps = FolderSource(folder, load_config(folder).sources).scan().stamps
    chosen = [stamp.ref.path for stamp in stamps if stamp.media is not formats.ASSET][:count]
    for path in chosen:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / path, target)
    return len(chosen)


def run(*arguments: str) -> tuple[float, float, dict[str, object]]:
    """Seconds, processor seconds and the report of one command."""
    before, started = os.times(), time.perf_counter()
    command = [sys.executable, "-m", "pinakes", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - started, spent, json.loads(done.stdout)


def speed(folder: Path, count: int, scratch: Path) -> Group:
    """How long each kind of run takes."""
    root, out = scratch / "docs", str(scratch / "out")
    found = lay_out(folder, root, count)
    (root / "pinakes.toml").touch()
    say(f"syncing {found:,} documents")
    run("sync", "--root", str(root), "--json")
    figures = []
    for name in ("publish", "again, nothing changed", "again, one document edited"):
        say(name)
        if name.endswith("edited"):
            page = sorted(root.rglob("*.md"))[found // 2]
            page.write_text(page.read_text(encoding="utf-8") + "\nOne sentence more.\n", encoding="utf-8")
        wall, spent, report = run("publish", out, "--root", str(root), "--json")
        written = report["written"]
        assert isinstance(written, list)
        note = f"{spent:.1f} s of processor time; {len(written):,} files written, {report['chunks']:,} chunks"
        figures.append(Figure(name, wall, "s", f"{report['documents']:,} documents", note=note))
    return Group("Publishing, from process start to end, comparing with the folder first", tuple(figures))


def chunks_of(library: Library, out: Path, path: str, wanted: set[str]) -> tuple[list[int], list[set[int]]]:
    """The order of a document's chunks, and for each chunk the judged sections that it holds a part of."""
    document = library.document(path)
    known = Headings(document)
    sections = {place for heading in wanted if (place := known.find(heading)) is not None}
    folder, _, name = path.rpartition("/")
    held = json.loads((out / folder / "_chunks" / f"{name.removesuffix('.md')}.json").read_bytes())
    spans = [one.span for one in cut(document, 250, 750)]
    parts = [
        {place for place in sections if document.own(place).start < span.end and document.own(place).end > span.start}
        for span in spans
    ]
    return held["order"], parts


def orders(library: Library, out: Path, questions: Sequence[Question]) -> Group:
    """How many judged sections the first N chunks hold, over all pages that have any."""
    wanted: dict[str, set[str]] = {}
    for question in questions:
        for judged in question.relevant:
            wanted.setdefault(judged.path, set()).add(judged.heading)
    pages = [chunks_of(library, out, path, headings) for path, headings in sorted(wanted.items())]
    every = sum(len(set().union(*parts)) for _, parts in pages)
    figures = []
    for count in range(1, DEEPEST + 1):
        published = sum(len(set().union(*(parts[place] for place in order[:count]))) for order, parts in pages)
        plain = sum(len(set().union(*parts[:count])) for _, parts in pages)
        beside = f"{plain} in document order"
        figures.append(Figure(f"first {count}", published, "sections", f"{every} on {len(pages)} pages", beside))
    return Group("Judged sections in the first N chunks", tuple(figures))


def hashes(library: Library, out: Path, questions: Sequence[Question], scratch: Path) -> Group:
    """What hashes of every other question know of themselves and of the rest."""
    known, held_out = questions[::2], questions[1::2]
    place = scratch / "known.jsonl"
    place.write_text("".join(f"{as_line(one)}\n" for one in known), encoding="utf-8")
    library.publish(out, prompts=place)
    figures = []
    for name, some in (("foreseen", known), ("held out", held_out)):
        tried = [(one, ask_published(out, one.text)) for one in some]
        answered = [(one, [target.href for target in told.chunks]) for one, told in tried if told.chunks]
        first = sum(is_right(library, one, hrefs[0]) for one, hrefs in answered)
        anywhere = sum(any(is_right(library, one, href) for href in hrefs) for one, hrefs in answered)
        note = f"first chunk right for {first}, one of three for {anywhere}"
        figures.append(Figure(name, len(answered), "answered", f"{len(some)} questions", note=note))
    return Group("Questions answered from hashes alone", tuple(figures))


def is_right(library: Library, question: Question, href: str) -> bool:
    """Whether a chunk holds a part of a judged section."""
    folder, _, name = unquote(href).rpartition("/_chunks/")
    stem, _, number = name.removesuffix(".md").rpartition("-")
    path = f"{folder}/{stem}.md"
    judged = [one.heading for one in question.relevant if one.path == path]
    document = library.corpus(DOCS).store.document(Ref(DOCS, path)) if judged else None
    if document is None:
        return False
    span = cut(document, 250, 750)[int(number)].span
    places = [place for heading in judged if (place := Headings(document).find(heading)) is not None]
    return any(document.own(place).start < span.end and document.own(place).end > span.start for place in places)


def worth(place: Path, scratch: Path) -> tuple[Group, ...]:
    """What the orders, the hashes and the search page of a set are worth."""
    asked = open_set(place)
    if asked.root is None:
        raise SystemExit(f"{place} has no documents of its own")
    root = scratch / "set"
    lay_out(asked.root, root, 1_000_000)
    with open_library(root) as library:
        library.sync(corpora=(DOCS,))
        library.publish(scratch / "orders")
        found = orders(library, scratch / "orders", asked.questions)
        page = searched(library, scratch / "orders", asked.questions)
        return found, page, hashes(library, scratch / "hashes", asked.questions, scratch)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.publishing")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", type=int, default=6000)
    parser.add_argument("--questions", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        groups = [speed(options.folder, options.documents, Path(scratch))]
        if options.questions:
            groups += worth(options.questions, Path(scratch))
    print(as_markdown(machine(), groups))


if __name__ == "__main__":
    main()
