"""What does a context cost over a session of work, beside the usual ways to lay one out?

    python -m benchmarks.context_sessions REPOSITORY [--mode docs|code] [--requests 40] [--before REVISION] [--out FILE]

A git repository enters. Its commits are a session of work: before each of them somebody asks for the change with the
files selected that it will change (at most three), and the answer is the change itself. What leaves is the session as
`pinakes context replay` reads it, and its cost in tiers and in the usual layouts. The repository is cloned first, and
only read.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

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


def record(repository: Path, mode: ContextMode, requests: int, before: str, work: Path) -> Iterator[str]:
    """The lines of a session."""
    subprocess.run(("git", "clone", "-q", "--shared", str(repository), str(work)), check=True)
    commits = git(work, "rev-list", "--first-parent", "--max-count", str(requests + 1), before).split()[::-1]
    held: dict[str, list[object]] = {}
    settings = {"code.enabled": mode is ContextMode.CODE, "history.enabled": False, "keywords.enabled": False}
    for now, following in pairwise(commits):
        git(work, "checkout", "-q", "--force", now)
        with open_library(work, settings) as library:
            library.sync()
            listed = library.corpus().store.files("docs")
            touched = git(work, "diff", "--name-only", "-z", now, following).split("\0")
            selected = [path for path in touched if path.endswith(_ENDINGS[mode]) and path in listed][:_MOST_SELECTED]
            material = context_material(library, mode, selected)
        blocks: dict[str, list[object]] = {}
        for block in material.blocks:
            blocks[block.key] = [block.digest, block.tokens]
            if block.key in material.components:
                blocks[block.key] += [material.components[block.key], material.cited.get(block.key, 0)]
        answer = git(work, "diff", now, following, "--", *selected) if selected else ""
        yield json.dumps(
            {
                "set": {key: row for key, row in blocks.items() if held.get(key) != row},
                "drop": [key for key in held if key not in blocks],
                "question": _QUESTION,
                "answer": min(count_tokens(answer), _LONGEST_ANSWER),
            }
        )
        held = blocks
        print(".", end="", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--mode", type=ContextMode, choices=list(ContextMode), default=ContextMode.DOCS)
    parser.add_argument("--requests", type=int, default=40)
    parser.add_argument("--before", default="HEAD", help="the last commit of the session")
    parser.add_argument("--out", type=Path, help="where the session is written")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pinakes-context-") as folder:
        lines = list(record(given.repository, given.mode, given.requests, given.before, Path(folder) / "work"))
    if given.out:
        given.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n| layout | sent | cached | share | cost |\n|---|---|---|---|---|")
    for one in replay(list(read_session(lines, "the session"))):
        share = one.cached / one.sent
        print(f"| {one.layout} | {one.sent:,} | {one.cached:,} | {share:.0%} | {one.cost:,.0f} |")


if __name__ == "__main__":
    main()
