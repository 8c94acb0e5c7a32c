"""One editor and what it has open: every request is answered here, from a view of the moment it came.

Requests enter on the event loop; what they ask is computed in the threads of the pool. Trouble with an index or a file
is told to the editor as a sentence in its log, and the request is answered from the document alone.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pinakes.check import Finding
from pinakes.check.links import link_finding
from pinakes.check.nearest import Nearest
from pinakes.errors import NotFound, PinakesError
from pinakes.records import CODE, DOCS, CorpusName, Document, Edge, Ref
from pinakes.serve.freshness import StillIndexing
from pinakes.serve.library_names import LibraryChange
from pinakes.serve.lsp.buffers import Buffer, Buffers, path_of
from pinakes.serve.lsp.catalogue import Catalogue
from pinakes.serve.lsp.diagnosing import Diagnoser, Publish
from pinakes.serve.lsp.folders import Folders, OpenFolder
from pinakes.serve.lsp.positions import UTF_16
from pinakes.serve.lsp.remembered import Remembered
from pinakes.serve.lsp.view import EditorView
from pinakes.serve.lsp.workspace_symbols import named_sections
from pinakes.serve.pool import Lane, Pool

T = TypeVar("T")
Call = Callable[[EditorView, Document, Buffer], T]
"""Answers a request about an open document, in a thread."""

FIRST_S = 2.0
"""How long a request waits for the first index; afterwards it is answered from the document alone."""
DEADLINE_S = 20.0
PLAN_S = 60.0
"""A rename waits until somebody else has finished writing the index."""
_MOST_SENTENCES = 1000
_TROUBLE = (PinakesError, OSError, sqlite3.Error)


class Editor:
    """The client at the other end. Used on one event loop."""

    def __init__(
        self,
        roots: tuple[Path, ...],
        arguments: Mapping[str, object],
        publish: Publish,
        log: Callable[[str], None],
    ) -> None:
        """`roots` are used in place of the folders that the client names, when there are any."""
        self.pool = Pool()
        self.buffers = Buffers(UTF_16)
        self._loop = asyncio.get_running_loop()
        self.folders = Folders(self.pool, arguments, self._heard)
        self._roots = roots
        self._log = log
        self._said: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.diagnoser = Diagnoser(self, publish)
        self._nearest = Remembered(Nearest)
        self.catalogues = Remembered(Catalogue.of)
        self.sections = Remembered(named_sections)

    def say(self, sentence: str) -> None:
        """Tell the user something, once, in the editor's log."""
        if sentence not in self._said and len(self._said) < _MOST_SENTENCES:
            self._said.add(sentence)
            self._log(sentence)

    def _say_soon(self, sentence: str) -> None:
        """Called in any thread."""
        self._loop.call_soon_threadsafe(lambda: self.say(sentence))

    def open_folders(self, uris: tuple[str, ...]) -> None:
        """Open the roots of the command line, or the folders that the client names."""
        if self._roots:
            for root in self._roots:
                self._open_folder(str(root), str(root), is_root=True)
        else:
            for uri in uris:
                self.open_folder(uri)

    def open_folder(self, uri: str) -> None:
        """Open a folder that the client names; what cannot be opened is told."""
        if folder := path_of(uri):
            self._open_folder(uri, folder, is_root=False)

    def _open_folder(self, uri: str, folder: str, *, is_root: bool) -> None:
        try:
            opened = self.folders.add(uri, folder, is_root=is_root, warn=self._say_soon)
        except _TROUBLE as error:
            self.say(str(error))
            return
        if opened is not None:
            self.start(self._refresh(opened))
            self.start(self._prepare(opened))

    async def _prepare(self, folder: OpenFolder) -> None:
        """Have the names of a library ready before the first completion; whoever asks meanwhile waits for the same."""
        view = self.view(folder)
        with suppress(*_TROUBLE):  # told when somebody asks
            await self.pool.run(lambda: folder.library.is_indexed and self.catalogues.get(view, Ref(DOCS, "")))

    def close_folder(self, uri: str) -> None:
        """A folder was closed in the editor; its library is closed with the last one."""
        if not self._roots and (gone := self.folders.remove(uri)) is not None:
            self.diagnoser.leave(gone)
            self.start(self._close(gone))

    async def _close(self, folder: OpenFolder) -> None:
        await self.pool.run(folder.close, Lane.SLOW)
        self.diagnoser.diagnose_all()

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do something that nobody waits for."""
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def ask(self, uri: str, call: Call[T], lane: Lane = Lane.QUICK) -> T | None:
        """The answer to a request about an open document; None for one that is not open or too large.

        The text is the one at the moment of the call: nothing is awaited before it is taken.
        """
        buffer = self.buffers.get(uri)
        if buffer is None:
            return None
        view, ref = self._view(buffer)
        if view.folder is not None:
            try:
                await self._freshen(view.folder)
                return await self._answer(view.folder, lambda: call(view, _open(view, ref), buffer), lane)
            except _TROUBLE as error:
                self.say(_sentence(error))
        alone = EditorView(view.folder, view.buffers, view.encoding, is_indexed=False)
        return await self._run(lambda: call(alone, _open(alone, ref), buffer))

    async def plan(self, uri: str, call: Call[T]) -> T:
        """The answer to a request that must be right or refused; raises `PinakesError` or `OSError`."""
        buffer = self.buffers.get(uri)
        if buffer is None:
            raise NotFound("The document is not open.", "Open it in the editor.")
        view, ref = self._view(buffer)
        if view.folder is None:
            return await self.pool.run(lambda: call(view, _open(view, ref), buffer))
        await view.folder.freshness.refresh(view.folder.name, first_s=PLAN_S)
        return await view.folder.freshness.answer(
            view.folder.name, lambda: call(view, _open(view, ref), buffer), Lane.SLOW, deadline_s=PLAN_S
        )

    async def plan_moves(
        self, files: Sequence[tuple[str, str]], call: Callable[[EditorView, Sequence[tuple[Ref, str]]], T | None]
    ) -> T | None:
        """What is to be done before files are moved, each from one path to another, inside one library. Trouble is
        told, and the editor moves the files all the same."""
        places = [(self.folders.place(old), self.folders.place(new)) for old, new in files]
        folder = places[0][0].folder if places else None
        if folder is None or any(one.folder is not folder for pair in places for one in pair):
            return None
        moves = [(old.ref, new.ref.path) for old, new in places if old.ref.corpus == new.ref.corpus]
        view = self.view(folder)
        try:
            await folder.freshness.refresh(folder.name, first_s=PLAN_S)
            return await folder.freshness.answer(folder.name, lambda: call(view, moves), Lane.SLOW, deadline_s=PLAN_S)
        except _TROUBLE as error:
            self.say(f"Links to moved files are not rewritten: {_sentence(error)}")
            return None

    async def ask_all(self, call: Callable[[EditorView, CorpusName], list[T]], lane: Lane = Lane.QUICK) -> list[T]:
        """The answers of every corpus of every library, those that cannot answer left out."""
        found: list[T] = []
        for folder in self.folders.all():
            view = self.view(folder)
            for corpus in folder.sources():
                found += await self.ask_folder(folder, partial(call, view, corpus), lane) or ()
        return found

    async def ask_folder(self, folder: OpenFolder, call: Callable[[], T], lane: Lane) -> T | None:
        """What a call gives about a library; None when it cannot be asked, which is told."""
        try:
            await self._freshen(folder)
            return await self._answer(folder, call, lane)
        except _TROUBLE as error:
            self.say(_sentence(error))
            return None

    async def read(self, uri: str, call: Callable[[Document, Buffer], T]) -> T | None:
        """The answer to a request that an open document answers by itself."""
        buffer = self.buffers.get(uri)
        if buffer is None:
            return None
        ref = self.folders.place(buffer.path, buffer.name).ref
        return await self._run(lambda: call(buffer.document(ref), buffer))

    async def _run(self, call: Callable[[], T]) -> T | None:
        """What a call gives that asks no index; None when the document cannot be read."""
        try:
            return await self.pool.run(call, deadline_s=DEADLINE_S)
        except _TROUBLE as error:
            self.say(_sentence(error))
            return None

    def _view(self, buffer: Buffer) -> tuple[EditorView, Ref]:
        """What a request about a document is answered from, and the document's address."""
        place = self.folders.place(buffer.path, buffer.name)
        if place.folder is None:
            return EditorView(None, {place.ref: buffer}, self.buffers.encoding), place.ref
        return self.view(place.folder), place.ref

    def view(self, folder: OpenFolder) -> EditorView:
        """A library as it is now, with all its open documents."""
        places = ((self.folders.place(one.path), one) for one in self.buffers.all() if one.path)
        found = {place.ref: one for place, one in places if place.folder is folder}
        return EditorView(folder, found, self.buffers.encoding)

    async def _freshen(self, folder: OpenFolder) -> None:
        library = folder.library
        # Once there is an index of the code, the watchers keep it up to date; comparing it for every key would be slow.
        corpora = (CODE,) if CODE in library.corpora and not library.corpus(CODE).is_indexed else ()
        note = await folder.freshness.refresh(folder.name, corpora, first_s=FIRST_S)
        if note and not folder.freshness.is_refreshing(folder.name):
            self.say(note)

    async def _answer(self, folder: OpenFolder, call: Callable[[], T], lane: Lane) -> T:
        notes: list[str] = []
        found = await folder.freshness.answer(folder.name, call, lane, deadline_s=DEADLINE_S, notes=notes)
        for note in notes:
            self.say(note)
        return found

    def nearest(self, view: EditorView, ref: Ref) -> Nearest | None:
        """What could have been meant by a broken link of a document; None without an index."""
        found = self._nearest.get(view, ref)
        return found.with_open(view.opened) if found is not None else None

    def finding(self, view: EditorView, edge: Edge) -> Finding | None:
        """What is wrong with a link of an open document."""
        nearest = self.nearest(view, edge.origin)
        return link_finding(edge, nearest, view.across(edge.origin)) if nearest is not None else None

    def outdate(self, uris: tuple[str, ...]) -> None:
        """Files were saved, made or removed: their libraries are compared with their folders at once."""
        for folder in {place.folder for place in (self.folders.place(path_of(uri)) for uri in uris)}:
            if folder is not None:
                folder.freshness.outdate(folder.name)
                self.start(self._refresh(folder))

    async def _refresh(self, folder: OpenFolder) -> None:
        """Bring a library up to date; those who look at its documents are told."""
        try:
            await self._freshen(folder)
        except _TROUBLE as error:
            self.say(_sentence(error))
        self.diagnoser.diagnose_all()

    def _heard(self, change: LibraryChange) -> None:
        """A library has changed; called in the thread that changed it."""
        del change  # a document anywhere may have links to what changed
        self._loop.call_soon_threadsafe(self.diagnoser.diagnose_all)

    def close(self) -> None:
        """Close every library; blocks."""
        for folder in self.folders.all():
            folder.close()
        self.pool.close()


def _open(view: EditorView, ref: Ref) -> Document:
    """An open document; raises `Unreadable` when it is too large."""
    document = view.document(ref)
    assert document is not None
    return document


def _sentence(error: Exception) -> str:
    """What to tell of trouble."""
    if isinstance(error, StillIndexing):
        return f"{error.problem} Until it is there, only links inside a document are followed."
    return str(error)
