"""What configuration files among the files of a source say: the sites of documents, the module paths of code."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol, runtime_checkable

from pinakes.parse.code.module_paths import CONFIGURATIONS, read_module_paths
from pinakes.parse.code.module_paths import MOST_BYTES as MOST_CONFIGURATION_BYTES
from pinakes.ports import Reader, Source
from pinakes.records import CODE, NameForm, Scan, name_key
from pinakes.records.module_paths import NO_MODULE_PATHS, ModulePaths
from pinakes.records.sites import NO_SITES, AnchorStyle, Sites
from pinakes.sites import FILE_NAMES, MOST_BYTES, configurations, recognise


@runtime_checkable
class SiteSource(Protocol):
    """A source whose documents a site may be made of."""

    def small_file(self, path: str, limit: int) -> bytes | None:
        """A file that is no document, or None where it cannot be had."""
        ...


def find_sites(source: Source, reader: Reader, scan: Scan, anchors: str) -> Sites:
    """What the configuration files of sites say now."""
    if anchors == AnchorStyle.GITHUB or not isinstance(source, SiteSource):
        return NO_SITES
    paths = _listed(source, reader, scan, FILE_NAMES)
    found = {path: source.small_file(path, MOST_BYTES) for path in configurations(paths)}
    return recognise({path: data for path, data in found.items() if data is not None}, anchors)


def find_module_paths(source: Source, reader: Reader, scan: Scan) -> ModulePaths:
    """What the configuration files of source code say now."""
    if source.corpus != CODE or not isinstance(source, SiteSource):
        return NO_MODULE_PATHS
    files = source
    paths = _listed(source, reader, scan, CONFIGURATIONS)
    return read_module_paths(paths, lambda path: files.small_file(path, MOST_CONFIGURATION_BYTES))


def _listed(source: Source, reader: Reader, scan: Scan, wanted: Collection[str]) -> set[str]:
    """The files of some names: a scan of some paths tells of the files there, the index of all others."""
    paths = {stamp.ref.path for stamp in scan.stamps if stamp.ref.path.rpartition("/")[2] in wanted}
    if scan.within is not None:
        seen = tuple(f"{path}/" for path in scan.within)
        names = reader.names(source.corpus, {name_key(name) for name in wanted})
        others = (name.path for name in names if name.form is NameForm.PATH)
        paths.update(path for path in others if not f"{path}/".startswith(seen))
    return paths
