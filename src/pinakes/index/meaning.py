"""Do the vectors agree with the store, and whose are they? One folder of vectors per embedder, never mixed.

The selected embedder answers as soon as its vectors are whole. Until then, and while it is not installed, another one
answers whose vectors are there, and the answer says so; if there is none, the static one's are made, which takes
seconds. Making vectors with a larger model takes minutes or hours, so that is for `make` (a sync) or for a thread
(`start`). What was embedded is remembered: whoever is stopped goes on from there.

With `auto` the static vectors always agree with the store, and those of a finer embedder follow section by section (see
`upgrade`); both answer, each for what it has, and nobody waits for the finer.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing, suppress
from functools import cache, cached_property
from typing import TYPE_CHECKING, TypeVar

from pinakes.errors import ExtraMissing, ModelFailed, PinakesError, StoreBusy, StoreDamaged, StoreError
from pinakes.folder_lock import is_obstructed
from pinakes.index.background import THROTTLE, Background, ThrottledEmbedder
from pinakes.index.vector_folders import QUICK, EmbeddingProgress, VectorShelf
from pinakes.neural import finer_model, model_names
from pinakes.neural.model_spec import AUTO, FINER
from pinakes.ports import ActiveVectors, Embedder, FinerVectors, Progress, Reader, Store
from pinakes.records import Event, Upgrade

if TYPE_CHECKING:
    from pinakes.vectors.agreement import RanksByDocument

MAX_WAITING_DOCUMENTS = 10
"""Changed documents that another embedder is given while somebody waits for an answer: two seconds' work or so."""
MANY_DOCUMENTS = 2000
"""Changed documents whose quick vectors take some seconds."""
_LATER_S = 1.0
"""When to look again whether another process is through."""
_BREATH_S = 0.15
"""Between two steps in the background: who waits for the folder asks for it every tenth of a second, and could
otherwise wait until everything is done."""

_Given = TypeVar("_Given")


def _no_ranks(store: Store) -> RanksByDocument:
    """Nothing is more central than anything else."""
    return {}


def _at_once(seconds: float) -> None:
    """Whoever upgrades in the foreground does not pause."""


