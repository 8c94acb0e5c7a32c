"""The tools for what grows beside the documents: commits, memories, added documents.

As in `tools`: arguments enter, one call of the library is made, its record leaves as data and as text. What a commit or
a memory says stands between marks, as documents do: others wrote it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from pinakes.library import Library
from pinakes.records import HISTORY, CorpusName, Filter, Hit, Query
from pinakes.records.memory import Memory, MemoryType, Recalled, Recollection
from pinakes.render import Json, one_line, safe, wire
from pinakes.render.added import addition_text, documents_text, dropped_text
from pinakes.render.memories import memory_text, trash_text
from pinakes.serve import adding
from pinakes.serve.beside import beside
from pinakes.serve.mcp.answers import Answer, beginning, cut, noted, object_of, without
from pinakes.serve.mcp.arguments import Arguments
from pinakes.serve.mcp.quoting import NOTICE, results_for_model
from pinakes.serve.mcp.schemas import MOST_TOKENS
from pinakes.tokens import count_tokens

LONGEST_NOTE = 100_000
"""Characters of a memory."""
LONGEST_DOCUMENT = 2_000_000
"""Characters of a text that is added."""

AT_ONCE = frozenset(("remember", "forget", "add", "drop", "list"))
"""Tools that need no index of the documents; the first one is not waited for."""

ABROAD = frozenset(("add",))
"""Tools that may wait for a server elsewhere."""

_ADDRESSED = ("address", "under", "focus", "linked_to")


def besides(tool: str, library: Library, given: Mapping[str, object]) -> tuple[CorpusName, ...]:
    """The corpora, other than the documents, that a call asks and that are to be brought up to date for it."""
    asked = given.get("corpora")
    named = [asked] if isinstance(asked, str) else asked if isinstance(asked, list) else []
    if tool == "history":
        named = [HISTORY]
    addresses = [said for name in _ADDRESSED if isinstance(said := given.get(name), str)]
    return beside(library, [name for name in named if isinstance(name, str)], addresses)


def history(library: Library, given: Arguments) -> Answer:
    most = given.number("max_tokens", 4000, 1, MOST_TOKENS)
    where = Filter(
        corpora=(HISTORY,),
        files=given.texts("files"),
        author=given.text("author"),
        after=given.text("after"),
        before=given.text("before"),
    )
    query = Query(given.text("query"), where, limit=given.number("limit", 10, 1, 100))
    found = library.history(query)
    hits = _fitting(found.hits, most)
    data = object_of(replace(found, hits=tuple(hits)))
    told = data["hits"]
    assert isinstance(told, list)
    shown: dict[str, Json] = {
        "hits": [without(hit, ("votes", "matches", "span", "match", "kind", "also_in", "origin")) for hit in told],
        **{key: data[key] for key in ("missing", "unknown", "abstained", "nearest")},
    }
    return Answer(shown, results_for_model(replace(found, hits=tuple(hits))))


def remember(library: Library, given: Arguments) -> Answer:
    text = given.text("text", required=True, longest=LONGEST_NOTE)
    if onto := given.text("append_to"):
        memory = library.memories.append(onto, text)
    else:
        kind = given.choice("type", [one.value for one in MemoryType], MemoryType.OBSERVATION.value)
        memory = library.memories.remember(
            text,
            given.text("title"),
            type=MemoryType(kind),
            tags=given.texts("tags"),
            links=given.texts("links"),
            review_by=given.text("review_by"),
            supersedes=given.texts("supersedes"),
        )
    return Answer(_told(memory), memory_text(memory))


def recall(library: Library, given: Arguments) -> Answer:
    most = given.number("max_tokens", 4000, 1, MOST_TOKENS)
    kind = given.choice("type", ["", *(one.value for one in MemoryType)], "")
    found = library.memories.recall(
        given.text("query"),
        type=MemoryType(kind) if kind else None,
        tags=given.texts("tags"),
        after=given.text("after"),
        linked_to=given.text("linked_to"),
        limit=given.number("limit", 10, 1, 100),
        archived=given.flag("archived"),
    )
    shown = replace(found, found=tuple(_recalled(found.found, most)))
    data = object_of(shown)
    data["found"] = [
        {"memory": _told(one.memory), "passage": wire(one.passage), "score": one.score} for one in shown.found
    ]
    hidden = len(found.found) - len(shown.found)
    made = Answer(data, _recollection_for_model(shown))
    return noted(made, f"{hidden:,} more are not shown; ask with a larger max_tokens." if hidden else "")


def forget(library: Library, given: Arguments) -> Answer:
    gone = library.memories.forget(given.text("id", required=True))
    return Answer(object_of(gone), trash_text((gone,)))


def add(library: Library, given: Arguments) -> Answer:
    made = adding.add(
        library,
        given.text("source"),
        given.text("text", longest=LONGEST_DOCUMENT),
        project=given.text("project"),
        title=given.text("title"),
    )
    return Answer(object_of(made), addition_text(made))


def drop(library: Library, given: Arguments) -> Answer:
    gone = adding.drop(library, (given.text("id", required=True),))
    return Answer({"dropped": wire(gone)}, dropped_text(gone))


def listed(library: Library, given: Arguments) -> Answer:
    most = given.number("max_tokens", 4000, 1, MOST_TOKENS)
    found = library.added.list(given.text("project"))
    keep = len(found)
    while keep and count_tokens(documents_text(found[:keep])) > most:
        keep = keep * 3 // 4
    text = documents_text(found[:keep]) if keep or not found else ""
    made = Answer({"documents": wire(found[:keep])}, text)
    hidden = len(found) - keep
    return noted(made, f"{hidden:,} more are not shown; name a project." if hidden else "")


def _fitting(hits: Sequence[Hit], most: int) -> Sequence[Hit]:
    """As many hits as fit together, the last one cut; those after it by their titles alone."""
    fitting = []
    for hit in hits:
        shown, _ = cut(hit, most) if most > 0 else (replace(hit, text=""), ())
        most -= count_tokens(shown.text)
        fitting.append(shown)
    return fitting


def _recalled(found: Sequence[Recalled], most: int) -> Sequence[Recalled]:
    fitting = []
    for one in found:
        if most <= 0:
            break
        passage = beginning(one.passage, most)
        most -= count_tokens(passage)
        fitting.append(replace(one, passage=passage))
    return fitting


def _told(memory: Memory) -> dict[str, Json]:
    """A memory without its text: whoever wrote it knows it, and whoever asks gets the passage that answers."""
    told = without(object_of(memory), ("text", "warnings"))
    assert isinstance(told, dict)
    return told


def _recollection_for_model(found: Recollection) -> str:
    lines = [NOTICE] if found.found else []
    for place, one in enumerate(found.found, 1):
        lines.append(f"{place}. {_quoted(one)}")
        lines += [f"{mark.kind.value}: {safe(mark.reason)}" for mark in one.memory.marks]
        lines += [f"loose end: {safe(link.target)}" for link in one.memory.loose_ends]
    if found.abstained:
        lines.append(f"Nothing answers this. {safe(found.abstained)}")
        lines += [f"nearest: {safe(str(ref))}" for ref in found.nearest]
    elif not found.found:
        lines.append("Nothing is remembered of this." if found.question else "Nothing is remembered.")
    if found.hidden:
        lines.append(f"{found.hidden:,} archived or superseded are left out; `archived` asks for them, too.")
    lines += [f"Without {safe(note)}" for note in found.notes]
    return "\n".join(lines)


def _quoted(one: Recalled) -> str:
    memory = one.memory
    text = safe(one.passage, keep="\n\t").rstrip()
    mark = sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:12]
    about = f'id="{_attribute(memory.id)}" type="{memory.type.value}" date="{_attribute(memory.date[:10])}"'
    return f'<memory {mark} {about} title="{_attribute(memory.title)}">\n{text}\n</memory {mark}>'


def _attribute(text: str) -> str:
    return one_line(text).replace('"', "'")
