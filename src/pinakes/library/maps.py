"""Maps that were drawn before, so that a later one can tell what changed since; git remembers what we do not."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from pinakes.errors import NotFound, Unreadable
from pinakes.library.collection import Collection
from pinakes.outline import Map, blocks_with, changed_blocks
from pinakes.ports import Source
from pinakes.records import Media, Stamp
from pinakes.sources import FolderSource
from pinakes.sources.formats import media_of
from pinakes.sources.git.since import changed_since

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


def only_since(drawn: Map, since: str, folder: Path, home: Collection) -> Map:
    """What changed since an earlier map, by its hash, or since a revision of git; raises `NotFound` for neither."""
    earlier = _earlier_map(folder, since)
    if earlier is not None:
        return changed_blocks(drawn, earlier)
    source = home.source
    if not isinstance(source, FolderSource) or not home.config.history.enabled:
        raise NotFound(f"No map with the hash “{since}” is remembered.", "Ask for a whole map and keep its hash.")
    stamps = {path: known.stamp for path, known in home.store.kept(home.corpus).items() if known.digest}
    found = changed_since(source.root, since, stamps, lambda path: _bytes(source, stamps[path]))
    documents = [path for path in found.gone if media_of(path.rpartition("/")[2]) is not Media.ASSET]
    return blocks_with(drawn, found.changed, documents)


def _bytes(source: Source, stamp: Stamp) -> bytes | None:
    try:
        return source.read(stamp).data
    except Unreadable:
        return None


def _earlier_map(folder: Path, wanted: str) -> Mapping[str, str] | None:
    """The blocks of the map with this hash, if it is remembered."""
    if not wanted.isalnum():
        return None
    target = folder / f"{wanted}.json"
    try:
        blocks = json.loads(target.read_text(encoding="utf-8"))
    except OSError:
        return None
    except ValueError:
        with suppress(OSError):
            target.unlink()  # or it would stand in the way of a sound one with the same hash
        return None
    return blocks if isinstance(blocks, dict) else None
