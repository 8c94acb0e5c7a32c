"""A folder of about so many passages, made from a smaller or a larger one.

Documents and a number enter, files leave. Fewer documents are chosen evenly over the folder. More are copies in which
words are exchanged: every copy has its own, fixed exchange, in which each word becomes one about as frequent. Copies
that differ by a number only would be folded together as duplicates, and every question would find all of them equally
good; exchanged words keep how long passages are and how rare words are. Sections of names, code or templates alone
keep their words, and some of those are still folded.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pinakes.index.reading import USUAL, read_entry
from pinakes.ports import Source
from pinakes.records import Entry, Raw

_TRIED = 400
"""Documents whose passages are counted to know about how many all have."""
_BAND = 48
"""Words that may become each other: neighbours when all are ordered by how often they occur."""
_KEPT = 150
"""The most frequent words stay, as do short ones: they are what makes the text English."""
_PIECES = re.compile(
    r"(\]\([^()\s]*\)|https?://\S+|\{\{[^{}\n]*\}\}|\{%[^{}\n]*%\}"  # targets of links and templates stay whole
    r"|^[ \t-]*[\w-]+:(?=\s)|^[ \t]*(?:```|~~~)[^\n]*|</?[A-Za-z][^<>\n]*>"  # so do fields, fences and tags
    r"|[A-Za-z]{4,})",
    re.MULTILINE,
)


def passages_each(source: Source, raws: Sequence[Raw]) -> float:
    """About how many section-level chunks a document has."""
    step = max(1, len(raws) // _TRIED)
    entries = [read_entry(source, raw.stamp, "", USUAL) for raw in raws[::step]]
    counts = [
        sum(chunk.parent == chunk.ordinal for chunk in entry.chunks) for entry in entries if isinstance(entry, Entry)
    ]
    return max(1.0, sum(counts) / max(1, len(counts)))


def lay_out(raws: Sequence[Raw], documents: int, folder: Path) -> None:
    """So many documents as files below `folder`, a folder for each round of copies."""
    whole, rest = divmod(documents, len(raws))
    texts = [(raw.stamp.ref.path, raw.data) for raw in raws]
    chosen = [texts[place * len(texts) // rest] for place in range(rest)]
    rounds = [texts] * whole + ([chosen] if chosen else [])
    ordered = _by_frequency(texts) if len(rounds) > 1 else []
    for number, part in enumerate(rounds):
        table = exchange(ordered, number)
        for path, data in part:
            target = folder / f"part-{number}" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(exchanged(data, table) if table else data)


def lay_out_libraries(raws: Sequence[Raw], documents: int, libraries: int, folder: Path) -> tuple[Path, ...]:
    """So many libraries with so many documents together, a folder for each: each begins elsewhere among the documents
    and exchanges words in a way of its own."""
    texts = [(raw.stamp.ref.path, raw.data) for raw in raws]
    ordered = _by_frequency(texts)
    roots, each = [], max(1, documents // libraries)
    for number in range(libraries):
        table, start = exchange(ordered, number), number * each
        roots.append(folder / f"library-{number}")
        for place in range(start, start + each):
            path, data = texts[place % len(texts)]
            # A library with more documents than there are has some of them twice.
            target = roots[-1] / f"part-{(place - start) // len(texts)}" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(exchanged(data, table) if table else data)
    return tuple(roots)


def exchange(ordered: Sequence[str], number: int) -> Mapping[str, str]:
    """Which word becomes which in a copy; nothing is exchanged in the first. `ordered` has the most frequent first."""
    if not number:
        return {}
    chance = random.Random(number)
    table = {}
    for start in range(_KEPT, len(ordered), _BAND):
        band = list(ordered[start : start + _BAND])
        others = band.copy()
        chance.shuffle(others)
        for word, other in zip(band, others, strict=True):
            table[word], table[word.capitalize()] = other, other.capitalize()
    return table


def exchanged(data: bytes, table: Mapping[str, str]) -> bytes:
    """A document with its words exchanged; what is not in the table stays."""
    text = data.decode("utf-8", "surrogateescape")
    return "".join([table.get(piece, piece) for piece in _PIECES.split(text)]).encode("utf-8", "surrogateescape")


def _by_frequency(texts: Sequence[tuple[str, bytes]]) -> list[str]:
    counts = Counter(word for _, data in texts for word in _words(data))
    return sorted(counts, key=lambda word: (-counts[word], word))


def _words(data: bytes) -> Iterator[str]:
    """Words that can be exchanged. Those with capitals inside are names of something, and stay."""
    for piece in _PIECES.split(data.decode("utf-8", "surrogateescape"))[1::2]:
        if piece.isalpha() and piece[1:].islower():
            yield piece.lower()
