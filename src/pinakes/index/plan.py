"""What has to be done so that the store agrees with a source: a pure comparison of two listings.

A scan and what the store has kept go in; a `SyncPlan` comes out. Nothing is read and nothing is written here.

Settings decide too. Each stage keeps one line in the store's settings, under the names below. When the line it would
write today differs from the one kept, what that stage made is made again; the others are left alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct

from pinakes.records import Failure, Ref, Scan, Stamp, StoredFile

READING = "reading"
"""Setting that names how documents were parsed, cut and named. A difference reads every document again."""

KEYWORDS = "keywords"
"""Setting that names how keywords were made. A difference makes them pending again."""

READING_VERSION = "25"
"""Raise it when parsers, kinds, names or link keys give other results for the same bytes."""

SOURCE = "source"
"""Setting that names what the source is allowed to read. A difference tries failed files again."""

STATISTICS = "keyword_statistics"
"""Setting that holds the corpus's term counts from which keywords were made."""

BUILDING = "building"
"""Setting that is there while many documents are still to be read, by whichever process: how many there will be."""

SNAPSHOT = "glance"
"""Setting that holds the snapshot of the source with which the store last agreed; the stored name is older."""


class SyncPlan(Struct, frozen=True):
    """The difference between a source and a store."""

    read: tuple[Stamp, ...]
    """Documents that are new or may have changed."""
    drop: tuple[Ref, ...]
    """Files the source no longer has."""
    assets: tuple[Stamp, ...]
    """Files that are not read and are new or have changed."""
    unchanged: int
    """Documents that need nothing."""


def plan(
    scan: Scan, kept: Mapping[str, StoredFile], failures: Iterable[Failure], *, reread: Collection[str] = ()
) -> SyncPlan:
    """Compare by address, version and media; documents at or below the paths `reread` are looked into again, all of
    them if the root, an empty path, is one.

    A file that failed is tried again only when its version changed. What lies under a folder that could not be looked
    at keeps its last good state: not seen is not the same as gone.
    """
    failed = {failure.ref.path: failure.version for failure in failures}
    again = tuple(f"{path}/" if path else "" for path in reread)
    read, assets, unchanged, seen = [], [], 0, set()
    for stamp in scan.stamps:
        path = stamp.ref.path
        seen.add(path)
        known = kept.get(path)
        same = known is not None and known.stamp.version == stamp.version and known.stamp.media is stamp.media
        if not stamp.media.is_document:
            if not same:
                assets.append(stamp)
                if known is not None and known.stamp.media.is_document:
                    seen.discard(path)  # newly excluded: the document goes, the file stays
        elif f"{path}/".startswith(again) or not (same or failed.get(path) == stamp.version):
            read.append(stamp)
        elif same and path not in failed:
            unchanged += 1
    hidden = _folders(scan.failures)
    gone = [known.stamp.ref for path, known in kept.items() if path not in seen and not path.startswith(hidden)]
    return SyncPlan(tuple(read), tuple(gone), tuple(assets), unchanged)


def moves(put: Mapping[Ref, str], dropped: Mapping[Ref, str]) -> tuple[tuple[Ref, Ref], ...]:
    """Pair each new document with a vanished one of the same digest, in order of their addresses."""
    homeless: dict[str, list[Ref]] = {}
    for ref in sorted(dropped, reverse=True):
        homeless.setdefault(dropped[ref], []).append(ref)
    pairs = []
    for ref in sorted(put):
        if origins := homeless.get(put[ref]):
            pairs.append((origins.pop(), ref))
    return tuple(pairs)


def _folders(failures: Sequence[Failure]) -> tuple[str, ...]:
    """Path prefixes below which nothing was seen. An unreadable root hides everything."""
    return tuple(failure.ref.path.rstrip("/") + "/" if failure.ref.path != "." else "" for failure in failures)
