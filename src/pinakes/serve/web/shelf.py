"""What the page keeps between requests: how far each library's comparison with its folder is, and its tree.

Libraries enter; a note about freshness, the last progress and folders leave. Everything kept is under the generation it
was made from, so it is never older than the index.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import anyio
import anyio.to_thread

from pinakes.errors import NotFound, PinakesError
from pinakes.library import Library
from pinakes.records import Event, Kind, Outline, Phase
from pinakes.records.picture import Picture
from pinakes.serve.libraries import FRESH_S, Libraries

T = TypeVar("T")

_THREADS = 8
"""So many requests work at once; the others wait without holding up the event loop."""
_PATIENCE_S = 0.2
"""How long a request waits for the folder to be compared before it answers from what is there."""


@dataclass(frozen=True, slots=True)
class Leaf:
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
    documents: int = 0
    """In it and below."""
    line_count: int = 0


Tree = Mapping[str, Folder]
"""Every folder by its path, the root under the empty one."""


class Shelf:
    """The libraries as the page needs them; used from one event loop."""

    def __init__(self, libraries: Libraries) -> None:
        self.libraries = libraries
        self._limiter: anyio.CapacityLimiter | None = None
        self._comparing: dict[str, asyncio.Task[str]] = {}
        self._compared: dict[str, tuple[float, str]] = {}
        """When the last comparison ended, and what it had to say."""
        self._ready: set[str] = set()
        self._progress: dict[str, Event] = {}
        # Many who ask for the same at once wait for one to make it.
        self._making, self._drawing = threading.Lock(), threading.Lock()
        self._trees: dict[str, tuple[int, Tree]] = {}
        self._layouts: dict[str, tuple[int, Picture]] = {}

    async def work(self, call: Callable[[], T]) -> T:
        """Run something that takes a while in a thread of the page's own few."""
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(_THREADS)
        return await anyio.to_thread.run_sync(call, limiter=self._limiter)

    def progress(self, name: str) -> Event | None:
        """How far the reading under way has come; None when there is none. Looking at a folder is not yet reading."""
        event = self._progress.get(name) if name in self._comparing else None
        return None if event is None or event.phase is Phase.SCANNING else event

    def is_ready(self, name: str) -> bool:
        """Whether there is anything to ask, or certainly nothing: not while the first reading is at its beginning."""
        if name in self._ready:
            return True
        library = self.libraries.get(name)
        is_through = name not in self._comparing
        if library.generation > 0 and (is_through or library.status().counts.documents > 0):
            self._ready.add(name)
        return name in self._ready

    async def freshen(self, name: str) -> str:
        """Compare a library with its folder, waiting only a moment; returns what a reader should know about it."""
        ended, note = self._compared.get(name, (float("-inf"), ""))
        if time.monotonic() - ended < FRESH_S:
            return note
        task = self.compare(name)
        done, _ = await asyncio.wait({task}, timeout=_PATIENCE_S)
        return task.result() if done else "The folder is being compared; this may be from before."

    def compare(self, name: str) -> asyncio.Task[str]:
        """The comparison with the folder that is under way, or a new one."""
        task = self._comparing.get(name)
        if task is None:
            task = asyncio.create_task(self._compare(name))
            self._comparing[name] = task
            task.add_done_callback(lambda _: self._comparing.pop(name, None))
        return task

    async def _compare(self, name: str) -> str:
        def tell(event: Event) -> None:
            self._progress[name] = event

        def compare() -> str:
            try:
                note = self.libraries.refresh(name, progress=tell)
                self.libraries.embed(name)
                return note
            except PinakesError as trouble:
                return str(trouble)

        # Not one of the page's few threads: a long first reading must not take a place from answers. A server that is
        # told to end does not wait for it either; what was written stays, and the next start goes on from there.
        note = await anyio.to_thread.run_sync(compare, abandon_on_cancel=True)
        self._compared[name] = (time.monotonic(), note)
        return note

    def tree(self, name: str) -> Tree:
        """Every folder of a library; blocks."""
        with self._making:
            return _kept(self._trees, name, self.libraries.get(name), _tree)

    def layout(self, name: str) -> Picture:
        """The link graph of a library, laid out; blocks for a second where a thousand documents are drawn."""
        with self._drawing:
            return _kept(self._layouts, name, self.libraries.get(name), Library.layout)


def _kept(held: dict[str, tuple[int, T]], name: str, library: Library, make: Callable[[Library], T]) -> T:
    """What was made of this generation, or made now."""
    generation = library.generation
    found = held.get(name)
    if found is None or found[0] != generation:
        found = (generation, make(library))
        held[name] = found
    return found[1]


def _tree(library: Library) -> Tree:
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
