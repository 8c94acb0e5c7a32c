"""Good answers of the web, kept for some days so that servers are not asked again for nothing.

The file (`answers.json` in the user's cache) is derived and may be deleted at any time:

    {"version": 1, "answers": {ADDRESS: [second, counted from 1970, STATUS, MOVED_TO]}}
"""

from __future__ import annotations

import time
from collections.abc import Callable, Container
from contextlib import suppress
from pathlib import Path

import msgspec

from pinakes.errors import StoreError
from pinakes.own_folder import OwnFolder
from pinakes.records.web import WebAnswer, WebState

_FILE = "answers.json"
_VERSION = 1
_MOST = 20_000
"""Addresses that are kept; the oldest go first."""
_MOST_BYTES = 20_000_000
_SECONDS_A_DAY = 86_400


class _File(msgspec.Struct):
    version: int
    answers: dict[str, tuple[int, int, str]]


class WebCache:
    """Answers of earlier checks. Where nothing can be kept, every address is asked each time."""

    def __init__(self, place: Path | None, clock: Callable[[], float] = time.time) -> None:
        self._folder = OwnFolder.of_user(place) if place else None
        self._clock = clock
        self._answers = self._read()

    def answer(self, address: str, max_age_days: int, accepted: Container[int]) -> WebAnswer | None:
        """A good answer that is young enough; None when the address must be asked. What was not good before may be
        mended by now, so it is never believed."""
        known = self._answers.get(address)
        if known is None or known[1] not in accepted:
            return None
        age_s = self._clock() - known[0]
        if not 0 <= age_s < max_age_days * _SECONDS_A_DAY:
            return None
        return WebAnswer(WebState.ANSWERED, known[1], known[2])

    def keep(self, address: str, answer: WebAnswer) -> None:
        """Note an answer; `write` puts it on the disk."""
        if answer.state is WebState.ANSWERED:
            self._answers[address] = (int(self._clock()), answer.status, answer.moved_to)
        elif address in self._answers:
            self._answers[address] = (int(self._clock()), 0, "")

    def write(self) -> None:
        """Put on the disk what was noted, beside what other processes have noted meanwhile."""
        if self._folder is None:
            return
        both = {**self._read(), **self._answers}
        newest = sorted(both.items(), key=lambda item: item[1][0], reverse=True)[:_MOST]
        with suppress(OSError, StoreError):  # a cache must never stop anybody
            self._folder.make(parents=True).replace(_FILE, msgspec.json.encode(_File(_VERSION, dict(newest))))

    def _read(self) -> dict[str, tuple[int, int, str]]:
        if self._folder is None:
            return {}
        try:
            found = msgspec.json.decode(self._folder.read(_FILE, _MOST_BYTES), type=_File)
        except (OSError, StoreError, msgspec.DecodeError):
            return {}
        return found.answers if found.version == _VERSION else {}
