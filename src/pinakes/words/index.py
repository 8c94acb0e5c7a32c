"""A word index on disk: brought up to date here, asked through its snapshots.

The folder holds ``manifest.json``, which says what the index was made from and where the engine's files are, a folder
with those files, and a lock.
"""

from __future__ import annotations

from contextlib import suppress

from pinakes.errors import StoreDamaged
from pinakes.own_folder import OwnFolder
from pinakes.ports import Reader
from pinakes.words.engine import engine_errors, open_searcher
from pinakes.words.manifest import NAME, Manifest, changed_file, changed_segment, read_manifest
from pinakes.words.recent import LEAST_CHUNKS, ChunksByDocument, RecentDocuments, follow, is_small, unchanged
from pinakes.words.snapshot import OpenIndex, WordSnapshot, reading
from pinakes.words.tokenize import Normalizer, english
from pinakes.words.update import RowsOf, update


class TantivyWords:
    """Opens files when first asked and looks again when another process has published newer ones.

    Threads may share it. An index that is missing, unreadable or of another form answers like an empty one.
    """

    def __init__(self, folder: OwnFolder) -> None:
        self._folder = folder
        self._seen: tuple[int, ...] = ()
        self._opened: OpenIndex | None = None
        self._recent: RecentDocuments | None = None
        self.was_mended = False
        """Whether the last update found the index damaged or removed, and made it again."""
        self._stem: Normalizer = english()

    @property
    def generation(self) -> int:
        """The store's, when this was made; 0 when there is nothing that answers."""
        made = read_manifest(self._folder)
        if made is None:
            return 0
        recent = self._beyond(made)
        return recent.generation if recent else made.generation

    def behind(self, reader: Reader) -> int | None:
        """How many documents changed since; None where the index knows nothing of this store."""
        made = read_manifest(self._folder)
        if made is None:
            return None
        feed = reader.feed((self._beyond(made) or made).generation)
        return None if feed.is_whole or feed.history != made.history else len(feed.changed) + len(feed.gone)

    def update(self, reader: Reader, rows_of: RowsOf | None = None) -> None:
        """Catch up with the store; what was there answers until all of the new is whole.

        Few changes to a large index are held in memory, by each process for itself, and written with those that follow.
        """
        made = read_manifest(self._folder)
        recent = None
        if made is not None and not changed_file(self._folder.folder(made.folder), made):
            before = self._beyond(made)
            since = reader.feed((before or made).generation)
            if (since.generation, since.history) == ((before or made).generation, made.history):
                return  # without a lock, because it is asked before every question
            recent = self._followed(reader, made, unchanged(before, since) if before else {})
        if recent is None:
            is_lost = self._opened is not None and made is None
            self.was_mended = update(self._folder, reader, rows_of) or is_lost
        self._recent = recent

    def _followed(self, reader: Reader, made: Manifest, kept: ChunksByDocument) -> RecentDocuments | None:
        """What happened since the files were written; None when it is for the engine to take in."""
        feed = reader.feed(made.generation)
        if feed.history != made.history or not is_small(feed):
            return None
        try:
            opened = self.now.opened
            if opened is None or opened.made != made or opened.searcher.num_docs < LEAST_CHUNKS:
                return None
            with engine_errors(self._folder):
                return follow(reader, feed, kept, opened.searcher, opened.schema)
        except StoreDamaged:
            return None

    def _beyond(self, made: Manifest) -> RecentDocuments | None:
        """What is known after the files were written; nothing when they were written again since."""
        recent = self._recent
        is_later = recent is not None and recent.history == made.history and recent.generation > made.generation
        return recent if is_later else None

    @property
    def now(self) -> WordSnapshot:
        """The index as it is now; raises `StoreDamaged` when its files cannot be used."""
        with reading(self._folder):
            seen: tuple[int, ...] = ()
            with suppress(FileNotFoundError):
                found = self._folder.facts(NAME)
                seen = (found.st_ino, found.st_mtime_ns, found.st_size) if found else ()
            if seen != self._seen:
                self._opened, self._seen = self._open(), seen
        opened = self._opened
        recent = self._beyond(opened.made) if opened else None
        # Keywords make a new generation, and change no words.
        return WordSnapshot(self._folder, self._stem, opened, recent if recent and recent.replaced else None)

    def _open(self) -> OpenIndex | None:
        made = read_manifest(self._folder)
        while made is not None:
            folder = self._folder.folder(made.folder)
            try:
                if name := changed_segment(folder, made):
                    raise ValueError(f"{name} is not as it was written")
                return OpenIndex(*open_searcher(folder), made)
            except (ValueError, OSError):
                # An update may have taken the files away between the two looks; then there is another index by now.
                again = read_manifest(self._folder)
                if again == made:
                    raise
                made = again
        return None
