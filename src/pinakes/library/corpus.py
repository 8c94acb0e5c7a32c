"""One corpus of a library: its source, its index, and what is asked of them.

Every corpus has an index of its own, so that a note is not kept waiting by a long sync of the documents, what is
central among the documents does not change with every commit, and one damaged index does not take the others along.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from pinakes.config import Config
from pinakes.errors import ExtraMissing, ModelFailed, NotFound, PinakesError, StoreBusy, StoreDamaged, StoreReadOnly
from pinakes.index import QUICK, ignore_progress, share_text
from pinakes.index.options import WORTHWHILE
from pinakes.index.place import place_of
from pinakes.library.damage_record import DamageRecord
from pinakes.library.keyword_maker import KeywordMaker
from pinakes.library.refresh import Refresh
from pinakes.library.tools import Toolbox
from pinakes.own_folder import OwnFolder
from pinakes.ports import Progress, Source, Store
from pinakes.records import DOCS, Query, Report, Results
from pinakes.search import Tools, completions, search

if TYPE_CHECKING:
    from pinakes.check import Claims
    from pinakes.index.sync import ReadDocuments

T = TypeVar("T")

_ATTEMPTS = 3
"""How often a question is asked while others put one index after another in the place of the one that answers."""
_READ_ONLY = "The index can only be read here; it was not compared with the folder."


class Corpus:
    """A source and the index that agrees with it. Nothing is read or written until something is asked of it."""

    def __init__(self, source: Source, root: Path, config: Config, home: OwnFolder) -> None:
        self.name = source.corpus
        self.source = source
        self._root = root
        self.config = config
        """The library's, with this corpus's own folder as its store."""
        self.own = home.folder(*config.store.relative_to(home.path).parts)
        """Where the index is kept: the library's store, or a folder in it."""
        self._opened: Store | None = None
        self._identity = (0, 0)
        """Of the index that is open."""
        self._opening = threading.Lock()
        self._is_outdated = False
        self.place = place_of(self.own, self.name, config.store_url, config.store_library, config.store_read_urls)
        """Where store, words and vectors are."""
        self.damage = DamageRecord(self.place)
        """What is known of damage to it."""
        self._refreshed: tuple[int, int] | None = None
        """Which database was last made to agree with the source."""
        self.toolbox = Toolbox(root, config, self.name, self.place, self.damage.note_mended)
        self.claims: Claims | None = None
        """What the last `check` read."""
        self.keyword_maker = KeywordMaker(
            self.name, config.keywords, config.sync.background_minutes, lambda: self.index, self.place
        )

    @property
    def folder(self) -> Path:
        """Where the index is kept."""
        return self.config.store

    @property
    def is_indexed(self) -> bool:
        """Whether there is an index to ask. One that lost its database was made all the same, and so may one be that
        cannot be reached: whoever opens it is told."""
        return self.place.is_made

    @property
    def is_replaced(self) -> bool:
        """Whether the index is not the one that was last made to agree with the source: somebody removed or rebuilt
        it. As cheap as it gets."""
        return self._refreshed is not None and self.place.identity != self._refreshed

    @property
    def is_damaged(self) -> bool:
        """Whether damage was met here and is not mended yet."""
        return self.damage.is_noted

    @property
    def is_live(self) -> bool:
        """Whether there is anything to bring up to date or to ask: what has neither a source nor an index costs
        nothing. Where that cannot be said there is: whoever uses it is told why."""
        with suppress(PinakesError):
            return self.is_indexed or self.source.exists
        return True

    @property
    def generation(self) -> int:
        """Grows with every change to the index; 0 while there is none."""
        return self.store.generation if self.is_indexed else 0

    @property
    def passages(self) -> int:
        """About how many passages can be found by their words; 0 before the first search."""
        return self.toolbox.words.now.size if self.is_indexed else 0

    def digests(self, paths: Collection[str] | None = None) -> dict[str, str]:
        """The digest of each indexed document by its path: of all, or of those at or below `paths`."""
        files = self.store.files(self.name, paths) if self.is_indexed else {}
        return {path: one.digest for path, one in files.items() if one.digest}

    @property
    def store(self) -> Store:
        """The index, made if there is none; raises `StoreDamaged` when it cannot be trusted."""
        with self._opening:  # or the first two questions of a server would open it twice
            if self._opened is not None and not self.place.is_followed and self.place.identity != self._identity:
                self._opened.close()
                self._opened = None
                self.toolbox.close()
            if self._opened is not None and not self.is_indexed:
                if not self._root.is_dir():  # which must not be made again, even to hold an index
                    raise NotFound(f"The folder {self._root} is gone.", "Bring it back, or name another.")
                self._opened.close()
                self._opened = None
                self.toolbox.forget()
                self.damage.note_mended(f"The index in {self.folder} was removed; a new one is built.")
            if self._opened is None:
                self.damage.raise_if_known()
                with suppress(OSError):  # opening tells why
                    self.own.make(unseen=True, parents=True)
                with self._noting_damage():
                    self._opened = self.place.open()
                    self._identity = self.place.identity
            return self._opened

    @property
    def index(self) -> Store:
        """The store, for questions; raises `NotFound` when it was never made, which is not the same as empty."""
        self._catch_up()
        self.require_index()
        return self.store

    def require_index(self) -> None:
        """Raise `NotFound` unless there is an index to ask."""
        if not self.is_indexed:
            what = self._root if self.name == DOCS else self.name
            raise NotFound(f"There is no index of {what} yet.", "pinakes sync makes one.")

    def outdate(self) -> None:
        """Note that the library itself changed the source: the next question brings the index up to date first."""
        self._is_outdated = True

    def _catch_up(self) -> None:
        if self._is_outdated:
            self.refresh()

    @property
    def healed(self) -> tuple[str, ...]:
        """Sentences about the last time a damaged index was set aside, and a damaged or missing part made again."""
        return tuple(filter(None, (self.damage.last_rebuild(), self.damage.last_mended())))

    def news(self) -> str:
        """What `healed` says, once, for the next answer."""
        return self.damage.news()

    def close(self) -> None:
        self.keyword_maker.stop()
        self.toolbox.close()
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def sync(
        self,
        *,
        verify: bool = False,
        rebuild: bool = False,
        paths: Collection[str] | None = None,
        wait: bool = True,
        progress: Progress = ignore_progress,
    ) -> Report:
        """Make the index agree with the source, as a whole or for `paths` and what is below them, and its words, and
        with `wait` all vectors and keywords, however long it takes; without it keywords for two seconds."""
        started = time.perf_counter()
        self.damage.sweep()
        if rebuild:
            self.damage.make_room()
            self.place.open().close()  # what is open here goes on with it
        done = self.refresh(paths, verify=verify, wait_s=30.0, keywords_s=0.0, progress=progress)
        if done.report is None or done.trouble is not None:
            assert done.trouble is not None
            raise done.trouble
        with self._noting_damage():
            if len(done.report.put) >= WORTHWHILE:  # of fewer, the first question does it
                self.toolbox.prepare(self.store, with_vectors=wait)
            if trouble := self.keyword_maker.make_for_sync(self.store, progress, wait=wait):
                raise trouble
        self.embed(progress)
        return replace(done.report, seconds=time.perf_counter() - started)

    def refresh(
        self,
        paths: Collection[str] | None = None,
        *,
        verify: bool = False,
        wait_s: float | None = None,
        keywords_s: float | None = 2.0,
        progress: Progress = ignore_progress,
        read: ReadDocuments | None = None,
    ) -> Refresh:
        """Make the index agree with the source, as a whole or for `paths`, and make keywords for `keywords_s` at most.
        `read` gives what documents say, if somebody else has read some of them.

        An index that can only be read is left alone, and so is one that somebody else writes for longer than `wait_s`.
        Without `wait_s` an index to answer from is not waited for; the first one is.
        """
        from pinakes.index.sync import sync  # with all that reads documents; a question alone needs none of it

        was_outdated, self._is_outdated = self._is_outdated, paths is not None and self._is_outdated
        for sets_aside in (True, False):  # everything in a damaged index can be read again
            with self._noting_damage(sets_aside=sets_aside):
                self.damage.raise_if_known()  # a refresh alone may not meet what a question met
                store = self.store
                if store.is_read_only:
                    return Refresh(None, StoreReadOnly(_READ_ONLY))
                if wait_s is None:
                    wait_s = 0.0 if store.generation else 30.0
                try:
                    report = sync(
                        self.source,
                        store,
                        paths=paths,
                        verify=verify,
                        options=self.config.sync,
                        cutting=self.config.chunks,
                        anchors=self.config.check.anchors,
                        progress=progress,
                        wait_s=wait_s,
                        read=read,
                    )
                except StoreBusy as busy:
                    self._is_outdated = was_outdated
                    return Refresh(None, busy)
                self._refreshed = self.place.identity
                return Refresh(report, self.keyword_maker.make(store, keywords_s, progress))
        raise AssertionError("damage that is met twice is raised")

    def complete(self, *, progress: Progress = ignore_progress) -> None:
        """Make the keywords and vectors that are still missing, however long it takes."""
        if self.is_indexed and not self.store.is_read_only:
            with self._noting_damage():
                self.keyword_maker.make(self.store, None, progress)
            self.embed(progress)

    def completions(self, text: str) -> list[str]:
        """The text with each of the words that its last one may become, the most frequent first; none without index."""
        words = self.toolbox.tools("fast", self.store).words if self.is_indexed else None
        return completions(text, words) if words is not None else []

    def search(self, query: Query) -> Results:
        """Ranked hits of this corpus alone."""
        if self.name in self.config.search.recent:
            query = replace(query, recent=True)
        self._catch_up()
        with self._noting_damage():
            return self.from_one_index(lambda: self._search(query))

    @property
    def last_tools(self) -> Tools | None:
        """What the last question was answered with, as it was then; None before the first."""
        return self.toolbox.last_tools(self._opened) if self._opened is not None else None

    def _search(self, query: Query) -> Results:
        tools = self.toolbox.tools(query.profile, self.store, self.share())
        return search(query, tools, self.config.search, self.config.weights)

    def from_one_index(self, ask: Callable[[], T]) -> T:
        """What `ask` finds. A rebuild may put another index in the place of this one while it reads: the share that is
        indexed would be of one and the text of the other, so that it is asked again."""
        for _ in range(_ATTEMPTS):
            asked = self.place.identity
            found = ask()
            if self.place.identity == asked:
                break
        return found

    @contextmanager
    def telling_share(self) -> Iterator[Store]:
        """The index, for a question about one place: what is not found while it is being built may still come."""
        try:
            yield self.index
        except NotFound as error:
            if share := self.is_indexed and self.share():
                raise NotFound(f"{error.problem} {share[:1].upper()}{share[1:]}.", error.next_step) from error
            raise

    def share(self) -> str:
        """While the index is being built, by whichever process, how much of the corpus it has; else nothing."""
        return share_text(self.store, self.name) if self.source.exists else ""

    def upgrade(self, *, progress: Progress = ignore_progress) -> None:
        """Make the vectors of the finer embedder that are still missing, however long it takes."""
        if self.is_indexed and not self.store.is_read_only:
            self.toolbox.meanings.upgrade(self.store, progress)

    def embed_in_background(self) -> None:
        """Make keywords and the selected embedder's vectors in threads that end with this corpus; until then others
        answer. The words of many documents come first: they answer sooner."""
        if self.is_indexed and not self.store.is_read_only:
            self.toolbox.catch_up(then=self._make_the_rest)

    def _make_the_rest(self) -> None:
        self.keyword_maker.start()
        self.toolbox.meanings.start()

    def keyword_state(self) -> str:
        """A sentence while keywords are off or not complete, else nothing."""
        return self.keyword_maker.state(self.store)

    def embed(self, progress: Progress) -> None:
        """Vectors by a model that takes its time; quick ones are made when somebody asks. A sync does not fail for a
        server that is down: `status` and every answer say what is missing."""
        if self.config.neural.model != QUICK:
            with suppress(ExtraMissing, ModelFailed, StoreBusy, StoreReadOnly):
                self.toolbox.meanings.make(self.store, progress)

    @property
    def cannot(self) -> str:
        """What to do where a damaged index cannot be set aside."""
        return f"Make {self.folder} writable so that it can be set aside, or choose another place with --store."

    @contextmanager
    def _noting_damage(self, *, sets_aside: bool = False) -> Iterator[None]:
        """Write down damage that is met inside, for whoever refreshes the index next. With `sets_aside` the damaged
        index makes room for a new one, and nothing is raised: the caller tries again."""
        try:
            yield
        except StoreDamaged as damage:
            self.damage.note(damage.problem)
            if not sets_aside:
                raise
            if not self.damage.set_aside(damage.problem):
                raise StoreDamaged(damage.problem, self.cannot) from damage
            self.place.open().close()  # what is open here goes on with it
