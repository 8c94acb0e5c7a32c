"""The law behind looking up only what changed: names under other keys never matter to a link."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kits.linked import link, page, shelf
from pinakes.graph.names import key_of
from pinakes.graph.resolve import NameTable, resolve, resolve_pending
from pinakes.records import DOCS, LinkForm, Outcome, Ref

_NAMES = (
    "a",
    "A",
    "b",
    "a.md",
    "B.md",
    "b.mdx",
    "a.html",
    "README.md",
    "index.md",
    "é.md",
    "e\u0301.md",
    "a b.md",
    "x.py",
)
_SEGMENTS = (*_NAMES, "..", ".", "", "index", "README", "%C3%A9", "a%20b", "E\u0301.MD", "Title", "docs", "C")
_ENDINGS = ("", "/", "#one", "#Two words", "?q#one", "#^b", "^b", "/.", ".md")

paths = st.lists(st.sampled_from(("a", "A", "b", "docs")), max_size=2).flatmap(
    lambda folders: st.sampled_from(_NAMES).map(lambda name: "/".join([*folders, name]))
)
targets = st.tuples(
    st.sampled_from(("", "", "/", "./", "../")),
    st.lists(st.sampled_from(_SEGMENTS), max_size=3).map("/".join),
    st.sampled_from(_ENDINGS),
).map("".join)
titles = st.sampled_from(("Title", "title", "docs/a", "A", "B.md", "C^b", "a/", "/", ""))


def _is_a_tree(chosen: list[str]) -> bool:
    return not any(one != other and other.startswith(one + "/") for one in chosen for other in chosen)


trees = st.lists(paths, min_size=1, max_size=8, unique=True).filter(_is_a_tree)


@settings(max_examples=400, deadline=None)
@given(trees, targets, st.sampled_from(list(LinkForm)), st.data())
def test_only_names_under_a_links_key_decide_where_it_leads(
    tree: list[str], target: str, form: LinkForm, data: st.DataObject
) -> None:
    named = data.draw(st.lists(titles, min_size=len(tree), max_size=len(tree)))
    written = link(target, form)
    documents = [
        page(path, [written], headings=["One", "Two words"], title=title, aliases=(title,))
        for path, title in zip(tree, named, strict=True)
    ]
    store = shelf(*documents)
    everything = NameTable.of(store, DOCS)
    for path in tree:
        origin = Ref(DOCS, path)
        key = key_of(written, origin)
        edge = resolve(origin, written, everything)
        assert resolve(origin, written, NameTable.of(store, DOCS, [key])) == edge
        assert resolve_pending(store, DOCS, [(origin, written)]) == (edge,)
        if not key:
            assert resolve(origin, written, NameTable((), lambda path: store.anchors(Ref(DOCS, path)))) == edge
        if edge.outcome is Outcome.FOUND and edge.to is not None and edge.to.path and key:
            assert any(name.path == edge.to.path for name in store.names(DOCS, [key]))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40), st.sampled_from(list(LinkForm)))
def test_any_target_is_understood_somehow(target: str, form: LinkForm) -> None:
    store = shelf(page("a/b.md", headings=["One"]), page("a/README.md"))
    edge = resolve(Ref(DOCS, "a/b.md"), link(target, form), NameTable.of(store, DOCS))
    assert (edge.to is not None) == (edge.outcome in (Outcome.FOUND, Outcome.BROKEN_ANCHOR))
    assert bool(edge.candidates) == (edge.outcome is Outcome.AMBIGUOUS)
