"""How far an index of documents is, as people read it: a label and a share of a hundred.

Events of a sync enter one by one, and a label and a percentage leave, which never go back: loading takes the first
tenth, outlines go to 30, keywords to 95, and the rest is writing.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from pinakes.records import Event, Phase


class IndexProgress(Struct, frozen=True):
    """How far an index is."""

    label: str
    percent: float
    """From 0 to 100."""


class _Stretch(Struct, frozen=True):
    """The part of a progress bar that some phase of a sync fills."""

    label: str
    start: float
    end: float


_OUTLINES = "Extracting outlines…"
_STRETCHES: Mapping[Phase, _Stretch] = {
    Phase.SCANNING: _Stretch("Loading keyword model…", 0, 10),
    Phase.READING: _Stretch(_OUTLINES, 10, 30),
    Phase.LINKING: _Stretch(_OUTLINES, 30, 30),
    Phase.KEYWORDS: _Stretch("Extracting keywords…", 30, 95),
    Phase.FINISHING: _Stretch("Caching results…", 95, 100),
}
"""Vectors are no part of this: they are made later, and maps do without them."""
_PER_FILE = (Phase.READING, Phase.KEYWORDS)

INDEX_BEGINS = IndexProgress(_STRETCHES[Phase.SCANNING].label, 0)
INDEX_IS_READY = IndexProgress(_STRETCHES[Phase.FINISHING].label, 100)


def advance(before: IndexProgress, event: Event) -> IndexProgress:
    """What to show after an event. One that would lead back, such as a second look at the folder, changes nothing."""
    stretch = _STRETCHES.get(event.phase)
    if stretch is None:
        return before
    share = min(max(event.done, 0) / event.total, 1.0) if event.total > 0 else 0.0
    percent = round(stretch.start + share * (stretch.end - stretch.start), 1)
    if (percent, _order(stretch.label)) < (before.percent, _order(before.label)):
        return before
    if event.phase in _PER_FILE and event.total > 0:
        return IndexProgress(f"{stretch.label} ({min(max(event.done, 0), event.total)}/{event.total} files)", percent)
    if before.label.startswith(stretch.label):
        return IndexProgress(before.label, percent)  # the number of files stays in sight
    return IndexProgress(stretch.label, percent)


def _order(label: str) -> int:
    """Labels by order: where one phase ends and the next begins, both have the same percentage."""
    return max(number for number, one in enumerate(_STRETCHES.values()) if label.startswith(one.label))
