"""The tools for memories and added documents, and the one that publishes.

As in `questions`: one call of the library is made, its record leaves as data and as text. What a memory says stands
between marks, as documents do: others wrote it. A model may publish only into a folder inside the library.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from pinakes.errors import PublishError
from pinakes.library import Library
from pinakes.records.memory import Memory, Recalled, Recollection
from pinakes.render import Json, object_of, safe, wire
from pinakes.render.notes import addition_text, documents_text, dropped_text, loose_end_lines, memory_text, trash_text
from pinakes.serve import add_documents
from pinakes.serve.mcp.answers import Draft, ToolAnswer, beginning, hidden_note, told, whole, without
from pinakes.serve.mcp.quoting import NOTICE, address_for_model, attribute, marked
from pinakes.serve.requests.notes import AddDocument, DropDocuments, ListDocuments, OneMemory, RecallRequest, Remember
from pinakes.serve.requests.status import PublishRequest
from pinakes.tokens import count_tokens

_MEMORY_MARKS = 40
"""Tokens around a memory: its id, type, date and title, the marks."""


def remember(library: Library, request: Remember) -> Draft:
    memory = request.run(library)
    return whole(told(lambda: _without_text(memory), memory_text(memory)))


def recall(library: Library, request: RecallRequest) -> Draft:
    found = request.run(library)

    def make(parts: int) -> ToolAnswer:
        shown = replace(found, found=tuple(_recalled(found.found, parts)))
        hidden = hidden_note(len(found.found) - len(shown.found), "memories")
        return ToolAnswer(_recollection_for_model(found, shown.found), lambda: _recollection(shown), hidden)

    return Draft(make, sum(_MEMORY_MARKS + len(one.passage) for one in found.found))


def _recollection(shown: Recollection) -> dict[str, Json]:
    found: list[Json] = [
        {"memory": _without_text(one.memory), "passage": wire(one.passage), "score": one.score} for one in shown.found
    ]
    return object_of(shown) | {"found": found}


def forget(library: Library, request: OneMemory) -> Draft:
    gone = library.memories.forget(request.id)
    return whole(told(lambda: object_of(gone), trash_text((gone,))))


def add(library: Library, request: AddDocument) -> Draft:
    addition = add_documents.add(library, request)
    return whole(told(lambda: object_of(addition), addition_text(addition)))


def drop(library: Library, request: DropDocuments) -> Draft:
    gone = add_documents.drop(library, request.id)
    return whole(told(lambda: {"dropped": wire(gone)}, dropped_text(gone)))


def listed(library: Library, request: ListDocuments) -> Draft:
    found = request.run(library)

    def make(parts: int) -> ToolAnswer:
        shown = found[:parts]
        hidden = hidden_note(len(found) - len(shown), "documents", "name a project")
        return told(lambda: {"documents": wire(shown)}, documents_text(shown) if shown or not found else "", hidden)

    return Draft(make, len(found))


def _recalled(found: Sequence[Recalled], most: int) -> Sequence[Recalled]:
    fitting = []
    for one in found:
        most -= _MEMORY_MARKS
        if most <= 0:
            break
        passage = beginning(one.passage, most)
        most -= count_tokens(passage)
        fitting.append(replace(one, passage=passage))
    return fitting


def _without_text(memory: Memory) -> dict[str, Json]:
    """A memory without its text: whoever wrote it knows it, and whoever asks gets the passage that answers."""
    return without(object_of(memory), ("text", "warnings"))


def _recollection_for_model(found: Recollection, shown: Sequence[Recalled]) -> str:
    lines = [NOTICE] if shown else []
    for one in shown:
        lines.append(_quoted(one))
        lines += [f"{mark.kind.value}: {safe(mark.reason)}" for mark in one.memory.marks]
        lines += loose_end_lines(one.memory)
    if found.abstained:
        lines.append(f"Nothing answers this. {safe(found.abstained)}")
        lines += [f"nearest: {address_for_model(ref)}" for ref in found.nearest]
    elif not found.found:
        lines.append("Nothing is remembered of this." if found.question else "Nothing is remembered.")
    if found.doubt:
        lines.append(safe(found.doubt))
    if found.hidden:
        lines.append(f"{found.hidden:,} archived or superseded are left out; `archived` asks for them, too.")
    lines += [f"Without {safe(note)}" for note in found.notes]
    return "\n".join(lines)


def _quoted(one: Recalled) -> str:
    memory = one.memory
    about = f' id="{attribute(memory.id)}" type="{memory.type.value}" date="{attribute(memory.date[:10])}"'
    return marked(one.passage, "memory", f'{about} title="{attribute(memory.title)}"')


USUAL = "published"
"""The folder, below the root, when none is named."""


def publish(library: Library, request: PublishRequest) -> Draft:
    """Write the library as static files; what was written is counted, and what stood in the way is named."""
    done = library.publish(_place(library.root, request.out or USUAL))
    counted = {"topics": done.topics, "documents": done.documents, "chunks": done.chunks}
    written = {"written": len(done.written), "removed": len(done.removed), "unchanged": done.unchanged}
    counts = ", ".join(f"{count:,} {what}" for what, count in {**counted, **written}.items())
    foreign = [safe(one) for one in done.kept]
    lines = [f"{safe(done.folder)}: {counts}.", *done.notes, *(f"Not ours, left alone: {one}" for one in foreign)]
    record: dict[str, Json] = {"folder": safe(done.folder), **counted, **written, "kept": [*foreign]}
    return whole(told(lambda: record, "\n".join(lines)))


def _place(root: Path, named: str) -> Path:
    """The folder that is meant; raises `PublishError` for one that is not a plain folder below the root."""
    parts = [part for part in named.replace("\\", "/").split("/") if part not in ("", ".")]
    place = root.joinpath(*parts)
    is_plain = bool(parts) and not named.startswith(("/", "~")) and not any(part.startswith(".") for part in parts)
    if "\0" in named or not is_plain or not Path(os.path.realpath(place)).is_relative_to(root):
        raise PublishError(
            f"“{safe(named)}” is not a folder inside the library.",
            "Name one below its root; to publish elsewhere, in a terminal: pinakes publish OUT.",
        )
    return place
