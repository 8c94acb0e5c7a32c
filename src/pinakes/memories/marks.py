"""Marks: the reasons to verify a memory before using it.

A memory, its resolved links, the digests seen earlier and the present files enter; `Mark`s leave: a target changed or
vanished, the review date passed, or another memory took its place.

A memory written by hand has no field `seen`. The first time it is examined, the digests of its targets are stored
beside the index of the memories, in `seen.json`:

    {"format": 1, "files": {"plan.md": {"version": "…", "seen": {"guide.md#setup": "…"}}}}

If that file is lost, changes made before the next examination go unnoticed; nothing else happens.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime

from msgspec import Struct

from pinakes.errors import StoreError
from pinakes.folder_lock import exclusive_lock
from pinakes.memories.current_files import CurrentFiles
from pinakes.memories.files import ENDING
from pinakes.memories.parsed_memory import ParsedMemory
from pinakes.own_folder import OwnFolder
from pinakes.records import DOCS, MEMORIES, Edge, Outcome, Ref, name_key
from pinakes.records.memory import Mark, MarkKind, Memory, Pointer


def address(ref: Ref) -> str:
    """A target as it is written in the field `seen`."""
    return str(ref).removeprefix(f"{DOCS}:")


def target_digests(links: Iterable[Edge | Pointer], current: CurrentFiles) -> dict[str, str]:
    """The present digest of every linked document or section, by address."""
    targets = dict.fromkeys(link.to for link in links if link.to is not None and link.outcome is Outcome.FOUND)
    digests = {address(ref): current.digest(ref) for ref in targets if ref.corpus == DOCS}
    return {target: digest for target, digest in digests.items() if digest}


def marks_of(
    memory: Memory, seen: Mapping[str, str], current: CurrentFiles, successors: Sequence[Memory], today: date
) -> Iterator[Mark]:
    """Every reason for care, the weightiest first."""
    for successor in successors:
        yield Mark(MarkKind.SUPERSEDED, f"“{successor.title}” ({successor.id}) took its place.", successor.ref)
    now = target_digests(memory.links, current)
    since = f" since {memory.date[:10]}" if memory.date else " since it was first looked at"
    for target, digest in now.items():
        if target in seen and seen[target] != digest:
            yield Mark(MarkKind.VERIFY, f"{target} has changed{since}.", Ref.parse_or_none(target))
    loose = {name_key(link.target.partition("#")[0]) for link in memory.links if link.to is None or link.is_loose}
    loose |= {name_key(link.to.path) for link in memory.links if link.to is not None and address(link.to) not in now}
    for target in seen:
        gone = Ref.parse_or_none(target)
        if gone and target not in now and name_key(gone.path) in loose and not current.digest(gone):
            yield Mark(MarkKind.GONE, f"{target} is no longer there.", gone)
    if _is_past(memory.review_by, today):
        yield Mark(MarkKind.DUE, f"It was to be reviewed by {memory.review_by}.")


def _is_past(day: str, today: date) -> bool:
    try:
        return bool(day) and datetime.fromisoformat(day).date() < today
    except ValueError:
        return False


def succession(memories: Mapping[str, ParsedMemory]) -> Mapping[str, tuple[str, ...]]:
    """For each superseded path its successors. Memories that supersede each other in a circle count as current."""
    claims: dict[str, set[str]] = {}
    for path, one in memories.items():
        for name in one.memory.supersedes:
            old = f"{name.removeprefix(f'{MEMORIES}:').removesuffix(ENDING)}{ENDING}"
            if old in memories and old != path:
                claims.setdefault(path, set()).add(old)
    found: dict[str, list[str]] = {}
    for path, olds in claims.items():
        for old in olds:
            if path not in _reached(old, claims):
                found.setdefault(old, []).append(path)
    return {old: tuple(sorted(paths)) for old, paths in found.items()}


def _reached(start: str, claims: Mapping[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        for old in claims.get(waiting.pop(), ()):
            if old not in reached:
                reached.add(old)
                waiting.append(old)
    return reached


FILE = "seen.json"
_FORMAT = 1
_WAIT_S = 1.0


class SeenTargets(Struct, frozen=True):
    """The targets of one memory as they were first examined."""

    version: str
    """Digest of the memory's file."""
    seen: Mapping[str, str]
    """Address and digest of each target."""


def read_seen(folder: OwnFolder) -> dict[str, SeenTargets]:
    """All records by the memory's path; none when the file is missing or cannot be parsed."""
    try:
        data = json.loads(folder.read(FILE))
        if data["format"] != _FORMAT:
            return {}
        return {
            str(path): SeenTargets(str(one["version"]), {str(key): str(value) for key, value in one["seen"].items()})
            for path, one in data["files"].items()
        }
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}


def seen_version(folder: OwnFolder) -> tuple[int, ...]:
    """Stays equal while the file is unchanged; empty when there is no file."""
    try:
        facts = folder.facts(FILE)
    except OSError:
        facts = None
    if facts is None:
        return ()
    return facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns


def write_seen(folder: OwnFolder, new: Mapping[str, SeenTargets], known: frozenset[str]) -> None:
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
        folder.replace(FILE, json.dumps({"format": _FORMAT, "files": files}).encode())
