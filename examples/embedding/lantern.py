"""A program whose help is its documentation: `python lantern.py help "the lamp smokes"`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pinakes

MANUAL = Path(__file__).parent / "manual"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "lantern", "manual")


def answer(question: str) -> str:
    """The passage of the manual that answers a question, with its address."""
    with pinakes.open(MANUAL, {"store": CACHE}) as library:
        library.sync()
        found = library.search(question)
    if found.abstained or not found.hits:
        return "The manual says nothing of that."
    best = found.hits[0]
    place = f"{best.ref.path}:{best.lines.start + 1}-{best.lines.end}"
    return f"{' › '.join(best.trail)}  ({place})\n{best.text.strip()}"


def main(words: list[str]) -> int:
    if len(words) != 2 or words[0] != "help":
        print("Usage: lantern.py help QUESTION", file=sys.stderr)
        return 2
    print(answer(words[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
