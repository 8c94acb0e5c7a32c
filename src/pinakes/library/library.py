"""`Library` joins the rooms: each method is a few lines that hand records from one room to the next."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from pinakes.check import Finding, check
from pinakes.config import Config, load_config
from pinakes.doctor import examine, repair
from pinakes.errors import (
    BadAddress,
    ConfigError,
    ExtraMissing,
    ModelFailed,
    NotFound,
    StoreBusy,
    StoreReadOnly,
)
from pinakes.evaluation import Evaluation, Level, Question, Told, asked_like, evaluate, ignore_count, make_questions
from pinakes.graph import lay_out, section_ranks, surroundings
from pinakes.index import QUICK, ignore_progress, make_keywords, sync
from pinakes.library.derived import keep
from pinakes.library.files import file_states
from pinakes.library.maps import earlier_map, remember_map
from pinakes.library.tools import Toolbox
from pinakes.neural import list_models
from pinakes.outline import Map, MapRequest, changed_blocks, draw_map, first_sentence, sections_about
from pinakes.passages import locate, passage
from pinakes.ports import Progress, Store
from pinakes.records import (
    DOCS,
    Connections,
    Diagnosis,
    Document,
    FileStatus,
    Outline,
    Passage,
    Query,
    Ref,
    Report,
    Results,
    Status,
)
from pinakes.records.picture import Picture
from pinakes.render import one_line, picture_svg
from pinakes.search import SearchOptions, Weighing, search
from pinakes.sources import FolderSource
from pinakes.store import open_sqlite
from pinakes.tokens import count_tokens

if TYPE_CHECKING:
    from pinakes.neural.listing import Model

T = TypeVar("T")

DRAWN = "map"
"""Name of the derived part that holds the last map drawn as text."""


@dataclass(frozen=True, slots=True)
class MapText:
    """A map as text, with what one needs to ask for changes later."""

    text: str
    hash: str
    tokens: int


def open_library(root: Path | str = ".", arguments: Mapping[str, object] | None = None) -> Library:
    """The library of a folder. Nothing is read or written until something is asked of it."""
    folder = Path(os.path.realpath(root))  # `Path.resolve` raises for links that go round in circles
    if not os.path.isdir(folder):
        raise ConfigError(f"{root} is not a folder.", "Name the folder that holds your documents.")
    return Library(folder, load_config(folder, arguments or {}))


class Library:
    """A folder of documents, its index and the questions one can ask of them."""

    def __init__(self, root: Path, config: Config) -> None:
        self.root = root
        self.config = config
        self._source = FolderSource(root, config.sources)
        self._opened: Store | None = None
        self._opening = threading.Lock()
        self._toolbox = Toolbox(root, config, lambda: self._store)

    def __enter__(self) -> Library:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._toolbox.close()
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    @property
    def is_indexed(self) -> bool:
        """Whether there is an index to ask. One that lost its database was made all the same, and will say so."""
        return any(os.path.exists(self.config.store / name) for name in ("library.db", "seal.json"))

    @property
    def generation(self) -> int:
        """Grows with every change to the index; 0 while there is none."""
        return self._store.generation if self.is_indexed else 0

    @property
    def passages(self) -> int:
        """About how many passages can be found by their words; 0 before the first search."""
        return self._toolbox.words.size if self.is_indexed else 0

    def digests(self) -> Mapping[str, str]:
        """Every document's path and the digest of what is indexed of it."""
        kept = self._store.kept(DOCS) if self.is_indexed else {}
        return {path: one.digest for path, one in kept.items() if one.digest}

    @property
    def _store(self) -> Store:
        with self._opening:  # or the first two questions of a server would open it twice
            if self._opened is None:
                self._opened = open_sqlite(self.config.store)
            return self._opened

    @property
    def _index(self) -> Store:
        """The store, for questions: an index that was never made is not an empty one."""
        if not self.is_indexed:
            raise NotFound(f"There is no index of {self.root} yet.", "pinakes sync makes one.")
        return self._store

    def sync(self, *, verify: bool = False, rebuild: bool = False, progress: Progress = ignore_progress) -> Report:
        """Make the index agree with the folder; keywords follow when the structure is done."""
        started = time.perf_counter()
        if rebuild:
            self.close()
            repair(self.config.store)
        report = sync(
            self._source,
            self._store,
            verify=verify,
            options=self.config.sync,
            cutting=self.config.chunks,
            progress=progress,
        )
        self._keywords(progress)
        self._embed(progress)
        return replace(report, seconds=time.perf_counter() - started)

    def refresh(self, *, patience_s: float = 2.0, progress: Progress = ignore_progress) -> str:
        """Bring the index up to date before answering, without ever holding the caller up for keywords.

        Returns a sentence when the answer may be older than the folder, else nothing.
        """
        if self.is_indexed and self._store.is_read_only:
            return "The index can only be read here; it was not compared with the folder."
        try:
            # Before the first sync is through there is nothing older to answer from, so that one is waited for.
            with self._store.writing(0.0 if self._store.generation else 30.0):
                sync(
                    self._source,
                    self._store,
                    options=self.config.sync,
                    cutting=self.config.chunks,
                    progress=progress,
                )
            deadline = time.monotonic() + patience_s
            self._keywords(progress, deadline)
        except StoreBusy as busy:
            return f"{busy.problem} This answer is from before."
        except (ExtraMissing, ModelFailed) as trouble:
            return f"New keywords are not made: {trouble}"
        return ""

    def map(self, under: str = "", request: MapRequest | None = None, *, focus: str = "", since: str = "") -> Map:
        """The outline of everything, of a folder or of one document, within the request's budget.

        `focus` (a question, a path or a section) decides what survives a tight budget; `since` (the hash of an earlier
        map) leaves only the blocks that changed.
        """
        request = request or MapRequest(budget_tokens=self.config.map.budget_tokens)
        outlines = self._outlines(under)
        centre = self._focus(outlines, focus) if focus else ()
        ranks = section_ranks(outlines, centre) if centre else self._toolbox.ranks()
        summaries = self._texts(outlines, first_sentence) if request.summary else {}
        sizes = self._texts(outlines, count_tokens) if request.tokens else {}
        waiting = self._keyword_state()
        notes = [f"keywords: {waiting}"] if waiting else []
        if focus and not centre:
            notes.append(f"focus: nothing here is about {one_line(focus, 60)}")
        drawn = draw_map(outlines, ranks, request, summaries, sizes, "; ".join(notes))
        if not self._store.is_read_only:
            remember_map(self.config.store / "maps", drawn)
        return changed_blocks(drawn, earlier_map(self.config.store / "maps", since)) if since else drawn

    def map_text(
        self, under: str = "", request: MapRequest | None = None, *, focus: str = "", since: str = ""
    ) -> MapText:
        """The same as `map`, as text. The last one drawn is kept, so that asking again draws nothing."""
        asked = json.dumps([version("pinakes"), under, str(request), focus, since, self._keyword_state()])
        kept = json.loads(self._store.derived(DRAWN) or b"{}")
        if kept.get("asked") == asked:
            return MapText(kept["text"], kept["hash"], kept["tokens"])
        drawn = self.map(under, request, focus=focus, since=since)
        made = MapText(drawn.text(), drawn.hash, drawn.tokens)
        keep(self._store, DRAWN, {"asked": asked, "text": made.text, "hash": made.hash, "tokens": made.tokens})
        return made

    def picture(self, under: str = "") -> str:
        """The link graph as a stand-alone SVG."""
        return picture_svg(lay_out(self._outlines(under)))

    def layout(self, under: str = "") -> Picture:
        """The link graph as places to draw, for doors that draw it themselves."""
        return lay_out(self._outlines(under))

    def outlines(self, under: str = "") -> tuple[Outline, ...]:
        """Every document's outline: of all, of a folder or of one document."""
        return self._outlines(under)

    def document(self, address: str) -> Document:
        """The whole document that an address names or lies in, as it was read."""
        ref = locate(self._index, DOCS, address)
        found = self._store.document(ref.document)
        if found is None:
            raise NotFound(f"“{ref.path}” is a file that is not read.", "Only Markdown, SVG and text can be opened.")
        return found

    def read(self, address: str) -> Passage:
        """A document (``path``), a section (``path#anchor``) or lines (``path:12-30``), verbatim."""
        return passage(self._index, DOCS, address)

    def search(self, question: str | Query) -> Results:
        """Ranked hits for a question, each a verbatim slice with its address and the reasons it is here."""
        query = Query(question, limit=self.config.search.limit) if isinstance(question, str) else question
        return search(query, self._toolbox.tools(query.profile), self.config.search, self.config.weights)

    def eval(
        self,
        questions: Sequence[Question],
        like: Query | None = None,
        *,
        level: Level = Level.SECTION,
        options: SearchOptions | None = None,
        weights: Weighing | None = None,
        told: Told = ignore_count,
    ) -> Evaluation:
        """How well questions with known answers are answered, each asked with everything else as in `like`."""
        like = like or Query("", profile=self.config.search.profile)
        tools, chosen = self._toolbox.tools(like.profile), options or self.config.search
        weighing = weights or self.config.weights
        ask = partial(search, tools=tools, options=chosen, weighing=weighing)
        return evaluate(questions, lambda one: ask(asked_like(one, like)), self._index, level, told)

    def questions(self) -> tuple[Question, ...]:
        """Questions made from the documents themselves, for `eval`."""
        return make_questions(self._index, first_sentence)

    def locate(self, address: str) -> Ref:
        """The address of a document or section as the library knows it; raises `NotFound` with what comes nearest."""
        return locate(self._index, DOCS, address)

    def links(self, address: str) -> Connections:
        """What a document or section points at and what points at it."""
        ref = locate(self._index, DOCS, address)
        outgoing = tuple(self._store.edges(DOCS, origin=ref))
        incoming = tuple(edge for edge in self._store.edges(DOCS, to=ref) if edge.origin.path != ref.path)
        return Connections(ref, outgoing, incoming, surroundings(self._store, outgoing + incoming))

    def check(self, under: str = "") -> tuple[Finding, ...]:
        """Broken links and anchors, loose ends, orphans, contradictions; everywhere or in what is below `under`."""
        part = under.strip("/")
        if not any(_is_below(path, part) for path in self._index.kept(DOCS)):
            raise _no_documents(under or self.root)  # or a slip in a CI file would pass for ever
        return tuple(found for found in check(self._store, DOCS) if _touches(found, part))

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
            keywords=self._keyword_state() or "complete",
            embedder=self._toolbox.meanings.state(),
            store_bytes=sum(file.stat().st_size for file in self.config.store.iterdir() if file.is_file()),
            is_read_only=store.is_read_only,
        )

    def files(self, paths: Collection[str] = ()) -> tuple[FileStatus, ...]:
        """Each file's state and the reason for it: for `paths`, or for all that is known or was left out."""
        return file_states(self._index, self._source, paths)

    def doctor(self) -> tuple[Diagnosis, ...]:
        """What is sound in the installation and the index, and what to do about the rest."""
        return examine(self.root, self.config.store, self.config.neural.model)

    def _keywords(self, progress: Progress, deadline: float | None = None) -> None:
        make_keywords(self._store, DOCS, self.config.keywords, progress=progress, deadline=deadline)

    def _embed(self, progress: Progress) -> None:
        """Vectors by a model that takes its time; quick ones are made when somebody asks. A sync does not fail for a
        server that is down: `status` and every answer say what is missing."""
        if self.config.neural.model != QUICK:
            with suppress(ExtraMissing, ModelFailed, StoreBusy, StoreReadOnly):
                self._toolbox.meanings.make(self._store, progress)

    def embed_in_background(self) -> None:
        """Make the selected embedder's vectors in a thread that ends with this library; until then others answer."""
        if self.is_indexed and not self._store.is_read_only:
            self._toolbox.meanings.start()

    def models(self) -> tuple[tuple[Model, ...], frozenset[str]]:
        """Every model there is, and the names of the embedders that made the present vectors."""
        chosen = self.config.neural
        return list_models(chosen.model, chosen.reranker), frozenset(self._toolbox.meanings.whole())

    def _keyword_state(self) -> str:
        if not self.config.keywords.enabled:
            return "off"
        counts = self._store.counts(DOCS)
        if not counts.pending_keywords:
            return ""
        done = counts.documents - counts.pending_keywords
        return f"{done:,} of {counts.documents:,} documents have them; pinakes sync makes the rest"

    def _outlines(self, under: str) -> tuple[Outline, ...]:
        outlines = tuple(self._index.outlines(DOCS, under.strip("/")))
        if not outlines:
            raise _no_documents(under or self.root)
        return outlines

    def _focus(self, outlines: Sequence[Outline], focus: str) -> tuple[Ref, ...]:
        try:
            return (locate(self._store, DOCS, focus),)
        except (NotFound, BadAddress):
            return sections_about(outlines, focus)

    def _texts(self, outlines: Collection[Outline], tell: Callable[[str], T]) -> Mapping[str, tuple[T, ...]]:
        """Something told of each section's own text, by path; only asked for when a map shows it."""
        found = (self._store.document(outline.ref) for outline in outlines)
        return {
            document.ref.path: tuple(tell(document.text(document.own(i))) for i in range(len(document.sections)))
            for document in found
            if document is not None
        }


def _no_documents(part: str | Path) -> NotFound:
    return NotFound(f"There are no documents under “{part}”.", "pinakes status --files lists what there is.")


def _touches(found: Finding, part: str) -> bool:
    """Whether a finding, or the other place it names, is below `part`."""
    return _is_below(found.ref.path, part) or (found.other is not None and _is_below(found.other.ref.path, part))


def _is_below(path: str, part: str) -> bool:
    return not part or path == part or path.startswith(f"{part}/")
