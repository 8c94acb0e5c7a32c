"""What does a context cost over a session of work, beside the usual ways to lay one out?

    python -m benchmarks.context_sessions REPOSITORY [--mode docs|code] [--requests 40] [--before REVISION] [--by-file]
        [--out FILE]

A git repository enters. Its commits are a session of work: before each of them somebody asks for the change with the
files selected that it will change (at most three), and the answer is the change itself; with ``--by-file`` somebody
asks for the change of one file after the other, from the first of these commits on. What leaves is the session as
`pinakes context replay` reads it, and its cost in tiers and in the usual layouts. The repository is cloned first, and
only read.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pinakes.context import read_session, replay
from pinakes.context.modes import ContextMode
from pinakes.library import open_library
from pinakes.library.context import context_material
from pinakes.tokens import count_tokens

_MOST_SELECTED = 3
_LONGEST_ANSWER = 3_000
_QUESTION = 60
"""Tokens of a question."""
_ENDINGS = {ContextMode.DOCS: (".md", ".rst", ".svg"), ContextMode.CODE: (".py", ".ts", ".js", ".c", ".go", ".rs")}


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(("git", "-C", str(folder), *arguments), check=True, capture_output=True, text=True)
    return done.stdout


class Step(NamedTuple):
    """One request of a session: what is selected, and what the answer changes."""

    commit: str
    selected: tuple[str, ...]
    changed: tuple[str, ...]
    """The files that are as the commit has them from the next request on; none for all of it."""


def record(repository: Path, mode: ContextMode, requests: int, before: str, work: Path, *, by_file: bool) -> list[str]:
    """The lines of a session."""
    subprocess.run(("git", "clone", "-q", "--shared", str(repository), str(work)), check=True)
    commits = git(work, "rev-list", "--first-parent", "--max-count", str(requests + 1), before).split()[::-1]
    settings = {"code.enabled": mode is ContextMode.CODE, "history.enabled": False, "keywords.enabled": False}
    made: list[str] = []
    held: dict[str, list[object]] = {}
    git(work, "checkout", "-q", "--force", commits[0])
    for commit in commits[1:]:
        touched = git(work, "diff", "--name-only", "--no-renames", "-z", "HEAD", commit).split("\0")
        for step in _steps(commit, [path for path in touched if path.endswith(_ENDINGS[mode])], by_file=by_file):
            if len(made) == requests:
                return made
            held = _ask(work, mode, settings, step, held, made)
            for path in step.changed:
                git(work, "restore", "--source", commit, "--", path)
            print(".", end="", file=sys.stderr, flush=True)
        git(work, "checkout", "-q", "--force", commit)
    return made


def _steps(commit: str, touched: Sequence[str], *, by_file: bool) -> Iterator[Step]:
    if not by_file:
        yield Step(commit, tuple(touched), ())
        return
    yield from (Step(commit, (path,), (path,)) for path in touched)


def _ask(
    work: Path,
    mode: ContextMode,
    settings: Mapping[str, object],
    step: Step,
    held: dict[str, list[object]],
    made: list[str],
) -> dict[str, list[object]]:
    """Add one request, and give the blocks that it held."""
    with open_library(work, settings) as library:
        library.sync()
        listed = library.corpus().store.files("docs")
        selected = [path for path in step.selected if path in listed][:_MOST_SELECTED]
        material = context_material(library, mode, selected)
    blocks: dict[str, list[object]] = {}
    for block in material.blocks:
        blocks[block.key] = [block.digest, block.tokens]
        if block.key in material.components:
            blocks[block.key] += [material.components[block.key], material.cited.get(block.key, 0)]
    answer = git(work, "diff", step.commit, "--", *selected) if selected else ""
    line = {
        "set": {key: row for key, row in blocks.items() if held.get(key) != row},
        "drop": [key for key in held if key not in blocks],
        "question": _QUESTION,
        "answer": min(count_tokens(answer), _LONGEST_ANSWER),
    }
    made.append(json.dumps(line))
    return blocks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--mode", type=ContextMode, choices=list(ContextMode), default=ContextMode.DOCS)
    parser.add_argument("--requests", type=int, default=40)
    parser.add_argument("--before", default="HEAD", help="the last commit of the session")
    parser.add_argument("--by-file", action="store_true", help="one request for each file that a commit changes")
    parser.add_argument("--out", type=Path, help="where the session is written")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pinakes-context-") as folder:
        work = Path(folder) / "work"
        lines = record(given.repository, given.mode, given.requests, given.before, work, by_file=given.by_file)
    if given.out:
        given.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n| layout | sent | cached | share | cost |\n|---|---|---|---|---|")
    for one in replay(list(read_session(lines, "the session"))):
        share = one.cached / one.sent
        print(f"| {one.layout} | {one.sent:,} | {one.cached:,} | {share:.0%} | {one.cost:,.0f} |")


if __name__ == "__main__":
    main()
