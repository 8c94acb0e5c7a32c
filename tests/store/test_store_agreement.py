"""The stores in tables against the plain truth: after any series of changes all give the same answers, and whoever
follows any of them change by change knows what somebody knows who reads everything."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from kits.scratch import ScratchStore
from kits.store import postgres_store
from pinakes.own_folder import OwnFolder
from pinakes.ports import Store
from pinakes.records import (
    DOCS,
    Change,
    Chunk,
    CodeBlock,
    Document,
    Edge,
    Entry,
    Failure,
    Filter,
    Kind,
    Link,
    LinkForm,
    Metadata,
    Name,
    NameForm,
    NumberedDocument,
    Outcome,
    Ref,
    Section,
    Span,
    Stamp,
    formats,
    name_key,
)
from pinakes.store import damage, open_sqlite

PATHS = ("a.md", "b.md", "x/A.md", "x/b.md", "x/y/c.md", "c/a.md", "caf\udce9.md", "z\U0001f600.md")
TARGETS = ("a", "a#one", "b.md#two", "c#one", "x", "y", "title", "caf\udce9", "nothing", "https://x.org", "z#one")
CORPORA = (DOCS, "memories")
WORDS = ("", "here", "there", "here ", "\udce9 over\nthere")
LANGUAGES = ("c", "c++", "\udce9", "")
AUTHORS = ("", "Ab", "bc")
DATES = ("", "2023-01-01", "2024-02-02", "never")
TAGS = ("t", "u")
FRESH = count()

refs = st.builds(Ref, st.sampled_from(CORPORA), st.sampled_from(PATHS))
versions = st.sampled_from("123")
assets = st.builds(Stamp, refs, versions, st.just(formats.ASSET))
failures = st.builds(Failure, refs, versions, st.just("no"), st.just("wait"))


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    ref = draw(refs)
    anchors = draw(st.lists(st.sampled_from(["one", "two", "three"]), unique=True, max_size=2))
    aliases = draw(st.lists(st.sampled_from(["one", "four"]), unique=True, max_size=1))
    targets = draw(st.lists(st.sampled_from(TARGETS), max_size=4))
    calls = draw(st.lists(st.sampled_from(["Title", "c", "x"]), unique=True, max_size=1))
    sections = [Section("", "", 0, -1, Span(0, 9), Span(0, 1), tuple(aliases))]
    sections += [Section(anchor, anchor, 1, 0, Span(0, 9), Span(0, 1)) for anchor in anchors]
    words = draw(st.lists(st.sampled_from(WORDS), min_size=len(targets), max_size=len(targets)))
    links = tuple(
        Link(number, number % len(sections), Span(number, number + 1), 0, LinkForm.LINK, target, word)
        for number, (target, word) in enumerate(zip(targets, words, strict=True))
    )
    code = (CodeBlock(len(sections) - 1, draw(st.sampled_from(LANGUAGES)), Span(0, 1)),)
    metadata = Metadata(author=draw(st.sampled_from(AUTHORS)), created=draw(st.sampled_from(DATES)))
    tags = tuple(sorted(draw(st.sets(st.sampled_from(TAGS)))))
    text = repr((anchors, aliases, targets, words, code, metadata, tags))
    document = Document(
        stamp=Stamp(ref, draw(versions), formats.MARKDOWN),
        digest=text,
        title="",
        kind=draw(st.sampled_from([Kind.UNKNOWN, Kind.SPEC])),
        source=text.encode("utf-8", "surrogatepass"),
        sections=tuple(sections),
        links=links,
        code=code,
        metadata=metadata,
        tags=tags,
    )
    names = tuple(Name(name_key(call), NameForm.TITLE, call, ref.path) for call in calls)
    keys = tuple("" if ":" in target else name_key(target.partition("#")[0]) for target in targets)
    return Entry(document, names, keys, (Chunk(0, 0, 0, Span(0, 3), Span(0, 1), 0.5),))


filters = st.builds(
    Filter,
    corpora=st.sampled_from([(), (), (DOCS,), CORPORA]),
    paths=st.sampled_from([(), (), ("x",), ("**/a.md",), ("?.md", "x/**/*.md"), ("caf\udce9.md",)]),
    tags=st.sets(st.sampled_from(TAGS), max_size=2).map(tuple),
    kinds=st.sampled_from([(), (), (Kind.SPEC,)]),
    languages=st.sampled_from([(), (), ("c",), LANGUAGES]),
    author=st.sampled_from(["", "", "a", "B"]),
    after=st.sampled_from(["", "", "2023", "2024-02"]),
    before=st.sampled_from(["", "", "2024"]),
    linked_to=st.none()
    | st.builds(Ref, st.sampled_from(CORPORA), st.sampled_from(PATHS), st.sampled_from(["", "one"])),
)


def few(what: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(what, max_size=3).map(tuple)


changes = st.builds(
    Change,
    put=few(entries()),
    drop=few(refs),
    assets=few(assets),
    touch=few(st.builds(Stamp, refs, versions, st.just(formats.MARKDOWN))),
    failures=few(failures),
    settings=st.sampled_from([{}, {}, {"keywords": "f1"}, {"keywords": "f2"}, {"keywords": ""}]),
)


def look_up(store: Store, corpus: str, ref: Ref, link: Link) -> Edge:
    """A resolver that knows nothing but names under a key, in every corpus, and anchors."""
    origin = Ref(ref.corpus, ref.path)
    if ":" in link.target:
        return Edge(origin, link, None, Outcome.EXTERNAL)
    name, _, anchor = link.target.partition("#")
    found = {Ref(place, known.path): known.form for place in CORPORA for known in store.names(place, [name_key(name)])}
    if len(found) != 1:
        outcome = Outcome.AMBIGUOUS if found else Outcome.NO_FILE if name == "nothing" else Outcome.MISSING
        return Edge(origin, link, None, outcome, tuple(str(each) for each in sorted(found)))
    (to,) = found
    if not anchor or found[to] is NameForm.FOLDER or store.document(to) is None:
        return Edge(origin, link, to, Outcome.FOUND)
    canonical = store.anchors(to).get(anchor)
    if canonical is None:
        return Edge(origin, link, to, Outcome.BROKEN_ANCHOR)
    return Edge(origin, link, Ref(to.corpus, to.path, canonical), Outcome.FOUND)


def settle(store: Store, look: Callable[[], None] = lambda: None) -> None:
    for corpus in CORPORA:
        while pending := store.pending_links(corpus, 3):
            store.write(Change(edges=tuple(look_up(store, corpus, ref, link) for ref, link in pending)))
            look()
        for ref in store.pending_keywords(corpus, 2):
            document = store.document(ref)
            assert document is not None
            store.write(Change(keywords={document.digest: tuple((s.anchor,) * (s.level) for s in document.sections)}))


def answers(store: Store) -> list[object]:
    everything: list[object] = [store.setting("keywords")]
    for corpus in CORPORA:
        everything += [
            dict(store.files(corpus)),
            list(store.failures(corpus)),
            list(store.outlines(corpus)),
            list(store.outlines(corpus, "x")),
            list(store.edges(corpus)),
            list(store.names(corpus)),
            store.counts(corpus),
        ]
        for path in PATHS:
            ref = Ref(corpus, path)
            everything += [store.document(ref), dict(store.anchors(ref)), list(store.outlines(corpus, path))]
            everything += [list(store.edges(place, to=ref)) for place in CORPORA]
            everything.append(list(store.edges(corpus, origin=ref)))
    return everything


class Follower:
    """Holds what a store told it, change by change."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._generation = 0
        self.held: dict[int, NumberedDocument] = {}
        self._gone: set[int] = set()

    def follow(self) -> None:
        feed = self._store.feed(self._generation)
        assert feed.is_whole == (self._generation == 0)
        assert not self._gone & set(feed.changed), "a number was given twice"
        self._gone.update(feed.gone)
        for number in feed.gone:
            self.held.pop(number, None)
        self.held.update(
            (found.number, found) for found in map(timeless, self._store.documents_by_number(feed.changed))
        )
        self._generation = feed.generation

    def check(self) -> None:
        self.follow()
        assert self.held == everything(self._store)


