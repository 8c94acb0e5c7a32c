"""Which memories point at what, turned around once and kept for as long as nothing changes.

Every memory's links enter; for each address the memories that point there leave. They are kept beside the index of the
memories, in `pointing.json`, under a key that names the state of every memory's file and of the documents' index.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from pinakes.atomic import replace_file
from pinakes.memories.files import Facts

FILE = "pointing.json"
Pointing = Mapping[str, tuple[str, ...]]
"""Addresses as printed, and the paths of the memories that point exactly there."""


def backlinks(folder: Path, key: str, make: Callable[[], Pointing]) -> Pointing:
    """What was kept under this key, else what `make` makes of it now."""
    try:
        kept = json.loads((folder / FILE).read_bytes())
        if kept["key"] == key:
            return {str(address): tuple(map(str, paths)) for address, paths in kept["pointing"].items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        kept = None
    made = make()
    if folder.is_dir():  # made by the first sync; without an index nothing is kept
        with suppress(OSError):
            replace_file(folder / FILE, json.dumps({"key": key, "pointing": made}).encode())
    return made


def key_of_state(files: Sequence[Facts], documents: str) -> str:
    """Names the state of all memories and of the documents they may point at."""
    state = json.dumps([[f.path, f.size, f.modified_ns, f.changed_ns, f.inode] for f in files])
    return hashlib.blake2b(f"1 {documents} {state}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
