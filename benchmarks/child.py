"""One full sync in a process of its own, so that the memory it needs is its own.

A folder, a store and whether keywords are wanted enter as arguments; one JSON object leaves on stdout.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

from pinakes.library import open_library

_KIB = 1 if sys.platform == "darwin" else 1024
"""What getrusage counts in: bytes on macOS, kibibytes elsewhere."""


def peak_bytes() -> int:
    """Most memory this process ever held.

    From /proc where there is one: what getrusage says includes the peak of the process that started this one.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KIB
    peaks = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(peaks[0].split()[1]) * 1024


def run(root: Path, store: Path, *, keywords: bool) -> dict[str, float]:
    """Sync `root` into `store` and say what it took."""
    before, cpu_before = peak_bytes(), _cpu_s(resource.RUSAGE_SELF)
    started = time.perf_counter()
    with open_library(root, {"store": store, "keywords.enabled": keywords}) as library:
        report = library.sync()
    seconds = time.perf_counter() - started
    return {
        "seconds": seconds,
        "cpu_s": _cpu_s(resource.RUSAGE_SELF) + _cpu_s(resource.RUSAGE_CHILDREN) - cpu_before,
        "structure_s": report.seconds,
        "put": len(report.put),
        "failed": len(report.failed),
        "before_bytes": before,
        "peak_bytes": peak_bytes(),
        "worker_bytes": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * _KIB,
    }


def _cpu_s(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    print(json.dumps(run(Path(sys.argv[1]), Path(sys.argv[2]), keywords=sys.argv[3] == "keywords")))
