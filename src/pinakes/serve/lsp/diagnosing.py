"""When open documents are looked at again, and what is then published.

A document is diagnosed whenever it, another open document or the index changes; of many changes the last one counts.
The library as a whole is checked when it has been quiet for a moment, because that takes seconds of work: somebody who
goes on typing stops it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from lsprotocol.types import Diagnostic

from pinakes.errors import NotFound
from pinakes.records import Document, Ref
from pinakes.serve.lsp.buffers import Buffer, path_of
from pinakes.serve.lsp.diagnostics import NOT_CHECKED, LastCheck, LineFinding, diagnostics, line_findings
from pinakes.serve.lsp.folders import OpenFolder
from pinakes.serve.lsp.view import EditorView
from pinakes.serve.pool import Lane

if TYPE_CHECKING:
    from pinakes.serve.lsp.editor import Editor

Publish = Callable[[str, int | None, list[Diagnostic]], None]
"""Tells the client what is wrong with a version of a document."""
_Check = tuple[tuple[int, ...], LastCheck]
"""The generation of each corpus, and what was found."""
_NEVER: _Check = (), NOT_CHECKED
QUIET_S = 1.0
"""How long nothing must have been typed before the library is checked as a whole."""


class Diagnoser:
    """Looks at the documents of one editor. Used on its event loop."""

    def __init__(self, editor: Editor, publish: Publish) -> None:
        self._editor = editor
        self._publish = publish
        self._loop = asyncio.get_running_loop()
        self._diagnosing: set[str] = set()
        self._again: set[str] = set()
        """Documents that changed while they were being diagnosed."""
        self._checked: dict[OpenFolder, _Check] = {}
        """What the last check of a library found."""
        self._waiting: dict[OpenFolder, asyncio.TimerHandle] = {}
        self._checking: dict[OpenFolder, asyncio.Task[None]] = {}

    def diagnose(self, uri: str) -> None:
        """Look at an open document again and publish what is wrong with it."""
        if uri in self._diagnosing:
            self._again.add(uri)
        else:
            self._diagnosing.add(uri)
            self._editor.start(self._diagnose(uri))

    def diagnose_all(self) -> None:
        """Look at every open document again."""
        for buffer in self._editor.buffers.all():
            self.diagnose(buffer.uri)

    def forget(self, uri: str) -> None:
        """A document was closed: what is wrong with it is no longer shown."""
        self._publish(uri, None, [])
        self.diagnose_all()

    async def _diagnose(self, uri: str) -> None:
        try:
            is_due = True
            while is_due:
                self._again.discard(uri)
                buffer = self._editor.buffers.get(uri)
                found = await self._editor.ask(uri, self._diagnostics)
                is_due = uri in self._again
                if buffer is not None and buffer is self._editor.buffers.get(uri):
                    self._publish(uri, buffer.version, found or [])
        finally:
            self._diagnosing.discard(uri)
            self._again.discard(uri)

    def _diagnostics(self, view: EditorView, document: Document, buffer: Buffer) -> list[Diagnostic]:
        del buffer
        last = self._checked.get(view.folder, _NEVER)[1] if view.folder is not None else NOT_CHECKED
        return diagnostics(view, document, self._editor.nearest(view, document.ref), last)

    def check(self, uri: str) -> None:
        """Have the library of a document checked as a whole, once it is quiet."""
        folder = self._editor.folders.place(path_of(uri)).folder
        if folder is not None:
            self._check_later(folder)

    def put_off_checks(self) -> None:
        """Somebody is typing: what is being checked, or is about to be, waits until that is over."""
        for folder, task in tuple(self._checking.items()):
            task.cancel()
            self._check_later(folder)
        for folder in tuple(self._waiting):
            self._check_later(folder)

    def leave(self, folder: OpenFolder) -> None:
        """A library was closed."""
        self._checked.pop(folder, None)
        if (timer := self._waiting.pop(folder, None)) is not None:
            timer.cancel()
        if (task := self._checking.pop(folder, None)) is not None:
            task.cancel()

    def _check_later(self, folder: OpenFolder) -> None:
        if (timer := self._waiting.pop(folder, None)) is not None:
            timer.cancel()
        self._waiting[folder] = self._loop.call_later(QUIET_S, self._begin_check, folder)

    def _begin_check(self, folder: OpenFolder) -> None:
        if folder in self._checking:  # it may have begun before the last change
            self._check_later(folder)
            return
        self._waiting.pop(folder, None)
        task = self._editor.start(self._check(folder))
        self._checking[folder] = task
        task.add_done_callback(lambda _: self._checking.pop(folder, None))

    async def _check(self, folder: OpenFolder) -> None:
        checked = await self._editor.ask_folder(folder, lambda: self._findings(folder), Lane.SLOW)
        if checked is not None:
            self._checked[folder] = checked
            self.diagnose_all()

    def _findings(self, folder: OpenFolder) -> _Check | None:
        """What a check finds, in a thread; None when nothing has changed since the last one."""
        homes = [folder.library.corpus(corpus) for corpus in folder.sources()]
        generations = tuple(home.generation for home in homes)
        if self._checked.get(folder, _NEVER)[0] == generations:
            return None
        found: dict[Ref, tuple[LineFinding, ...]] = {}
        for home in homes:
            with suppress(NotFound):  # it holds no documents
                found |= line_findings(folder.library.check(f"{home.name}:"), home.index)
        return generations, found
