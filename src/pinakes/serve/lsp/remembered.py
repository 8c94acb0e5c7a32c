"""What was made from an index, for as long as the index stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from pinakes.ports import Reader
from pinakes.records import CorpusName, Ref
from pinakes.serve.lsp.folders import OpenFolder
from pinakes.serve.lsp.view import EditorView

T = TypeVar("T")


class Remembered(Generic[T]):
    """One thing for each corpus, made when it is asked for and made again when the index has changed or is another one.
    Who asks while it is being made waits for it."""

    def __init__(self, make: Callable[[Reader, CorpusName], T]) -> None:
        self._make = make
        self._making = Lock()
        self._made: WeakKeyDictionary[OpenFolder, dict[CorpusName, tuple[tuple[Reader, int], T]]] = WeakKeyDictionary()

    def get(self, view: EditorView, ref: Ref) -> T | None:
        """The one for the corpus of an address; None without an index."""
        reader = view.reader(ref)
        if reader is None or view.folder is None:
            return None
        with self._making:
            made = self._made.setdefault(view.folder, {})
            state = reader, reader.generation
            known = made.get(ref.corpus)
            if known is None or known[0] != state:
                known = made[ref.corpus] = state, self._make(reader, ref.corpus)
            return known[1]
