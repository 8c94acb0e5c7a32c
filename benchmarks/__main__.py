"""`python -m benchmarks FOLDER`: measure on any folder of Markdown and print one table.

The table goes to stdout, progress to stderr. FOLDER is only read; what has to be written is written to a temporary
folder that is gone afterwards.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from benchmarks.clock import say
from benchmarks.embedding import measure_embedding
from benchmarks.finding import measure_finding
from benchmarks.folder import Folder, open_folder, sample
from benchmarks.formats import measure_formats
from benchmarks.keywords import measure_keywords
from benchmarks.limits import measure_limits
from benchmarks.mapping import measure_mapping
from benchmarks.parsing import measure_parsing
from benchmarks.syncing import measure_syncing, store_in
from benchmarks.table import Group, as_data, as_markdown, machine

NOTHING, TROUBLE = 1, 2


def main(arguments: list[str] | None = None) -> int:
    """Read the arguments, measure, print; returns the exit code."""
    wanted = _arguments().parse_args(arguments)
    if not wanted.folder.is_dir():
        say(f"{wanted.folder} is not a folder. Name a folder that holds Markdown.")
        return TROUBLE
    say("reading the folder")
    folder = open_folder(wanted.folder.resolve())
    if not folder.markdown.raws:
        say(f"There is no Markdown in {wanted.folder}. Name a folder that holds some.")
        return NOTHING
    groups = measure(
        folder, wanted.budget_mb * 1e6, wanted.rounds, keywords=wanted.keywords, with_formats=wanted.formats
    )
    title = f"{folder.markdown.per}; {machine()}."
    print(json.dumps(as_data(title, groups), indent=2) if wanted.json else as_markdown(title, groups))
    return 0


def measure(
    folder: Folder, budget_bytes: float, rounds: int, *, keywords: bool, with_formats: bool = False
) -> tuple[Group, ...]:
    """Everything, in the order of the table."""
    chosen = sample(folder.markdown.raws, budget_bytes)
    with tempfile.TemporaryDirectory(prefix="pinakes-bench-") as place:
        scratch = Path(place)
        say("limits of this machine")
        limits, floor = measure_limits(folder, rounds)
        say(f"parsing {chosen.per}")
        parsing = measure_parsing(chosen, folder.markdown, rounds)
        formats: tuple[Group, ...] = ()
        if with_formats:
            say("reading every format")
            formats = (measure_formats(chosen),)
        say("syncing")
        syncing = measure_syncing(folder, scratch, floor, rounds, keywords=keywords)
        say("finding")
        finding = measure_finding(folder, scratch, rounds)
        say("mapping")
        mapping = measure_mapping(folder, store_in(scratch), rounds, keywords=keywords)
        say("keywords")
        keyed = measure_keywords(chosen, rounds)
        say("embedding")
        return limits, parsing, *formats, syncing, finding, mapping, keyed, measure_embedding(chosen, rounds)


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Measure Pinakes on a folder of Markdown."
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a folder that holds Markdown; it is only read")
    parser.add_argument(
        "--budget-mb",
        type=float,
        default=4.0,
        metavar="N",
        help="megabytes given to slow peers, chosen evenly over the folder (default: 4)",
    )
    parser.add_argument("--rounds", type=_rounds, default=5, metavar="N", help="times each is timed (default: 5)")
    parser.add_argument("--formats", action="store_true", help="also write the texts in every format, and read them")
    parser.add_argument("--keywords", action="store_true", help="also make the keywords of every document")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    return parser


def _rounds(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("name a whole number from 1 on")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
