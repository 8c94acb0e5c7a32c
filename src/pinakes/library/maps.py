"""Maps of one corpus, and the maps that were drawn before, so that a later one can tell what changed since."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from itertools import zip_longest
from typing import TypeVar

from pinakes.errors import BadAddress, NotFound, Unreadable
from pinakes.globs import literal_glob
from pinakes.graph.measures import section_ranks
from pinakes.library.corpus import Corpus
from pinakes.library.derived import SectionRanks, load_derived, save_derived
from pinakes.outline import Map, MapRequest, blocks_with, changed_blocks, draw_map
from pinakes.outline.paths import folder_of, upward
from pinakes.own_folder import OwnFolder
from pinakes.passages import locate
from pinakes.ports import Source
from pinakes.prose import first_sentence
from pinakes.records import Document, Filter, Outline, Query, Ref, Stamp, media_of
from pinakes.render import one_line
from pinakes.sources import FolderSource
from pinakes.sources.git.since import changed_since
from pinakes.tokens import count_tokens

T = TypeVar("T")

KEPT = 50
"""Maps whose block digests are remembered."""

_BY_LIKENESS, _BY_FOLDER = 0.2, 0.02
"""What likeness and a shared folder count beside links that lead from a focus."""
_MAP = ".json"
_DRAWN = "map"
"""Name of the derived part that holds the last map drawn as text."""


@dataclass(frozen=True, slots=True)
class MapText:
    """A map as text, with what one needs to ask for changes later."""

    text: str
    hash: str
    tokens: int


def draw(home: Corpus, part: str, request: MapRequest, focus: str, since: str) -> Map:
    """The outline of a corpus, of a folder or of one document, as `Library.map` promises it."""
    return _draw(home, part, request, focus, since, home.toolbox.ranking.present(home.index))


def _draw(home: Corpus, part: str, request: MapRequest, focus: str, since: str, usual: SectionRanks) -> Map:
    generation, outlines = home.generation, outlines_of(home, part)
    if not part.strip("/"):
        usual.known = generation, outlines
    centre = _focus(home, part, focus) if focus else ()
    ranks = _ranks_around(home, outlines, centre, usual) if centre else usual
    summaries = _texts(home, outlines, first_sentence) if request.summary else {}
    sizes = _texts(home, outlines, _own_tokens) if request.tokens else {}
    waiting = home.keyword_state()
    share = home.share()
    notes = [share] if share else [f"keywords: {waiting}"] if waiting else []
    if focus and not centre:
        notes.append(f"focus: nothing here is about {one_line(focus, 60)}")
    drawn = draw_map(outlines, ranks, request, summaries, sizes, "; ".join(notes))
    if not home.store.is_read_only:
        _remember(home.own.folder("maps"), drawn)
    return _only_since(drawn, since, home) if since else drawn


def draw_text(home: Corpus, part: str, request: MapRequest, focus: str, since: str) -> MapText:
    """What `draw` returns, as text. The last one is kept, so that asking again draws nothing. What changed since a
    revision of git is not kept, because the revision may come to mean another commit."""
    asked = json.dumps([version("pinakes"), part, str(request), focus, home.keyword_state(), home.share()])
    last = {} if since else load_derived(home.store, _DRAWN)
    if last.get("asked") == asked:
        return MapText(last["text"], last["hash"], last["tokens"])
    ranks = home.toolbox.ranking.present(home.index)
    drawn = _draw(home, part, request, focus, since, ranks)
    made = MapText(drawn.text(), drawn.hash, drawn.tokens)
    if not since and not ranks.is_older:
        save_derived(home.store, _DRAWN, {"asked": asked, "text": made.text, "hash": made.hash, "tokens": made.tokens})
    return made


def outlines_of(home: Corpus, part: str) -> tuple[Outline, ...]:
    """Every document's outline: of all, of a folder or of one document; raises `NotFound` when there is none."""
    outlines = tuple(home.index.outlines(home.name, part.strip("/")))
    if not outlines:
        raise no_documents(part or home.name)
    return outlines


def no_documents(part: str) -> NotFound:
    return NotFound(f"There are no documents under “{part}”.", "pinakes status --files lists all files.")


