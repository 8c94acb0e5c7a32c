"""One more step of vectors that follow behind others.

A reader, an embedder, what agrees and what waits enter; sections behind those in the files leave. First, without asking
the embedder, every section whose texts have vectors in the file already, under another number or ordinal (a document
that moved, an index built anew); then as many of the most central ones as make a step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pinakes.ports import Progress, Reader
from pinakes.records import Event, Phase
from pinakes.vectors.agreement import Agreement, RanksByDocument, most_central
from pinakes.vectors.build import DocumentRows, Embedding, by_digest, concatenated, pages_of
from pinakes.vectors.layout import VectorTable
from pinakes.vectors.writer import SectionBatch, SectionSink, layer_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEP = 128
"""Vectors in a step, or a section's: a few seconds' work, which is what a kill costs at most."""
_TEXTS = 16
"""Embedded at a time; after so many somebody may stop it."""


def carry_over(agreed: Agreement, files: SectionSink) -> None:
    """Append the waiting sections all of whose texts have vectors among those that no longer count."""
    orphans = np.flatnonzero(agreed.finer.live & ~agreed.kept)
    if not len(orphans) or not len(agreed.waiting):
        return
    at_hand = by_digest(agreed.finer, orphans)
    rows, offsets = agreed.whole.rows_of(agreed.waiting)
    known = np.fromiter((bytes(key) in at_hand for key in agreed.whole.rows["digest"][rows]), bool, len(rows))
    carried = agreed.waiting[np.logical_and.reduceat(known, offsets)]
    if len(carried):
        layer = layer_at(agreed.whole, carried)
        files.add(layer, np.array([at_hand[bytes(key)] for key in layer.digests], dtype=np.int8))


def append_step(
    reader: Reader,
    agreed: Agreement,
    files: SectionSink,
    embedding: Embedding,
    ranks: Callable[[], RanksByDocument],
    progress: Progress,
) -> None:
    """Embed and append the next few sections. Those whose text is by now another in the store are passed over."""
    done, total = agreed.part.done, agreed.part.total
    chosen = _next(agreed, ranks)
    layers: list[SectionBatch] = []
    texts: list[str] = []
    paths: list[str] = []
    for page, ordinals in _pages(reader, agreed.whole, chosen):
        layer, said = _some(page, ordinals)
        layers.append(layer)
        texts += said
        paths += [page.path] * len(said)
    if not texts:
        return
    parts = []
    for first in range(0, len(texts), _TEXTS):
        parts.append(embedding.rows(texts[first : first + _TEXTS]))
        done += len(parts[-1])
        progress(Event(Phase.EMBEDDING, done, total, paths[first]))
    files.add(concatenated(layers), np.concatenate(parts))


def _next(agreed: Agreement, ranks: Callable[[], RanksByDocument]) -> NDArray[np.int64]:
    """As many of those that wait as make a step; who is central matters only where not all of them do."""
    waiting = agreed.waiting
    if _counts(agreed.whole, waiting).sum() > STEP:
        waiting = most_central(agreed.whole, waiting, ranks())
    before = np.cumsum(_counts(agreed.whole, waiting)) - _counts(agreed.whole, waiting)
    return waiting[before < STEP]


def _counts(opened: VectorTable, places: NDArray[np.int64]) -> NDArray[np.int64]:
    return opened.ends[places] - opened.sections["first"][places].astype(np.int64)


def _pages(
    reader: Reader, whole: VectorTable, chosen: NDArray[np.int64]
) -> Iterator[tuple[DocumentRows, Mapping[int, NDArray[np.void]]]]:
    """Each document, and of the sections chosen of it the ordinals with the digests they should have."""
    wanted: dict[int, dict[int, NDArray[np.void]]] = {}
    for place in chosen.tolist():
        record = whole.sections[place]
        digests = whole.rows["digest"][int(record["first"]) : int(whole.ends[place])]
        wanted.setdefault(int(record["document"]), {})[int(record["ordinal"])] = digests
    for page in pages_of(reader, tuple(wanted)):
        yield page, wanted[page.number]


def _some(page: DocumentRows, ordinals: Mapping[int, NDArray[np.void]]) -> tuple[SectionBatch, Sequence[str]]:
    """The layer and the texts of some of a document's sections."""
    sections, digests = page.layer.sections, page.layer.digests
    ends = np.append(sections["first"][1:], len(digests)).tolist()
    texts: list[str] = []
    rows: list[int] = []
    places: list[int] = []
    firsts: list[int] = []
    for place, (record, end) in enumerate(zip(sections, ends, strict=True)):
        own = slice(int(record["first"]), end)
        should = ordinals.get(int(record["ordinal"]))
        if should is not None and should.tobytes() == digests[own].tobytes():
            places.append(place)
            firsts.append(len(texts))
            texts += page.texts[own]
            rows += range(own.start, own.stop)
    chosen = sections[places]
    chosen["first"] = firsts
    return SectionBatch(chosen, digests[rows]), texts
