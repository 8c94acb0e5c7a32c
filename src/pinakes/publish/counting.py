"""The words of chunks, counted once: what was counted in an earlier run is taken from a file of the library.

Texts enter by a key that says all that their counts depend on, `TermCounts` leave. The file spares work and nothing
else: it may be missing, old or damaged at any time.

    words.json    {key: [[title, length, "term term …", "times times …"], …]}
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from pinakes.own_folder import OwnFolder
from pinakes.publish.packing import MOST_TIMES
from pinakes.words.tokenize import Terms, english

_FILE = "words.json"
_MOST_BYTES = 1_000_000_000


class TermCounts(NamedTuple):
    """A chunk: what it is called, how many terms it has, which, and how often."""

    title: str
    length: int
    terms: tuple[str, ...]
    times: tuple[int, ...]


class ChunkWords(NamedTuple):
    """A chunk to be counted."""

    title: str
    above: str
    """The titles over it, which it is found by too."""
    text: str


class Counting:
    """Counts chunks, and remembers them in a folder, if there is one."""

    def __init__(self, folder: OwnFolder | None) -> None:
        self._folder = folder
        self._held = _read(folder)
        self._kept: dict[str, object] = {}
        self._terms = Terms(english())

    def of(self, key: str, texts: Callable[[], Sequence[ChunkWords]]) -> tuple[TermCounts, ...]:
        """The chunks of the document with this key; `texts` is only called when it was not counted before."""
        made = _known(self._held.get(key))
        if made is None:
            made = tuple(self._count(text) for text in texts())
            self._kept[key] = [
                (one.title, one.length, " ".join(one.terms), " ".join(map(str, one.times))) for one in made
            ]
        else:
            self._kept[key] = self._held[key]
        return made

    def remember(self) -> None:
        """Keep what was counted or known in this run, for the next."""
        if self._folder is None or self._kept.keys() == self._held.keys():
            return
        with suppress(OSError):  # only spares work
            self._folder.make().replace(_FILE, json.dumps(self._kept, ensure_ascii=False).encode(), durable=False)

    def _count(self, text: ChunkWords) -> TermCounts:
        line, besides = self._terms.of(f"{text.above}\n{text.text}")
        # Names with signs in them are found by their words, which stand in the line.
        held = [*line.split(), *filter(str.isalnum, besides.split())]
        counts = Counter(held)
        times = tuple([min(times, MOST_TIMES) for times in counts.values()])
        return TermCounts(text.title, len(held), tuple(counts), times)


def _read(folder: OwnFolder | None) -> dict[str, object]:
    if folder is None:
        return {}
    try:
        held = json.loads(folder.read(_FILE, _MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return held if isinstance(held, dict) else {}


def _known(held: object) -> tuple[TermCounts, ...] | None:
    """A document as it was remembered; None when it was not, or not like this."""
    if not isinstance(held, list):
        return None
    found = []
    for row in held:
        match row:
            case [str(title), int(length), str(terms), str(times)]:
                names = tuple(terms.split())
                often = tuple(map(_TIMES.get, times.split()))
                if len(names) != len(often) or None in often:
                    return None
                found.append(TermCounts(title, length, names, often))  # type: ignore[arg-type]
            case _:
                return None
    return tuple(found)


_TIMES = {str(times): times for times in range(1, MOST_TIMES + 1)}
