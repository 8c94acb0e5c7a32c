"""A log that does not repeat itself: of messages alike, one in ten seconds is written, and the rest are counted.

Log records enter, lines on stderr leave. Messages are alike when they come from one logger and begin alike, whatever
numbers are in them; a traceback is not looked at.
"""

from __future__ import annotations

import logging
import re
import time
from dataclasses import dataclass

from pinakes.render import safe

WINDOW_S = 10
MOST_KINDS = 200
"""Kinds of messages told apart at one time; all others are one kind."""
LONGEST = 200
"""Characters by which messages are compared."""
_NUMBER = re.compile(r"0x[0-9a-f]+|[0-9a-f]{32}|\d+")


@dataclass(slots=True)
class _Kind:
    since: float
    more: int = 0


class SummaryHandler(logging.StreamHandler):  # type: ignore[type-arg]
    """Writes to stderr. `settle` tells what was held back; call it now and then."""

    def __init__(self) -> None:
        super().__init__()
        self._kinds: dict[str, _Kind] = {}
        self.setFormatter(logging.Formatter("pinakes: %(message)s"))

    def format(self, record: logging.LogRecord) -> str:
        return safe(super().format(record), keep="\n\t")

    def emit(self, record: logging.LogRecord) -> None:
        self.settle()
        beginning = record.getMessage()[:LONGEST].partition("\n")[0]
        key = f"{record.name} {_NUMBER.sub('#', beginning)}"
        if key not in self._kinds and len(self._kinds) >= MOST_KINDS:
            key = ""
        if kind := self._kinds.get(key):
            kind.more += 1
            return
        self._kinds[key] = _Kind(time.monotonic())
        super().emit(record)

    def settle(self, *, is_ending: bool = False) -> None:
        """Tell how many messages were held back, of every kind whose time is over."""
        now = time.monotonic()
        for key, kind in [*self._kinds.items()]:
            if is_ending or now - kind.since >= WINDOW_S:
                del self._kinds[key]
                if kind.more:
                    what = key.partition(" ")[2] or "messages of other kinds"
                    self._tell(f"… {kind.more:,} more like this in {now - kind.since:.0f} s: {what}")

    def close(self) -> None:
        self.settle(is_ending=True)
        super().close()

    def _tell(self, line: str) -> None:
        super().emit(logging.LogRecord("pinakes", logging.WARNING, "", 0, "%s", (line,), None))


def summarise() -> SummaryHandler:
    """Have everything that is logged in this process go through one handler."""
    handler = SummaryHandler()
    root = logging.getLogger()
    root.handlers[:] = [handler]
    return handler
