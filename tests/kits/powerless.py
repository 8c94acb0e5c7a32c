"""A process without root's right to read and write everything, and folders that it cannot write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

POWERLESS = ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search")
"""What a command is started with: even the superuser then only writes where the permissions allow it."""


@contextmanager
def nowhere_to_index(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close a root, and the folder of the user's data where the index of such a root goes else."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    closed = tmp_path / "data" / "pinakes" / "indexes"
    closed.mkdir(parents=True)
    closed.chmod(0o555)
    root.chmod(0o555)
    try:
        yield
    finally:
        root.chmod(0o755)
