"""Paths of any length: what is too long for an entry of an index is found all the same."""

from __future__ import annotations

import random

from msgspec.structs import replace

from kits.store import at, edge, entry, put
from pinakes.ports import Store
from pinakes.records import DOCS, Change, Entry, Failure

_LETTERS = random.Random(1)
LONG = "/".join("".join(_LETTERS.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=200)) for _ in range(20))
ONE, OTHER, BESIDE = f"{LONG}/one.md", f"{LONG}/other.md", f"{LONG}.md"


def page(path: str, version: str = "1") -> Entry:
    found = entry(path, version=version)
    return replace(found, document=replace(found.document, digest=f"{version} {len(path)}"))


def test_documents_with_long_paths_are_told_apart(store: Store) -> None:
    store.write(put(page(ONE), page(OTHER, "2"), page(BESIDE, "3"), page("a.md")))
    assert list(store.files(DOCS)) == sorted(["a.md", ONE, OTHER, BESIDE])
    for path, version in ((ONE, "1"), (OTHER, "2"), (BESIDE, "3")):
        found = store.document(at(path))
        assert found is not None
        assert (found.ref.path, found.stamp.version) == (path, version)
    assert list(store.files(DOCS, [LONG])) == [ONE, OTHER]
    assert [one.path for one in store.listing(DOCS, LONG)] == [ONE, OTHER]
    assert {one.ref.path for one in store.outlines(DOCS, paths=[OTHER, "a.md"])} == {OTHER, "a.md"}
    store.write(Change(drop=(at(ONE),)))
    assert list(store.files(DOCS, [LONG])) == [OTHER]
    store.write(put(page(OTHER, "4")))
    assert store.files(DOCS)[OTHER].stamp.version == "4"


def test_links_to_and_failures_at_long_paths_are_kept(store: Store) -> None:
    user, target = entry("a.md", links=("one.md",)), page(ONE)
    store.write(put(user, target))
    store.write(Change(edges=(edge(user, 0, at(ONE)),)))
    assert [one.origin.path for one in store.edges(DOCS, to=at(ONE))] == ["a.md"]
    ((path, cited),) = [(one.ref.path, one.cited) for one in store.outlines(DOCS, ONE)]
    assert (path, cited) == (ONE, 1)
    failure = Failure(at(OTHER), "1", "No.", "Wait.")
    store.write(Change(failures=(failure,)))
    assert list(store.failures(DOCS)) == [failure]
    store.write(put(page(OTHER)))
    assert not store.failures(DOCS)
