"""From stamps to entries: read the bytes, parse them, cut them, and work out what the document answers to.

Every stamp gives exactly one outcome: an `Entry` to write, a `Stamp` whose content turned out to be unchanged, or a
`Failure`. One bad file never stops the rest.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol, runtime_checkable

from msgspec import Struct
from msgspec.structs import replace

from pinakes.chunk import ChunkOptions, chunk
from pinakes.errors import Unreadable
from pinakes.graph.names import keys_of, names_of
from pinakes.graph.site_anchors import with_site_anchors
from pinakes.parse import parse
from pinakes.ports import Source
from pinakes.records import Entry, Failure, Stamp
from pinakes.records.module_paths import NO_MODULE_PATHS, ModulePaths
from pinakes.records.sites import NO_SITES, Sites

ReadResult = Entry | Stamp | Failure

_RECORD = 100
"""What a section or a link adds, so that two megabytes of nothing but headings do not count as two of prose."""

_USUAL_CUTS = ChunkOptions()


class ReadingOptions(Struct, frozen=True):
    """What documents are read by, besides their bytes."""

    cutting: ChunkOptions = _USUAL_CUTS
    """Where they are cut."""
    sites: Sites = NO_SITES
    """Which of them belong to a site, whose anchors and addresses links may use."""
    modules: ModulePaths = NO_MODULE_PATHS
    """What names of modules mean in source code."""


USUAL = ReadingOptions()


@runtime_checkable
class PrefetchingSource(Protocol):
    """A source that reads faster when it is told what comes."""

    def expect(self, stamps: Sequence[Stamp]) -> None:
        """These will be read next, in this order; nothing when that was all."""
        ...


def read_entry(source: Source, stamp: Stamp, known_digest: str, options: ReadingOptions) -> ReadResult:
    """Take one document in; a digest equal to `known_digest` means there is nothing new to parse."""
    try:
        raw = source.read(stamp)
    except Unreadable as error:
        return Failure(stamp.ref, stamp.version, error.problem, error.next_step)
    if raw.digest == known_digest:
        return raw.stamp
    if modules := options.modules.of(stamp.ref.path):
        raw = replace(raw, modules=modules)
    sites = options.sites
    document = with_site_anchors(parse(raw), sites.of(stamp.ref.path))
    return Entry(document, names_of(document, sites), keys_of(document, sites), chunk(document, options.cutting))


def weight(outcome: ReadResult) -> int:
    """About how much memory an outcome takes, in bytes of source text: records weigh, too."""
    if not isinstance(outcome, Entry):
        return 0
    document = outcome.document
    return len(document.source) + _RECORD * (len(document.sections) + len(document.links))


def read_entries(
    source: Source, stamps: Iterable[Stamp], digests: Mapping[str, str], options: ReadingOptions = USUAL
) -> Iterator[ReadResult]:
    """One outcome per stamp, in the order given."""
    if isinstance(source, PrefetchingSource):
        stamps = tuple(stamps)
        source.expect(stamps)
    for stamp in stamps:
        yield read_entry(source, stamp, digests.get(stamp.ref.path, ""), options)


@contextmanager
def without_collecting() -> Iterator[None]:
    """Records form no cycles; looking for some among hundreds of thousands takes a fifth of a large sync."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
