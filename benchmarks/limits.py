"""What could this machine do at best with these files? The floor that everything else is compared with.

Documents enter, figures and the floor leave. Nothing of Pinakes is timed here but its listing.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass

from benchmarks.clock import repeated
from benchmarks.folder import Folder
from benchmarks.table import Figure, Group, ratio
from pinakes.config import load_config
from pinakes.sources import FolderSource

SCANNED_WORDS = 16_000_000
"""Eight-byte words summed for the speed of memory: 128 MB, more than any cache holds."""
_NEVER_ENTERED = frozenset({".git", ".hg", ".svn", ".pinakes", "node_modules"})


@dataclass(frozen=True, slots=True)
class Floor:
    """Seconds below which no index of these files can be made on one core."""

    read_s: float
    decode_s: float
    hash_s: float

    @property
    def seconds(self) -> float:
        return self.read_s + self.decode_s + self.hash_s


def measure_limits(folder: Folder, rounds: int) -> tuple[Group, Floor]:
    """List, read, decode, hash and scan, each the best of several rounds with a warm disk cache."""
    documents = folder.markdown
    megabytes, count = documents.megabytes, len(documents.raws)
    paths = [folder.root / raw.stamp.ref.path for raw in documents.raws]
    source = FolderSource(folder.root, load_config(folder.root).sources)

    listed = _list(folder)
    listing = repeated(lambda: _list(folder), rounds).best
    scanning = repeated(source.scan, rounds).best
    reading = repeated(lambda: [path.read_bytes() for path in paths], rounds).best
    decoding = repeated(lambda: [raw.data.decode("utf-8", "replace") for raw in documents.raws], rounds).best
    hashing = repeated(lambda: [hashlib.blake2b(raw.data, digest_size=16) for raw in documents.raws], rounds).best

    rates = (
        ("read, warm", reading, f"{count / reading:,.0f} files/s"),
        ("decode UTF-8", decoding, ""),
        ("hash (blake2b)", hashing, "what tells a changed file from a touched one"),
    )
    seen = f"{len(folder.stamps):,} files"
    group = Group(
        "Limits of this machine on these files",
        (
            Figure("list and stat", listed / listing, "files/s", f"{listed:,} files", note="os.scandir, one stat each"),
            Figure(
                "list and stat by the library",
                len(folder.stamps) / scanning,
                "files/s",
                seen,
                ratio(
                    scanning / max(1, len(folder.stamps)), listing / max(1, listed), "the time per file of the above"
                ),
                "with ignore rules, symbolic links and formats",
            ),
            *(Figure(name, megabytes / seconds, "MB/s", documents.per, note=note) for name, seconds, note in rates),
            Figure(
                "scan memory",
                _memory_speed(rounds),
                "MB/s",
                f"{SCANNED_WORDS * 8 / 1e6:,.0f} MB",
                note="one core, numpy sum",
            ),
        ),
    )
    return group, Floor(reading, decoding, hashing)


def _list(folder: Folder) -> int:
    """Stat every file below the root as plainly as Python can; returns how many there are."""
    found, waiting = 0, [os.fspath(folder.root)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in _NEVER_ENTERED:
                        waiting.append(entry.path)
                else:
                    entry.stat(follow_symlinks=False)
                    found += 1
    return found


def _memory_speed(rounds: int) -> float:
    import numpy as np

    words = np.ones(SCANNED_WORDS, dtype=np.int64)
    return words.nbytes / 1e6 / repeated(words.sum, rounds).best
