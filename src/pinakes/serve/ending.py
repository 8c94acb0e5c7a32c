"""How a server ends: soon after it is told to, whatever its threads are doing.

A thread that indexes or searches cannot be stopped, and Python would wait for it. All it writes is in transactions, so
the process may leave at any moment.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

CLOSE_S = 0.5
"""How long the index may take to be closed in order."""
LAST_S = 1.5
"""From the beginning of the end to the end of the process: two seconds are promised."""


def leave(close: Callable[[], object] | None = None, code: int = 0) -> NoReturn:
    """End the process with an exit code, after `close` where that does not take long."""
    if close is not None:
        closing = threading.Thread(target=close, daemon=True)
        closing.start()
        closing.join(CLOSE_S)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # it may be closed, or nobody reads it
            stream.flush()
    os._exit(code)


def leave_soon_after(ending: threading.Event) -> None:
    """Have the process leave a moment after `ending` is set, should anything hold up an orderly end."""

    def wait() -> None:
        ending.wait()
        time.sleep(LAST_S)
        leave()

    threading.Thread(target=wait, name="pinakes-end", daemon=True).start()
