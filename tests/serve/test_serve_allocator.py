"""A server keeps little memory that none of its threads needs."""

from __future__ import annotations

import platform
import re
import sys
import threading
from pathlib import Path

import pytest

from kits.http import PAGES, Server, serving
from kits.trees import write_tree

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.libc_ver()[0] != "glibc", reason="other C libraries share one heap anyway"
)
CLIENTS, QUESTIONS = 12, 6
_PART = 64 << 20
"""Each part of glibc's heap begins at a multiple of this."""


def parts_of_heap(pid: int) -> int:
    """How many parts of the heap threads of a process have, besides the first."""
    lines = Path(f"/proc/{pid}/maps").read_text(encoding="ascii").splitlines()
    starts = [re.match(r"([0-9a-f]+)-\S+ rw-p 00000000 00:00 0\s*$", line) for line in lines]
    return sum(int(found[1], 16) % _PART == 0 for found in starts if found)


def test_threads_of_a_server_share_the_heap(tmp_path: Path) -> None:
    with serving(write_tree(tmp_path / "harbour", PAGES)) as server:

        def ask(one: Server) -> None:
            for number in range(QUESTIONS):
                assert one.get(("/search", "/map", "/check")[number % 3], query="tides").status in (200, 422)

        threads = [threading.Thread(target=ask, args=(server,)) for _ in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert parts_of_heap(server.process.pid) <= 4  # one alone may have two, and other memory begins there, too
