"""Maps of one corpus, and the maps that were drawn before, so that a later one can tell what changed since."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib.metadata import version

from msgspec import Struct

from pinakes.errors import BadAddress, NotFound, Unreadable
from pinakes.globs import literal_glob
from pinakes.library.corpus import Corpus
from pinakes.library.derived import load_derived, save_derived
from pinakes.library.folder_notes import notes_on_map
from pinakes.outline import (
    Map,
    MapRequest,
    Shelf,
    ShelfMoved,
    Shown,
    blocks_with,
    changed_blocks,
    draw_shelf,
    leading,
    whole,
)
from pinakes.outline.paths import folder_of, upward
from pinakes.own_folder import OwnFolder
from pinakes.passages import locate
from pinakes.ports import Source
from pinakes.prose import first_sentence
from pinakes.records import CODE, Document, Filter, Outline, Query, Ref, Stamp
from pinakes.render import one_line
from pinakes.sources import FolderSource
from pinakes.sources.folder import reads
from pinakes.sources.git.since import changed_since
from pinakes.tokens import count_tokens

KEPT = 50
"""Maps whose block digests are remembered."""

_BY_LIKENESS, _BY_FOLDER = 0.2, 0.02
"""What likeness and a shared folder count beside links that lead from a focus."""
DRAWN = 300
"""Documents in a picture of the link graph: more could not be told apart."""
_ATTEMPTS = 3
_MAP = ".json"
_DRAWN = "map"
"""Name of the derived part that holds the last map drawn as text."""


class MapText(Struct, frozen=True):
    """A map as text, with what one needs to ask for changes later."""

    text: str
    hash: str
    tokens: int


def draw(home: Corpus, part: str, request: MapRequest, focus: str, since: str) -> Map:
    """The outline of a corpus, of a folder or of one document, as `Library.map` promises it."""
    part = part.strip("/")
    centre = _focus(home, part, focus) if focus else ()
    lost = [f"focus: nothing here is about {one_line(focus, 60)}"] if focus and not centre else []
    drawn = home.from_one_index(lambda: _draw(home, part, request, centre, "; ".join((*_waiting(home), *lost))))
    if not home.store.is_read_only:
        _remember(home.own.folder("maps"), drawn)
    return _only_since(drawn, since, home) if since else drawn


def _waiting(home: Corpus) -> Iterator[str]:
    """What a map is still without: documents while the index is being built, else keywords."""
    if share := home.share():
        yield share
    elif home.name != CODE and (keywords := home.keyword_state()):  # code has signatures instead
        yield f"keywords: {keywords}"


def _draw(home: Corpus, part: str, request: MapRequest, centre: Sequence[Ref], state: str) -> Map:
    """The map of one generation. Documents that come or go in the meantime begin it anew; in the end all are read at
    once, as they are for a map that shows all of them."""
    store, shelves = home.index, home.toolbox.shelves
    tell = partial(_told, home, request) if request.summary or request.tokens else None
    for attempt in range(_ATTEMPTS):
        generation, is_last = store.generation, attempt == _ATTEMPTS - 1
        is_whole = is_last or not request.budget_tokens
        shelf = (shelves.whole_shelf if is_whole else shelves.shelf)(store, part, tell)
        if not shelf.paths:
            raise no_documents(part or home.name)
        shelf.plan = shelf.plan.noted(notes_on_map(home, shelf.paths))
        if centre:
            shelf.ranks = partial(_ranks_around, home, shelf, centre, shelf.ranks)
        try:
            drawn = draw_shelf(shelf, request, state)
        except ShelfMoved:
            continue
        if is_last or store.generation == generation:
            return drawn
    raise AssertionError("what was read at once cannot go")


def draw_text(home: Corpus, part: str, request: MapRequest, focus: str, since: str) -> MapText:
    """What `draw` returns, as text. The last one is kept, so that asking again draws nothing. What changed since a
    revision of git is not kept, because the revision may come to mean another commit."""
    asked = json.dumps(
        [version("pinakes"), part, str(request), focus, home.keyword_state(), home.share(), home.config.folders]
    )
    last = {} if since else load_derived(home.store, _DRAWN)
    if last.get("asked") == asked:
        return MapText(last["text"], last["hash"], last["tokens"])
    drawn = draw(home, part, request, focus, since)
    made = MapText(drawn.text(), drawn.hash, drawn.tokens)
    if not since and not home.toolbox.shelves.has_old_ranks:
        save_derived(home.store, _DRAWN, {"asked": asked, "text": made.text, "hash": made.hash, "tokens": made.tokens})
    return made


def outlines_of(home: Corpus, part: str) -> tuple[Outline, ...]:
    """Every document's outline: of all, of a folder or of one document; raises `NotFound` when there is none."""
    outlines = tuple(home.index.outlines(home.name, part.strip("/")))
    if not outlines:
        raise no_documents(part or home.name)
    return outlines


