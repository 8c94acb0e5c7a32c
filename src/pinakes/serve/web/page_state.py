"""What the page keeps between requests: each library's tree of folders, and its link graph laid out.

Libraries enter, folders and drawings leave. Everything kept is under the generation it was made from, so it is never
older than the index.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from msgspec import Struct

from pinakes.errors import NotFound
from pinakes.library import Library
from pinakes.records import Event, Kind, Outline, Phase
from pinakes.records.graph import Picture
from pinakes.serve.freshness import Freshness

T = TypeVar("T")

MOST_ROWS = 500
"""More files than this in one folder are counted and not listed: a browser would choke, and a reader, too. Those stay
that a map would name first."""


class Leaf(Struct, frozen=True):
    """A document in the tree."""

    path: str
    title: str
    kind: Kind
    line_count: int
    cited: int
    """Links from elsewhere to it or into it."""
    keywords: tuple[str, ...]
    sections: int


@dataclass(slots=True)
class Folder:
    """A folder in the tree."""

    path: str
    folders: list[str] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)
    left_out: int = 0
    """Documents in it that are not listed."""
    documents: int = 0
    """In it and below."""
    line_count: int = 0


MOST_KEPT = 200
"""Libraries of which something is kept; a database may hold thousands."""
FolderTree = Mapping[str, Folder]
"""Every folder by its path, the root under the empty one."""


class PageState:
    """The libraries as the page needs them."""

    def __init__(self, freshness: Freshness, base_path: str = "") -> None:
        self.libraries = freshness.libraries
        self.base_path = base_path
        """What stands before every address of the page."""
        self.freshness = freshness
        self._ready: set[str] = set()
        # Many who ask for the same at once wait for one to make it.
        self._making, self._drawing = threading.Lock(), threading.Lock()
        self._trees: dict[str, tuple[int, FolderTree]] = {}
        self._layouts: dict[str, tuple[int, Picture]] = {}

    def progress(self, name: str) -> Event | None:
        """How far the reading under way has come; None when there is none. Looking at a folder is not yet reading."""
        event = self.freshness.progress(name)
        return None if event is None or event.phase is Phase.SCANNING else event

    def is_ready(self, name: str) -> bool:
        """Whether there is anything to ask, or certainly nothing: not while the first reading is at its beginning."""
        if name in self._ready:
            return True
        library = self.libraries.get(name)
        is_through = not self.freshness.is_refreshing(name)
        if library.generation > 0 and (is_through or library.status().counts.documents > 0):
            self._ready.add(name)
        return name in self._ready

    def tree(self, name: str) -> FolderTree:
        """Every folder of a library; blocks."""
        with self._making:
            return _kept(self._trees, name, self.libraries.get(name), _tree)

    def layout(self, name: str) -> Picture:
        """The link graph of a library, laid out; blocks for a second where a thousand documents are drawn."""
        with self._drawing:
            return _kept(self._layouts, name, self.libraries.get(name), Library.layout)


def _kept(cache: dict[str, tuple[int, T]], name: str, library: Library, make: Callable[[Library], T]) -> T:
    """What was made of this generation, or made now."""
    generation = library.generation
    entry = cache.get(name)
    if entry is None or entry[0] != generation:
        entry = (generation, make(library))
        cache.pop(name, None)
        cache[name] = entry
        while len(cache) > MOST_KEPT:
            del cache[next(iter(cache))]
    return entry[1]


def _tree(library: Library) -> FolderTree:
    tree: dict[str, Folder] = {"": Folder("")}
    try:
        outlines = library.outlines()
    except NotFound:
        return tree
    parents: defaultdict[str, set[str]] = defaultdict(set)
    for outline in outlines:
        leaf = _leaf(outline)
        folder = leaf.path.rpartition("/")[0]
        _folder(tree, folder).leaves.append(leaf)
        while True:
            here = _folder(tree, folder)
            here.documents += 1
            here.line_count += leaf.line_count
            if not folder:
                break
            above = folder.rpartition("/")[0]
            parents[above].add(folder)
            folder = above
    for path, below in parents.items():
        tree[path].folders = sorted(below)
    if crowded := [one for one in tree.values() if len(one.leaves) > MOST_ROWS]:
        order = {path: place for place, path in enumerate(library.leading())}
        for one in crowded:
            best = sorted(one.leaves, key=lambda leaf: order.get(leaf.path, len(order)))[:MOST_ROWS]
            one.left_out = len(one.leaves) - len(best)
            one.leaves = sorted(best, key=lambda leaf: leaf.path)
    return tree


def _folder(tree: dict[str, Folder], path: str) -> Folder:
    return tree.setdefault(path, Folder(path))


def _leaf(outline: Outline) -> Leaf:
    root = outline.sections[0]
    return Leaf(
        outline.ref.path,
        outline.title,
        outline.kind,
        root.lines.length,
        outline.cited + sum(outline.cited_sections[1:]),
        (root.keywords or _first_keywords(outline))[:4],
        len(outline.sections) - 1,
    )


def _first_keywords(outline: Outline) -> tuple[str, ...]:
    """Of the first section that has any: a document that opens with its title has nothing before it."""
    return next((section.keywords for section in outline.sections if section.keywords), ())
