"""`Library` joins the rooms: each method is a few lines that hand records from one room to the next."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType

from msgspec.structs import replace

from pinakes.check import Finding
from pinakes.config import load_config
from pinakes.doctor import examine
from pinakes.errors import ConfigError, NotFound, PinakesError, StoreStrange
from pinakes.evaluation.makers import make_questions
from pinakes.evaluation.questions import Question
from pinakes.evaluation.verdicts import Evaluation, JudgingLevel, OnProgress, evaluate_like, ignore_count
from pinakes.graph.layout import lay_out
from pinakes.graph.measures import components
from pinakes.index import ignore_progress
from pinakes.library.across import Across
from pinakes.library.added import Added
from pinakes.library.addresses import home_of, part_of, paths_written_out
from pinakes.library.checking import commit_sections, findings
from pinakes.library.corpora import added_up, apart, file_states, search_corpora, status_of, store_folder, unread_files
from pinakes.library.corpus import Corpus
from pinakes.library.history import history
from pinakes.library.maps import DRAWN, MapText, draw, draw_text, leading_paths, outlines_of
from pinakes.library.models import LibraryModels
from pinakes.library.moving import MovableDocuments
from pinakes.library.publishing import publish_library
from pinakes.outline import Map, MapRequest
from pinakes.passages import locate, passage
from pinakes.ports import Progress
from pinakes.publish import PublishOptions
from pinakes.records import (
    ADDED,
    ALL_CORPORA,
    CODE,
    DOCS,
    HISTORY,
    MEMORIES,
    Connections,
    CorpusName,
    Diagnosis,
    Document,
    FileStatus,
    Filter,
    Outline,
    Passage,
    Query,
    Ref,
    Report,
    Results,
    Status,
)
from pinakes.records.graph import Picture
from pinakes.records.publish import Published
from pinakes.search import SearchOptions, Weighing, search
from pinakes.write_log import log_writes, logged


def open_library(root: Path | str = ".", arguments: Mapping[str, object] | None = None) -> Library:
    """The library of a folder. Nothing is read or written until something is asked of it."""
    folder = Path(os.path.realpath(root))  # `Path.resolve` raises for links that go round in circles
    if not os.path.isdir(folder):
        raise ConfigError(f"{root} is not a folder.", "Name the folder that holds your documents.")
    return Library(folder, load_config(folder, arguments or {}))


class Library(MovableDocuments):
    """A folder of documents and what belongs to it, and the questions one can ask of them."""

    def __enter__(self) -> Library:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        for one in self._corpora.values():
            one.close()

    @property
    def corpora(self) -> tuple[CorpusName, ...]:
        """The names of all corpora, the documents of the root first."""
        return tuple(self._corpora)

    @cached_property
    def added(self) -> Added:
        """Documents from elsewhere, by project."""
        return Added(
            store_folder(self.config).folder(ADDED), self.config.added, self._corpora[ADDED].outdate, root=self.root
        )

    @cached_property
    def _across(self) -> Across:
        return Across(self._corpora)

    @cached_property
    def models(self) -> LibraryModels:
        """The models there are, and the vectors they make."""
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
        """Grows with every change to the index of the documents; 0 while there is none."""
        return self._docs.generation

    def sync(
        self,
        *,
        verify: bool = False,
        rebuild: bool = False,
        corpora: Sequence[CorpusName] = (),
        paths: Collection[str] | None = None,
        progress: Progress = ignore_progress,
    ) -> Report:
        """Make the index of each corpus, or of those named, agree with its source; documents come first. With `paths`
        only files of the root at or below them, and with `verify` whatever their size and time say. A corpus whose
        folder is refused is a warning in the report, unless it is the only one."""
        recovered, chosen = self.recover_files(), self._to_sync(corpora, paths)
        call = partial(Corpus.sync, verify=verify, rebuild=rebuild, paths=paths, progress=progress)
        reports, refused = apart(chosen, call, (StoreStrange,))
        log_writes("rebuild", ((one.name, "done") for one in chosen if rebuild), self.root)
        return added_up(reports, [*([f"{DOCS}: {recovered}"] if recovered else []), *refused])

    def refresh(
        self, *, corpora: Sequence[CorpusName] = (), patience_s: float = 2.0, progress: Progress = ignore_progress
    ) -> str:
        """Bring what is about to be asked up to date: the corpora named, else all documents.

        Returns a sentence when answers may be older than their sources, else nothing. What is wrong with one corpus is
        in it, too; it is raised when it is wrong with all of them.
        """
        recovered = self.recover_files()
        chosen = self._asked(Filter(corpora=tuple(corpora)))
        notes, troubles = apart(
            chosen,
            lambda one: one.refresh(keywords_s=patience_s, progress=progress).note,
            (PinakesError, OSError),
        )
        news = (one.news() for one in chosen)
        return " ".join(dict.fromkeys(note for note in (recovered, *notes, *troubles, *news) if note))

    def news(self) -> str:
        """What was found damaged or lost and is made again, once, for the next answer; empty afterwards."""
        return " ".join(filter(None, (one.news() for one in self._corpora.values())))

    def map(self, under: str = "", request: MapRequest | None = None, *, focus: str = "", since: str = "") -> Map:
        """The outline of everything, of a folder or of one document, within the request's budget.

        `focus` (a question, a path or a section) decides what survives a tight budget; `since` (the hash of an earlier
        map, or a revision of git) leaves only the blocks that changed.
        """
        home, part = self._part(under)
        drawn = draw(home, part, request or self._usual, focus, since)
        return replace(drawn, bridges=self._across.bridges(home.name))

    def map_text(
        self, under: str = "", request: MapRequest | None = None, *, focus: str = "", since: str = ""
    ) -> MapText:
        """What `map` returns, printed. The last one is kept, so that asking again draws nothing."""
        home, part = self._part(under)
        return draw_text(home, part, request or self._usual, focus, since)

    @property
    def _usual(self) -> MapRequest:
        return MapRequest(budget_tokens=self.config.map.budget_tokens)

    def layout(self, under: str = "") -> Picture:
        """The link graph, laid out to be drawn: of as many documents as can be told apart, those a map names first."""
        home, part = self._part(under)
        paths = leading_paths(home, part)
        return lay_out(tuple(home.index.outlines(home.name, paths=paths[:DRAWN])), len(paths[DRAWN:]))

    def leading(self, under: str = "") -> tuple[str, ...]:
        """The paths of all documents, or of those below `under`, as a map that has no room for all prefers them."""
        return tuple(leading_paths(*self._part(under)))

    def components(self, under: str = "") -> Mapping[str, int]:
        """Which documents hang together by references, also through code and images, by path; 0 is the largest one."""
        home, part = self._part(under)
        return components(outlines_of(home, part), self._across.bridges(home.name))

    def outlines(self, under: str = "") -> tuple[Outline, ...]:
        """Every document's outline: of all, of a folder or of one document."""
        return outlines_of(*self._part(under))

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
        """Ranked hits for a question, each a verbatim slice with its address and the reasons it is here.

        Asked are the corpora that the query's filter names; without one, all documents of the roots and added ones.
        """
        query = paths_written_out(self._docs, self._query(question))
        if query.where.project:
            self.added.require(query.where.project)  # or a slip of the pen would find nothing for ever
        return self._with_context(search_corpora(self._asked(query.where), query))

    def completions(self, text: str) -> list[str]:
        """The text with each of the words that its last one may become, the most frequent first."""
        return self.corpus().completions(text)

    def _with_context(self, found: Results) -> Results:
        """Hits with what is known outside their index: sources of added documents, how many memories point at each."""
        counts: Mapping[Ref, int] = {}
        with suppress(PinakesError, OSError):  # whoever asks for memories is told
            counts = self.memories.pointing(hit.ref.document for hit in found.hits)
        hits = tuple(self.added.named(hit) if hit.ref.corpus == ADDED else hit for hit in found.hits)
        if counts:
            hits = tuple(replace(hit, memories=counts.get(hit.ref.document, 0)) for hit in hits)
        return replace(found, hits=hits)

    def _query(self, question: str | Query) -> Query:
        return self.config.search.query(question) if isinstance(question, str) else question

    def history(self, question: str | Query = "") -> Results:
        """Commits that answer a question; without one the newest that pass its filters."""
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

    def eval(
        self,
        questions: Sequence[Question],
        like: Query | None = None,
        *,
        level: JudgingLevel = JudgingLevel.SECTION,
        options: SearchOptions | None = None,
        weights: Weighing | None = None,
        on_progress: OnProgress = ignore_count,
    ) -> Evaluation:
        """How well questions with known answers are answered, each asked with everything else as in `like`."""
        like = like or Query("", profile=self.config.search.profile)
        tools, chosen = self._docs.toolbox.tools(like.profile, self._docs.store), options or self.config.search
        weighing = weights or self.config.weights
        ask = partial(search, tools=tools, options=chosen, weighing=weighing)
        return evaluate_like(questions, ask, like, self._docs.index, level, on_progress)

    def questions(self) -> tuple[Question, ...]:
        """Questions made from the documents themselves, for `eval`."""
        store = self._docs.index
        return make_questions(store, commit_sections(store, DOCS, self.root) if self.config.history.enabled else ())

    def locate(self, address: str) -> Ref:
        """The address of a document or section as the library knows it; raises `NotFound` with what comes nearest."""
        home, rest = self._home(address)
        with home.telling_share() as store:
            return locate(store, home.name, rest or address)

    def _home(self, address: str) -> tuple[Corpus, str]:
        """The corpus that an address names in front, and the rest of it; without one, the documents of the root."""
        return home_of(self._corpora, address)

    def _part(self, under: str) -> tuple[Corpus, str]:
        """The corpus and the path of what an address names there, for questions about all that is below it."""
        return part_of(self._corpora, under)

    def links(self, address: str) -> Connections:
        """What a document or section points at and what points at it."""
        ref = self.locate(address)
        return self.memories.joined(self._across.connections(self.corpus(ref.corpus), ref))

    def check(self, under: str = "", *, undocumented: bool = False) -> tuple[Finding, ...]:
        """Broken links and anchors, loose ends, orphans, contradictions, drift; everywhere or in what is below `under`,
        which may name another corpus in front. `undocumented`: also public symbols that no document mentions."""
        home, rest = self._part(under)
        return findings(home, rest, under or str(self.root), self._across, unmentioned=undocumented)

    def status(self) -> Status:
        """What is indexed, what failed and why."""
        return status_of(self.root, self.config, self._corpora, self.models.upgrade_state())

    def files(self, paths: Collection[str] = ()) -> tuple[FileStatus, ...]:
        """Each file's state and the reason for it: for `paths`, or for all that is known or was left out."""
        return file_states(self._corpora, paths)

    def doctor(self) -> tuple[Diagnosis, ...]:
        """What is sound in the installation and in every index, and what to do about the rest."""
        indexes = {name: one.own for name, one in self._corpora.items() if name == DOCS or one.is_indexed}
        written = [self._corpora[name].source for name in (MEMORIES, ADDED) if name in self._corpora]
        found = examine(self.root, indexes, written, self.config.neural.model, self.config.keywords.model)
        if any(one.topic == "index" and not one.is_sound for one in found):
            return found  # what it says of files cannot be trusted
        return (*found, *unread_files(one for one in self._corpora.values() if one.source not in written))

    def mend(self, *, progress: Progress = ignore_progress) -> tuple[str, ...]:
        """Make every index, and every part derived from one, sound again; returns what was done, a sentence each."""
        return tuple(done for one in self._corpora.values() for done in one.mend(progress=progress))

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
        return publish_library(self._docs, self.root.name, out, options or PublishOptions(), prompts, progress)

    def allow_stale_ranks(self, max_age_s: float) -> None:
        """Let maps use ranks that are up to `max_age_s` older than the documents; servers do, to answer sooner."""
        for one in self._corpora.values():
            one.toolbox.shelves.max_age_s = max_age_s
