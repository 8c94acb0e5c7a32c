"""What memories pointed at when they were first looked at, for those whose files do not say so.

Addresses and digests enter and leave. They are kept beside the index of the memories, in `seen.json`:

    {"format": 1, "files": {"plan.md": {"version": "…", "seen": {"guide.md#setup": "…"}}}}

Losing it means that changes made before the next look go unnoticed, nothing more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pinakes.alone import alone
from pinakes.atomic import replace_file
from pinakes.errors import StoreError

FILE = "seen.json"
_FORMAT = 1
_WAIT_S = 1.0


@dataclass(frozen=True, slots=True)
class Sight:
    """One look at a memory."""

    version: str
    """Of its file."""
    seen: Mapping[str, str]


def read_sights(folder: Path) -> dict[str, Sight]:
    """Every memory's, by path; none when the file is not there or not what was written."""
    try:
        data = json.loads((folder / FILE).read_bytes())
        if data["format"] != _FORMAT:
            return {}
        return {
            str(path): Sight(str(one["version"]), {str(key): str(value) for key, value in one["seen"].items()})
            for path, one in data["files"].items()
        }
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}


def sights_version(folder: Path) -> tuple[int, ...]:
    """Equal for as long as the file is the same; nothing when there is none."""
    try:
        facts = (folder / FILE).stat()
    except OSError:
        return ()
    return facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns


def keep_sights(folder: Path, new: Mapping[str, Sight], known: frozenset[str]) -> None:
    """Add some, and forget those of memories that are no longer `known`; where nothing can be kept, nothing is."""
    with suppress(StoreError, OSError), alone(folder, "first sights", _WAIT_S):
        # Read again, because others may have looked meanwhile; their first sight came first.
        kept = read_sights(folder)
        merged = {path: sight for path, sight in kept.items() if path in known}
        for path, sight in new.items():
            before = kept[path].seen if path in kept else {}
            merged[path] = Sight(
                sight.version, {**sight.seen, **{key: before[key] for key in before if key in sight.seen}}
            )
        files = {path: {"version": one.version, "seen": dict(one.seen)} for path, one in sorted(merged.items())}
        replace_file(folder / FILE, json.dumps({"format": _FORMAT, "files": files}).encode())
