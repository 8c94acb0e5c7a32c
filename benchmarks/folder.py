"""The documents that are measured on: a folder's files as the library itself lists them, and even samples of them.

A folder enters; its listing and its Markdown, read into memory, leave. The folder is never written to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pinakes.config import load_config
from pinakes.errors import Unreadable
from pinakes.records import Raw, Stamp, formats
from pinakes.sources import FolderSource

MOST_BYTES = 256_000_000
"""Markdown held in memory at most; of a larger folder a sample is."""


@dataclass(frozen=True, slots=True)
class Documents:
    """Markdown files in memory."""

    raws: tuple[Raw, ...]

    @property
    def bytes(self) -> int:
        return sum(len(raw.data) for raw in self.raws)

    @property
    def megabytes(self) -> float:
        return self.bytes / 1e6

    @property
    def per(self) -> str:
        return f"{self.megabytes:,.1f} MB in {len(self.raws):,} files"


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder and what is measured of it."""

    root: Path
    stamps: tuple[Stamp, ...]
    """Every file the library sees there, assets too."""
    markdown: Documents


def open_folder(root: Path) -> Folder:
    """List a folder and read its Markdown."""
    source = FolderSource(root, load_config(root).sources)
    stamps = source.scan().stamps
    raws = []
    for stamp in stamps:
        if stamp.media is formats.MARKDOWN:
            try:
                raws.append(source.read(stamp))
            except Unreadable:
                continue  # what cannot be read is the sync's to report, not ours to time
    return Folder(root, stamps, sample(raws, MOST_BYTES))


def sample(raws: Sequence[Raw], most_bytes: float) -> Documents:
    """About `most_bytes` of documents, chosen evenly over the whole listing; at least one when there is one.

    By count and not by size: filling a budget up with whatever still fits would prefer short documents.
    """
    total = sum(len(raw.data) for raw in raws)
    if total <= most_bytes:
        return Documents(tuple(raws))
    wanted = max(1, int(len(raws) * most_bytes / total))
    return Documents(tuple(raws[place * len(raws) // wanted] for place in range(wanted)))
