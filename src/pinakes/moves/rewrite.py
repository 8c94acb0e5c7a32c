"""The edits that keep the links of one document leading where they led.

A document, its links as understood and a `Renaming` enter; edits leave, and a sentence for each link that cannot be
kept right. The edited text is parsed again, and every link of it is looked up among the names to come: an edit whose
link does not lead to where it should is taken back.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from pinakes.graph.resolve import resolve
from pinakes.graph.site_anchors import site_anchors
from pinakes.graph.targets import TargetSyntax, read_link
from pinakes.moves.renaming import Renaming, parsed
from pinakes.moves.spellings import Relink, has_same_letters, names_file, outside, place_outside, spellings
from pinakes.moves.starts import keeps_start, new_addresses, new_start
from pinakes.moves.written import LinkPlaces, Place, PlaceKind
from pinakes.records import Document, Edge, Link, LinkForm, Outcome, Ref, Span
from pinakes.records.moves import TextEdit, apply_edits
from pinakes.records.sites import Sites

_LEADS = (Outcome.FOUND, Outcome.BROKEN_ANCHOR)
_MOST_ROUNDS = 4
"""In which edits that do not read as meant are taken back. Edits that no round found right are not made."""


class Rewritten(Struct, frozen=True):
    """One document with its links kept right."""

    edits: tuple[TextEdit, ...]
    notes: tuple[str, ...]


class Viewpoint(NamedTuple):
    """How a link is looked up."""

    link: Link
    """With the target that is looked up."""
    old: Ref
    """The document it is seen from, before and after."""
    new: Ref
    prefix: str = ""
    """What the target as written begins with, where the one that is looked up begins with a slash."""


LookupView = Callable[[Link], Viewpoint]


def rewrite(
    document: Document,
    edges: Sequence[Edge],
    names: Renaming,
    heading: Sequence[TextEdit] = (),
    view: LookupView | None = None,
) -> Rewritten:
    """Edits of a document. `heading` are edits that are made in any case, and links in them are gone; `view` says how
    links are looked up in a text that is no document of the corpus."""
    path = document.ref.path
    view = view or (lambda link: Viewpoint(link, document.ref, names.ref(path)))
    is_clean, written = is_verbatim(document), LinkPlaces(document)
    wanted = {edge.link.ordinal: edge for edge in edges if not _is_within(edge.link, heading)}
    edits: dict[Span, TextEdit] = {}
    of: dict[Span, list[Edge]] = {}
    notes: dict[int, str] = {}
    for edge in wanted.values():
        if leads_as_before(edge, view(edge.link), names):
            continue
        new = list(_edits(written, edge, view(edge.link), names)) if is_clean else []
        if not new and edge.outcome in _LEADS:
            notes[edge.link.ordinal] = _by_hand(document, edge, names)
        for edit in new:
            edits[edit.span] = edit
            of.setdefault(edit.span, []).append(edge)
    for _ in range(_MOST_ROUNDS):
        every = _ordered((*heading, *edits.values()))
        after = _links_after(document, every, heading, names.sites) if every else {}
        wrong = {
            number
            for number, link in after.items()
            if number in wanted and number not in notes and not _is_right_once_edited(wanted[number], link, view, names)
        }
        if not wrong:
            break
        for number in wrong:
            notes[number] = _by_hand(document, wanted[number], names)
        edits = {span: edit for span, edit in edits.items() if not any(edge.link.ordinal in wrong for edge in of[span])}
    else:
        notes.update({edge.link.ordinal: _by_hand(document, edge, names) for span in edits for edge in of[span]})
        edits = {}
    return Rewritten(_ordered((*heading, *edits.values())), tuple(notes[number] for number in sorted(notes)))


def _is_right_once_edited(edge: Edge, link: Link | None, view: LookupView, names: Renaming) -> bool:
    """Whether a link is one and leads where it led, once the edits are made."""
    return link is not None and leads_as_before(edge, view(link), names)


def leads_as_before(edge: Edge, seen: Viewpoint, names: Renaming) -> bool:
    """Whether a link, seen like this, will lead where it led. Links that lead nowhere stay what they are."""
    if edge.outcome is Outcome.OUTSIDE:
        return place_outside(seen.link, seen.new.path) == place_outside(edge.link, seen.old.path)
    if edge.to is None or edge.outcome not in _LEADS:
        return True
    wanted, found = names.target(edge.to), resolve(seen.new, seen.link, names.table)
    if wanted.path != edge.to.path and not _is_found_elsewhere(edge, seen.link, wanted.path):
        return False
    if not keeps_start(edge, seen.link, seen.old.path, seen.new.path, names):
        return False
    if edge.outcome is Outcome.BROKEN_ANCHOR:
        return found.to is not None and found.to.path == wanted.path
    return found.outcome is Outcome.FOUND and found.to == wanted


def _is_found_elsewhere(edge: Edge, link: Link, path: str) -> bool:
    """Whether other programs find the new path, too: some tell capital letters from small ones, and some know files by
    their names alone, so that a name does not become a title that happens to be the same."""
    assert edge.to is not None
    return has_same_letters(link, path) and (names_file(link, path) or not names_file(edge.link, edge.to.path))


def _edits(written: LinkPlaces, edge: Edge, seen: Viewpoint, names: Renaming) -> Iterator[TextEdit]:
    """The edits of every place that says where a link leads; none when one of them cannot say it."""
    places = [_shortened(place, seen.prefix) for place in written.of(edge.link)]
    target = _respelled(edge, places, seen, names) if places else None
    if target is not None:
        for place in places:
            new = place.written(target)
            assert new is not None
            if new != place.raw:
                yield TextEdit(place.span, written.document.source[place.span.start : place.span.end].decode(), new)


def _shortened(place: Place, prefix: str) -> Place:
    """The place behind a prefix, which stays."""
    if not prefix:
        return place
    span = Span(place.span.start + len(prefix.encode()), place.span.end)
    return place._replace(span=span, raw=place.raw.removeprefix(prefix), prefix="/")


def _respelled(edge: Edge, places: Sequence[Place], seen: Viewpoint, names: Renaming) -> str | None:
    """The target that leads where the old one led and can be written at all its places."""
    here = edge.origin.document
    asked = Relink(
        seen.link,
        seen.old.path,
        seen.new.path,
        edge.to or here,
        names.target(edge.to) if edge.to else here,
        start=new_start(edge, seen.old.path, seen.new.path, names) if edge.to else None,
        addresses=new_addresses(edge, names) if edge.to and names.sites else (),
        is_literal=all(place.kind in (PlaceKind.LITERAL, PlaceKind.UNBROKEN) for place in places),
        takes_spaces=all(place.kind is PlaceKind.ANGLE or " " in place.raw for place in places),
    )
    if edge.outcome is Outcome.OUTSIDE:
        target = outside(asked)
        return target if all(place.written(target) for place in places) else None
    for target in spellings(_titled(asked, names)):
        is_written = all(place.written(target) for place in places)
        if is_written and leads_as_before(edge, seen._replace(link=replace(seen.link, target=target)), names):
            return target
    return None


def _titled(asked: Relink, names: Renaming) -> Relink:
    """With the titles of what it leads to, which links that are written in words need; for others with the id that its
    site gives the section."""
    if read_link(asked.link)[0] not in (TargetSyntax.NOTE, TargetSyntax.FIELD):
        return replace(asked, new_id=_id_on_site(asked, names)) if names.sites and asked.new_to.anchor else asked
    before = names.present(asked.old_to.path)
    after = names.document(asked.old_to.path)
    if before is None or after is None:
        return asked
    heading = next((one.title for one in after.sections if one.anchor == asked.new_to.anchor), "")
    return replace(asked, old_title=before.title, new_title=after.title, new_heading=heading)


def _id_on_site(asked: Relink, names: Renaming) -> str:
    """What the site that both are pages of calls the section that a link will lead to; nothing where there is none."""
    document, site = names.document(asked.old_to.path), names.sites.of(asked.new_to.path)
    if document is None or site is None or names.sites.of(asked.new_origin) is not site:
        return ""
    ids = zip(document.sections[1:], site_anchors(document, site), strict=False)
    return next((one for section, one in ids if section.anchor == asked.new_to.anchor), "")


def _links_after(
    document: Document, edits: Sequence[TextEdit], heading: Sequence[TextEdit], sites: Sites
) -> dict[int, Link | None]:
    """For each link, by its number, what it reads as once the edits are made; None where it is no link any more."""
    after = parsed(document.ref, apply_edits(document.source, edits), document, sites)
    read: dict[tuple[int, LinkForm], list[Link]] = {}
    for link in after.links:
        read.setdefault((link.span.start, link.form), []).append(link)
    starts = [edit.span.start for edit in edits]
    shifts = [0]
    for edit in edits:
        shifts.append(shifts[-1] + len(edit.new.encode("utf-8", "surrogateescape")) - edit.span.length)
    found: dict[int, Link | None] = {}
    for link in document.links:
        if not _is_within(link, heading):
            at = link.span.start + shifts[bisect_right(starts, link.span.start - 1)] if link.span.length else 0
            same = read.get((at, link.form), [])
            found[link.ordinal] = same.pop(0) if same else None
    return found


def _ordered(edits: Iterable[TextEdit]) -> tuple[TextEdit, ...]:
    """In reading order; of two that overlap the first."""
    found: list[TextEdit] = []
    for edit in sorted(edits, key=lambda edit: edit.span):
        if not found or edit.span.start >= found[-1].span.end:
            found.append(edit)
    return tuple(found)


def _is_within(link: Link, edits: Sequence[TextEdit]) -> bool:
    """Whether an edit takes a link away with the words around it."""
    return any(edit.span.start <= link.span.start and link.span.end <= edit.span.end for edit in edits)


def _by_hand(document: Document, edge: Edge, names: Renaming) -> str:
    to = names.target(edge.to) if edge.to else edge.origin
    where = f"{document.ref.label}:{edge.link.line + 1}"
    if to.path not in names.places:
        return f"{where}: “{edge.link.target}” leads to a folder that will hold nothing; change it by hand."
    return f"{where}: “{edge.link.target}” cannot be rewritten to lead to {to.label}; change it by hand."


def is_verbatim(document: Document) -> bool:
    """Whether positions in the text are those in the file: it is plain UTF-8."""
    return hashlib.blake2b(document.source, digest_size=16).hexdigest() == document.digest
