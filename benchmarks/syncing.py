"""How long until the index agrees with the folder: from nothing, with nothing changed, after one edit?

A folder and a place for the store enter; figures leave. The edit is made in a copy, never in the folder.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.clock import Times, once, repeated
from benchmarks.folder import Folder
from benchmarks.limits import Floor
from benchmarks.table import Figure, Group, ratio
from pinakes.library import Library, open_library
from pinakes.records import Report, formats

_PROJECT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Full:
    """What a full sync took."""

    seconds: float
    cpu_s: float
    """Of all its processes together; hardly moved by what else the machine is doing."""
    structure_s: float
    put: int
    failed: int
    before_bytes: int
    peak_bytes: int
    worker_bytes: int


def measure_syncing(folder: Folder, scratch: Path, floor: Floor, rounds: int, *, keywords: bool) -> Group:
    """Fill a store, then sync again with nothing changed and with one file changed; the store is left for the map."""
    store = store_in(scratch)
    full = full_sync(folder.root, store, keywords=False)
    structure_bytes = _size(store)
    rows = [*_full_rows(folder, full, floor), *_size_rows(folder, structure_bytes)]
    if keywords:
        rows += _keyword_rows(folder, store)
    arguments = {"store": store, "keywords.enabled": keywords}
    with open_library(folder.root, arguments) as library:
        library.sync()
        again = repeated(library.sync, rounds)
    rows.append(
        Figure(
            "nothing changed",
            again.median,
            "s",
            f"{len(folder.stamps):,} files",
            note=f"in-process, {again.told}",
        )
    )
    rows.append(_edit_row(folder, scratch, rounds, keywords=keywords))
    return Group("Sync", tuple(rows))


def store_in(scratch: Path) -> Path:
    """Where the folder's index is kept during a run."""
    return scratch / "store"


def copied_in(scratch: Path) -> tuple[Path, Path]:
    """Where the copy in which files are edited lies, and its index."""
    return scratch / "copy", scratch / "copied-store"


def full_sync(root: Path, store: Path, *, keywords: bool) -> Full:
    """A sync in a process of its own; raises `CalledProcessError` with its words when it fails."""
    command = [sys.executable, "-m", "benchmarks.child", str(root), str(store), "keywords" if keywords else "structure"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(_PROJECT), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment)
    return Full(**json.loads(done.stdout))


def _full_rows(folder: Folder, full: Full, floor: Floor) -> list[Figure]:
    megabytes, per = folder.markdown.megabytes, folder.markdown.per
    failed = f", {full.failed:,} failed" if full.failed else ""
    workers = f"; largest worker process {full.worker_bytes / 1e6:,.0f} MB" if full.worker_bytes else ""
    return [
        Figure(
            "full sync",
            full.seconds,
            "s",
            per,
            note=f"fresh store, no keywords; {full.put:,} documents{failed}; {full.cpu_s:.1f} s of processor time",
        ),
        Figure(
            "full sync, speed",
            megabytes / full.seconds,
            "MB/s",
            per,
            f"{ratio(full.seconds, floor.seconds, 'the time of')} read, decode and hash",
            f"of which reading and linking {full.structure_s:.2f} s; the rest ranks sections",
        ),
        Figure(
            "peak resident memory",
            full.peak_bytes / 1e6,
            "MB",
            per,
            note=f"of the syncing process, {full.before_bytes / 1e6:,.0f} MB of it before it began{workers}",
        ),
    ]


def _size_rows(folder: Folder, size: int) -> list[Figure]:
    return [
        Figure(
            "store on disk",
            size / 1e6,
            "MB",
            folder.markdown.per,
            ratio(size, folder.markdown.bytes, "the Markdown"),
            "no keywords, no vectors",
        )
    ]


def _keyword_rows(folder: Folder, store: Path) -> list[Figure]:
    """Keywords for everything, into the store that holds the structure already."""
    structure_bytes = _size(store)
    full = full_sync(folder.root, store, keywords=True)
    return [
        Figure(
            "keywords for everything",
            full.seconds,
            "s",
            folder.markdown.per,
            note=f"after the structure; {full.cpu_s:.1f} s of processor time, "
            f"peak resident memory {full.peak_bytes / 1e6:,.0f} MB",
        ),
        Figure(
            "keywords on disk",
            (_size(store) - structure_bytes) / 1e6,
            "MB",
            folder.markdown.per,
            ratio(_size(store), folder.markdown.bytes, "the Markdown, structure included"),
        ),
    ]


def _edit_row(folder: Folder, scratch: Path, rounds: int, *, keywords: bool) -> Figure:
    """Append a paragraph to a middle-sized document of a copy and sync, several times over."""
    copy, copied_store = copied_in(scratch)
    copy_folder(folder, copy)
    sizes = sorted((len(raw.data), raw.stamp.ref.path) for raw in folder.markdown.raws)
    size, path = sizes[len(sizes) // 2]
    with open_library(copy, {"store": copied_store, "keywords.enabled": keywords}) as library:
        library.sync()
        took = [_edit_and_sync(library, copy / path, turn) for turn in range(rounds)]
    rest = "makes its keywords and ranks sections" if keywords else "ranks sections"
    times, syncing = Times(tuple(whole for whole, _ in took)), Times(tuple(part for _, part in took))
    return Figure(
        "one file changed",
        times.median,
        "s",
        f"{len(folder.stamps):,} files",
        note=f"a paragraph more in a document of {size / 1000:.1f} kB; {times.told}; "
        f"comparing, reading and linking {1000 * syncing.median:,.0f} ms of it, the rest {rest}",
    )


def _edit_and_sync(library: Library, document: Path, turn: int) -> tuple[float, float]:
    """Seconds until everything is done, and until the documents and links are."""
    with document.open("a", encoding="utf-8") as file:
        file.write(f"\n\nOne more paragraph, number {turn}.\n")
    reports: list[Report] = []
    seconds = once(lambda: reports.append(library.sync()))
    return seconds, reports[0].seconds


def copy_folder(folder: Folder, target: Path) -> None:
    """Lay out a copy the library cannot tell from the folder: documents with their times, other files empty."""
    for stamp in folder.stamps:
        place = target / stamp.ref.path
        place.parent.mkdir(parents=True, exist_ok=True)
        if stamp.media is formats.ASSET:
            place.touch()
        else:
            shutil.copy2(folder.root / stamp.ref.path, place)


def _size(store: Path) -> int:
    return sum(file.stat().st_size for file in store.rglob("*") if file.is_file())
