"""How fast is Python indexed with its links, how much memory does that take, and how soon is there a map?"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from benchmarks.child import peak_bytes
from benchmarks.code.python import installed_packages, standard_library
from benchmarks.code.symbols import files_below
from pinakes.index.apart import end_idle_workers
from pinakes.index.sync import sync
from pinakes.own_folder import OwnFolder
from pinakes.records import CODE
from pinakes.sources import FolderOptions, FolderSource
from pinakes.store import open_sqlite

BYTES = 10_000_000
MAPPED_FILES = 2_000
BUDGET = 8_000
_ROUNDS = 9


def measured() -> str:
    """A sentence for each figure, of a process of its own."""
    return f"{_measured_reading()}\n{_measured_maps()}"


def _measured_reading() -> str:
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


def _measured_maps() -> str:
    """Maps of many files, each in a process of its own: of what was mapped before, and after a change."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        _, count = _fill(root, MAPPED_FILES, sys.maxsize)
        (root / "pinakes.toml").write_text("[code]\nenabled = true\n", encoding="utf-8")
        pinakes = [sys.executable, "-P", "-m", "pinakes"]
        subprocess.run([*pinakes, "sync", "--root", str(root)], check=True, capture_output=True)
        command = [*pinakes, "map", "code:", "--budget", str(BUDGET), "--root", str(root)]
        known = [_timed(command) for _ in range(_ROUNDS)]
        changed = []
        for number in range(_ROUNDS):
            with (root / "bdb.py").open("a", encoding="utf-8") as file:
                file.write(f"\n\ndef mapped_{number}():\n    return parse()\n")
            changed.append(_timed(command))
    return "\n".join(
        f"map of {count:,} files in {BUDGET:,} tokens, {what}: {min(one.wall for one in found):.2f} s,"
        f" {min(one.computed for one in found):.2f} s of computing"
        for what, found in (("nothing changed", known), ("one file changed", changed))
    )


class _Run(NamedTuple):
    wall: float
    computed: float


def _timed(command: Sequence[str]) -> _Run:
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return _Run(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def _fill(root: Path, files: int = sys.maxsize, size_limit: int = BYTES) -> tuple[int, int]:
    """Files of Python's standard library, and of installed packages where it has too few; bytes and files."""
    home, paths = standard_library()
    found = [(home, path) for path in paths]
    found += [(one.parent, f"{one.name}/{path}") for one in installed_packages() for path in files_below(one, (".py",))]
    size = count = 0
    for base, path in found[:files]:
        data = (base / path).read_bytes()
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
        size, count = size + len(data), count + 1
        if size > size_limit:
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
