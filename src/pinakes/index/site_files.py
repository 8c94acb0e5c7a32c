"""The sites of a source, by the configuration files that lie among its documents."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from pinakes.ports import Reader, Source
from pinakes.records import NameForm, Scan, name_key
from pinakes.records.sites import NO_SITES, AnchorStyle, Sites
from pinakes.sites import FILE_NAMES, MOST_BYTES, configurations, recognise


@runtime_checkable
class SiteSource(Protocol):
    """A source whose documents a site may be made of."""

    def small_file(self, path: str, limit: int) -> bytes | None:
        """A file that is no document, or None where it cannot be had."""
        ...


def find_sites(source: Source, reader: Reader, scan: Scan, anchors: str) -> Sites:
    """What the configuration files say now. A scan of some paths tells of the files there, the index of all others."""
    if anchors == AnchorStyle.GITHUB or not isinstance(source, SiteSource):
        return NO_SITES
    paths = {stamp.ref.path for stamp in scan.stamps}
    if scan.within is not None:
        seen = tuple(f"{path}/" for path in scan.within)
        names = reader.names(source.corpus, {name_key(name) for name in FILE_NAMES})
        others = (name.path for name in names if name.form is NameForm.PATH)
        paths.update(path for path in others if not f"{path}/".startswith(seen))
    found = {path: source.small_file(path, MOST_BYTES) for path in configurations(paths)}
    return recognise({path: data for path, data in found.items() if data is not None}, anchors)
