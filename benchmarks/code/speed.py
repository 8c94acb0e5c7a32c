"""How fast is Python indexed with its links, and how much memory does that take?"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from benchmarks.child import peak_bytes
from benchmarks.code.python import standard_library
from pinakes.index import sync
from pinakes.index.apart import end_idle_workers
from pinakes.own_folder import OwnFolder
from pinakes.records import CODE
from pinakes.sources import FolderOptions, FolderSource
from pinakes.store import open_sqlite

BYTES = 10_000_000


def measured() -> str:
    """A sentence for each figure, of a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        size, count = _fill(root)
        command = [sys.executable, "-m", "benchmarks.code.speed", str(root)]
        found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return (
        f"{size / 1e6:.1f} MB of Python in {count:,} files with {found['links']:,} links: {found['first']:.1f} s"
        f" ({found['computed']:.1f} s of computing), {found['memory'] / 1e6:.0f} MB in the process that"
        f" writes, {found['workers'] / 1e6:.0f} MB in the largest that reads\n"
        f"one changed file of 32 kB: {1000 * found['again']:.0f} ms"
    )


def _fill(root: Path) -> tuple[int, int]:
    home, paths = standard_library()
    size = count = 0
    for path in paths:
        data = (home / path).read_bytes()
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
        size, count = size + len(data), count + 1
        if size > BYTES:
            break
    return size, count


def _run(root: Path) -> dict[str, float]:
    source = FolderSource(root, FolderOptions(), CODE)
    with closing(open_sqlite(OwnFolder(root / ".pinakes"))) as store:
        before, started = time.process_time(), time.perf_counter()
        sync(source, store)
        first = time.perf_counter() - started
        computed = time.process_time()
        end_idle_workers()
        of_workers = resource.getrusage(resource.RUSAGE_CHILDREN)
        counts = store.counts(CODE)
        again = []
        for number in range(30):
            with (root / "bdb.py").open("a", encoding="utf-8") as file:
                file.write(f"\n\ndef added_{number}():\n    return parse()\n")
            started = time.perf_counter()
            sync(source, store, paths=["bdb.py"])
            again.append(time.perf_counter() - started)
    return {
        "first": first,
        "computed": computed - before + of_workers.ru_utime + of_workers.ru_stime,
        "links": counts.links,
        "again": min(again),
        "memory": peak_bytes(),
        "workers": of_workers.ru_maxrss * 1024,
    }


if __name__ == "__main__":
    print(json.dumps(_run(Path(sys.argv[1]))))
