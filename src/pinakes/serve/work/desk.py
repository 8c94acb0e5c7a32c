"""A workspace behind a server: how its indexes are made, what it tells everybody who listens, and where it stands.

Calls of a workspace enter, their results leave, made in threads; events leave to all pages that are open. Events may be
lost: `state` always tells the truth.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.metadata import version
from typing import TypeVar

from msgspec.structs import replace

from pinakes.errors import PinakesError, StoreError
from pinakes.index.background import Cancelled
from pinakes.library.work.modes import keyword_state, why_no_code
from pinakes.library.workspace import Workspace
from pinakes.records import CODE, DOCS, CorpusName, Event, Phase
from pinakes.render import Json, object_of, wire
from pinakes.render.index_progress import INDEX_BEGINS, INDEX_IS_READY, IndexProgress, advance
from pinakes.serve.freshness import Freshness
from pinakes.serve.http.streams import Broadcast
from pinakes.serve.libraries import Libraries
from pinakes.serve.library_names import LibraryChange
from pinakes.serve.pool import Lane, Overloaded
from pinakes.serve.slots import Slots

T = TypeVar("T")
STREAMS = 64
"""Pages that are open at once."""


def open_workspace(libraries: Libraries, name: str = "") -> Workspace:
    """A workspace over one of the libraries of a server."""
    return Workspace(libraries.get(name))


class WorkDesk:
    """One workspace and everybody who looks at it."""

    def __init__(self, workspace: Workspace, freshness: Freshness, name: str = "") -> None:
        self._workspace = workspace
        workspace.sync = self._sync
        self.freshness = freshness
        self.name = freshness.libraries.name_or_default(name)
        self.news = Broadcast(Slots(STREAMS, "event streams of a workspace"))
        self._progress: IndexProgress | None = None
        self._building: CorpusName | None = CODE
        """Which index is being made; None when both are."""
        self._is_ready = False
        self._failure = ""
        """Why the document index could not be made."""
        self._stop_listening = freshness.libraries.listen(self._changed)

    @property
    def workspace(self) -> Workspace:
        """The workspace, over the library with its present settings."""
        self._workspace.library = self.freshness.libraries.get(self.name)
        return self._workspace

    async def run(self, call: Callable[[], T], lane: Lane = Lane.QUICK, deadline_s: float | None = None) -> T:
        """What a call returns that is made in a thread, with the settings as they are now; it may write, so that it is
        made once."""
        libraries = self.freshness.libraries
        if libraries.has_new_settings(self.name):
            await self.freshness.pool.run(lambda: libraries.renew(self.name, wait_s=0.0))
        return await self.freshness.answer(self.name, call, lane, deadline_s=deadline_s, is_repeatable=False)

    async def start(self) -> None:
        """Make the index of code, then say *ready*; then make the index of documents, which takes longer."""
        self.news.begin()
        self._workspace.has_documents = False
        with suppress(Overloaded):  # the server is ending
            await self._make_code()
            await self._make_documents()

    async def _make_code(self) -> None:
        if CODE in self.workspace.library.corpora:
            try:
                await self.freshness.make(self.name, CODE)
            except (PinakesError, OSError) as trouble:
                self.notice("error", f"The source code could not be read: {trouble}")
        mode = await self.run(lambda: self.workspace.mode)
        self._is_ready, self._building, self._progress = True, DOCS, INDEX_BEGINS
        self.news.tell("ready", {"mode": mode.value})

    async def _make_documents(self) -> None:
        try:
            note = await self.freshness.make(self.name)
            self._workspace.has_documents = True
            maker = self.workspace.library.corpus(DOCS).keyword_maker
            await self.freshness.run_long(lambda: maker.finish(self.progress))
            await self.freshness.run_long(self.workspace.draw_maps)
        except (PinakesError, OSError, Cancelled) as trouble:
            self._failure = str(trouble) or "it was interrupted"
            self._building = self._progress = None
            if not isinstance(trouble, Overloaded):
                self.news.tell("doc_index_failed", {"message": wire(self._failure)})
            return
        self.news.tell("progress", object_of(INDEX_IS_READY))
        self._building = self._progress = None
        self.news.tell("doc_index_ready", {})
        keywords = await self.run(lambda: keyword_state(self.workspace.library))
        for text in filter(None, (note, keywords.keywords_message)):
            self.notice("warning", text)

    def progress(self, event: Event) -> None:
        """Tell how far the index is that is being made; from any thread."""
        if self._building is None:
            return
        self._show(event, self._building)

    def _show(self, event: Event, corpus: CorpusName) -> None:
        now = advance(self._progress or INDEX_BEGINS, event) if corpus == DOCS else _code_progress(event)
        if now == self._progress:
            return
        self._progress = now
        self.news.tell("progress", object_of(now))

    def _sync(self, corpora: Sequence[CorpusName]) -> None:
        """Bring indexes up to date, unless watchers know that nothing has to be compared."""
        libraries = self.freshness.libraries
        known = libraries.get(self.name).corpora
        for corpus in corpora if not libraries.is_current(self.name) else ():
            if corpus in known:
                self._sync_one(corpus)

    def _sync_one(self, corpus: CorpusName) -> None:
        """Tell how far it is from the first file that is read: mostly there is none."""
        has_work = False

        def progress(event: Event) -> None:
            nonlocal has_work
            if self._building is None and (has_work or (event.phase is Phase.READING and event.total)):
                has_work = True
                self._show(event, corpus)

        try:
            self.freshness.libraries.refresh(self.name, "" if corpus == DOCS else corpus, progress=progress)
        finally:
            if has_work and self._building is None and (last := self._progress):
                self._progress = None
                self.news.tell("progress", object_of(replace(last, percent=100)))

    def notice(self, level: str, text: str) -> None:
        """Have every page show a sentence for a moment; from any thread."""
        self.news.tell("notice", {"level": level, "text": wire(text)})

    def require_documents(self) -> None:
        """Raise `Overloaded` while there are no documents to work on yet."""
        if not self._has_documents():
            if self._failure:
                raise Overloaded(
                    f"The document index could not be made: {self._failure}", "Mend that, and start again."
                )
            raise Overloaded("The document index is being made.", "Wait until it is ready.")

    def _has_documents(self) -> bool:
        """Whether there is a whole index of documents; one from an earlier start is as good while it is compared,
        unless that start was ended before it had read anything."""
        docs = self.workspace.library.corpus(DOCS)
        with suppress(StoreError):  # one that is damaged, or that came along, is being made anew
            return self._workspace.has_documents or bool(docs.generation and docs.passages and not docs.share())
        return False

    def state(self) -> dict[str, Json]:
        """Where everything stands; blocks."""
        workspace = self.workspace
        library, mode = workspace.library, workspace.mode
        keywords, selection, talk = keyword_state(library), workspace.selection, workspace.conversation()
        snippets = mode.snippets
        found = {
            "root": str(library.root),
            "mode": mode.value,
            "modes": {
                "code": {"ready": self._is_ready, "reason": why_no_code(library)},
                "docs": {
                    "ready": self._has_documents(),
                    "building": self._building is not None,
                    "reason": self._failure,
                },
            },
            "progress": self._progress,
            "keywords_available": keywords.keywords_available,
            "keywords_message": keywords.keywords_message,
            "selection": selection.paths,
            "selection_tokens": selection.tokens,
            "overlay": workspace.has_overlay,
            "urls": workspace.urls,
            "session": {"id": workspace.log.id, "title": workspace.log.title},
            "conversation": talk,
            "snippets": snippets.snippets,
            "snippets_warning": snippets.warning,
            "can_undo": workspace.editing.can_undo,
            "review": {"on": workspace.review_range is not None, "range": workspace.review_range or ""},
            "answering": workspace.is_answering,
            "version": version("pinakes"),
        }
        return object_of(found)

    def is_indexed(self) -> bool:
        """Whether the index knows all files; before that, the folder itself does."""
        return self._workspace.has_documents

    def later(self, call: Callable[[], None]) -> None:
        """Make a call in a thread, with nobody waiting for it."""
        threading.Thread(target=call, name="pinakes-work", daemon=True).start()

    def close(self) -> None:
        """End every stream and what is being answered."""
        self._stop_listening()
        self._workspace.stop()
        self.news.close()

    def _changed(self, changed: LibraryChange) -> None:
        if changed.library == self.name:
            self.news.tell("changed", {"paths": [wire(path) for path in changed.paths]})


def _code_progress(event: Event) -> IndexProgress:
    """How far the index of code is: nobody can work before."""
    if event.phase is not Phase.READING or not event.total:
        return IndexProgress("Reading the code…", 0.0 if event.phase is Phase.SCANNING else 100.0)
    share = round(100 * min(event.done / event.total, 1.0), 1)
    return IndexProgress(f"Reading the code… ({event.done}/{event.total} files)", share)
