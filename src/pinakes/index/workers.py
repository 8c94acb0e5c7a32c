"""Read many documents on several cores.

Starting a worker costs more than reading a few documents, so a small sync reads for itself. Source code is always read
apart from us, see `pinakes.index.apart`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from pinakes.index.reading import USUAL, PrefetchingSource, ReadingOptions, ReadResult, read_entries
from pinakes.index.worker import Worker
from pinakes.ports import Source
from pinakes.processors import processors
from pinakes.records import Stamp

WORTHWHILE = 400
"""Documents to read before workers pay for themselves."""

CHUNK = 48
"""Documents per message: a megabyte or less of records, so that a worker is never far behind or ahead."""

AHEAD = 3
"""Messages a worker may be given before its answers are taken."""


def read_in_parallel(
    source: Source, stamps: Sequence[Stamp], digests: Mapping[str, str], workers: int, options: ReadingOptions = USUAL
) -> Iterator[ReadResult]:
    """One outcome per stamp, in the order given; `workers` of 0 means as many as pay for themselves."""
    count = workers or processors()
    if len(stamps) < WORTHWHILE or count < 2:
        yield from read_entries(source, stamps, digests, options)
        if isinstance(source, PrefetchingSource):
            source.expect(())
        return
    chunks = [stamps[start : start + CHUNK] for start in range(0, len(stamps), CHUNK)]
    team = [Worker(source, options) for _ in range(min(count, len(chunks)))]
    try:
        tasks = iter(enumerate(chunks))
        for number, chunk in islice(tasks, AHEAD * len(team)):
            team[number % len(team)].give(chunk, digests)
        for number, chunk in enumerate(chunks):
            taken = 0
            for part in team[number % len(team)].take():
                taken += len(part)
                yield from part
            following = next(tasks, None)
            if following is not None:
                team[following[0] % len(team)].give(following[1], digests)
            # A worker that died was out of memory or was killed; what it still owes is read here instead.
            yield from read_entries(source, chunk[taken:], digests, options)
    finally:
        for worker in team:
            worker.stop()