def leading_paths(home: Corpus, part: str) -> list[str]:
    """Every document, those first that a map prefers."""
    found = leading(home.toolbox.shelves.shelf(home.index, part.strip("/")))
    if not found:
        raise no_documents(part or home.name)
    return found


def no_documents(part: str) -> NotFound:
    return NotFound(f"There are no documents under “{part}”.", "pinakes status --files lists all files.")


def _ranks_around(
    home: Corpus, shelf: Shelf, centre: Sequence[Ref], usual: Callable[[], Sequence[float]]
) -> Sequence[float]:
    """How close each document is to the `centre`: by links first, then by likeness, then by folder."""
    store, graph = home.index, home.toolbox.shelves.graph(home.index)

    def sections(refs: Sequence[Ref]) -> list[int]:
        paths = sorted({ref.path for ref in refs})
        return [place for one in store.outlines(home.name, paths=paths) for place in graph.sections_of(one, refs)]

    title = next((one.title for one in store.outlines(home.name, paths=[centre[0].path])), "")
    like = [hit.ref for hit in home.search(Query(title, profile="fast")).hits] if title else []
    close = graph.closeness([(sections(centre), 1.0), (sections(like), _BY_LIKENESS)])
    folders = {folder for ref in centre for folder in upward(folder_of(ref.path))}

    ranks, found = usual(), [0.0] * len(shelf.paths)
    for folder, documents in shelf.plan.documents.items():
        near = folder
        while near not in folders:
            near = folder_of(near)
        depth = folder.count("/") + (2 if folder else 1)
        share = _BY_FOLDER * (near.count("/") + (2 if near else 1)) / depth
        for document in documents:
            found[document] = close.get(shelf.paths[document], 0.0) + share * ranks[document]
    return found


def _focus(home: Corpus, part: str, focus: str) -> Sequence[Ref]:
    """The document or section that is named, else the sections in which a search by words finds the question's."""
    try:
        return (locate(home.store, home.name, focus),)
    except (NotFound, BadAddress):
        inside = literal_glob(part.strip("/"))
        where = Filter(paths=(inside, f"{inside}/**") if inside else ())
        return [hit.ref for hit in home.search(Query(focus, where, profile="fast")).hits]


def _told(home: Corpus, request: MapRequest, outline: Outline) -> Shown:
    """A document with what is told of each section's own text; only asked for when a map shows it."""
    document = home.store.document(outline.ref)
    if document is None or len(document.sections) != len(outline.sections):  # it has just changed
        return whole(outline)
    places = range(len(document.sections))
    summaries = tuple(first_sentence(document, place) for place in places) if request.summary else ()
    return whole(outline, summaries, tuple(_own_tokens(document, place) for place in places) if request.tokens else ())


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
        there = {path for path, known in home.index.files(home.name).items() if known.digest}
        return changed_blocks(drawn, earlier, there)
    source = home.source
    if not isinstance(source, FolderSource) or not home.config.history.enabled:
        raise NotFound(f"No map with the hash “{since}” is stored.", "Ask for a whole map and keep its hash.")
    stamps = {path: known.stamp for path, known in home.store.files(home.name).items() if known.digest}
    found = changed_since(source.root, since, stamps, lambda path: _bytes(source, stamps[path]))
    kind, _ = reads(home.name)
    gone = [path for path in found.gone if kind(path.rpartition("/")[2]).is_document]
    return blocks_with(drawn, found.changed, gone)


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
