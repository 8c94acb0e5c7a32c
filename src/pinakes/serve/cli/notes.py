"""The commands for memories: write, find, list, change, archive, merge, forget, restore."""

from __future__ import annotations

from collections.abc import Sequence

from pinakes.library import Library
from pinakes.records.memory import Memory
from pinakes.render.notes import listing_text, memory_text, recollection_text, trash_text
from pinakes.serve.cli import frame
from pinakes.serve.cli.build import Output, library_command
from pinakes.serve.requests.notes import (
    AppendMemory,
    ListMemories,
    MergeMemories,
    RecallRequest,
    Remember,
    SomeMemories,
    UpdateMemory,
)

_IDS = {"id": "ID..."}


@library_command("remember", Remember, arguments={"text": "[TEXT]..."})
def remember(library: Library, request: Remember) -> Output:
    """Write TEXT down as a memory: an argument, - for standard input, or --file.

    Links in it, such as [[src/server.py]] or [[docs/roadmap.md#q3]], lead to sections and files; when those change, the
    memory is marked "verify".

    \b
    Example:
      pinakes remember "We fixed the leak in [[src/server.py]]" --type fact --tag memory
      git log -1 --format=%B | pinakes remember - --title "Last commit" --type journal
    """
    return _written(request.changed(link=_seen(library, request.link)).run(library))


@library_command("recall", RecallRequest, arguments={"query": "[QUESTION]..."})
def recall(library: Library, request: RecallRequest) -> Output:
    """Find the memories that answer QUESTION; without one, show the newest. Exit code 1 when there are none.

    \b
    Example:
      pinakes recall "why did we choose SQLite?"
      pinakes recall --linked-to docs/roadmap.md#q3 --type plan
    """
    about = frame.address(library, request.linked_to) if request.linked_to else ""
    found = request.changed(linked_to=about).run(library, frame.progress_bar())
    return Output(found, recollection_text(found), is_found=bool(found.found))


@library_command("memories", ListMemories)
def memories(library: Library, request: ListMemories) -> Output:
    """List memories, the newest first, with their marks, and count them by type and tag.

    \b
    Example:
      pinakes memories --type plan
      pinakes memories --trash
    """
    if request.trash:
        forgotten = library.memories.trash()
        return Output(forgotten, trash_text(forgotten))
    listing = request.run(library)
    return Output(listing, listing_text(listing))


@library_command("update", UpdateMemory, arguments={"id": "ID", "text": "[TEXT]..."})
def update(library: Library, request: UpdateMemory) -> Output:
    """Give the memory ID another TEXT or other fields, or confirm that it is still true.

    Everything else in its file stays as it is.

    \b
    Example:
      pinakes update auth-plan --verified
      pinakes update auth-plan --review-by 2026-12-31 --tag auth --tag tokens
    """
    links = None if request.link is None else _seen(library, request.link)
    return _written(request.changed(link=links).run(library))


@library_command("append", AppendMemory, arguments={"id": "ID", "text": "[TEXT]..."})
def append(library: Library, request: AppendMemory) -> Output:
    """Add TEXT to the end of the memory ID: an argument, - for standard input, or --file.

    \b
    Example:
      pinakes append auth-plan "Done: the tests of [[src/server.py]] pass."
    """
    return _written(request.run(library))


@library_command("archive", SomeMemories, arguments=_IDS)
def archive(library: Library, request: SomeMemories) -> Output:
    """Keep the memories ID, but recall them only with --archived.

    ID is what `pinakes memories` shows first, or a unique title. `pinakes update ID --status active` undoes it.

    \b
    Example:
      pinakes archive auth-plan
    """
    return _several([library.memories.archive(name) for name in request.id])


@library_command("restore", SomeMemories, arguments=_IDS)
def restore(library: Library, request: SomeMemories) -> Output:
    """Bring the memories ID back from the trash, under their old names if these are free.

    ID is what `pinakes memories --trash` shows first.

    \b
    Example:
      pinakes restore auth-plan
    """
    return _several([library.memories.restore(name) for name in request.id])


@library_command("forget", SomeMemories, arguments=_IDS)
def forget(library: Library, request: SomeMemories) -> Output:
    """Move the memories ID to the trash; `pinakes restore` brings them back.

    \b
    Example:
      pinakes forget auth-plan
    """
    gone = tuple(library.memories.forget(name) for name in request.id)
    return Output(gone, trash_text(gone))


@library_command("merge", MergeMemories, arguments=_IDS)
def merge(library: Library, request: MergeMemories) -> Output:
    """Combine the memories ID into a new one that supersedes them, and archive the old ones.

    \b
    Example:
      pinakes merge auth-plan token-notes --title "Authentication"
    """
    return _written(request.run(library))


def _written(memory: Memory) -> Output:
    return Output(memory, memory_text(memory))


def _several(memories: Sequence[Memory]) -> Output:
    return Output(memories, "\n".join(memory_text(one) for one in memories))


def _seen(library: Library, links: Sequence[str]) -> tuple[str, ...]:
    """Addresses as they are from the root, whatever folder they were typed in."""
    return tuple(frame.address(library, link) for link in links)
