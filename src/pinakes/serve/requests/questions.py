"""The table of what may be asked of documents and commits: a class for each request, a row for each parameter, and how
the request is put to a library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pinakes.check import WEB_CODES, Code, Finding, WebCheck
from pinakes.index import ignore_progress
from pinakes.library import Library
from pinakes.outline import MapRequest
from pinakes.ports import Progress
from pinakes.records import ADDED, HISTORY, CorpusName, Filter, HitDetail, Kind, Query, Results
from pinakes.serve.requests.parameters import BadParameter, Doors, Parameter, Request, row
from pinakes.serve.requests.rows import (
    ADDRESS,
    CLI,
    HTTP,
    LANGUAGE,
    MCP,
    MOST_HITS,
    NOT_PAGE,
    PAGE,
    AddressText,
    After,
    Anyway,
    At,
    AtForPeople,
    Author,
    Before,
    Limit,
    PlainFlag,
    ProfileName,
    Project,
    Under,
    budget,
)

"""A model pays for every parameter, and has no use for these."""
Explain = Annotated[bool, Parameter("Show each hit's votes and what every stage did.", doors=CLI | MCP)]

_BRIEF_CODES = tuple(code.value for code in Code if code not in (*WEB_CODES, Code.PLUGIN))
"""What a check finds that asks no server and has no plug-ins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest(Request):
    """Passages that answer a question, and what shapes the answer."""

    one_of: ClassVar[tuple[str, ...]] = ("query", "hypothesis")
    query: str = row(
        'A question; "a phrase" must occur, -word must not.',
        '"phrase" must occur, -word must not',
        aliases=("q",),
    )
    limit: Limit = None
    budget: Annotated[int, budget(1300, Doors.ALL)] = 0
    detail: HitDetail = row(
        "How much of each hit: its address, its best passage, or the section.",
        default=HitDetail.SECTION,
        doors=NOT_PAGE,
        at_doors={MCP: HitDetail.SNIPPET},
    )
    profile: ProfileName = ""
    hypothesis: str = row(
        "Your guess of the answer; the search by meaning uses it instead of the question, which may be left out.",
        "your guess of the answer",
        label="Your guess of the answer",
    )
    pack: bool = row(
        "The passages that cover the question best within the budget, in reading order.",
        "passages that cover it",
        default=False,
        label="Passages that cover it",
    )
    group: bool = row(
        "Put hits of one page together.",
        default=False,
        label="One page after another",
        at_doors={MCP: True, PAGE: True},
    )
    diverse: bool = row("Prefer hits that differ from each other.", default=False)
    duplicates: bool = row("Show near duplicates as hits of their own.", default=False, label="Duplicates, too")
    recent: bool = row("Prefer what was written lately.", default=False)
    min_score: float = row("Leave out hits with a lower score.", default=0.0, least=0, label="Score at least")
    corpus: tuple[str, ...] = row(
        "Ask docs, docs@NAME (a further root), code, memories, history, added or all. Default: all documents.",
        "docs, docs@NAME, code, added, memories, history, all",
        default=(),
        label="Look in",
        aliases=("corpora",),
    )
    project: Project = ""
    path: tuple[str, ...] = row(
        "Only below this folder, or where this glob matches.",
        "folders or globs",
        default=(),
        label="Folder or pattern",
        example="guide/ or **/api*.md",
        aliases=("paths",),
    )
    tag: tuple[str, ...] = row(
        "Only documents with all of these tags; area also means area/work.",
        default=(),
        example="draft",
        aliases=("tags",),
    )
    kind: tuple[Kind, ...] = row("Only this kind.", default=(), aliases=("kinds",))
    category: tuple[str, ...] = row("Only documents of this category.", default=(), aliases=("categories",))
    lang: tuple[str, ...] = row(
        "Only sections with code in this language.",
        "of code blocks",
        default=(),
        label="Code in",
        example="python",
        aliases=("languages",),
    )
    language: tuple[str, ...] = row(
        "Only documents written in this language (de, zh, pt-BR).",
        "of documents: de, zh",
        default=(),
        form=LANGUAGE,
        longest=20,
        label="Written in",
        example="de",
    )
    author: Author = ""
    after: After = ""
    before: Before = ""
    linked_to: str = row(
        "Only sections that link to this document or section.",
        "address",
        form=ADDRESS,
        label="Links to",
        example="guide/auth.md#tokens",
    )
    typing: bool = row(
        "The last word is still being typed: words that begin like it match.", default=False, doors=HTTP | PAGE
    )
    anyway: Anyway = False
    at: At = ""
    explain: Explain = False

    @property
    def corpora(self) -> tuple[CorpusName, ...]:
        """The corpora that are asked; none for all documents."""
        return (ADDED,) if self.project else self.corpus

    def check(self) -> None:
        if not self.query and not self.hypothesis:
            raise BadParameter("There is no query.", "Give it: a question in words, or your hypothesis of the answer.")

    def record(self, library: Library) -> Query:
        """The question as the library takes it."""
        options = library.config.search
        is_limited = self.was_asked("limit")
        where = Filter(
            corpora=self.corpus,
            project=self.project,
            paths=self.path,
            tags=tuple(name.removeprefix("#") for name in self.tag),
            kinds=self.kind,
            categories=self.category,
            languages=self.lang,
            written_in=self.language,
            author=self.author,
            after=self.after,
            before=self.before,
            linked_to=library.locate(self.linked_to) if self.linked_to else None,
        )
        return Query(
            self.query,
            where,
            limit=MOST_HITS if self.pack and not is_limited else self.limit or options.limit,
            min_share=0.0 if is_limited or self.typing else options.min_share,
            profile=self.profile or options.profile,
            hypothesis=self.hypothesis,
            max_tokens=self.budget,
            detail=self.detail,
            pack=self.pack,
            typing=self.typing,
            group=self.group,
            diverse=self.diverse,
            duplicates=self.duplicates,
            recent=self.recent,
            min_score=self.min_score,
            abstain=not self.anyway,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRequest(Request):
    """Commits that answer a question; without one the newest that pass the filters."""

    query: str = row(
        "A question or a hash. Default: the newest commits.",
        "question or hash; default newest",
        label="Question or hash",
        example="why was … removed",
        aliases=("q",),
    )
    file: tuple[str, ...] = row(
        "Only commits that changed a file below this folder, or where this glob matches.",
        "globs over changed files",
        default=(),
        label="Changed file",
        example="src/**",
        aliases=("files",),
    )
    author: Author = ""
    after: After = ""
    before: Before = ""
    limit: int | None = row(
        "At most this many commits. Default: as configured (10).",
        default=None,
        least=1,
        most=MOST_HITS,
        label="At most",
        at_doors={PAGE: 20},
    )
    profile: ProfileName = ""
    budget: Annotated[int, budget(4000, Doors.ALL)] = 0
    anyway: Anyway = False
    explain: Explain = False

    def run(self, library: Library) -> Results:
        options = library.config.search
        where = Filter((HISTORY,), files=self.file, author=self.author, after=self.after, before=self.before)
        query = Query(
            self.query,
            where,
            limit=self.limit or options.limit,
            min_share=0.0 if self.limit else options.min_share,
            profile=self.profile or options.profile,
            max_tokens=self.budget,
            abstain=not self.anyway,
        )
        return library.history(query)


@dataclass(frozen=True, slots=True, kw_only=True)
class MapView(Request):
    """A map of everything or of a part."""

    doors: ClassVar[Doors] = NOT_PAGE
    under: Under = ""
    focus: str = row(
        "A question, a path or a section; what is close to it is kept first.",
        "question or address",
    )
    since: str = row(
        "Only the blocks that changed since the map with this hash, or since a git revision (HEAD~5, v1.2).",
        "map hash or git revision: only changes",
    )
    summary: bool = row("Add the first sentence of each section.", default=False)
    tokens: bool = row("Add each section's size in tokens.", default=False)
    components: bool = row("Add which files hang together by links.", "linked groups", default=False, doors=MCP)
    budget: int | None = row(
        "At most this many tokens; 0 for everything. Default: as configured (8000).",
        default=None,
        least=0,
        at_doors={MCP: 4000},
        aliases=("max_tokens", "budget_tokens"),
    )
    format: str = row(
        "Text, JSON, or the link graph as a drawing.",
        choices=("text", "json", "svg"),
        at_doors={CLI: "text", HTTP: "json"},
        doors=CLI | HTTP,
    )
    corpus: str = row("Of code, docs@NAME, memories or added. Default: the documents of the root.", doors=CLI | HTTP)
    at: At = ""

    @property
    def part(self) -> str:
        """What is mapped, with the name of its corpus in front where it has one."""
        return f"{self.corpus}:{self.under}" if self.corpus else self.under

    def record(self, library: Library) -> MapRequest:
        """The map as the library takes it."""
        most = library.config.map.budget_tokens if self.budget is None else self.budget
        return MapRequest(budget_tokens=most, summary=self.summary, tokens=self.tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest(Request):
    """A document, a section or lines, verbatim."""

    doors: ClassVar[Doors] = NOT_PAGE
    address: AddressText = ""
    budget: Annotated[int, budget(8000)] = 0
    plain: PlainFlag = False
    at: At = ""
    first: int | None = row(
        "Of a published document, only the N best chunks, in reading order.", default=None, least=1, doors=CLI
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LinksRequest(Request):
    """What a document or section points at and what points at it."""

    doors: ClassVar[Doors] = NOT_PAGE
    address: AddressText = ""
    budget: Annotated[int, budget(4000)] = 0
    at: AtForPeople = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest(Request):
    """Broken links and anchors, orphans, contradictions and drift, by path and line; of all, or below a folder."""

    doors: ClassVar[Doors] = NOT_PAGE
    under: Under = ""
    only: tuple[Code, ...] = row("Only findings of this code.", default=(), brief_choices=_BRIEF_CODES)
    budget: Annotated[int, budget(4000)] = 0
    at: AtForPeople = ""
    undocumented: bool = row(
        "Also list public symbols of the code that no document mentions.", default=False, doors=CLI | HTTP
    )
    external: bool = row("Ask the servers of links to the web, too.", default=False, doors=CLI)
    exclude: tuple[str, ...] = row(
        "With --external: leave out addresses that begin so, or fit a pattern with *.", default=(), doors=CLI
    )
    accept: tuple[str, ...] = row(
        "With --external: statuses that count as good, such as 403 or 200-299.", default=(), doors=CLI
    )
    max_age: int | None = row(
        "With --external: days for which a good answer is believed; 0 asks anew.", default=None, least=0, doors=CLI
    )
    strict: bool = row("Let warnings, such as orphans, fail the check too.", default=False, doors=CLI)
    sarif: str = row("Also write the findings into this file, as SARIF.", default="", doors=CLI)
    format: str = row(
        "How findings are printed.", default="text", choices=("text", "json", "github", "sarif", "gitlab"), doors=CLI
    )

    def run(self, library: Library, progress: Progress = ignore_progress) -> tuple[Finding, ...]:
        if not self.external and (self.exclude or self.accept or self.max_age is not None):
            raise BadParameter("No server on the web is asked without --external.", "Add --external.")
        found = library.check(
            self.under,
            undocumented=self.undocumented or Code.UNDOCUMENTED in self.only,
            external=WebCheck(self.exclude, self.accept, self.max_age) if self.external else None,
            progress=progress,
        )
        return tuple(one for one in found if not self.only or one.code in self.only)
