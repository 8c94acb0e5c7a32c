"""Are kinds of documents told rightly, by names and headings alone?

    python -m benchmarks.kinds FOLDER [--judged FILE] [--draw N] [--wrong N]

A folder of documents enters whose frontmatter says what they are (``contentType``, as GitHub's documentation does);
that field is hidden, and precision and recall of each kind leave. With `--judged`, the truth is a file of lines
``kind<TAB>path`` that somebody wrote by hand. `--draw` prints such lines for random documents, to be judged.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from benchmarks.folder import open_folder
from pinakes.parse import parse
from pinakes.records import Kind, Raw

SEED = 20261116
_FIELD = re.compile(rb"(?m)^contentType:[ \t]*([\w-]+)")
_TRUTH = {
    **dict.fromkeys(("how-tos", "tutorials", "get-started"), Kind.GUIDE),
    "reference": Kind.REFERENCE,
}
"""What GitHub calls our kinds; its concepts, landing pages and others are none of them."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kinds", description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--judged", type=Path, help="a file of lines “kind<TAB>path”")
    parser.add_argument("--draw", type=int, default=0, help="print so many random paths instead, to be judged")
    parser.add_argument("--wrong", type=int, default=0, help="print so many of the documents that are told wrongly")
    asked = parser.parse_args()
    raws = {raw.stamp.ref.path: raw for raw in open_folder(asked.folder).markdown.raws}
    if asked.draw:
        paths = random.Random(SEED).sample(sorted(raws), asked.draw)
        print("\n".join(f"?\t{path}" for path in sorted(paths)))
        return
    truth = _judged(asked.judged) if asked.judged else _declared(raws)
    told = {path: parse(_hidden(raws[path])).kind for path in truth if path in raws}
    print(_table({path: truth[path] for path in told}, told))
    wrong = [f"{told[path].name}, not {truth[path].name}: {path}" for path in told if told[path] is not truth[path]]
    print("\n".join(wrong[: asked.wrong]))


def _declared(raws: Mapping[str, Raw]) -> dict[str, Kind]:
    """By path, the kind that a document declares."""
    found = {path: _FIELD.search(raw.data) for path, raw in raws.items()}
    return {path: _TRUTH.get(field[1].decode(), Kind.UNKNOWN) for path, field in found.items() if field}


def _judged(file: Path) -> dict[str, Kind]:
    lines = [line.split("\t") for line in file.read_text().splitlines() if line and not line.startswith("#")]
    return {path: Kind(kind) for kind, path in lines}


def _hidden(raw: Raw) -> Raw:
    return replace(raw, data=_FIELD.sub(rb"hidden: yes", raw.data))


def _table(truth: Mapping[str, Kind], told: Mapping[str, Kind]) -> str:
    pairs = Counter((truth[path], told[path]) for path in truth)
    lines = [f"{len(truth):,} documents", f"{'kind':<10} {'true':>6} {'told':>6} {'precision':>9} {'recall':>7}"]
    total_true = total_told = total_right = 0
    for kind in Kind:
        true = sum(count for (wanted, _), count in pairs.items() if wanted is kind)
        said = sum(count for (_, found), count in pairs.items() if found is kind)
        if kind is Kind.UNKNOWN or not (true or said):
            continue
        lines.append(_line(kind.value, true, said, pairs[kind, kind]))
        total_true, total_told, total_right = total_true + true, total_told + said, total_right + pairs[kind, kind]
    lines.append(_line("all", total_true, total_told, total_right))
    return "\n".join(lines)


def _line(name: str, true: int, told: int, right: int) -> str:
    precision = f"{right / told:.2f}" if told else "–"
    recall = f"{right / true:.2f}" if true else "–"
    return f"{name:<10} {true:>6} {told:>6} {precision:>9} {recall:>7}"


if __name__ == "__main__":
    main()
