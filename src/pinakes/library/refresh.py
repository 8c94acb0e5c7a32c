"""What making an index agree with its source came to, and what an answer says of it."""

from __future__ import annotations

from typing import NamedTuple

from pinakes.errors import PinakesError, StoreBusy
from pinakes.records import Report


class Refresh(NamedTuple):
    """What making an index agree with its source came to."""

    report: Report | None
    """What was done; None when the index could not be compared with its source."""
    trouble: PinakesError | None = None
    """Why that is so, or why keywords are missing."""

    @property
    def note(self) -> str:
        """What an answer should say: that it may be older than its source, or that keywords are missing."""
        if self.trouble is None:
            return ""
        if self.report is not None:
            return f"New keywords are not made: {self.trouble}"
        if isinstance(self.trouble, StoreBusy):
            return f"{self.trouble.problem} This answer is from the index as it was."
        return self.trouble.problem
