"""Vectors of a library's chunks, kept in one folder: the promise `VectorIndex`."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pinakes.alone import NEXT_STEP, alone
from pinakes.errors import StoreError
from pinakes.ports import Embedder, Progress, Reader
from pinakes.records import ChunkId, Event, Scope, Scored
from pinakes.vectors.build import Embedding, Remembered, append_changes
from pinakes.vectors.grow import Growing, copy_live
from pinakes.vectors.layout import (
    HEADER,
    Damaged,
    Header,
    Opened,
    empty,
    next_epoch,
    open_files,
    publish,
    read_header,
    sweep,
    times,
)
from pinakes.vectors.scan import allowed_rows, cosines_of, nearest, section_vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pinakes.ports import Vectors


def _silently(event: Event) -> None:
    """Whoever gives no `progress` wants none."""


class VectorFile:
    """Opens files when first asked and looks again when another process has published newer ones.

    Threads may share it. Files that are missing, damaged or of another format answer like none at all, and the next
    update makes them anew.
    """

    def __init__(self, folder: Path, cache: Remembered | None = None) -> None:
        self._folder = folder
        self._cache = cache
        self._seen: tuple[int, ...] = ()
        self._opened: Opened | None = None
        self._times: tuple[int, ...] = ()
        self._scoped: tuple[Opened, Scope | None, NDArray[np.bool_] | None] | None = None

    @property
    def generation(self) -> int:
        """The store's, when these were made; 0 when there is nothing that answers."""
        opened = self._current()
        return opened.header.generation if opened else 0

    @property
    def embedder(self) -> str:
        """The name of the embedder that made them, which must encode the questions too; empty when there are none."""
        opened = self._current()
        return opened.header.embedder if opened else ""

    @property
    def rows(self) -> int:
        """How many vectors can be found."""
        opened = self._current()
        return int(np.count_nonzero(opened.live[opened.section_of])) if opened else 0

    def update(self, reader: Reader, embedder: Embedder, progress: Progress = _silently) -> None:
        """Catch up with the store; what was there answers until all of the new is whole.

        With another embedder everything is embedded again. An error or an interruption leaves what was published; with
        a cache, what was embedded until then is not embedded again.
        """
        if self._agrees(reader, embedder):
            return  # without a lock, because it is asked before every question
        with alone(self._folder, "vectors"):
            try:
                self._catch_up(reader, embedder, progress)
                self._compact(embedder)
            except OSError as error:
                raise StoreError(f"Vectors cannot be kept in {self._folder}: {error}.", NEXT_STEP) from error

    def nearest(self, vector: Vectors, scope: Scope | None, limit: int) -> list[Scored]:
        """Section-level chunks by cosine, best first: the mean of a section's own and that of its best passage.

        Equal scores are in the order of document and ordinal. A vector without direction finds nothing.
        """
        opened = self._current()
        if opened is None:
            return []
        question = np.asarray(vector, dtype=np.float32).reshape(-1)
        if len(question) != opened.header.dimensions:
            raise StoreError(
                f"The vectors in {self._folder} have {opened.header.dimensions} dimensions, the question has"
                f" {len(question)}.",
                f"Encode the question with {opened.header.embedder}, or sync to embed with the present embedder.",
            )
        return nearest(opened, question, self._allowed(opened, scope), limit)

    def scores(self, vector: Vectors, chunks: Sequence[ChunkId]) -> dict[ChunkId, float]:
        """What `nearest` would score certain section-level chunks; those without vectors are left out."""
        opened = self._current()
        question = np.asarray(vector, dtype=np.float32).reshape(-1)
        if opened is None or len(question) != opened.header.dimensions:
            return {}
        return cosines_of(opened, question, chunks)

    def section_vectors(self, chunks: Sequence[ChunkId]) -> Vectors:
        """One row for each section-level chunk: its own vector, of length 1, or zeros where there is none."""
        opened = self._current()
        if opened is None:
            return np.zeros((len(chunks), 1), dtype=np.float32)
        return section_vectors(opened, chunks)

    def _allowed(self, opened: Opened, scope: Scope | None) -> NDArray[np.bool_] | None:
        known = self._scoped
        if known is None or known[0] is not opened or known[1] is not scope:
            known = self._scoped = (opened, scope, allowed_rows(opened, scope))
        return known[2]

    def _current(self) -> Opened | None:
        try:
            found = (self._folder / HEADER).stat()
        except OSError:
            self._seen, self._opened = (), None
            return None
        seen = (found.st_ino, found.st_mtime_ns, found.st_size)
        if seen != self._seen or self._is_written_to():
            self._opened, self._seen = _opened(self._folder), seen
            self._times = self._present_times()
        return self._opened

    def _is_written_to(self) -> bool:
        """What is mapped changes with the file, so that whoever wrote there must be noticed before it is used."""
        return self._opened is not None and self._times != self._present_times()

    def _present_times(self) -> tuple[int, ...]:
        try:
            return times(self._folder, self._opened.header) if self._opened else ()
        except OSError:
            return ()

    def _agrees(self, reader: Reader, embedder: Embedder) -> bool:
        opened = self._current()
        if opened is None or not _is_made_by(opened.header, embedder):
            return False
        feed = reader.feed(opened.header.generation)
        return (feed.generation, feed.history) == (opened.header.generation, opened.header.history)

    def _catch_up(self, reader: Reader, embedder: Embedder, progress: Progress) -> None:
        before = self._current()
        start = before
        if start is None or not _is_made_by(start.header, embedder):
            start = empty(embedder, next_epoch(self._folder))
        feed = reader.feed(start.header.generation)
        if start is before and (feed.is_whole or feed.history != start.header.history):
            # Another store in the same place, or one that no longer knows what happened since.
            start = empty(embedder, next_epoch(self._folder))
            feed = reader.feed(0)
        if start is before and feed.generation == start.header.generation:
            return
        with Growing(self._folder, start.header) as files:
            live = append_changes(reader, feed, start, files, Embedding(embedder, self._cache), progress)
            header = files.finish()
        live = np.append(live, np.ones(header.sections - len(live), dtype=bool))
        header = replace(header, generation=feed.generation, history=feed.history, update=header.update + 1)
        self._publish(header, live)

    def _compact(self, embedder: Embedder) -> None:
        """Leave dead rows behind when they are most of what every question is compared with."""
        old = self._current()
        if old is None or 2 * self.rows >= old.header.rows:
            return
        fresh = empty(embedder, next_epoch(self._folder)).header
        start = replace(fresh, generation=old.header.generation, history=old.header.history)
        with Growing(self._folder, start) as files:
            copy_live(old, files)
            header = files.finish()
        self._publish(header, np.ones(header.sections, dtype=bool))

    def _publish(self, header: Header, live: NDArray[np.bool_]) -> None:
        bits = np.packbits(live).tobytes()
        header.path(self._folder, "live").write_bytes(bits)
        header = replace(header, live_sum=zlib.crc32(bits))
        publish(self._folder, header)
        sweep(self._folder, header)


def _opened(folder: Path) -> Opened | None:
    header = read_header(folder)
    while header is not None:
        try:
            return open_files(folder, header)
        except Damaged:
            # An update may have swept the files between the two looks; then the header is another one by now.
            again = read_header(folder)
            if again == header:
                return None
            header = again
    return None


def _is_made_by(header: Header, embedder: Embedder) -> bool:
    return (header.embedder, header.dimensions) == (embedder.name, embedder.dimensions)
