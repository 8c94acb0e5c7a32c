"""Builders for tests: real records, real files, no mocks."""

from __future__ import annotations

from pathlib import Path

SHARED = Path(__file__).resolve().parents[2] / "shared"
"""Real documents and oracles laid beside the project; tests that need them skip when they are not there."""


def write_tree(root: Path, files: dict[str, str | bytes]) -> Path:
    """Lay files out under `root` and return it."""
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root
