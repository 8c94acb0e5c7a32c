"""The SQLite store against the plain truth: after any series of changes both give the same answers."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pinakes.ports import Store
from pinakes.records import (
    DOCS,
    Change,
    Document,
    Edge,
    Entry,
    Failure,
    Kind,
    Link,
    LinkForm,
    Media,
    Name,
    NameForm,
    Outcome,
    Ref,
    Section,
    Span,
    Stamp,
    name_key,
)
from pinakes.store import ScratchStore, damage, open_sqlite

PATHS = ("a.md", "b.md", "x/A.md", "x/b.md", "x/y/c.md", "c/a.md", "caf\udce9.md", "z\U0001f600.md")
TARGETS = ("a", "a#one", "b.md#two", "c#one", "x", "y", "title", "caf\udce9", "nothing", "https://x.org", "z#one")
CORPORA = (DOCS, "memories")

refs = st.builds(Ref, st.sampled_from(CORPORA), st.sampled_from(PATHS))
versions = st.sampled_from("123")
assets = st.builds(Stamp, refs, versions, st.just(Media.ASSET))
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
    links = tuple(
        Link(number, number % len(sections), Span(number, number + 1), 0, LinkForm.LINK, target, "")
        for number, target in enumerate(targets)
    )
    text = repr((anchors, aliases, targets))
    document = Document(
        Stamp(ref, draw(versions), Media.MARKDOWN), text, "", Kind.UNKNOWN, text.encode(), tuple(sections), links
    )
    names = tuple(Name(name_key(call), NameForm.TITLE, call, ref.path) for call in calls)
    keys = tuple("" if ":" in target else name_key(target.partition("#")[0]) for target in targets)
    return Entry(document, names, keys)


def few(what: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(what, max_size=3).map(tuple)


changes = st.builds(
    Change,
    put=few(entries()),
    drop=few(refs),
    assets=few(assets),
    touch=few(st.builds(Stamp, refs, versions, st.just(Media.MARKDOWN))),
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


def settle(store: Store) -> None:
    for corpus in CORPORA:
        while pending := store.pending_links(corpus, 3):
            store.write(Change(edges=tuple(look_up(store, corpus, ref, link) for ref, link in pending)))
        for ref in store.pending_keywords(corpus, 2):
            document = store.document(ref)
            assert document is not None
            store.write(Change(keywords={document.digest: tuple((s.anchor,) * (s.level) for s in document.sections)}))


def answers(store: Store) -> list[object]:
    everything: list[object] = [store.setting("keywords")]
    for corpus in CORPORA:
        everything += [
            dict(store.kept(corpus)),
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


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(series=st.lists(changes, max_size=6))
def test_any_series_of_changes_leaves_both_engines_with_the_same_answers(series: list[Change]) -> None:
    truth = ScratchStore()
    with tempfile.TemporaryDirectory() as folder:
        store = open_sqlite(Path(folder) / "index")
        for change in series:
            for engine in (truth, store):
                engine.write(change)
                settle(engine)
            assert answers(store) == answers(truth)
        store.close()
        assert damage(Path(folder) / "index") == ""
