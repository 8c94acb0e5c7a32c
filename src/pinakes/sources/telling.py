"""Which files are documents by their content: their ending alone does not say.

The path of a file and what it may be enter; what it is leaves. Of a file only its beginning and its end are read, and
not again until it changes.
"""

from __future__ import annotations

import os
import stat
import time
from contextlib import suppress

from pinakes.records import Media, formats
from pinakes.sources.inside import open_inside, open_plain

_MOST_KEPT = 100_000
_SETTLED_NS = 100_000_000
"""A file this new may be written again without its time changing."""


class ContentTeller:
    """Tells the format of files below one root, which is itself free of links."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._known: dict[str, tuple[tuple[int, ...], bool]] = {}

    def media(self, path: str) -> Media:
        """The format of the file at a path below the root; an asset where its content does not tell one."""
        possible = formats.possible_media_of(path.rpartition("/")[2])
        if possible.telling and self._is(path, possible):
            return possible
        return formats.ASSET

    def _is(self, path: str, media: Media) -> bool:
        with suppress(OSError):
            facts = os.lstat(f"{self._root}/{path}")
            version = (facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)
            known = self._known.get(path)
            if known is not None and known[0] == version and stat.S_ISREG(facts.st_mode):
                return known[1]
            found = media.is_told_by(self._ends(path, is_link=stat.S_ISLNK(facts.st_mode)))
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            if abs(time.time_ns() - facts.st_mtime_ns) > _SETTLED_NS:
                self._known[path] = version, found
            return found
        return False

    def _ends(self, path: str, *, is_link: bool) -> bytes:
        # To walk to a file folder by folder takes as long as all the rest. Nothing that stands in it gets out of here,
        # and what is read of it later is reached by that walk.
        descriptor = open_inside(self._root, path) if is_link else open_plain(f"{self._root}/{path}")
        try:
            facts = os.fstat(descriptor)
            if not stat.S_ISREG(facts.st_mode):
                return b""
            begin = os.read(descriptor, formats.TELLING)
            if facts.st_size <= formats.TELLING:
                return begin
            os.lseek(descriptor, -formats.TELLING, os.SEEK_END)
            return begin + os.read(descriptor, formats.TELLING)
        finally:
            os.close(descriptor)
