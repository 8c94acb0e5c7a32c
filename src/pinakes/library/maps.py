"""Maps that were drawn before, so that a later one can tell what changed since."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from pinakes.errors import NotFound
from pinakes.outline import Map

KEPT = 50
"""Maps whose block digests are remembered."""


def remember_map(folder: Path, drawn: Map) -> None:
    """Remember a map's blocks under its hash. One that is not remembered is a map all the same, on a full disk too."""
    with suppress(OSError):
        folder.mkdir(exist_ok=True)
        target = folder / f"{drawn.hash}.json"
        if not target.exists():
            scratch = target.with_suffix(f".{os.getpid()}")
            scratch.write_text(json.dumps(drawn.block_digests()), encoding="utf-8")
            scratch.replace(target)
        for old in sorted(folder.glob("*.json"), key=lambda file: file.stat().st_mtime_ns)[:-KEPT]:
            old.unlink(missing_ok=True)


def earlier_map(folder: Path, wanted: str) -> Mapping[str, str]:
    """The blocks of the map with this hash."""
    unknown = NotFound(f"No map with the hash “{wanted}” is remembered.", "Ask for a whole map and keep its hash.")
    if not wanted.isalnum():
        raise unknown
    target = folder / f"{wanted}.json"
    try:
        blocks = json.loads(target.read_text(encoding="utf-8"))
    except OSError:
        raise unknown from None
    except ValueError:
        with suppress(OSError):
            target.unlink()  # or it would stand in the way of a sound one with the same hash
        raise unknown from None
    if not isinstance(blocks, dict):
        raise unknown
    return blocks
