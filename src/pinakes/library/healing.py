"""What is known about damage to an index, and getting a damaged one out of the way.

    damaged.json   {"what": …}: somebody met damage; the index answers nothing more until it is set aside
    healed.json    {"what": …, "when": …, "aside": …}: the last time an index was set aside because of damage

Nothing is deleted: an index that is set aside keeps its files under another name, and a new one is built from the
sources. Words and vectors beside it are derived from it and find out by themselves.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from pinakes.errors import StoreDamaged, StoreError
from pinakes.store import set_aside

_DAMAGED, _HEALED = "damaged.json", "healed.json"
_LOG = logging.getLogger("pinakes")


class Healing:
    """The record of one index's damage, kept in its folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._news = ""

    def refuse(self) -> None:
        """Raise `StoreDamaged` when damage is known and not mended yet."""
        if what := self._read(_DAMAGED).get("what"):
            raise StoreDamaged(what, "pinakes sync sets it aside and builds a new one.")

    def note(self, what: str) -> None:
        """Remember damage. Where that cannot be written, whoever comes next will meet it as we did."""
        if not self._read(_DAMAGED):
            _LOG.error("%s", what)
            self._write(_DAMAGED, {"what": what})

    def set_aside(self, what: str, *, is_damage: bool = True) -> bool:
        """Give the index another name; False where nothing can be renamed. What was damage is told of from now on."""
        if not self._folder.exists():
            return True
        try:
            aside = set_aside(self._folder)
        except (OSError, StoreError):
            return False
        if is_damage:
            moment = datetime.now().astimezone().isoformat(timespec="seconds")
            self._write(_HEALED, {"what": what, "when": moment, "aside": str(aside)})
            self._news = self.told()
            _LOG.warning("%s", self._news)
        with suppress(OSError):
            (self._folder / _DAMAGED).unlink(missing_ok=True)
        return True

    def told(self) -> str:
        """A sentence about the last time; empty when there was none or what was set aside has been removed since."""
        last = self._read(_HEALED)
        if not last or not os.path.exists(last.get("aside", "")):
            return ""
        return (
            f"On {last.get('when', '')} the index was found damaged and built anew: {last.get('what', '')} "
            f"What was there is kept as {last['aside']}."
        )

    def news(self) -> str:
        """The same, once, for the next answer."""
        news, self._news = self._news, ""
        return news

    def _read(self, name: str) -> Mapping[str, str]:
        try:
            read = json.loads((self._folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return {str(key): str(value) for key, value in read.items()} if isinstance(read, dict) else {}

    def _write(self, name: str, record: Mapping[str, str]) -> None:
        with suppress(OSError):
            (self._folder / name).write_text(json.dumps(record), encoding="utf-8")
