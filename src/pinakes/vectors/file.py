"""Vectors of a library's chunks, kept in one folder: brought up to date with a store, and opened to answer."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from pinakes.errors import StoreError
from pinakes.folder_lock import NEXT_STEP, exclusive_lock
from pinakes.own_folder import OwnFolder
from pinakes.ports import Embedder, Progress, Reader
from pinakes.records import Event
from pinakes.vectors.agreement import Agreement, Agreements, PartialVectors, RanksByDocument
from pinakes.vectors.build import Embedding, EmbeddingCache, PagesOf, append_changes, by_digest
from pinakes.vectors.layout import (
    HEADER,
    Damaged,
    Header,
    VectorTable,
    empty,
    next_epoch,
    open_files,
    publish,
    read_header,
    sweep,
    times,
)
from pinakes.vectors.prefix import WORTHWHILE, with_prefix
from pinakes.vectors.snapshot import VectorSnapshot
from pinakes.vectors.stepwise import append_step, carry_over
from pinakes.vectors.writer import VectorWriter, copy_live

if TYPE_CHECKING:
    from numpy.typing import NDArray


_STEP_WAIT_S = 0.5
"""How long a step waits for another process: whoever takes steps in the background may be told to stop."""


def _silently(event: Event) -> None:
    """Whoever gives no `progress` wants none."""


class VectorFile:
    """Opens files when first asked and looks again when another process has published newer ones.

    Threads may share it. Files that are missing, damaged or of another format answer like none at all, and the next
    update makes them anew.
    """

    def __init__(
        self,
        folder: OwnFolder,
        cache: EmbeddingCache | None = None,
        pages_of: PagesOf | None = None,
        *,
        prefix_from: int = WORTHWHILE,
    ) -> None:
        """From `prefix_from` rows on there is a prefix (see `prefix`)."""
        self._pages_of = pages_of
        self._prefix_from = prefix_from
        self._folder = folder
        self._cache = cache
        self._seen: tuple[int, ...] = ()
        self._moment: VectorSnapshot | None = None
        self._times: tuple[int, ...] = ()
        self._agreements = Agreements()

    @property
    def opened(self) -> VectorTable | None:
        """What lies in the files at this moment."""
        moment = self._present()
        return moment.opened if moment else None

    @property
    def now(self) -> VectorSnapshot:
        """What answers a question from beginning to end, without looking at the files again for each part of it; an
        empty snapshot of no embedder and generation 0 where there are no files."""
        return self._present() or VectorSnapshot(empty("", 1, 0))

    def update(self, reader: Reader, embedder: Embedder, progress: Progress = _silently) -> None:
        """Catch up with the store; what was there answers until all of the new is whole.

        With another embedder everything is embedded again. An error or an interruption leaves what was published; with
        a cache, what was embedded until then is not embedded again.
        """
        if self._agrees(reader, embedder):
            return  # without a lock, because it is asked before every question
        with exclusive_lock(self._folder, "vectors"):
            try:
                self._catch_up(reader, embedder, progress)
                self._compact(embedder)
            except OSError as error:
                raise StoreError(f"Vectors cannot be kept in {self._folder.path}: {error}.", NEXT_STEP) from error

    def grow(
        self,
        reader: Reader,
        embedder: Embedder,
        whole: VectorFile,
        ranks: Callable[[], RanksByDocument],
        progress: Progress = _silently,
    ) -> bool:
        """Take one more step towards having what `whole` has, which another embedder made: the most central sections
        first, by `ranks`. What was made before and is still true is kept; what is published after a step is all that an
        interruption leaves. Returns whether it is worth while to catch `whole` up with the store and come again.
        """
        if self._needs(embedder, whole) is None:
            return False
        with exclusive_lock(self._folder, "vectors", _STEP_WAIT_S):
            try:
                agreed = self._needs(embedder, whole)  # somebody else may have done it in the meantime
                if agreed is None:
                    return False
                is_nearer = self._step(reader, agreed, Embedding(embedder, self._cache), ranks, progress)
                self._compact(embedder)
            except OSError as error:
                raise StoreError(f"Vectors cannot be kept in {self._folder.path}: {error}.", NEXT_STEP) from error
        return is_nearer

    def prepare(self) -> None:
        """Make the prefix of many vectors that have none, which takes seconds: those of an older version, and those
        that came one by one. Nothing waits for it."""
        opened = self.opened
        if opened is None or opened.header.rows < self._prefix_from or opened.prefix is not None:
            return
        with exclusive_lock(self._folder, "vectors"):
            header = read_header(self._folder)
            if header is not None:
                publish(self._folder, self._with_prefix(replace(header, prefix_rows=0, prefix=header.prefix + 1)))

    @property
    def is_damaged(self) -> bool:
        """Whether there is a header, and nothing that could be used: damaged, or not made by this user."""
        try:
            return self._present() is None and self._folder.holds(HEADER)
        except OSError:
            return True

    def is_made_by(self, embedder: Embedder) -> bool:
        """Whether questions that `embedder` encodes may be put to them."""
        opened = self.opened
        return opened is not None and _is_made_by(opened.header, embedder)

    def part_of(self, whole: VectorFile) -> PartialVectors | None:
        """What of these agrees with `whole`, which another embedder made; None when neither is there."""
        agreed = self._agreements.of(self.opened, whole.opened)
        return agreed.part if agreed else None

    def _present(self) -> VectorSnapshot | None:
        try:
            found = self._folder.facts(HEADER)
        except OSError:
            found = None
        if found is None:
            self._seen, self._moment = (), None
            return None
        seen = (found.st_ino, found.st_mtime_ns, found.st_size)
        if seen != self._seen or self._is_written_to():
            opened = _opened(self._folder)
            self._moment, self._seen = VectorSnapshot(opened) if opened else None, seen
            self._times = self._present_times()
        return self._moment

    def _needs(self, embedder: Embedder, whole: VectorFile) -> Agreement | None:
        """Where to go on; None when there is nothing to do."""
        mine = self.opened
        usable = mine if mine is not None and _is_made_by(mine.header, embedder) else None
        fresh = empty(embedder.name, embedder.dimensions, 0)  # the number follows when the folder is ours
        return self._agreements.next_step(usable, whole.opened, fresh)

    def _is_written_to(self) -> bool:
        """What is mapped changes with the file, so that whoever wrote there must be noticed before it is used."""
        return self._moment is not None and self._times != self._present_times()

    def _present_times(self) -> tuple[int, ...]:
        try:
            return times(self._folder, self._moment.opened.header) if self._moment else ()
        except OSError:
            return ()

    def _agrees(self, reader: Reader, embedder: Embedder) -> bool:
        opened = self.opened
        if opened is None or not _is_made_by(opened.header, embedder):
            return False
        feed = reader.feed(opened.header.generation)
        return (feed.generation, feed.history) == (opened.header.generation, opened.header.history)

    def _catch_up(self, reader: Reader, embedder: Embedder, progress: Progress) -> None:
        before = self.opened
        start = before
        at_hand: dict[bytes, NDArray[np.int8]] = {}
        if start is None or not _is_made_by(start.header, embedder):
            start = empty(embedder.name, embedder.dimensions, next_epoch(self._folder))
        feed = reader.feed(start.header.generation)
        if start is before and (feed.is_whole or feed.history != start.header.history):
            # Another store in the same place, one that no longer knows what happened since, or a part of the vectors.
            at_hand = by_digest(start, np.flatnonzero(start.live))
            start = empty(embedder.name, embedder.dimensions, next_epoch(self._folder))
            feed = reader.feed(0)
        if start is before and feed.generation == start.header.generation:
            return
        with VectorWriter(self._folder, start.header) as files:
            embedding = Embedding(embedder, self._cache, at_hand, self._pages_of)
            live = append_changes(reader, feed, start, files, embedding, progress)
            header = files.finish()
        live = np.append(live, np.ones(header.sections - len(live), dtype=bool))
        header = replace(header, generation=feed.generation, history=feed.history, update=header.update + 1)
        self._publish(header, live)

    def _step(
        self,
        reader: Reader,
        agreed: Agreement,
        embedding: Embedding,
        ranks: Callable[[], RanksByDocument],
        progress: Progress,
    ) -> bool:
        start = agreed.finer.header
        if not start.epoch:
            start = replace(start, epoch=next_epoch(self._folder))
        with VectorWriter(self._folder, start) as files:
            carry_over(agreed, files)
            if files.is_as_before:  # else what was carried over is published at once: it is much, and took no time
                append_step(reader, agreed, files, embedding, ranks, progress)
            added = not files.is_as_before
            header = files.finish()
        live = np.append(agreed.kept, np.ones(header.sections - len(agreed.kept), dtype=bool))
        is_whole = header.sections - start.sections == len(agreed.waiting)
        of = agreed.whole.header
        made = (of.generation, of.history) if is_whole else (0, "")
        self._publish(replace(header, generation=made[0], history=made[1], update=header.update + 1), live)
        # Where nothing could be added, it is that the store went on, and `whole` should follow it first.
        return added or is_whole or reader.feed(of.generation).generation != of.generation

    def _compact(self, embedder: Embedder) -> None:
        """Leave dead rows behind when they are most of what every question is compared with."""
        old = self.opened
        if old is None or 2 * self.now.rows >= old.header.rows:
            return
        fresh = empty(embedder.name, embedder.dimensions, next_epoch(self._folder)).header
        start = replace(fresh, generation=old.header.generation, history=old.header.history)
        with VectorWriter(self._folder, start) as files:
            copy_live(old, files)
            header = files.finish()
        self._publish(header, np.ones(header.sections, dtype=bool))

    def _with_prefix(self, header: Header) -> Header:
        """The header that names the prefix, which is made where it pays."""
        try:
            return with_prefix(self._folder, header, self._prefix_from)
        except (OSError, Damaged):  # no room: it is only a help
            return replace(header, prefix_rows=0)

    def _publish(self, header: Header, live: NDArray[np.bool_]) -> None:
        before = self.opened
        has_prefix = before is not None and before.prefix is not None
        if header.prefix_rows and not has_prefix:  # it is damaged
            header = replace(header, prefix_rows=0, prefix=header.prefix + 1)
        if before is None or has_prefix or 2 * before.header.rows < header.rows:  # else `prepare` makes it
            header = self._with_prefix(header)
        bits = np.packbits(live).tobytes()
        self._folder.replace(header.name("live"), bits, durable=False)
        header = replace(header, live_sum=zlib.crc32(bits))
        publish(self._folder, header)
        sweep(self._folder, header)


def _opened(folder: OwnFolder) -> VectorTable | None:
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
