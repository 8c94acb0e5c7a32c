"""The comparison of a source with a store, as pure data."""

from __future__ import annotations

from pinakes.index.plan import moves, plan
from pinakes.records import DOCS, Failure, Media, Ref, Scan, Stamp, StoredFile, formats


def stamp(path: str, version: str = "1", media: Media = formats.MARKDOWN) -> Stamp:
    return Stamp(Ref(DOCS, path), version, media)


def kept(*stamps: Stamp) -> dict[str, StoredFile]:
    return {
        one.ref.path: StoredFile(one, f"digest of {one.ref.path}" if one.media.is_document else "") for one in stamps
    }


def test_a_new_a_changed_and_a_vanished_document_are_told_apart() -> None:
    scan = Scan((stamp("changed.md", "2"), stamp("new.md"), stamp("same.md")))
    made = plan(scan, kept(stamp("changed.md"), stamp("gone.md"), stamp("same.md")), ())
    assert [one.ref.path for one in made.read] == ["changed.md", "new.md"]
    assert made.drop == (Ref(DOCS, "gone.md"),)
    assert made.unchanged == 1


def test_a_failed_file_is_tried_again_only_when_it_changed() -> None:
    failures = (Failure(Ref(DOCS, "bad.md"), "1", "broken"),)
    assert plan(Scan((stamp("bad.md", "1"),)), {}, failures).read == ()
    assert plan(Scan((stamp("bad.md", "2"),)), {}, failures).read == (stamp("bad.md", "2"),)


def test_what_lies_in_a_folder_that_cannot_be_looked_at_is_kept() -> None:
    scan = Scan((), (Failure(Ref(DOCS, "secret"), "", "no permission"),))
    made = plan(scan, kept(stamp("secret/a.md"), stamp("secrets.md")), ())
    assert made.drop == (Ref(DOCS, "secrets.md"),)


def test_a_document_that_became_an_asset_is_dropped_and_noted() -> None:
    now = stamp("a.md", "1", formats.ASSET)
    made = plan(Scan((now,)), kept(stamp("a.md")), ())
    assert made.drop == (now.ref,)
    assert made.assets == (now,)


def test_rereading_looks_into_every_document_but_no_asset() -> None:
    known = (stamp("a.md"), stamp("b.png", "1", formats.ASSET))
    made = plan(Scan(known), kept(*known), (), reread=[""])
    assert made.read == known[:1]
    assert made.assets == ()


def test_a_move_pairs_equal_digests_once_each() -> None:
    old, older, new, newer = (Ref(DOCS, name) for name in ("a.md", "b.md", "x.md", "y.md"))
    assert moves({new: "d", newer: "d"}, {old: "d", older: "e"}) == ((old, new),)
    assert moves({new: "d", newer: "d"}, {old: "d", older: "d"}) == ((old, new), (older, newer))
