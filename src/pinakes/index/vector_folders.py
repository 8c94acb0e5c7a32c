"""The folders of vectors of one index: whose there are, what made them, and what is remembered besides.

NAME/              the files of one embedder, see `vectors`
NAME/making.json   {"note": "[120, 4000, \"\"]", "signature": …}: how far it is, until it is whole: what is done, of how
                   many, and why not more
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from pinakes.index.place import FolderPlace, IndexPlace
from pinakes.neural import embedder_name, load_embedder, open_vector_cache
from pinakes.neural.model_spec import FINER
from pinakes.own_folder import OwnFolder
from pinakes.ports import Embedder, Progress, Reader
from pinakes.user_folders import cache_path
from pinakes.user_key import read_signed, write_signed
from pinakes.vectors import last_published, open_vectors

if TYPE_CHECKING:
    from pinakes.neural.cache import VectorCache
    from pinakes.vectors.agreement import PartialVectors, RanksByDocument
    from pinakes.vectors.build import DocumentRows, PagesOf
    from pinakes.vectors.file import VectorFile
    from pinakes.vectors.snapshot import VectorSnapshot

QUICK = "static"
"""The embedder that takes seconds for what takes others minutes. It stands in for them, and remembers nothing, since
looking a vector up would take longer than making it."""
_REMEMBERED_BYTES = 2_000_000_000
_KEPT_FOLDERS = 2
"""Of the selected embedder, and of the one before, in case somebody goes back."""
_MAKING = "making.json"


class EmbeddingProgress(NamedTuple):
    """How far vectors are, and why not further."""

    done: int = 0
    total: int = 0
    problem: str = ""


class KeptVectors(Protocol):
    """The vectors of one embedder, which follow their store."""

    @property
    def now(self) -> VectorSnapshot:
        """What answers a question from beginning to end."""
        ...

    @property
    def is_damaged(self) -> bool:
        """Whether there are some, and they cannot be used."""
        ...

    def is_made_by(self, embedder: Embedder) -> bool:
        """Whether questions that `embedder` encodes may be put to them."""
        ...

    def update(self, reader: Reader, embedder: Embedder, progress: Progress = ...) -> None:
        """Catch up with the store; what was there answers until all of the new is whole."""
        ...

    def prepare(self) -> None:
        """Make what answers faster and nobody waits for."""
        ...

    def grow(
        self,
        reader: Reader,
        embedder: Embedder,
        whole: Any,
        ranks: Callable[[], RanksByDocument],
        progress: Progress = ...,
    ) -> bool:
        """Take one more step towards having what `whole`, of the same kind, has, which another embedder made. Returns
        whether it is worth while to catch `whole` up with the store and come again."""
        ...

    def part_of(self, whole: Any) -> PartialVectors | None:
        """What of these agrees with `whole`; None when either is not there."""
        ...


class VectorShelf:
    """The vectors of one index by their embedders, which are loaded when they are first asked for."""

    def __init__(self) -> None:
        self._named: dict[str, str] = {}
        self._loaded: dict[str, Embedder] = {}
        self._working: set[str] = set()
        self._cache: VectorCache | None = None

    def names(self) -> tuple[str, ...]:
        """The names of the embedders some of whose vectors are there."""
        raise NotImplementedError

    def file(self, name: str) -> KeptVectors:
        """The vectors of the embedder of that name, which need not be there yet."""
        raise NotImplementedError

    def another(self, name: str) -> KeptVectors:
        """As `file`, for a thread that should not share what it opens with questions."""
        raise NotImplementedError

    def discard_damaged(self) -> tuple[str, ...]:
        """Throw vectors that cannot be used away, so that they are made again; returns whose they were."""
        raise NotImplementedError

    def forget(self, *newest: str) -> None:
        """Leave the vectors of all but the newest two embedders behind, and of the memory what is long out of use."""
        raise NotImplementedError

    @property
    def has_home(self) -> bool:
        """Whether the index these belong to is still there: nobody who follows it makes its place again."""
        raise NotImplementedError

    def clear_the_way(self, name: str) -> None:
        """Throw away whatever took the place of an embedder's vectors."""
        raise NotImplementedError

    def note(self, name: str, note: EmbeddingProgress) -> None:
        """Write down how far an embedder is."""
        raise NotImplementedError

    def read_progress(self, name: str) -> EmbeddingProgress:
        """What was written down last; nothing when it is whole, or was never begun."""
        raise NotImplementedError

    def clear_progress(self, name: str) -> None:
        """There is nothing more to say about how far it is."""
        raise NotImplementedError

    def name(self, model: str) -> str:
        """The name of the embedder called `model`; raises like `embedder_name`. Looked up once: its files are read for
        it, and every question asks."""
        if model not in self._named:
            self._named[model] = embedder_name(model)
        return self._named[model]

    def embedder(self, model: str) -> Embedder:
        """The embedder called `model`; raises like `load_embedder`."""
        if model not in self._loaded:
            name = self.name(model) if model in (QUICK, FINER) else ""
            self._loaded[model] = _shared(model, name) if name else load_embedder(model)
        return self._loaded[model]

    def working_embedder(self, model: str) -> Embedder:
        """The embedder called `model`, after it has encoded a text: weights that cannot be run here fail only then."""
        embedder = self.embedder(model)
        if embedder.name not in self._working:
            embedder.encode(["documentation"])
            self._working.add(embedder.name)
        return embedder

    def close(self) -> None:
        """Let go of what is remembered; asking again opens it again."""
        if self._cache is not None:
            self._cache.close()

    def is_quick(self, name: str) -> bool:
        """Whether an embedder of that name takes seconds for what takes others minutes."""
        return name == self.name(QUICK)

    def user_cache(self, name: str) -> VectorCache | None:
        """Vectors made before, for all of a user's libraries."""
        place = cache_path("vectors")
        if place is None or self.is_quick(name):
            return None
        if self._cache is None:
            self._cache = open_vector_cache(place)
        return self._cache

    def prune_cache(self) -> None:
        """Leave of the memory behind what is long out of use."""
        if self._cache is not None:
            self._cache.prune(_REMEMBERED_BYTES)