def _ranks_around(
    home: Corpus, outlines: Sequence[Outline], centre: Sequence[Ref], usual: SectionRanks
) -> Mapping[str, Sequence[float]]:
    """How close each section is to the `centre`: by links first, then by likeness, then by folder."""
    linked = section_ranks(outlines, centre)
    title = next((outline.title for outline in outlines if outline.ref.path == centre[0].path), "")
    like = section_ranks(outlines, [hit.ref for hit in home.search(Query(title, profile="fast")).hits]) if title else {}
    folders = {folder for ref in centre for folder in upward(folder_of(ref.path))}
    found = {}
    for outline in outlines:
        path = outline.ref.path
        near = next(folder for folder in upward(folder_of(path)) if folder in folders)
        share = _BY_FOLDER * (near.count("/") + (2 if near else 1)) / (path.count("/") + 1)
        rows = zip_longest(linked[path], like.get(path, ()), usual.get(path, ()), fillvalue=0.0)
        found[path] = tuple(one + _BY_LIKENESS * other + share * rank for one, other, rank in rows)
    return found


def _focus(home: Corpus, part: str, focus: str) -> Sequence[Ref]:
    """The document or section that is named, else the sections in which a search by words finds the question's."""
    try:
        return (locate(home.store, home.name, focus),)
    except (NotFound, BadAddress):
        inside = literal_glob(part.strip("/"))
        where = Filter(paths=(inside, f"{inside}/**") if inside else ())
        return [hit.ref for hit in home.search(Query(focus, where, profile="fast")).hits]


def _texts(
    home: Corpus, outlines: Iterable[Outline], tell: Callable[[Document, int], T]
) -> Mapping[str, tuple[T, ...]]:
    """Something told of each section's own text, by path; only asked for when a map shows it."""
    found = (home.store.document(outline.ref) for outline in outlines)
    return {
        document.ref.path: tuple(tell(document, i) for i in range(len(document.sections)))
        for document in found
        if document is not None
    }


def _own_tokens(document: Document, section: int) -> int:
    return count_tokens(document.text(document.own(section)))


def _remember(folder: OwnFolder, drawn: Map) -> None:
    """Remember a map's blocks under its hash. One that is not remembered is a map all the same, on a full disk too."""
    with suppress(OSError):
        name = f"{drawn.hash}{_MAP}"
        if not folder.make(levels=1).holds(name):
            folder.replace(name, json.dumps(drawn.block_digests()).encode(), durable=False)
        held = [entry for entry in folder.entries() if entry.name.endswith(_MAP)]
        for old in sorted(held, key=lambda entry: entry.facts.st_mtime_ns)[:-KEPT]:
            folder.remove(old.name)


def _only_since(drawn: Map, since: str, home: Corpus) -> Map:
    """What changed since an earlier map, by its hash, or since a revision of git; raises `NotFound` for neither."""
    earlier = _load_map(home.own.folder("maps"), since)
    if earlier is not None:
        return changed_blocks(drawn, earlier)
    source = home.source
    if not isinstance(source, FolderSource) or not home.config.history.enabled:
        raise NotFound(f"No map with the hash “{since}” is stored.", "Ask for a whole map and keep its hash.")
    stamps = {path: known.stamp for path, known in home.store.files(home.name).items() if known.digest}
    found = changed_since(source.root, since, stamps, lambda path: _bytes(source, stamps[path]))
    documents = [path for path in found.gone if media_of(path.rpartition("/")[2]).is_document]
    return blocks_with(drawn, found.changed, documents)


def _bytes(source: Source, stamp: Stamp) -> bytes | None:
    try:
        return source.read(stamp).data
    except Unreadable:
        return None


def _load_map(folder: OwnFolder, wanted: str) -> Mapping[str, str] | None:
    """The blocks of the map with this hash, if it is remembered."""
    if not wanted.isalnum():
        return None
    try:
        blocks = json.loads(folder.read(f"{wanted}{_MAP}"))
    except OSError:
        return None
    except (ValueError, RecursionError):
        with suppress(OSError):
            folder.remove(f"{wanted}{_MAP}")  # or it would stand in the way of a sound one with the same hash
        return None
    return blocks if isinstance(blocks, dict) else None
