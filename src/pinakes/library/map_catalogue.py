"""What a map must know of every document before it looks into any: how central it is, and which headings repeat.

Kept beside the store as a few bytes for each document, and brought up to date by the store's feed: after an edit only
the documents that it touched are read again. Ranks are computed from the whole link graph, so they are only made again
when an edit changed a heading's place or a link. Where many ask while documents change, they may be a little older than
the documents: they only decide what goes first when not everything fits, and one change moves them by next to nothing.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import chain
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from pinakes.errors import StoreDamaged, StoreError
from pinakes.graph.measures import SectionGraph
from pinakes.library.derived import RANKS, save_derived
from pinakes.outline import whole
from pinakes.ports import Store
from pinakes.records import CorpusName, Outline

CATALOGUE = "catalogue"
"""Name of the derived part that holds it."""
_FORM = 1
"""Changes with what the part holds."""
_KEY = 8
"""Bytes that stand for a heading or a document's links: equal ones mean equal text, but for one case in 10^19."""


class _Noted(NamedTuple):
    """What is known of a document."""

    headings: bytes
    """A key for each heading, in any case."""
    content: bytes
    """A key of its bytes."""
    links: bytes
    """A key of all that ranks are made from: the tree of its sections, where it leads and who leads to it."""


class _Headings:
    """Those of all documents together."""

    def __init__(self, paths: Mapping[int, str], noted: Mapping[int, _Noted]) -> None:
        self._paths, self._noted = paths, noted

    @cached_property
    def repeats(self) -> Counter[int]:
        """How often each occurs, by `heading_key`."""
        return _counted(one.headings for one in self._noted.values())

    @cached_property
    def sections(self) -> Mapping[str, int]:
        """How many sections each document has, its root among them, by path."""
        return {path: len(self._noted[number].headings) // _KEY + 1 for number, path in self._paths.items()}


class MapCatalogue(Struct, frozen=True):
    """Of one generation of a store."""

    generation: int
    history: str
    paths: Mapping[int, str]
    """By the number of each document; one object as long as none comes or goes."""
    noted: Mapping[int, _Noted]
    """By number, in the order of `paths`."""
    headings: _Headings
    """One object as long as no heading changes."""
    ranks: Mapping[int, float]
    """Of each document, all its sections together; of no others than those that were there when they were made."""
    has_old_ranks: bool = False
    """Whether a link or heading changed since they were made."""

    def repeats(self, numbers: Iterable[int] | None = None) -> Counter[int]:
        """How often each heading occurs, in all documents or in some of them, by `heading_key`."""
        if numbers is None:
            return self.headings.repeats
        return _counted(self.noted[number].headings for number in numbers if number in self.noted)


def heading_key(title: str) -> int:
    """What stands for a heading in `MapCatalogue.repeats`."""
    return int.from_bytes(_key(title.casefold()), sys.byteorder)


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY).digest()


def _counted(headings: Iterable[bytes]) -> Counter[int]:
    return Counter(array("Q", b"".join(headings)))


def build(corpus: CorpusName, store: Store) -> tuple[MapCatalogue, SectionGraph]:
    """From every document; the graph is what its ranks were made from."""
    feed = store.feed(0)
    store.last_derived(RANKS)  # notes that what is kept next was made from this generation or a later one
    noted: dict[str, _Noted] = {}

    def noting(outlines: Iterator[Outline]) -> Iterator[Outline]:
        for outline in outlines:
            noted[outline.ref.path] = _note(outline)
            yield outline

    graph = SectionGraph(noting(store.outlines(corpus)))
    paths = {one.number: one.path for one in store.listing(corpus) if one.path in noted}
    known = {number: noted[path] for number, path in paths.items()}
    ranks = _rank(graph, paths, store)
    return MapCatalogue(feed.generation, feed.history, paths, known, _Headings(paths, known), ranks), graph


def follow(corpus: CorpusName, store: Store, known: MapCatalogue) -> MapCatalogue | None:
    """It after what happened since; None when all must be read again."""
    feed = store.feed(known.generation)
    if feed.history != known.history or feed.is_whole:
        return None
    if feed.generation == known.generation:
        return known
    paths, noted = known.paths, known.noted
    if feed.gone or not known.noted.keys() >= set(feed.changed):  # a document that stays keeps its path
        paths = {one.number: one.path for one in store.listing(corpus)}
    changed = {paths[number]: number for number in feed.changed if number in paths}
    found = {changed[one.ref.path]: _note(one) for one in store.outlines(corpus, paths=tuple(changed))}
    is_same = paths is known.paths
    if is_same:
        noted = {**noted, **found}
    else:
        paths = {number: path for number, path in paths.items() if number in found or number in noted}
        noted = {number: found.get(number) or noted[number] for number in paths}
    has_headings = is_same and all(known.noted[number].headings == one.headings for number, one in found.items())
    return replace(
        known,
        generation=feed.generation,
        paths=paths,
        noted=noted,
        headings=known.headings if has_headings else _Headings(paths, noted),
        has_old_ranks=known.has_old_ranks
        or not is_same
        or any(_is_linked_otherwise(known.noted[number], one) for number, one in found.items()),
    )