class VectorFolders(VectorShelf):
    """The promise `VectorShelf`, kept by a folder for each embedder."""

    def __init__(self, folder: OwnFolder) -> None:
        super().__init__()
        self.folder = folder
        self._files: dict[str, VectorFile] = {}
        self._notes: dict[str, EmbeddingProgress] = {}
        """Those there was no room for."""

    def names(self) -> tuple[str, ...]:
        """The names of the embedders some of whose vectors are there."""
        return tuple(name for name in self._there() if self.file(name).now.embedder == name)

    def _there(self) -> list[str]:
        try:
            return self.folder.names()[0]
        except OSError:  # there are none yet, or somebody removes them
            return []

    def file(self, name: str) -> VectorFile:
        """The vectors of the embedder of that name, which need not be there yet."""
        if name not in self._files:
            self._files[name] = self.another(name)
        return self._files[name]

    def another(self, name: str) -> VectorFile:
        """A `VectorFile` of its own, for a thread that should not share one with questions."""
        home = self.folder.parent if self.is_quick(name) else None
        pages_of = pages_reader(FolderPlace(home)) if home else None
        return open_vectors(self.folder.folder(name), self.user_cache(name), pages_of)

    def discard_damaged(self) -> tuple[str, ...]:
        """Throw vectors that cannot be used away, so that they are made again; returns whose they were."""
        damaged = tuple(name for name in self._there() if self.file(name).is_damaged)
        for name in damaged:
            self.discard(name)
        return damaged

    def discard(self, name: str) -> None:
        """Throw the vectors of an embedder away."""
        self.folder.remove_tree(name)
        self._files.pop(name, None)

    def close(self) -> None:
        """As above. Files that were removed take room on the disk until nobody has them open."""
        super().close()
        self._files.clear()

    def forget(self, *newest: str) -> None:
        """Leave the vectors of all but the newest two embedders behind, and of the memory what is long out of use."""
        others = [name for name in self.names() if name not in newest]
        others.sort(key=lambda name: last_published(self.folder.folder(name)), reverse=True)
        for name in others[max(0, _KEPT_FOLDERS - len(newest)) :]:
            self.folder.remove_tree(name)
        self.prune_cache()

    @property
    def has_home(self) -> bool:
        """Whether the index these belong to is still there: nobody who follows it makes its folder again."""
        home = self.folder.parent
        return home.exists() if home else self.folder.path.parent.is_dir()

    def clear_the_way(self, name: str) -> None:
        """Throw away whatever took the place of an embedder's files, or of the folder of all."""
        if (home := self.folder.parent) and not self.folder.exists():
            home.remove_tree(self.folder.path.name)
        self.discard(name)

    def note(self, name: str, note: EmbeddingProgress) -> None:
        """Write down how far an embedder is."""
        self._notes[name] = note
        if not self.has_home:
            return
        with suppress(OSError):  # only a note: at least this process knows it
            folder = self.folder.folder(name).make(levels=2)
            write_signed(folder, _MAKING, note._asdict())
            del self._notes[name]

    def read_progress(self, name: str) -> EmbeddingProgress:
        """What was written down last; nothing when it is whole, or was never begun."""
        if name in self._notes:
            return self._notes[name]
        try:
            return EmbeddingProgress(**(read_signed(self.folder.folder(name), _MAKING) or {}))
        except TypeError:
            return EmbeddingProgress()

    def clear_progress(self, name: str) -> None:
        """There is nothing more to say about how far it is."""
        self._notes.pop(name, None)
        with suppress(OSError):
            self.folder.folder(name).remove(_MAKING)

    def _user_cache(self, name: str) -> VectorCache | None:
        """Vectors made before, for all of a user's libraries."""
        place = cache_path("vectors")
        if place is None or name == self.name(QUICK):
            return None
        if self._cache is None:
            self._cache = open_vector_cache(place)
        return self._cache


def pages_reader(place: IndexPlace) -> PagesOf:
    """Reads documents of an index with their vectors, many of them on all cores."""

    def pages_of(reader: Reader, numbers: Sequence[int]) -> Generator[DocumentRows, None, None]:
        from pinakes.index.store_jobs import pages_in_parallel  # a process that only asks does not need it

        return pages_in_parallel(place, reader, numbers)

    return pages_of


@cache
def _shared(model: str, name: str) -> Embedder:
    """One for all corpora of a process: weights take room. Another `name` means that the files are others."""
    return load_embedder(model)
