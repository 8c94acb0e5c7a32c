"""Waiting for what another thread or process does: until it happens, not for a time.

A time stands here only as a guard: whoever waits for something that never happens fails with a sentence, and not
by the time limit of the whole test.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

HANG_S = 60.0
"""Whatever takes longer hangs. Nothing is asserted about how fast something is."""
_LOOK_S = 0.02


def until(holds: Callable[[], object], what: str, hang_s: float = HANG_S) -> None:
    """Look again and again until `holds` is true, for what cannot be waited on; fails when it hangs."""
    deadline = time.monotonic() + hang_s
    while not holds():
        assert time.monotonic() < deadline, f"not within {hang_s:.0f} s: {what}"
        threading.Event().wait(_LOOK_S)