def _is_linked_otherwise(before: _Noted, after: _Noted) -> bool:
    """One that is in the feed with the same bytes is there because others link to it in another way."""
    return before.links != after.links or before.content == after.content


def rank(corpus: CorpusName, store: Store, known: MapCatalogue) -> tuple[MapCatalogue, SectionGraph]:
    """It with ranks made again."""
    store.last_derived(RANKS)
    graph = SectionGraph(store.outlines(corpus))
    return replace(known, ranks=_rank(graph, known.paths, store), has_old_ranks=False), graph


def _rank(graph: SectionGraph, paths: Mapping[int, str], store: Store) -> Mapping[int, float]:
    by_path = graph.by_path(graph.ranks())
    save_derived(store, RANKS, by_path)
    return {number: sum(by_path[path]) for number, path in paths.items() if path in by_path}


def _note(outline: Outline) -> _Noted:
    tree = [f"{section.parent} {section.anchor}" for section in outline.sections]
    leads = [f"{reference.section} {reference.to}" for reference in outline.references]
    cited = [str(count) for count in (outline.cited, *outline.cited_sections)]
    links = "\n".join(chain([outline.title, str(len(tree))], tree, leads, cited))
    return _Noted(
        b"".join([_key(section.title.casefold()) for section in whole(outline).outline.sections[1:]]),
        _key(outline.digest),
        _key(links),
    )


def load_catalogue(store: Store) -> MapCatalogue | None:
    """The one that is kept, of whichever generation; one that cannot be read is as good as none."""
    kept = store.last_derived(CATALOGUE)
    if kept is None:
        return None
    try:
        head, _, rest = kept[1].partition(b"\n")
        facts = json.loads(head)
        if facts["form"] != _FORM or facts["order"] != sys.byteorder:
            return None
        numbers, counts, ranked = array("q"), array("i"), array("d")
        place = 0
        for values in (numbers, counts, ranked):
            size = values.itemsize * facts["documents"]
            values.frombytes(rest[place : place + size])
            place += size
        names = json.loads(rest[place : place + facts["names"]])
        noted = dict(zip(numbers, _unpacked(rest[place + facts["names"] :], counts), strict=True))
        ranks = {number: rank for number, rank in zip(numbers, ranked, strict=True) if rank >= 0}
        paths = dict(zip(numbers, names, strict=True))
        return MapCatalogue(facts["generation"], facts["history"], paths, noted, _Headings(paths, noted), ranks)
    except (ValueError, KeyError, TypeError):
        return None


def _unpacked(keys: bytes, counts: Sequence[int]) -> Iterator[_Noted]:
    place = 0
    for count in counts:
        content, links = place + _KEY, place + 2 * _KEY
        end = links + _KEY * count
        yield _Noted(keys[links:end], keys[place:content], keys[content:links])
        place = end
    if place != len(keys):
        raise ValueError("the catalogue is cut off")


def keep_catalogue(store: Store, made: MapCatalogue) -> None:
    """Keep it where that is possible; where it is not, on a full disk too, it is made again the next time."""
    if store.is_read_only or made.has_old_ranks:
        return
    names = json.dumps(list(made.paths.values())).encode()
    facts = {
        "form": _FORM,
        "order": sys.byteorder,
        "generation": made.generation,
        "history": made.history,
        "documents": len(made.noted),
        "names": len(names),
    }
    numbers = array("q", made.paths)
    counts = array("i", [len(one.headings) // _KEY for one in made.noted.values()])
    ranked = array("d", [made.ranks.get(number, -1.0) for number in made.noted])
    keys = b"".join([part for one in made.noted.values() for part in (one.content, one.links, one.headings)])
    payload = b"".join(
        [json.dumps(facts).encode(), b"\n", numbers.tobytes(), counts.tobytes(), ranked.tobytes(), names, keys]
    )
    try:
        store.keep_derived(CATALOGUE, payload)
    except StoreDamaged:
        raise
    except StoreError:
        return