class Meanings:
    """The vectors of one library. `open_store` gives a thread a store of its own; `ranks` tells which sections are the
    most central."""

    def __init__(
        self,
        folders: VectorShelf,
        model: str,
        open_store: Callable[[], Store],
        ranks: Callable[[Store], RanksByDocument] = _no_ranks,
        minutes: int = 60,
    ) -> None:
        """`minutes` is how much of an hour the thread may work."""
        self._folders = folders
        self._model = model
        self._open_store = open_store
        self._ranks = ranks
        self.background = Background(self._make_quietly, minutes=minutes, name="embedding")
        self._began = (0.0, 0)
        """When the thread began to upgrade, and with how many passages done."""
        self._is_behind = False
        """Whether the finer embedder had something left to do when this was last looked at."""
        self.is_patient = True
        """Whether who asks waits for the quick vectors of many documents; without them, words answer alone."""

    def is_far_behind(self, reader: Reader) -> bool:
        """Whether the quick embedder's vectors would take longer than somebody waits for an answer."""
        made = self._folders.file(self._folders.name(QUICK)).now.generation
        return self._model in (AUTO, QUICK) and len(reader.feed(made).changed) > MANY_DOCUMENTS

    def note_question(self) -> None:
        """A question is asked: work in the background makes room for it, and goes on afterwards if it had stopped."""
        THROTTLE.note_question()
        if self._is_behind:
            self.background.restart()

    def ready(self, reader: Reader, missing: list[str], *, may_write: bool) -> ActiveVectors | None:
        """What answers now, caught up with the store as far as somebody can wait for it. That it is not the selected
        embedder, or not the newest, is told of in `missing`."""
        if self._model == AUTO:
            return self._either(reader, missing, may_write=may_write)
        try:
            selected = self._folders.embedder(self._model)
        except PinakesError as error:  # not installed, not known here, without its key: a sync says so and stops
            missing.append(f"meaning by {self._model}: {error}")
        else:
            if selected.name == self._folders.name(QUICK) or self._folders.file(selected.name).now.generation:
                made = self._caught_up(reader, selected, missing, may_write=may_write)
                return made if made.vectors.generation or self.is_patient else None
            if may_write and len(reader.feed(0).changed) <= MAX_WAITING_DOCUMENTS:
                made = self._caught_up(reader, selected, missing, may_write=True)
                if made.vectors.generation:
                    return made
            missing.append(f"meaning by {self._model}: {self._progress(selected.name)}")
        stand_in = self._stand_in()
        return None if stand_in is None else self._caught_up(reader, stand_in, missing, may_write=may_write)

    def discard_damaged(self) -> tuple[str, ...]:
        """Throw vectors that cannot be used away, so that they are made again; returns whose they were."""
        return self._folders.discard_damaged()

    def make(self, reader: Reader, progress: Progress) -> None:
        """Make the selected embedder's vectors whole; what embedder and store raise is raised and noted for `state`.

        With `auto` that is not for a sync: the static ones are made when somebody asks, the finer ones by `upgrade`.
        """
        if self._model == AUTO:
            return
        embedder = self._folders.embedder(self._model)
        reached = EmbeddingProgress()

        def tell(event: Event) -> None:
            nonlocal reached
            reached = EmbeddingProgress(event.done, event.total)
            self._folders.note(embedder.name, reached)
            progress(event)

        try:
            (made := self._folders.file(embedder.name)).update(reader, embedder, tell)
            made.prepare()
        except StoreBusy:
            raise  # whoever is at it writes the note
        except PinakesError as error:
            self._folders.note(embedder.name, reached._replace(problem=str(error)))
            raise
        self._folders.clear_progress(embedder.name)
        self._folders.forget(embedder.name)

    def upgrade(self, store: Store, progress: Progress) -> None:
        """Make the finer embedder's vectors until none are missing, the most linked sections first; what embedder and
        store raise is raised and noted for `upgraded`. Does nothing but for `auto`, where one is installed."""
        if model := self._finer:
            self._upgrade(store, self._folders.embedder(model), progress, _at_once)

    def upgraded(self) -> Upgrade | None:
        """How far the finer embedder is; None but for `auto`."""
        if self._model != AUTO:
            return None
        try:
            model = finer_model(AUTO)
            name = self._folders.name(model)
        except PinakesError as error:
            return Upgrade(FINER, problem=str(error))
        quick = self._folders.file(self._folders.name(QUICK))
        part = self._folders.file(name).part_of(quick)
        problem = "" if self.is_making else self._folders.read_progress(name).problem
        done, total = (part.done, part.total) if part else (0, quick.now.rows)
        return Upgrade(model, done, total, self.is_making, problem, self._seconds_left(done, total))

    def _seconds_left(self, done: int, total: int) -> int:
        """What the rest of the upgrade will take at the pace of the thread so far; 0 when that is not known."""
        began, before = self._began
        if not self.is_making or not began or done <= before:
            return 0
        return round((total - done) * (time.monotonic() - began) / (done - before))

    def problem(self) -> str:
        """What kept the selected embedder from making its vectors, with the next step; empty for `auto`, whose finer
        embedder is `upgraded`'s to tell of."""
        if self._model in (AUTO, QUICK):
            return ""
        try:
            return self._folders.read_progress(self._folders.name(self._model)).problem
        except PinakesError as error:
            return str(error)

    def start(self) -> None:
        """Make them in a thread that ends with the process; one that is at it looks again when it is through."""
        self.background.start()

    def stop(self) -> None:
        """End the thread at the next batch, and let go of the files."""
        self.background.stop()
        self._folders.close()

    def wait(self) -> None:
        """Until the thread is done."""
        self.background.wait()

    @property
    def is_making(self) -> bool:
        return self.background.is_running

    def whole(self) -> tuple[str, ...]:
        """The names of the embedders whose vectors are there, and all of them."""
        return tuple(name for name in self._folders.names() if self._folders.file(name).now.generation)

    def state(self) -> str:
        """The selected embedder, and whether it answers."""
        try:
            name = self._folders.name(self._model)
        except PinakesError as error:
            return f"none: {error}"
        if self._model == AUTO:
            found = self.upgraded()
            if found is None or not found.done:
                return name
            finer = self._folders.name(found.model)
            return finer if found.is_whole else f"{name} and {finer}"
        if name in self.whole() or self._model == QUICK:
            return name
        return f"{name}: {self._progress(name)}"

    def _make_quietly(self) -> None:
        background = self.background
        # What went wrong stands in the note beside the vectors, where `state` and every answer find it; an index that
        # cannot be opened is met by whoever asks next.
        if not self._folders.has_home:
            return
        with suppress(PinakesError), closing(self._open_store()) as store:
            if self._model != AUTO:
                self.make(store, background.raise_if_cancelled)
            elif model := self._finer:
                finer = ThrottledEmbedder(self._folders.embedder(model), background.pause)
                found = self.upgraded()
                self._began = time.monotonic(), found.done if found else 0
                self._upgrade(store, finer, background.raise_if_cancelled, background.pause)

    def _upgrade(self, store: Store, finer: Embedder, progress: Progress, pause: Callable[[float], None]) -> None:
        # Files of its own: those who ask should not find the ones they look at changing hands.
        whole, part = self._folders.another(self._folders.name(QUICK)), self._folders.another(finer.name)
        ranks = cache(lambda: self._ranks(store))
        is_there_more = True
        while is_there_more and self._folders.has_home:
            try:
                self._update(store, self._folders.embedder(QUICK))
                whole.prepare()
                is_there_more = self._clearing_obstructions(
                    finer.name, lambda: part.grow(store, finer, whole, ranks, progress)
                )
                pause(_BREATH_S)
            except StoreBusy:  # another process is at it; it may end before it is done
                pause(_LATER_S)
            except PinakesError as error:
                self._folders.note(finer.name, EmbeddingProgress(problem=str(error)))
                raise
        self._folders.clear_progress(finer.name)
        self._folders.forget(self._folders.name(QUICK), finer.name)

    def _either(self, reader: Reader, missing: list[str], *, may_write: bool) -> ActiveVectors | None:
        """The finer vectors where all of them are there and new, else the static ones and what there is of the rest."""
        try:
            quick = self._caught_up(reader, self._folders.embedder(QUICK), missing, may_write=may_write)
        except ExtraMissing as error:
            missing.append(f"meaning by {QUICK}: {error}")
            return None
        model = self._finer
        if not quick.vectors.generation and not self.is_patient:
            return None
        if not model:
            return quick
        made = self._folders.file(self._folders.name(model))
        part = made.part_of(self._folders.file(quick.embedder.name))
        self._is_behind = may_write and (part is None or part.done < part.total)
        is_older = not quick.vectors.generation and made.now.generation  # only readable, from before there was `auto`
        if not is_older and not (part and part.done):
            return quick
        try:
            finer = self._folders.working_embedder(model)
        except PinakesError as error:
            missing.append(f"meaning by {model}: {error}")
            return quick
        if not made.is_made_by(finer):
            return quick
        if is_older or part is None:
            return ActiveVectors(made.now, finer)
        if part.done == part.total:
            return ActiveVectors(part.vectors, finer)
        return ActiveVectors(quick.vectors, quick.embedder, FinerVectors(part.vectors, finer, part.share))

    @cached_property
    def _finer(self) -> str:
        """The model that is finer than the quick one; nothing where it, or its name, cannot be had, which `upgraded`
        tells. Looked for once, since every question asks."""
        try:
            model = finer_model(self._model)
            return model if model and self._folders.name(model) else ""
        except PinakesError:
            return ""

    def _caught_up(self, reader: Reader, embedder: Embedder, missing: list[str], *, may_write: bool) -> ActiveVectors:
        if may_write and self._is_quickly_done(reader, embedder, missing):
            try:
                self._update(reader, embedder)
            except StoreDamaged:
                raise  # damaged vectors are made again without a word: it is the index that they are made from
            except (StoreError, ExtraMissing, ModelFailed) as trouble:
                # Somebody else is at it, there is no room, no permission: what is there answers.
                missing.append(f"the newest vectors: {trouble}")
        return ActiveVectors(self._folders.file(embedder.name).now, embedder)

    def _update(self, reader: Reader, embedder: Embedder) -> None:
        """Make the vectors of an embedder agree with the store, whatever that takes."""
        self._clearing_obstructions(embedder.name, lambda: self._folders.file(embedder.name).update(reader, embedder))

    def _clearing_obstructions(self, name: str, call: Callable[[], _Given]) -> _Given:
        """Run `call`. Where something else took the place of an embedder's files, remove that and run it again."""
        try:
            return call()
        except StoreError as trouble:
            if not is_obstructed(trouble):
                raise
            self._folders.clear_the_way(name)
            return call()

    def _is_quickly_done(self, reader: Reader, embedder: Embedder, missing: list[str]) -> bool:
        if embedder.name == self._folders.name(QUICK):
            if self.is_patient or not self.is_far_behind(reader):
                return True
            missing.append("meaning: the vectors of many documents are still to be made")
            return False
        waiting = len(reader.feed(self._folders.file(embedder.name).now.generation).changed)
        if waiting > MAX_WAITING_DOCUMENTS:
            missing.append(f"the newest vectors: {waiting:,} documents wait; pinakes sync embeds them")
        return waiting <= MAX_WAITING_DOCUMENTS

    def _stand_in(self) -> Embedder | None:
        """An embedder at hand whose vectors are there, or else the quick one.

        Only names are tried, never what a file in the index says: the index may have come with a stranger's project.
        """
        there = self.whole()
        for model in model_names():
            with suppress(PinakesError):
                if self._folders.name(model) in there:
                    return self._folders.embedder(model)
        with suppress(ExtraMissing):
            return self._folders.embedder(QUICK)
        return None

    def _progress(self, name: str) -> str:
        done, total, problem = self._folders.read_progress(name)
        told = f"{done:,} of {total:,} documents are embedded" if total else "nothing is embedded yet"
        if problem and not self.is_making:
            return f"{told}; {problem}"
        return f"{told}; {'another embedder answers until all are' if self.is_making else 'pinakes sync does the rest'}"
