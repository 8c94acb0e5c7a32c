"""Memories as a reader sees them: the list with its counts, one of them, and those that point at a document.

Records enter, markup leaves. What changes a memory is a form that the page's script sends with the token.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pinakes.html.markup import Markup, join, tag
from pinakes.records import Ref
from pinakes.records.memory import Memory, MemoryList, MemoryStatus, Pointer, Recollection
from pinakes.serve.requests.notes import ListMemories, RecallRequest, UpdateMemory
from pinakes.serve.web.forms import form_html
from pinakes.serve.web.frame import state
from pinakes.serve.web.places import Places, shown
from pinakes.serve.web.writing import action_button, writing_form

_FIRST = ("query", "type", "tag", "status", "linked_to")
_MOST = 200
_MOST_POINTERS = 8
_BEGINNING = 400


def memories_html(listing: MemoryList, found: Recollection | None, given: Mapping[str, str], places: Places) -> Markup:
    """The view: a form, then what is remembered, the newest or the best first."""
    head = join(
        tag("h1", "Memories"),
        tag("p", tag("a", "Remember something", href=f"{places.view('manage')}#remember"), class_="tools"),
        form_html(places.view("memories"), "Memories", given, _FIRST, RecallRequest, ListMemories),
    )
    if not listing.total:
        return tag("div", head, _none(places))
    if found is not None:
        rows = [_row(one.memory, one.passage, places) for one in found.found]
        said = _counted(len(rows), "that answers" if len(rows) == 1 else "that answer")
        notes = [tag("p", note, class_="quiet") for note in (found.abstained, found.doubt, *found.notes) if note]
    else:
        rows = [_row(memory, _beginning(memory), places) for memory in listing.memories[:_MOST]]
        said, notes = f"{_counted(len(listing.memories))} of {listing.total:,}", []
    summary = tag("p", said, class_="told", role="status")
    listed = tag("ol", *rows, class_="hits memories", aria_label="Memories") if rows else None
    left = len(listing.memories) - _MOST
    more = tag("p", f"… and {left:,} more; the twin of this page has them all.", class_="quiet")
    return tag("div", head, summary, *notes, listed, more if found is None and left > 0 else None)


def counts_html(listing: MemoryList, places: Places) -> Markup | None:
    """How many there are of each type and with each tag, each a way to them."""
    if not listing.memories:
        return None
    types = _counts("By type", "type", listing.by_type, places)
    return join(types, _counts("By tag", "tag", listing.by_tag, places) if listing.by_tag else None)


def memory_html(memory: Memory, places: Places) -> Markup:
    """What stands above the text of one memory: what it is, and what speaks against believing it."""
    facts = [
        tag("span", memory.type.value, class_="chip kind"),
        _status(memory),
        _day("written", memory.created_at),
        _day("changed", memory.updated_at) if memory.updated_at != memory.created_at else None,
        _day("review by", memory.review_by),
        *(_tag(name, places) for name in memory.tags),
    ]
    marks = [
        tag(
            "li",
            tag("b", mark.kind.value),
            ": ",
            mark.reason,
            *((" ", _target(mark.ref, places)) if mark.ref is not None else ()),
        )
        for mark in memory.marks
    ]
    warnings = [tag("li", warning) for warning in memory.warnings]
    cares = (
        tag("ul", *marks, *warnings, class_="cares", aria_label="Before you believe it") if marks or warnings else None
    )
    return join(tag("p", *facts), cares, _changes(memory, places))


def _changes(memory: Memory, places: Places) -> Markup:
    """The forms that change a memory."""
    values = {
        "id": memory.id,
        "text": memory.text,
        "title": memory.title,
        "type": memory.type.value,
        "tag": memory.tags,
        "review_by": memory.review_by,
    }
    names = ("text", "title", "type", "tag", "review_by")
    edit = tag(
        "details",
        tag("summary", "Edit"),
        writing_form("/update", UpdateMemory, names, "Save", places, values),
        class_="edit",
    )
    sent, is_archived = {"id": memory.id}, memory.status is MemoryStatus.ARCHIVED
    status = (
        action_button("/update", "Make active again", {**sent, "status": "active"}, places)
        if is_archived
        else action_button("/archive", "Archive", sent, places)
    )
    true = action_button("/update", "Still true", {**sent, "verified": "true"}, places) if memory.marks else None
    asked = f"Forget “{memory.title}”? It goes to the trash, from which Manage restores it."
    forget = action_button("/forget", "Forget …", sent, places, confirm=asked)
    return tag("div", edit, tag("div", true, status, forget, class_="actions"), class_="writes")


def speaks_of_html(memory: Memory, places: Places) -> Markup | None:
    """What a memory points at, for the margin: where, in which words, and what leads nowhere."""
    if not memory.links:
        return None
    rows = [_pointer(link, places) for link in memory.links[:40]]
    return tag("section", tag("h2", f"Speaks of {len(memory.links)}"), tag("ul", *rows), class_="backlinks")


def remembered_html(memories: Sequence[Memory], places: Places) -> Markup | None:
    """The memories that point at a document, for its margin."""
    if not memories:
        return None
    rows = [
        tag(
            "li",
            tag("a", memory.title, href=places.ref(memory.ref)),
            " ",
            tag("span", memory.type.value, class_="chip"),
            *(tag("span", mark.kind.value, class_="chip care", title=mark.reason) for mark in memory.marks[:2]),
            tag("p", _around(memory), class_="around"),
        )
        for memory in memories[:20]
    ]
    left = len(memories) - 20
    more = tag("li", f"… and {left} more", class_="quiet") if left > 0 else None
    return tag("section", tag("h2", f"Remembered {len(memories)}"), tag("ul", *rows, more), class_="remembered")


def _none(places: Places) -> Markup:
    return state(
        "Nothing is remembered yet",
        tag("p", "Memories are notes that people and agents leave: ", tag("code", "pinakes remember TEXT"), "."),
        tag("p", tag("a", "Manage", href=places.view("manage")), " writes one here, with the token.", class_="quiet"),
    )


def _row(memory: Memory, passage: str, places: Places) -> Markup:
    about = [part for part in (memory.type.value, memory.date[:10], memory.id) if part]
    pointers = [link for link in memory.links if not link.is_loose]
    loose = memory.loose_ends
    chips = tag(
        "div",
        _status(memory),
        *(tag("span", mark.kind.value, class_="chip care", title=mark.reason) for mark in memory.marks),
        tag("span", f"{len(loose)} loose", class_="chip care", title=_said(loose)) if loose else None,
        *(_tag(name, places) for name in memory.tags),
        *(_target(link.to, places) for link in pointers[:_MOST_POINTERS] if link.to is not None),
        class_="chips",
    )
    head = tag("h2", tag("a", memory.title, href=places.ref(memory.ref), class_="open"))
    where = tag("div", tag("span", " · ".join(about), class_="trail"), class_="where")
    words = tag("div", passage, class_="passage as-written")
    return tag("li", tag("article", head, where, words, chips, class_="hit"), data_hit=True)


def _pointer(link: Pointer, places: Places) -> Markup:
    where: Markup = tag("span", link.target, class_="loose", title=link.outcome.value.replace("_", " "))
    if link.to is not None and not link.is_loose:
        where = _target(link.to, places)
    relation = link.relation.value.replace("_", " ")
    return tag(
        "li",
        where,
        " ",
        tag("span", relation, class_="chip"),
        tag("p", link.around, class_="around") if link.around else None,
    )


def _target(ref: Ref, places: Places) -> Markup:
    where = places.page(ref)
    return tag("a", shown(ref), href=where, class_="address") if where else tag("span", shown(ref), class_="address")


def _counts(heading: str, name: str, counts: Mapping[str, int], places: Places) -> Markup:
    rows = [
        tag(
            "li",
            tag("a", value, href=places.memories(**{name: value})),
            tag("span", f"{count:,}", class_="count"),
            class_="row",
        )
        for value, count in list(counts.items())[:50]
    ]
    return tag("section", tag("h2", heading), tag("ul", *rows, class_="outline"))


def _status(memory: Memory) -> Markup | None:
    return tag("span", "archived", class_="chip care") if memory.status is MemoryStatus.ARCHIVED else None


def _tag(name: str, places: Places) -> Markup:
    return tag("a", f"#{name}", href=places.memories(tag=name), class_="chip", tabindex="-1")


def _day(said: str, when: str) -> Markup | None:
    return tag("span", f"{said} {when[:10]}", class_="chip") if when else None


def _around(memory: Memory) -> str:
    """The words around its first link, or its beginning."""
    return next((link.around for link in memory.links if link.around), _beginning(memory)[:120])


def _beginning(memory: Memory) -> str:
    return memory.text if len(memory.text) <= _BEGINNING else f"{memory.text[:_BEGINNING].rstrip()} …"


def _said(links: Sequence[Pointer]) -> str:
    return ", ".join(link.target for link in links[:10])


def _counted(number: int, more: str = "") -> str:
    return f"{number:,} {'memory' if number == 1 else 'memories'} {more}".strip()
