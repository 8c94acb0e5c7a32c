"""`Library` joins the rooms: each method is a few lines that hand records from one room to the next."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from pinakes.check import Finding
from pinakes.config import Config, load_config
from pinakes.doctor import examine
from pinakes.errors import ConfigError, NotFound
from pinakes.evaluation import (
    Evaluation,
    JudgingLevel,
    OnProgress,
    Question,
    Touched,
    asked_like,
    evaluate,
    ignore_count,
    make_questions,
)
from pinakes.graph import lay_out, surroundings
from pinakes.index import ignore_progress
from pinakes.library.added import Added
from pinakes.library.checking import findings
from pinakes.library.corpora import added_up, corpora, is_live, state_of, upgraded
from pinakes.library.corpus import Corpus
from pinakes.library.drifting import touched_by_commits
from pinakes.library.files import file_states
from pinakes.library.history import history
from pinakes.library.maps import MapText, draw, draw_text, outlines_of
from pinakes.library.memories import Memories
from pinakes.library.publishing import publish_library, try_question
from pinakes.neural import list_models
from pinakes.outline import Map, MapRequest, first_sentence
from pinakes.passages import locate, passage
from pinakes.ports import Progress, Store
from pinakes.publish import PublishOptions
from pinakes.records import (
    ADDED,
    ALL_CORPORA,
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
    Upgrade,
)
from pinakes.records.picture import Picture
from pinakes.records.publish import Published, Tried
from pinakes.render import picture_svg
from pinakes.search import SearchOptions, Weighing, merge_results, search
from pinakes.sources import FolderSource

if TYPE_CHECKING:
    from pinakes.neural.listing import Model


def open_library(root: Path | str = ".", arguments: Mapping[str, object] | None = None) -> Library:
    """The library of a folder. Nothing is read or written until something is asked of it."""
    folder = Path(os.path.realpath(root))  # `Path.resolve` raises for links that go round in circles
    if not os.path.isdir(folder):
        raise ConfigError(f"{root} is not a folder.", "Name the folder that holds your documents.")
    return Library(folder, load_config(folder, arguments or {}))


class Library:
    """A folder of documents and what belongs to it, and the questions one can ask of them."""

    def __init__(self, root: Path, config: Config) -> None:
        self.root = root
        self.config = config
        self._corpora = corpora(root, config)
        self._docs = self._corpora[DOCS]

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

    def corpus(self, corpus: CorpusName = DOCS) -> Corpus:
        """One corpus with its index; raises `NotFound` with the names there are."""
        if corpus not in self._corpora:
            raise NotFound(f"There is no corpus “{corpus}” here.", f"There are {', '.join(self._corpora)}.")
        return self._corpora[corpus]

    @property
    def added(self) -> Added:
        """Documents from elsewhere, by project."""
        return Added(self.config.store / ADDED, self.config.added)

    @cached_property
    def memories(self) -> Memories:
        """What people and agents wrote down about this library."""
        return Memories(self.root, self.config, self._docs, self._corpora[MEMORIES])

    @property
    def is_indexed(self) -> bool:
        """Whether there is an index of the documents to ask."""
        return self._docs.is_indexed

    @property
    def generation(self) -> int:
        """Grows with every change to the index of the documents; 0 while there is none."""
        return self._docs.generation

    @property
    def passages(self) -> int:
        """About how many passages can be found by their words; 0 before the first search."""
        return self._docs.toolbox.words.size if self.is_indexed else 0

    def digests(self) -> Mapping[str, str]:
        """Every document's path and the digest of what is indexed of it."""
        kept = self._store.files(DOCS) if self.is_indexed else {}
        return {path: one.digest for path, one in kept.items() if one.digest}

    @property
    def _store(self) -> Store:
        return self._docs.store

    @property
    def _index(self) -> Store:
        if not self.is_indexed:
            raise self._no_index()
        return self._store

    def _no_index(self) -> NotFound:
        return NotFound(f"There is no index of {self.root} yet.", "pinakes sync makes one.")

    def sync(
        self,
        *,
        verify: bool = False,
        rebuild: bool = False,
        corpora: Sequence[CorpusName] = (),
        progress: Progress = ignore_progress,
    ) -> Report:
        """Make the index of each corpus, or of those named, agree with its source; documents come first."""
        chosen = [self.corpus(name) for name in corpora] or [one for one in self._corpora.values() if is_live(one)]
        return added_up([one.sync(verify=verify, rebuild=rebuild, progress=progress) for one in chosen])

    def refresh(
        self, *, corpora: Sequence[CorpusName] = (), patience_s: float = 2.0, progress: Progress = ignore_progress
    ) -> str:
        """Bring what is about to be asked up to date: the corpora named, else all documents.

        Returns a sentence when answers may be older than their sources, else nothing.
        """
        chosen = self._asked(Filter(corpora=tuple(corpora)))
        notes = [one.refresh(patience_s=patience_s, progress=progress) for one in chosen]
        return " ".join(dict.fromkeys(note for note in notes if note))

    def map(self, under: str = "", request: MapRequest | None = None, *, focus: str = "", since: str = "") -> Map:
        """The outline of everything, of a folder or of one document, within the request's budget.

        `focus` (a question, a path or a section) decides what survives a tight budget; `since` (the hash of an earlier
        map, or a revision of git) leaves only the blocks that changed.
        """
        home, part = self._home(under)
        return draw(home, part, request or self._usual, focus, since)

    def map_text(
        self, under: str = "", request: MapRequest | None = None, *, focus: str = "", since: str = ""
    ) -> MapText:
        """The same as `map`, as text."""
        home, part = self._home(under)
        return draw_text(home, part, request or self._usual, focus, since)

    @property
    def _usual(self) -> MapRequest:
        return MapRequest(budget_tokens=self.config.map.budget_tokens)

    def picture(self, under: str = "") -> str:
        """The link graph as a stand-alone SVG."""
        return picture_svg(self.layout(under))

    def layout(self, under: str = "") -> Picture:
        """The link graph as places to draw, for doors that draw it themselves."""
        return lay_out(self.outlines(under))

    def outlines(self, under: str = "") -> tuple[Outline, ...]:
        """Every document's outline: of all, of a folder or of one document."""
        return outlines_of(*self._home(under))

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
        return passage(home.index, home.name, rest or address)

    def search(self, question: str | Query) -> Results:
        """Ranked hits for a question, each a verbatim slice with its address and the reasons it is here.

        Asked are the corpora that the query's filter names; none named means all documents: those of the roots, and
        those that were added.
        """
        query = Query(question, limit=self.config.search.limit) if isinstance(question, str) else question
        chosen = self._asked(query.where)
        if query.where.project:
            self.added.require(query.where.project)  # or a slip of the pen would find nothing for ever
            within = tuple(f"{query.where.project}/{path}" for path in query.where.paths or ("**",))
            inside = replace(query.where, project="", paths=within)
            return self._told(replace(chosen[0].search(replace(query, where=inside)), query=query))
        answers = [one.search(query) for one in chosen]
        return self._told(answers[0] if len(answers) == 1 else merge_results(query, answers))

    def _told(self, found: Results) -> Results:
        """Hits with what is known beside their index: where added documents are from, and who remembers them."""
        named = self.added.named(found)
        counts = self.memories.pointing({hit.ref.document for hit in named.hits})
        if not counts:
            return named
        hits = (replace(hit, memories=counts.get(hit.ref.document, 0)) for hit in named.hits)
        return replace(named, hits=tuple(hits))

    def history(self, query: Query) -> Results:
        """Commits that answer a question; without one the newest that pass its filters."""
        return history(self.corpus(HISTORY), query, self.root)

    def _asked(self, where: Filter) -> Sequence[Corpus]:
        """The corpora a question goes to."""
        if where.project:
            return (self.corpus(ADDED),)
        if ALL_CORPORA in where.corpora:
            return tuple(one for one in self._corpora.values() if is_live(one))
        if where.corpora:
            return tuple(self.corpus(name) for name in dict.fromkeys(where.corpora))
        documents = (one for name, one in self._corpora.items() if name not in (MEMORIES, HISTORY))
        return tuple(one for one in documents if is_live(one))

    def eval(
        self,
        questions: Sequence[Question],
        like: Query | None = None,
        *,
        level: JudgingLevel = JudgingLevel.SECTION,
        options: SearchOptions | None = None,
        weights: Weighing | None = None,
        told: OnProgress = ignore_count,
    ) -> Evaluation:
        """How well questions with known answers are answered, each asked with everything else as in `like`."""
        like = like or Query("", profile=self.config.search.profile)
        tools, chosen = self._docs.toolbox.tools(like.profile), options or self.config.search
        weighing = weights or self.config.weights
        ask = partial(search, tools=tools, options=chosen, weighing=weighing)
        return evaluate(questions, lambda one: ask(asked_like(one, like)), self._index, level, told)

    def questions(self) -> tuple[Question, ...]:
        """Questions made from the documents themselves, for `eval`."""
        return make_questions(self._index, first_sentence, self._commits())

    def _commits(self) -> tuple[Touched, ...]:
        return touched_by_commits(self._index, DOCS, self.root) if self.config.history.enabled else ()

    def locate(self, address: str) -> Ref:
        """The address of a document or section as the library knows it; raises `NotFound` with what comes nearest."""
        home, rest = self._home(address)
        return locate(home.index, home.name, rest or address)

    def _home(self, address: str) -> tuple[Corpus, str]:
        """The corpus that an address names in front, and the rest of it; without one, the documents of the root."""
        name, colon, rest = address.partition(":")
        is_other = bool(colon) and name in self._corpora
        if is_other and not (self.is_indexed and self._store.places([Ref(DOCS, address)])):  # a file may be called so
            return self._corpora[name], rest
        if not self.is_indexed:
            raise self._no_index()
        return self._docs, address

    def links(self, address: str) -> Connections:
        """What a document or section points at and what points at it."""
        ref = self.locate(address)
        store = self.corpus(ref.corpus).store
        outgoing = tuple(store.edges(ref.corpus, origin=ref))
        incoming = tuple(edge for edge in store.edges(ref.corpus, to=ref) if edge.origin.path != ref.path)
        return self.memories.joined(Connections(ref, outgoing, incoming, surroundings(store, outgoing + incoming)))

    def check(self, under: str = "") -> tuple[Finding, ...]:
        """Broken links and anchors, loose ends, orphans, contradictions, drift; everywhere or in what is below `under`,
        which may name another corpus in front."""
        home, rest = self._home(under)
        return findings(home, rest, under or str(self.root))

    def status(self) -> Status:
        """What is indexed, what failed and why."""
        store = self._index
        return Status(
            root=str(self.root),
            store=str(self.config.store),
            corpus=DOCS,
            generation=store.generation,
            counts=store.counts(DOCS),
            failures=tuple(store.failures(DOCS)),
            warnings=tuple(store.warnings(DOCS)),
            keywords=self._docs.keyword_state() or "complete",
            embedder=self._docs.toolbox.meanings.state(),
            store_bytes=sum(file.stat().st_size for file in self.config.store.iterdir() if file.is_file()),
            is_read_only=store.is_read_only,
            others=tuple(state_of(one) for one in list(self._corpora.values())[1:] if one.is_indexed),
            healed=tuple(note for one in self._corpora.values() if (note := one.healed)),
            upgrade=self.upgraded(),
        )

    def files(self, paths: Collection[str] = ()) -> tuple[FileStatus, ...]:
        """Each file's state and the reason for it: for `paths`, or for all that is known or was left out."""
        source = self._docs.source
        assert isinstance(source, FolderSource)
        return file_states(self._index, source, paths)

    def doctor(self) -> tuple[Diagnosis, ...]:
        """What is sound in the installation and in every index, and what to do about the rest."""
        indexes = {name: one.folder for name, one in self._corpora.items() if name == DOCS or one.is_indexed}
        written = [self._corpora[name].source for name in (MEMORIES, ADDED) if name in self._corpora]
        return examine(self.root, indexes, written, self.config.neural.model)

    def mend(self, *, progress: Progress = ignore_progress) -> tuple[str, ...]:
        """Make every index, and every part derived from one, sound again; returns what was done, a sentence each."""
        return tuple(done for one in self._corpora.values() for done in one.mend(progress=progress))

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

    def try_published(self, out: Path, question: str) -> Tried:
        """What the hashes in a published folder know of a question."""
        return try_question(out, question)

    def embed_in_background(self) -> None:
        """Make the selected embedder's vectors in threads that end with this library; until then others answer."""
        for one in self._corpora.values():
            one.embed_in_background()

    def upgrade(self, *, progress: Progress = ignore_progress) -> Upgrade | None:
        """Make the vectors of the finer embedder here and now, as long as it takes; returns how far it is, None where
        there is to be no finer one. What was made stays when this is interrupted."""
        for one in self._corpora.values():
            one.upgrade(progress=progress)
        return self.upgraded()

    def upgraded(self) -> Upgrade | None:
        """How far the finer embedder is with everything but commits; None where there is to be none."""
        return upgraded(one for name, one in self._corpora.items() if name == DOCS or one.is_indexed)

    def allow_stale_ranks(self, max_age_s: float) -> None:
        """Let maps use ranks that are up to `max_age_s` older than the documents; servers do, to answer sooner."""
        for one in self._corpora.values():
            one.toolbox.ranking.max_age_s = max_age_s

    def models(self) -> tuple[tuple[Model, ...], frozenset[str]]:
        """Every model there is, and the names of the embedders that made the present vectors."""
        chosen = self.config.neural
        return list_models(chosen.model, chosen.reranker), frozenset(self._docs.toolbox.meanings.whole())
