"""Digests of link targets, for memories whose files do not record them.

A memory written by hand has no field `seen`. The first time it is examined, the digests of its targets are stored
beside the index of the memories, in `seen.json`:

    {"format": 1, "files": {"plan.md": {"version": "…", "seen": {"guide.md#setup": "…"}}}}

If the file is lost, changes made before the next examination go unnoticed; nothing else happens.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pinakes.atomic import replace_file
from pinakes.errors import StoreError
from pinakes.folder_lock import exclusive_lock

FILE = "seen.json"
_FORMAT = 1
_WAIT_S = 1.0


@dataclass(frozen=True, slots=True)
class SeenTargets:
    """The targets of one memory as they were first examined."""

    version: str
    """Digest of the memory's file."""
    seen: Mapping[str, str]
    """Address and digest of each target."""


def read_seen(folder: Path) -> dict[str, SeenTargets]:
    """All records by the memory's path; none when the file is missing or cannot be parsed."""
    try:
        data = json.loads((folder / FILE).read_bytes())
        if data["format"] != _FORMAT:
            return {}
        return {
            str(path): SeenTargets(str(one["version"]), {str(key): str(value) for key, value in one["seen"].items()})
            for path, one in data["files"].items()
        }
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}


def seen_version(folder: Path) -> tuple[int, ...]:
    """Stays equal while the file is unchanged; empty when there is no file."""
    try:
        facts = (folder / FILE).stat()
    except OSError:
        return ()
    return facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns


def write_seen(folder: Path, new: Mapping[str, SeenTargets], known: frozenset[str]) -> None:
    """Add records and drop those of memories that are not `known`. A failure to write is ignored."""
    with suppress(StoreError, OSError), exclusive_lock(folder, "seen targets", _WAIT_S):
        # Another process may have examined the memory first: its digests win.
        stored = read_seen(folder)
        merged = {path: record for path, record in stored.items() if path in known}
        for path, record in new.items():
            before = stored[path].seen if path in stored else {}
            merged[path] = SeenTargets(
                record.version, {**record.seen, **{key: before[key] for key in before if key in record.seen}}
            )
        files = {path: {"version": one.version, "seen": dict(one.seen)} for path, one in sorted(merged.items())}
        replace_file(folder / FILE, json.dumps({"format": _FORMAT, "files": files}).encode())
