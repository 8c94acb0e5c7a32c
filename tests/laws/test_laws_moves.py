"""After a move or a rename every link leads where it led, nothing new is broken, and undo restores every byte."""

from __future__ import annotations

import os
import posixpath
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from urllib.parse import unquote

import pytest
from hypothesis import HealthCheck, assume, event, given, reject, settings
from hypothesis import strategies as st

import pinakes
from kits.trees import write_tree
from kits.vaults import FOLDERS, STEMS, everything, found, mentioned, vaults
from pinakes.check.findings import Code
from pinakes.errors import BadMove
from pinakes.records import Edge, LinkForm, Outcome, Ref
from pinakes.records.moves import MovePlan

EXAMPLES = int(os.environ.get("PINAKES_MOVES", "40"))
LINK_CODES = (Code.BROKEN_LINK, Code.BROKEN_ANCHOR, Code.AMBIGUOUS_LINK, Code.LOOSE_WIKILINK, Code.OUTSIDE_LINK)
ADDRESSES = (LinkForm.LINK, LinkForm.IMAGE, LinkForm.HTML)
calm = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)


Anchors = dict[tuple[str, str], str]
"""Those that change, by the path of their document and what they are."""


def _check_move(files: dict[str, str], planned: Callable[[pinakes.Library], MovePlan], anchors: Anchors) -> None:
    """Plan, apply and undo in a fresh vault; `planned` may fill `anchors`."""
    root = Path(mkdtemp(prefix="vault"))
    try:
        write_tree(root, dict(files))
        with pinakes.open(root) as library:
            library.refresh()
            before, was = everything(root), _State(library)
            try:
                plan = planned(library)
            except BadMove:
                reject()
            event(f"{min(plan.edits, 3)} edits, {len(plan.notes)} notes")
            library.apply(plan)
            library.refresh()
            _compare(was, _State(library), plan, anchors)
            library.undo_move()
            assert everything(root) == before
    finally:
        shutil.rmtree(root)


class _State:
    """What a library says of its links."""

    def __init__(self, library: pinakes.Library) -> None:
        self.links = found(library)
        self.mentions = mentioned(library)
        self.findings = {(one.ref.path, one.line) for one in library.check() if one.code in LINK_CODES}


def _compare(was: _State, now: _State, plan: MovePlan, anchors: Anchors) -> None:
    by_hand = {note.split(": ")[0] for note in plan.notes}

    def path(old: str) -> str:
        for one in plan.moves:
            if old == one.old.path:
                return one.new.path
            if one.is_folder and old.startswith(f"{one.old.path}/"):
                return f"{one.new.path}{old[len(one.old.path) :]}"
        return old

    for origin, edges in was.links.items():
        after = now.links.get(path(origin), [])
        assert [edge.link.form for edge in after] == [edge.link.form for edge in edges]
        for old, new in zip(edges, after, strict=True):
            if f"{origin}:{old.link.line + 1}" in by_hand or old.to is None:
                continue
            anchor = anchors.get((old.to.path, old.to.anchor), old.to.anchor)
            wanted = Ref(old.to.corpus, path(old.to.path), anchor)
            if old.outcome is Outcome.BROKEN_ANCHOR:
                assert new.to is not None, (origin, old.link.target, new)
                assert new.to.path == wanted.path, (origin, old.link.target, new)
            else:
                assert (new.outcome, new.to) == (Outcome.FOUND, wanted), (origin, old.link.target, new)
            if _is_from_own_folder(old):
                assert _is_from_own_folder(new), (origin, old.link.target, new)
    known = {(path(origin), line) for origin, line in was.findings}
    known |= {(path(note.rpartition(":")[0]), int(note.rpartition(":")[2])) for note in by_hand}
    assert now.findings <= known
    missed = [pair for pair in was.mentions if (path(pair[0]), path(pair[1])) not in now.mentions]
    assert [pair for pair in missed if not any(note.startswith(f"{pair[0]}:") for note in plan.notes)] == []


def _is_from_own_folder(edge: Edge) -> bool:
    """Whether others find a link, too: the path of the file, seen from the folder of its document."""
    path = unquote(edge.link.target.partition("#")[0].partition("?")[0])
    if edge.to is None or not path or path.startswith("/") or edge.link.form not in ADDRESSES:
        return False
    return posixpath.normpath(posixpath.join(posixpath.dirname(edge.origin.path), path)) == edge.to.path


@pytest.mark.timeout(60 + 5 * EXAMPLES)
@calm
@given(vaults(), st.data())
def test_a_moved_file_keeps_every_link(files: dict[str, str], data: st.DataObject) -> None:
    old = data.draw(st.sampled_from(sorted(files)))
    folder, stem = data.draw(st.sampled_from(FOLDERS)), data.draw(st.sampled_from(STEMS))
    new = f"{folder}{stem}{os.path.splitext(old)[1]}"
    assume(new not in files)
    _check_move(files, lambda library: library.plan_move(old, new), {})


@pytest.mark.timeout(60 + 5 * EXAMPLES)
@calm
@given(vaults(), st.sampled_from(("guide", "guide/deep", "Über uns", "api")), st.data())
def test_a_moved_folder_keeps_every_link(files: dict[str, str], old: str, data: st.DataObject) -> None:
    assume(any(path.startswith(f"{old}/") for path in files))
    new = data.draw(st.sampled_from(("manual", "api/new one", "guide/auth", "Größe", "x/y/z")))
    _check_move(files, lambda library: library.plan_move(old, new), {})


@pytest.mark.timeout(60 + 5 * EXAMPLES)
@calm
@given(vaults(), st.data())
def test_a_renamed_heading_keeps_every_link(files: dict[str, str], data: st.DataObject) -> None:
    pages = [path for path in files if "## " in files[path]]
    assume(pages)
    path = data.draw(st.sampled_from(sorted(pages)))
    words = data.draw(
        st.sampled_from(("Setup", "Neu & schön", "`code` first", "日本語", "A longer heading: with signs!", "keys"))
    )
    anchors: Anchors = {}

    def planned(library: pinakes.Library) -> MovePlan:
        sections = library.document(path).sections
        section = data.draw(st.sampled_from(sections[1:]))
        plan = library.plan_rename(f"{path}#{section.anchor}", words)
        text = library.document(path).source
        edited = next(one for one in plan.files if one.ref.path == path)
        again = library.root.parent / f"{library.root.name}-again"
        write_tree(again, {path: edited.applied_to(text)})
        with pinakes.open(again) as other:
            other.refresh()
            both = zip(sections, other.document(path).sections, strict=True)
            anchors.update({(path, old.anchor): new.anchor for old, new in both})
        shutil.rmtree(again)
        return plan

    _check_move(files, planned, anchors)