def timeless(found: NumberedDocument) -> NumberedDocument:
    """Without the version, which says when a file was looked at and not what is in it."""
    stamp = replace(found.document.stamp, version="")
    return replace(found, document=replace(found.document, stamp=stamp))


def everything(store: Store) -> dict[int, NumberedDocument]:
    return {found.number: timeless(found) for found in store.documents_by_number(store.feed(0).changed)}


def told(store: Store, questions: list[Filter]) -> list[object]:
    """What search is told, by address: engines may number documents as they like."""
    found = everything(store)
    refs = {number: one.document.ref for number, one in found.items()}
    answers: list[object] = [sorted((refs[one.number], one.chunks, one.called) for one in found.values())]
    for where in questions:
        scope = store.scope(where)
        documents = scope and sorted(refs[number] for number in scope.documents)
        sections = scope and scope.sections and sorted((refs[number], at) for number, at in scope.sections)
        answers += [documents, sections]
    return answers


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(series=st.lists(changes, max_size=6), questions=st.lists(filters, max_size=4))
def test_any_series_of_changes_leaves_both_engines_with_the_same_answers(
    series: list[Change], questions: list[Filter]
) -> None:
    truth = ScratchStore()
    with tempfile.TemporaryDirectory() as folder:
        store = open_sqlite(OwnFolder(Path(folder) / "index"))
        for change in series:
            for engine in (truth, store):
                engine.write(change)
                settle(engine)
            assert answers(store) == answers(truth)
            assert told(store, questions) == told(truth, questions)
        store.close()
        assert damage(OwnFolder(Path(folder) / "index")) == ""


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(series=st.lists(changes, max_size=6), questions=st.lists(filters, max_size=4))
def test_any_series_of_changes_gives_the_same_answers_in_postgresql(
    series: list[Change], questions: list[Filter]
) -> None:
    truth, store = ScratchStore(), postgres_store(f"agreement {next(FRESH)}")
    eager = Follower(store)
    for change in series:
        for engine in (truth, store):
            engine.write(change)
            settle(engine)
        eager.check()
        assert answers(store) == answers(truth)
        assert told(store, questions) == told(truth, questions)
    store.close()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(series=st.lists(st.tuples(changes, st.booleans()), max_size=8))
def test_who_follows_change_by_change_knows_what_there_is(series: list[tuple[Change, bool]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for engine in (ScratchStore(), open_sqlite(OwnFolder(Path(folder) / "index"))):
            eager, lazy = Follower(engine), Follower(engine)
            for change, is_settled in series:
                engine.write(change)
                eager.check()
                if is_settled:
                    settle(engine, eager.check)
                    lazy.check()
            engine.close()
        assert damage(OwnFolder(Path(folder) / "index")) == ""
