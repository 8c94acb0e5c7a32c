"""What is known about damage to an index, and getting a damaged one out of the way.

    damaged.json   {"what": …}: somebody met damage; the index answers nothing more until it is set aside
    healed.json    {"what": …, "when": …, "aside": …, "told": …}: the last time an index was set aside because of
                   damage, and whether an answer has said so yet
    mended.json    {"what": …, "when": …, "told": …}: the last time a part, or an index that somebody removed, was made
                   again

They are signed: what came along with a folder is no word of ours. Nothing is deleted: an index that is set aside keeps
its files under another name, and a new one is built from the sources. Words and vectors beside it are derived from it
and find out by themselves.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime

from pinakes.errors import StoreBusy, StoreDamaged, StoreError
from pinakes.index.place import IndexPlace
from pinakes.render import safe
from pinakes.user_key import read_signed, write_signed

_DAMAGED, _HEALED, _MENDED = "damaged.json", "healed.json", "mended.json"
_LOG = logging.getLogger("pinakes")


class DamageRecord:
    """The record of one index's damage, kept in its folder."""

    def __init__(self, place: IndexPlace) -> None:
        self._place = place
        self._folder = place.own
        self._damaged_database = (0, 0)
        """Device and inode of the one noted last: another in its place was built by a process that was faster."""
        self._logged = ""
        self.is_noted = False
        """Whether damage was met by this process and is not mended yet."""
        self._told_of: tuple[object, ...] = ()
        """The records as they were when this process last looked for something to tell."""

    def raise_if_known(self) -> None:
        """Raise `StoreDamaged` when damage was noted, by any process, and is not mended yet."""
        if what := self._read(_DAMAGED).get("what"):
            raise StoreDamaged(what, "pinakes sync sets it aside and builds a new one.")

    def note(self, what: str) -> None:
        """Remember damage. Where that cannot be written, whoever comes next will meet it as we did. So he will where
        the database is gone, unless another thread has built a new one by then."""
        self._damaged_database = self._place.identity
        self.is_noted = True
        if self._damaged_database != (0, 0) and not self._read(_DAMAGED) and what != self._logged:
            self._logged = what  # it may not be possible to write it down
            _LOG.error("%s", safe(what))
            self._write(_DAMAGED, {"what": what})

    def note_mended(self, what: str) -> None:
        """Tell of something that was lost or damaged and is made again: in the log, in `status` and the next answer."""
        _LOG.warning("%s", safe(what))
        with suppress(OSError, StoreError):
            self._folder.make(unseen=True)
        last = self._read(_MENDED)
        before = "" if last.get("told") else last.get("what", "")
        self._write(_MENDED, {"what": before if what in before else f"{before} {what}".strip(), "when": _moment()})

    def set_aside(self, what: str) -> bool:
        """Give the damaged index that was noted last another name, and tell of it from now on.

        False where nothing can be renamed. Of several who want to, one does; raises `StoreBusy` while somebody writes.
        """
        try:
            aside = self._place.set_aside(self._damaged_database)
        except StoreBusy:
            raise
        except (OSError, StoreError):
            return False
        if aside is not None:
            self._write(_HEALED, {"what": what, "when": _moment(), "aside": str(aside)})
            _LOG.warning("%s", safe(self.last_rebuild()))
        self._forget()
        return True

    def make_room(self) -> None:
        """Remove the index, because a new one is wanted; what cannot be moved out of the way is an error here."""
        if self._place.is_made or self._folder.exists():
            try:
                aside = self._place.set_aside()
            except OSError as error:
                raise StoreError(
                    f"The index in {self._folder.path} cannot be set aside ({error.strerror}).",
                    "Check its permissions.",
                ) from error
            if aside is not None:  # it was sound, and whoever is interrupted starts over
                self._folder.remove_tree(aside.name)
            self._forget()

    def last_rebuild(self) -> str:
        """A sentence about the last time an index was set aside; empty when there was none or it was removed since."""
        last = self._read(_HEALED)
        if not last or not os.path.exists(last.get("aside", "")):
            return ""
        return (
            f"On {last.get('when', '')} the index was found damaged and built anew: {last.get('what', '')} "
            f"The old files are in {last['aside']}."
        )

    def last_mended(self) -> str:
        """A sentence about the last part that was made again; empty when there was none since the index was made."""
        last = self._read(_MENDED)
        return f"On {last.get('when', '')}: {last.get('what', '')}" if last else ""

    def news(self) -> str:
        """What the two above say, once: for the next answer of any process, empty afterwards."""
        records = tuple(map(self._stamp, (_HEALED, _MENDED)))
        if records == self._told_of:
            return ""
        self._told_of = records
        news = []
        for name, tell in ((_HEALED, self.last_rebuild), (_MENDED, self.last_mended)):
            last = self._read(name)
            if last and not last.get("told"):
                news.append(tell())
                self._write(name, {**last, "told": "yes"})
        return " ".join(filter(None, news))

    def sweep(self) -> None:
        """Remove what an interrupted rebuild left behind; the files of a damaged index are kept to be looked into."""
        kept = self._read(_HEALED).get("aside", "")
        with suppress(OSError):
            for one in self._folder.entries() if self._folder.exists() else ():
                if one.name.startswith("set-aside-") and str(self._folder.path / one.name) != kept:
                    self._folder.remove_tree(one.name)

    def _forget(self) -> None:
        self._logged, self.is_noted = "", False
        with suppress(OSError):
            self._folder.remove(_DAMAGED)

    def _stamp(self, name: str) -> tuple[int, int]:
        """Changes with a record; looked at by name, because every answer asks and nothing is read by it."""
        try:
            facts = os.lstat(self._folder.path / name)
        except OSError:
            return 0, 0
        return facts.st_ino, facts.st_mtime_ns

    def _read(self, name: str) -> Mapping[str, str]:
        return read_signed(self._folder, name) or {}

    def _write(self, name: str, record: Mapping[str, str]) -> None:
        with suppress(OSError):  # whoever comes next meets the damage as we did
            write_signed(self._folder, name, record)


def _moment() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")
