"""Questions in German and Chinese on English documents.

    python -m benchmarks.translated SET [--model static] [--kept FOLDER]

SET is the folder of the development set: its questions are judged there, and `translated.jsonl` beside this file has
some of them in other languages. Prints a row for each language, and one for the same questions in English.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from msgspec.structs import replace

from benchmarks.asked import opened
from pinakes.evaluation.report import as_text
from pinakes.evaluation.sets import open_set


def measure(given: argparse.Namespace, kept: Path) -> None:
    """Ask every question in each language."""
    held = open_set(given.set, kept)
    assert held.root is not None, "the set needs a corpus of its own"
    lines = Path(__file__).with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()
    told = {one.pop("id"): one for one in map(json.loads, lines)}
    questions = [
        replace(question, text=text, style=language)
        for question in held.questions
        if question.id in told
        for language, text in {"en": question.text, **told[question.id]}.items()
    ]
    with opened(held.root, kept, given.model) as library:
        print(as_text(library.eval(questions, level=held.level)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", type=Path)
    parser.add_argument("--model", default="static")
    parser.add_argument("--kept", type=Path, help="where indexes are kept for the next run")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pinakes-translated-") as folder:
        measure(given, given.kept or Path(folder))


if __name__ == "__main__":
    main()
