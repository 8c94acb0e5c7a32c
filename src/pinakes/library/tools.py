"""What a search works with, brought up to date: each profile gets what it uses and nothing it does not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from pinakes.config import Config
from pinakes.errors import ConfigError, ExtraMissing, ModelFailed, PinakesError, StoreBusy, StoreDamaged, StoreError
from pinakes.folder_lock import is_obstructed
from pinakes.index import QUICK, Meanings
from pinakes.index.background import Background
from pinakes.index.place import IndexPlace, KeptWords
from pinakes.index.plan import READING
from pinakes.neural import load_embedder, load_reranker
from pinakes.ports import ActiveVectors, Embedder, Reader, Reranker, Store, WordIndex
from pinakes.records import CorpusName
from pinakes.search import Synonyms, Tools, load_synonyms, profile

if TYPE_CHECKING:
    from pinakes.library.shelves import Shelves
    from pinakes.vectors.agreement import RanksByDocument
    from pinakes.words.update import NumberedTerms

_State = tuple[int, str, bool, object]

_WORDS = "the newest words"
"""What an answer is without where the word index could not be brought up to date."""
_MANY = 400
"""Documents whose words take longer than somebody waits for an answer."""


class Toolbox:
    """The parts behind search, each opened when it is first needed."""

    def __init__(
        self, root: Path, config: Config, corpus: CorpusName, place: IndexPlace, mended: Callable[[str], None]
    ) -> None:
        """`mended` is told of parts that were damaged and are made again, a sentence each."""
        self._mended = mended
        self._root = root
        self._config = config
        self._corpus = corpus
        self._place = place
        self._caught_up: dict[bool, tuple[_State, WordIndex, ActiveVectors | None]] = {}
        """With and without meaning: the state in which words and vectors agreed, and what answers then."""
        self._catching_up: Background | None = None
        """Makes the words and quick vectors of many documents, where questions do not wait for them."""
        self._then: Callable[[], None] | None = None
        """What is to be done when these are there."""

    @cached_property
    def shelves(self) -> Shelves:
        """What maps are drawn from."""
        from pinakes.library.shelves import Shelves

        return Shelves(self._corpus)

    def _ranks(self, store: Store) -> RanksByDocument:
        from pinakes.library.derived import numbered_ranks

        return numbered_ranks(self._corpus, store)

    def answer_sooner(self, max_age_s: float) -> None:
        """See `Library.answer_sooner`."""
        self.shelves.max_age_s = max_age_s
        self._catching_up = Background(self._catch_up, name="catching-up", is_urgent=True)

    def catch_up(self, then: Callable[[], None]) -> None:
        """Where questions do not wait for them, have words and quick vectors made now, before `then` is done."""
        if self._catching_up is None:
            then()
        else:
            self._then = then
            self._catching_up.start()

    @cached_property
    def words(self) -> KeptWords:
        return self._place.words()

    def _rows_of(self, reader: Reader, numbers: Sequence[int]) -> NumberedTerms:
        """The terms of documents that changed; where none did, what reads them is not loaded."""
        from pinakes.index.store_jobs import rows_in_parallel

        return rows_in_parallel(self._place)(reader, numbers)

    @cached_property
    def meanings(self) -> Meanings:
        model = self._config.neural.model
        # Only to be read by the thread: it makes no index again that somebody removed.
        open_store = partial(self._place.open, read_only=True)
        minutes = self._config.sync.background_minutes
        made = Meanings(self._place.vectors(), model, open_store, self._ranks, minutes)
        made.is_patient = self._catching_up is None
        return made

    @cached_property
    def _reranker(self) -> Reranker | str:
        """The reranker that is set, or why there is none."""
        try:
            return load_reranker(self._config.neural.reranker)
        except (ConfigError, ExtraMissing, ModelFailed) as trouble:
            return f"rerank: {trouble}"

    @cached_property
    def _synonyms(self) -> Synonyms:
        return load_synonyms(self._root)

    @cached_property
    def _speller(self) -> Embedder | None:
        """The quick embedder: a larger model has nothing more to say about a single word."""
        try:
            return load_embedder(QUICK)
        except ExtraMissing:
            return None

    def forget(self) -> None:
        """What follows is another index."""
        if "shelves" in vars(self):
            self.shelves.forget()
        self._caught_up.clear()
        vars(self).pop("words", None)

    def close(self) -> None:
        """Stop what runs in the background."""
        self.forget()
        if self._catching_up is not None:
            self._catching_up.stop()
        if "meanings" in vars(self):
            self.meanings.stop()
            vars(self).pop("meanings")

    def prepare(self, store: Store, *, with_vectors: bool) -> None:
        """Bring words, and the quick vectors, up to date before somebody asks, however long that takes."""
        if self._catching_up is not None:
            self._catching_up.start()
            self._catching_up.wait()
        self._current(store, [], with_meaning=with_vectors)

    def last_tools(self, store: Store) -> Tools | None:
        """What the last question was answered with; None before the first."""
        known = self._caught_up.get(True) or self._caught_up.get(False)
        return Tools(store, known[1], known[2]) if known is not None else None

    def tools(self, name: str, store: Store, share: str = "") -> Tools:
        """The tools of a profile, caught up with the store; one that cannot be had is told of. `share` says how much is
        indexed while the index is being built."""
        asked = profile(name)
        missing: list[str] = []
        stages = {stage.__name__ for stage in asked.stages}
        if not share:
            words, meaning = self._current(store, missing, with_meaning="meaning" in asked.retrievers)
        else:  # vectors would be out of date before they are made
            missing.append(f"part of the documents: {share}")
            words, meaning = self._current_words(store, missing), None
        reranker = self._reranker if "rerank" in stages and self._config.neural.reranker != "none" else None
        if isinstance(reranker, str):
            missing.append(reranker)
        return Tools(
            store,
            words,
            meaning,
            None if isinstance(reranker, str) else reranker,
            self._speller if asked.expands and self._config.weights.expansion else None,
            self._synonyms,
            tuple(missing),
            is_partial=any(_WORDS in part for part in missing) or bool(share),
        )

    def _current(
        self, store: Store, missing: list[str], *, with_meaning: bool
    ) -> tuple[WordIndex, ActiveVectors | None]:
        """The words and vectors that answer, after they have caught up with the store.

        Nothing is done when neither the store nor one of their files has changed since the last time.
        """
        if with_meaning:
            self.meanings.note_question()
        known = self._caught_up.get(with_meaning)
        # Taken before they catch up: what changes in the meantime is then noticed the next time.
        state = self._state(store, known[0][0] if known else store.generation)
        if known is not None and known[0] == state:
            return known[1:]
        words = self._current_words(store, missing)
        if with_meaning and self._catching_up is not None and self.meanings.is_far_behind(store):
            self._catching_up.start()
        if with_meaning and not store.is_read_only:
            for name in self.meanings.discard_damaged():
                self._mended(f"The vectors of {name} for {self._corpus} could not be used, and are made again.")
        meaning = self.meanings.ready(store, missing, may_write=not store.is_read_only) if with_meaning else None
        if not missing:
            self._caught_up[with_meaning] = (state, words, meaning)
        return words, meaning

    def _state(self, store: Store, since: int) -> _State:
        """Another one whenever the store, or a file of words or vectors, is another one than in generation `since`."""
        known = store.feed(since)
        return known.generation, known.history, store.is_read_only, self._place.state()

    def _current_words(self, store: Store, missing: list[str]) -> WordIndex:
        """The word index, brought up to date. One that cannot be, or cannot be opened, is thrown away and made again,
        once; while another process is at it, where nothing can be written, or while a thread adds many documents, what
        is there answers."""
        if store.is_read_only:
            return self.words.now
        try:
            if self._catching_up is not None and (behind := self.words.behind(store) or 0) > _MANY:
                found = self.words.now
                if found.size:  # none yet: the first are waited for
                    self._catching_up.start()
                    missing.append(f"{_WORDS}: {behind:,} documents are being added to them")
                    return found
            self.words.update(store, self._rows_of)
            found = self.words.now
            if self.words.was_mended:
                self.words.was_mended = False
                self._mended(f"The word index of {self._corpus} was damaged or removed, and was made again.")
            return found
        except StoreBusy as busy:
            missing.append(f"{_WORDS}: {busy}")
        except StoreError as error:
            if not isinstance(error, StoreDamaged) and not is_obstructed(error):
                missing.append(f"{_WORDS}: {error}")  # no room, no permission: what is there answers
                return self.words.now
            self._mended(f"The word index of {self._corpus} was damaged and is made again: {error.problem}")
            self._place.forget_words()
            vars(self).pop("words", None)
            try:
                self.words.update(store, self._rows_of)
            except StoreDamaged:
                raise  # what was just made is sound: it is the index that it is made from
            except StoreError as again:
                missing.append(f"{_WORDS}: {again}")
        return self.words.now

    def _catch_up(self) -> None:
        """What cannot be made is met by whoever asks next."""
        background = self._catching_up
        if background is None or not self._place.is_made:
            return

        def rows_of(reader: Reader, numbers: Sequence[int]) -> NumberedTerms:
            with closing(self._rows_of(reader, numbers)) as rows:
                for row in rows:
                    background.raise_if_cancelled()
                    yield row

        # Only to be read: it makes no index again that somebody removed.
        with suppress(PinakesError), closing(self._place.open(read_only=True)) as store:
            self.words.update(store, rows_of)
            if self.meanings.is_far_behind(store) and not store.setting(READING):
                with closing(self._place.vectors()) as vectors:
                    file, embedder = vectors.file(vectors.name(QUICK)), vectors.embedder(QUICK)
                    file.update(store, embedder, background.raise_if_cancelled)
        then, self._then = self._then, None
        if then is not None:
            then()
