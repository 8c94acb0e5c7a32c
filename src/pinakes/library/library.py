"""`Library` joins the rooms: each method is a few lines that hand records from one room to the next."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pinakes.config import load_config
from pinakes.errors import ConfigError, NotFound, PinakesError, StoreStrange
from pinakes.index import ignore_progress
from pinakes.library.addresses import paths_written_out
from pinakes.library.corpora import (
    Troubles,
    added_up,
    file_states,
    search_corpora,
    status_of,
    store_folder,
)
from pinakes.library.corpus import Corpus
from pinakes.library.examining import ExaminedDocuments
from pinakes.library.folder_notes import NotesOfHits
from pinakes.passages import locate, passage
from pinakes.ports import Progress
from pinakes.records import (
    ADDED,
    ALL_CORPORA,
    CODE,
    DOCS,
    HISTORY,
    MEMORIES,
    Connections,
    CorpusName,
    Document,
    FileStatus,
    Filter,
    FilterValues,
    Passage,
    Query,
    Ref,
    Report,
    Results,
    Status,
)
from pinakes.search import Tools
from pinakes.write_log import log_writes, logged

if TYPE_CHECKING:
    from pinakes.library.added import Added
    from pinakes.library.memories import Memories
    from pinakes.library.models import LibraryModels
    from pinakes.library.moving import Moving
    from pinakes.library.past import PastIndexes
    from pinakes.publish import PublishOptions
    from pinakes.records.publish import Published


def open_library(root: Path | str = ".", arguments: Mapping[str, object] | None = None) -> Library:
    """The library of a folder. Nothing is read or written until something is asked of it."""
    folder = Path(os.path.realpath(root))  # `Path.resolve` raises for links that go round in circles
    if not os.path.isdir(folder):
        raise ConfigError(f"{root} is not a folder.", "Name the folder that holds your documents.")
    return Library(folder, load_config(folder, arguments or {}))


class Library(ExaminedDocuments):
    """A folder of documents and what belongs to it, and the questions one can ask of them."""

    def refuse_change(self) -> None:
        """Raise `Unfit` where nothing can be written: files that are elsewhere are changed there."""

    def __enter__(self) -> Library:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        for one in self._corpora.values():
            one.close()
        if "_past" in vars(self):
            self._past.close()

    @cached_property
    def _past(self) -> PastIndexes[Library]:
        from pinakes.library.past import PastIndexes

        return PastIndexes(self.root, self.config, self._corpora, partial(PastLibrary, self.root, self.config))

    @contextmanager
    def at(self, revision: str, *, progress: Progress = ignore_progress) -> Iterator[Library]:
        """The documents and source code as they were at a revision of git, by the settings of today: to be asked, not
        changed. The first question about a revision makes its index. Raises `NotFound`."""
        with self._past.at(revision, progress) as past:
            yield past

    @cached_property
    def added(self) -> Added:
        """Documents from elsewhere, by project."""
        from pinakes.library.added import Added

        return Added(
            store_folder(self.config).folder(ADDED), self.config.added, self._corpora[ADDED].outdate, root=self.root
        )

    @cached_property
    def _notes_of_hits(self) -> NotesOfHits:
        return NotesOfHits(self._docs)

    @cached_property
    def models(self) -> LibraryModels:
        """The models there are, and the vectors they make."""
        from pinakes.library.models import LibraryModels

        return LibraryModels(self.config.neural, tuple(self._corpora.values()))

    @property
    def is_indexed(self) -> bool:
        """Whether there is an index of the documents to ask."""
        return self._docs.is_indexed

    @property
    def is_replaced(self) -> bool:
        """Whether the index of some documents is not the one that was last compared with its folder."""
        return any(one.is_replaced for one in self._corpora.values())

    @property
    def damaged(self) -> tuple[CorpusName, ...]:
        """The corpora whose index was found damaged and is not mended yet."""
        return tuple(name for name, one in self._corpora.items() if one.is_damaged)

    @property
    def generation(self) -> int:
        """Grows with every change to the documents' index; 0 while there is none."""
        return self._docs.generation

    def sync(
        self,
        *,
        verify: bool = False,
        rebuild: bool = False,
        corpora: Sequence[CorpusName] = (),
        paths: Collection[str] | None = None,
        wait: bool = True,
        progress: Progress = ignore_progress,
    ) -> Report:
        """Make the index of each corpus, or of those named, agree with its source; documents come first. With `paths`
        only files of the root at or below them, with `verify` whatever their size and time say, and without `wait` not
        all keywords and vectors. A corpus whose folder is refused is a warning in the report, unless it is alone."""
        from pinakes.index.workers import kept_workers

        recovered, chosen = self.recover_files(), self._to_sync(corpora, paths)
        refused = Troubles(StoreStrange)
        reports: list[Report] = []
        with kept_workers():
            for one in chosen:
                with refused.of(one):
                    done = one.sync(verify=verify, rebuild=rebuild, paths=paths, wait=wait, progress=progress)
                    reports.append(done)
        refused.raise_unless(reports)
        log_writes("rebuild", ((one.name, "done") for one in chosen if rebuild), self.root)
        return added_up(reports, [*([f"{DOCS}: {recovered}"] if recovered else []), *refused.sentences])

    def refresh(
        self, *, corpora: Sequence[CorpusName] = (), patience_s: float = 2.0, progress: Progress = ignore_progress
    ) -> str:
        """Bring what is about to be asked up to date: the corpora named, else all documents.

        Returns a sentence when answers may be older than their sources, else nothing. What is wrong with one corpus is
        in it, too; it is raised when it is wrong with all of them.
        """
        recovered = self.recover_files()
        chosen = self._asked(Filter(corpora=tuple(corpora)))
        troubles = Troubles(PinakesError, OSError)
        notes: list[str] = []
        for one in chosen:
            with troubles.of(one):
                notes.append(one.refresh(keywords_s=patience_s, progress=progress).note)
        troubles.raise_unless(notes)
        return " ".join(dict.fromkeys(note for note in (recovered, *notes, *troubles.sentences) if note))

    def news(self) -> str:
        """What was found damaged or lost and is made again, once, for the next answer of any process; empty afterwards.
        Whoever asks for it tells it."""
        return " ".join(filter(None, (one.news() for one in self._corpora.values())))

    def document(self, address: str) -> Document:
        """The whole document that an address names or lies in, as it was read."""
        ref = self.locate(address)
        found = self.corpus(ref.corpus).store.document(ref.document)
        if found is None:
            raise NotFound(f"“{ref.path}” is a file that is not read.", "Only Markdown, SVG and text can be opened.")
        return found

    def read(self, address: str) -> Passage:
        """A document (``path``), a section (``path#anchor``) or lines (``path:12-30``), verbatim."""
        home, rest = self._home(address)
        with home.telling_share() as store:
            return passage(store, home.name, rest or address)

    def search(self, question: str | Query) -> Results:
        """Ranked hits for a question, each a verbatim slice with its address and the reasons it is here. Asked are the
        corpora that the query's filter names; without one, all documents of the roots and added ones."""
        with self.one_state():
            query = paths_written_out(self._docs, self._query(question))
            if query.where.project:
                self.added.require(query.where.project)  # or a slip of the pen would find nothing for ever
            return self._with_context(search_corpora(self._asked(query.where), query))

    def one_state(self) -> AbstractContextManager[None]:
        """Whatever is asked inside, of this and other libraries in the same place, may be read at once."""
        return self._docs.place.one_state()

    def catch_up(self, generation: int) -> None:
        """Answer from this generation of the documents or a later one: somebody has seen it; raises `StoreError`."""
        self._docs.place.catch_up(generation)

    def last_tools(self, where: Filter) -> tuple[Tools, ...]:
        """What the corpora that a filter names answered their last question with; none where one was not asked yet."""
        found = [one.last_tools for one in self._asked(where)]
        return tuple(one for one in found if one is not None) if None not in found else ()

    def filter_values(self, refs: Collection[Ref]) -> Mapping[Ref, FilterValues]:
        """What filters find these documents by, whatever corpora they are of."""
        found: dict[Ref, FilterValues] = {}
        for name in {ref.corpus for ref in refs}:
            with suppress(PinakesError):  # the search that found them has said what is wrong
                found.update(self.corpus(name).store.filter_values([ref for ref in refs if ref.corpus == name]))
        return found

    def completions(self, text: str) -> list[str]:
        """The text with each of the words that its last one may become, the most frequent first."""
        return self.corpus().completions(text)

    def _with_context(self, found: Results) -> Results:
        """Hits with what is known outside their index: sources of added documents, how many memories point at each."""
        counts: Mapping[Ref, int] = {}
        with suppress(PinakesError, OSError):  # whoever asks for memories is told
            if self._corpora[MEMORIES].source.exists:
                counts = self.memories.pointing(hit.ref.document for hit in found.hits)
        hits = tuple(self.added.named(hit) if hit.ref.corpus == ADDED else hit for hit in found.hits)
        if counts:
            hits = tuple(replace(hit, memories=counts.get(hit.ref.document, 0)) for hit in hits)
        return replace(found, hits=hits, folders=self._notes_of_hits.of(hits))

    def _query(self, question: str | Query) -> Query:
        return self.config.search.query(question) if isinstance(question, str) else question

    def history(self, question: str | Query = "") -> Results:
        """Commits that answer a question; without one the newest that pass its filters."""
        from pinakes.library.history import history

        return history(self.corpus(HISTORY), self._query(question), self.root)

    def _asked(self, where: Filter) -> Sequence[Corpus]:
        """The corpora a question goes to."""
        if where.project:
            return (self.corpus(ADDED),)
        if ALL_CORPORA in where.corpora:
            return tuple(one for one in self._corpora.values() if one.is_live)
        if where.corpora:
            return tuple(self.corpus(name) for name in dict.fromkeys(where.corpora))
        documents = (one for name, one in self._corpora.items() if name not in (MEMORIES, HISTORY, CODE))
        return tuple(one for one in documents if one.is_live)

    def locate(self, address: str) -> Ref:
        """The address of a document or section as the library knows it; raises `NotFound` with what comes nearest."""
        home, rest = self._home(address)
        with home.telling_share() as store:
            return locate(store, home.name, rest or address)

    def links(self, address: str) -> Connections:
        """What a document or section points at and what points at it."""
        ref = self.locate(address)
        return self.memories.joined(self._across.connections(self.corpus(ref.corpus), ref))

    def status(self) -> Status:
        """What is indexed, what failed and why."""
        return status_of(self.root, self.config, self._corpora, self.models.upgrade_state())

    def files(self, paths: Collection[str] = ()) -> tuple[FileStatus, ...]:
        """Each file's state and the reason for it: for `paths`, or for all that is known or was left out."""
        return file_states(self._corpora, paths)

    @logged("publish")
    def publish(
        self,
        out: Path,
        options: PublishOptions | None = None,
        *,
        prompts: Path | None = None,
        progress: Progress = ignore_progress,
    ) -> Published:
        """The documents of the root as static files in the folder `out`; `prompts` is a set of questions to publish as
        hashes, or the empty path for those of the documents."""
        from pinakes.library.publishing import publish_library
        from pinakes.publish import PublishOptions

        return publish_library(self._docs, self.root.name, out, options or PublishOptions(), prompts, progress)

    def answer_sooner(self, max_age_s: float) -> None:
        """As servers do: maps may use ranks that are up to `max_age_s` older than the documents, and questions do not
        wait until the words and vectors of many changed documents are made, which a thread does."""
        for one in self._corpora.values():
            one.toolbox.answer_sooner(max_age_s)


class PastLibrary(Library):
    """A library as it was. What is not in the repository, such as memories, is of today, and is not here."""

    @property
    def memories(self) -> Memories:
        raise self._only_today("Memories")

    @property
    def added(self) -> Added:
        raise self._only_today("Added documents")

    def links(self, address: str) -> Connections:
        ref = self.locate(address)
        return self._across.connections(self.corpus(ref.corpus), ref)

    def _with_context(self, found: Results) -> Results:
        return found

    @property
    def _moving(self) -> Moving:
        raise self._only_today("Moves")

    def _only_today(self, what: str) -> NotFound:
        return NotFound(f"{what} belong to the present documents.", "Leave the revision out.")
