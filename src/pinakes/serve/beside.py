"""What is kept beside the documents, brought up to date before it is asked: commits, memories, added documents.

Doors keep the documents of their libraries fresh by themselves; the rest is looked at when a question names it, by a
corpus or by the front of an address.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial

from pinakes.errors import PinakesError
from pinakes.index import ignore_progress
from pinakes.library import Library
from pinakes.library.corpora import is_live
from pinakes.ports import Progress
from pinakes.records import ALL_CORPORA, DOCS, HISTORY, CorpusName, Event


def beside(library: Library, corpora: Iterable[str] = (), addresses: Iterable[str] = ()) -> tuple[CorpusName, ...]:
    """The corpora other than the documents that are named, as far as there is anything of them."""
    named = tuple(corpora)
    if ALL_CORPORA in named:
        named = library.corpora
    fronts = (address.partition(":")[0] for address in addresses)
    known = (name for name in dict.fromkeys((*named, *fronts)) if name != DOCS and name in library.corpora)
    return tuple(name for name in known if is_live(library.corpus(name)))


def bring(
    library: Library,
    corpora: Iterable[str] = (),
    addresses: Iterable[str] = (),
    *,
    progress: Progress = ignore_progress,
) -> str:
    """Bring those up to date; returns a sentence when an answer may be older than its source."""
    names = beside(library, corpora, addresses)
    return library.refresh(corpora=names, progress=progress) if names else ""


class FirstReading:
    """The first reading of a library's commits, which may take a minute: it goes on in a thread of its own, and who
    asks meanwhile is told so instead of waiting."""

    def __init__(self, told: Callable[[str, Event], None] | None = None) -> None:
        """`told` hears of progress with the library's name."""
        self._told = told
        self._threads: dict[str, threading.Thread] = {}
        self._starting = threading.Lock()

    def is_through(self, name: str, library: Library, patience_s: float = 2.0) -> bool:
        """Whether the commits can be asked; where they were never read, that begins now, and whoever began it waits a
        little."""
        if not beside(library, (HISTORY,)) or library.corpus(HISTORY).generation:
            return True
        with self._starting:
            thread = self._threads.get(name)
            if is_new := thread is None or not thread.is_alive():
                thread = threading.Thread(target=self._read, args=(name, library), name="pinakes-commits", daemon=True)
                self._threads[name] = thread
                thread.start()
        if is_new:
            thread.join(patience_s)
        return not thread.is_alive()

    def _read(self, name: str, library: Library) -> None:
        told = self._told
        progress = ignore_progress if told is None else partial(told, name)
        # Whatever is wrong, whoever asks next is told; and a server that ends does not wait for this.
        with suppress(PinakesError, OSError, sqlite3.Error):
            library.refresh(corpora=(HISTORY,), progress=progress)
