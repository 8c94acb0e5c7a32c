"""The keywords of one corpus: made while somebody waits, or in the background of a server, and how far they are.

A store enters; what keeps keywords from being made, or a sentence about what is still missing, leaves.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from pinakes.enrich import KeywordOptions
from pinakes.errors import ExtraMissing, ModelFailed, PinakesError, StoreBusy
from pinakes.index import MANY_DOCUMENTS
from pinakes.index.background import THROTTLE, Background
from pinakes.index.place import IndexPlace
from pinakes.index.plan import KEYWORDS
from pinakes.neural import embedder_name
from pinakes.ports import Progress, Store
from pinakes.records import CorpusName, Counts, Event
from pinakes.render import duration

_HOUR = 60


class _Counted(NamedTuple):
    generation: int
    history: str
    made_from: str
    """The settings that keywords are made with."""
    counts: Counts


class KeywordMaker:
    """Makes what is missing. `start` does so in a thread that makes room for questions."""

    def __init__(
        self,
        corpus: CorpusName,
        options: KeywordOptions,
        minutes: int,
        open_store: Callable[[], Store],
        index: IndexPlace,
    ) -> None:
        """`minutes` is how much of an hour the thread may work, `index` the place in which the store is."""
        self._index = index
        self._corpus = corpus
        self._options = options
        self._open_store = open_store
        self._minutes = minutes
        self.background = Background(self._make_quietly, minutes=minutes, name="keywords")
        self._began: float | None = None
        """When the thread began to make keywords, after it had counted."""
        self._done = 0
        self._listeners: list[Progress] = []
        self._counted: _Counted | None = None

    def make(self, store: Store, most_s: float | None, progress: Progress) -> PinakesError | None:
        """Make the keywords that are missing, for so long; returns why that is not possible."""
        from pinakes.index.keywords import make_keywords

        deadline = None if most_s is None else time.monotonic() + most_s
        try:
            make_keywords(store, self._corpus, self._options, index=self._index, progress=progress, deadline=deadline)
        except (ExtraMissing, ModelFailed, StoreBusy) as trouble:
            return trouble
        return None

    def make_for_sync(self, store: Store, progress: Progress, *, wait: bool) -> PinakesError | None:
        """Make all of them; without `wait` those of many documents for two seconds only, and others make the rest."""
        is_asked = not wait and self._options.enabled
        is_hurried = is_asked and store.counts(self._corpus).pending_keywords > MANY_DOCUMENTS
        return self.make(store, 2.0 if is_hurried else None, progress)

    def start(self) -> None:
        """Make them in a thread that ends with the process."""
        if self._options.enabled:
            self.background.start()

    def finish(self, progress: Progress) -> None:
        """Have the thread make what is missing, and wait until it is through; `progress` hears of it in the thread."""
        self._listeners.append(progress)
        try:
            self.start()
            self.wait()
        finally:
            self._listeners.remove(progress)

    def stop(self) -> None:
        """End the thread at the next document."""
        self.background.stop()

    def wait(self) -> None:
        """Until the thread is done."""
        self.background.wait()

    def missing_model(self) -> str:
        """Why the model that keywords are made with cannot be loaded, and what to do; else nothing."""
        try:
            embedder_name(self._options.model)
        except (ExtraMissing, ModelFailed) as trouble:
            return str(trouble)
        return ""

    def state(self, store: Store) -> str:
        """A sentence while keywords are off, cannot be made or are not complete, else nothing."""
        if not self._options.enabled:
            return "off"
        if missing := self.missing_model():
            return f"new ones are not made. {missing}"
        counts = self._counts(store)
        # Nothing waits in an index that was never counted, as while it is made.
        pending = counts.pending_keywords if store.setting(KEYWORDS) else counts.documents
        if not pending:
            return ""
        done = counts.documents - pending
        told = f"{done:,} of {counts.documents:,} documents have them"
        if not self.background.is_running:
            return f"{told}; pinakes sync makes the rest"
        if self._began is None or not self._done:
            return f"{told}; the rest is being made"
        left = pending * (time.monotonic() - self._began) / self._done
        return f"{told}; the rest is being made, in about {duration(left)}"

    def _counts(self, store: Store) -> Counts:
        """Counted again when something changed: looking for every document's keywords takes longer than a map. Where
        all had them, only what changed since is looked at; how many documents there are does not matter then."""
        known = self._counted
        feed, made_from = store.feed(known.generation if known else 0), store.setting(KEYWORDS)
        if known is None or (feed.history, made_from) != (known.history, known.made_from) or feed.is_whole:
            known = None
        elif feed.generation != known.generation:
            is_complete = not known.counts.pending_keywords
            if not is_complete or store.pending_keywords(self._corpus, 1, known.generation):
                known = None
        counts = known.counts if known else store.counts(self._corpus)
        self._counted = _Counted(feed.generation, feed.history, made_from, counts)
        return counts

    def _make_quietly(self) -> None:
        from pinakes.index.keywords import make_keywords

        self._began, self._done = None, 0
        with suppress(PinakesError):  # whoever asks next meets it, too; what is missing is made after the next change
            store, minutes = self._open_store(), self._minutes
            # Where work may not fill the hour, processes of their own would not rest.
            index = self._index if minutes == _HOUR else None
            make_keywords(store, self._corpus, self._options, index=index, progress=self._pause, is_quiet=True)

    def _pause(self, event: Event) -> None:
        if event.total and self._began is None:
            self._began = time.monotonic()
        self._done = event.done
        for tell in tuple(self._listeners):
            tell(event)
        self.background.pause(THROTTLE.pause_s)
