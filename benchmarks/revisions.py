"""How soon can a library be asked as it was?

``python -m benchmarks.revisions FOLDER [--files N] [--changed N] [--revisions N] [--store URL]``

A folder of Markdown enters. It is laid out as a repository of so many documents, the library of which is indexed, and
then so many commits are made that each change some documents. What leaves: the processor time and the seconds until
each of those revisions can be asked, from the first, whose nearest index is that of the files on disk, to the last,
whose nearest is a revision asked before; and again, once it is there. With `--store` the indexes lie in that database,
whose own processor time is not counted.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from benchmarks.clock import say
from benchmarks.folder import open_folder
from benchmarks.search.grow import lay_out
from benchmarks.table import machine
from pinakes.library import Library, open_library
from pinakes.library.databases import migrate_database, remove_library
from pinakes.records import Query

WANTED_S = 2.0
"""Until a further revision can be asked."""


@dataclass(frozen=True, slots=True)
class Readiness:
    """What it took until a revision answered."""

    revision: str
    cpu_s: float
    """Of this process and those that it started and that have ended."""
    wall_s: float
    documents: int


def commit(repository: Path, message: str) -> str:
    """Commit all there is; the hash."""
    who = ("-c", "user.name=Bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false")
    git = ("git", "-C", str(repository))
    subprocess.run((*git, "add", "--all"), check=True)
    subprocess.run((*git, *who, "commit", "-q", "-m", message), check=True)
    return subprocess.run((*git, "rev-parse", "HEAD"), check=True, capture_output=True, text=True).stdout.strip()


def lay_out_repository(place: Path, files: int, changed: int, revisions: int, repository: Path) -> Sequence[str]:
    """A repository of so many documents; its commits, the newest first. Each changes others of the documents."""
    lay_out(open_folder(place.resolve()).markdown.raws, files, repository)
    subprocess.run(("git", "init", "-q", str(repository)), check=True)
    made = [commit(repository, "all")]
    documents = sorted(repository.rglob("*.md"))
    for turn in range(revisions):
        for document in documents[turn :: max(1, len(documents) // changed)][:changed]:
            with document.open("a") as file:
                file.write(f"\n\n## Turn {turn}\n\nWhat was said of turn {turn} is here.\n")
        made.append(commit(repository, f"turn {turn}"))
    return made[::-1]


def asked_at(library: Library, revision: str) -> Readiness:
    """Ask a revision, with all that has to be made for it."""
    before, started = _cpu_s(), time.perf_counter()
    with library.at(revision) as then:
        then.search(Query("what was said of a turn"))
        documents = len(then.files())
    return Readiness(revision, _cpu_s() - before, time.perf_counter() - started, documents)


def _cpu_s() -> float:
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def main(arguments: Sequence[str] | None = None) -> int:
    wanted = _arguments().parse_args(arguments)
    with ExitStack() as stack:
        kept = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pinakes-revisions-")))
        # What the environment names does not count: the index lies where the arguments say.
        settings: dict[str, object] = {"keywords.enabled": False, "history.enabled": False, "store.url": wanted.store}
        if wanted.store:
            migrate_database(wanted.store)
            settings["store.library"] = name = f"benchmark {kept}"
            stack.callback(remove_library, wanted.store, name)
        say(f"{wanted.files:,} documents, {wanted.revisions} revisions: writing them")
        revisions = lay_out_repository(wanted.place, wanted.files, wanted.changed, wanted.revisions, kept / "documents")
        library = stack.enter_context(open_library(kept / "documents", settings))
        say("indexing")
        library.sync()
        library.search(Query("what was said of a turn"))
        print("| revision | documents | processor time | seconds |")
        print("|---|---|---|---|")
        rows = [(f"{turn} before the newest", asked_at(library, one)) for turn, one in enumerate(revisions[1:], 1)]
        rows.append(("the last again", asked_at(library, revisions[-1])))
        for told, one in rows:
            print(f"| {told} | {one.documents:,} | {one.cpu_s:.2f} s | {one.wall_s:.2f} |")
    print(f"{machine()}.")
    return 0 if all(one.wall_s < WANTED_S for _, one in rows[1:]) else 1


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.revisions", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("place", type=Path, help="a folder of Markdown")
    parser.add_argument("--files", type=int, default=4000, help="documents of the repository")
    parser.add_argument("--changed", type=int, default=20, help="documents that each commit changes")
    parser.add_argument("--revisions", type=int, default=4, help="commits after the first")
    parser.add_argument("--store", default="", help="a database to keep the indexes in")
    return parser


if __name__ == "__main__":
    sys.exit(main())
