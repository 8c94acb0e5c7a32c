"""A cache of backlinks: for each address the memories that point to it.

The cache lies beside the index of the memories, in `pointing.json`. Its key names the state of every memory file and of
the documents' index, so a changed file or a new sync makes it stale.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from pinakes.memories.files import FileVersion
from pinakes.own_folder import OwnFolder

FILE = "pointing.json"
Backlinks = Mapping[str, tuple[str, ...]]
"""Addresses as printed, and the paths of the memories that point exactly there."""


def backlinks(folder: OwnFolder, key: str, make: Callable[[], Backlinks]) -> Backlinks:
    """The cached backlinks if `key` matches, else the result of `make`, which is then cached."""
    try:
        cached = json.loads(folder.read(FILE))
        if cached["key"] == key:
            return {str(address): tuple(map(str, paths)) for address, paths in cached["pointing"].items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        pass
    computed = make()
    if folder.exists():  # the first sync creates it; without an index nothing is cached
        with suppress(OSError):
            folder.replace(FILE, json.dumps({"key": key, "pointing": computed}).encode())
    return computed


def key_of_state(files: Sequence[FileVersion], documents: str) -> str:
    """A digest of the state of all memory files and of the documents' index."""
    state = json.dumps([[f.path, f.size, f.modified_ns, f.changed_ns, f.inode] for f in files])
    return hashlib.blake2b(f"1 {documents} {state}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
