"""The routes for what grows beside the documents: commits, memories, added documents.

As in `routes`: each is one call of a library, in a thread. Everything that writes is a POST with a JSON body, which no
page of another site can send.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated, TypeVar

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from pinakes.errors import BadAddress, NotFound
from pinakes.library import Library
from pinakes.records import HISTORY
from pinakes.render import dumps, wire
from pinakes.serve import adding
from pinakes.serve.http import notes
from pinakes.serve.http.bodies import body_of
from pinakes.serve.http.openapi import Described, Responses, answers, shape, takes
from pinakes.serve.http.questions import Asked, Name
from pinakes.serve.pool import Lane
from pinakes.serve.requests.notes import AddDocument

if TYPE_CHECKING:
    from pinakes.serve.http.routes import Door

T = TypeVar("T", bound=Asked)

_MEMORY = answers(shape("Memory"), about="The memory as it is now")


def keeping(router: APIRouter, door: Door) -> None:
    """All of them, in the order of the documentation."""
    _commits(router, door)
    _recalling(router, door)
    _remembering(router, door)
    _adding(router, door)
    _looking(router, door)


def _commits(router: APIRouter, door: Door) -> None:
    async def history(asked: notes.AskedHistory) -> Response:
        """Commits that answer a question; without one the newest that pass the filters."""
        return await door.answer(asked, lambda library: library.history(asked.record(library)), corpora=(HISTORY,))

    _posted(router, "/history", notes.AskedHistory, history, answers(shape("Results"), about="Commits"))


def _recalling(router: APIRouter, door: Door) -> None:
    async def recall(asked: notes.AskedRecall) -> Response:
        """Memories that answer a question, the recent ones lifted; without a question the newest."""
        return await door.answer(
            asked,
            lambda library: library.memories.recall(
                asked.query,
                type=asked.type,
                tags=asked.tag,
                after=asked.after,
                linked_to=asked.linked_to,
                limit=asked.limit,
                archived=asked.archived,
            ),
        )

    _posted(router, "/recall", notes.AskedRecall, recall, answers(shape("Recollection")))

    @router.get("/memories", responses=answers(shape("Listing")))
    async def memories(asked: Annotated[notes.AskedMemories, Query()]) -> Response:
        """Memories with their marks, the newest first, and how many there are of each type and tag."""
        return await door.answer(asked, asked.listing)

    @router.get("/trash", responses=answers(_list("Trashed")))
    async def trash(asked: Annotated[Asked, Query()]) -> Response:
        """Memories that were forgotten and can be restored."""
        return await _written(door, asked, lambda library: library.memories.trash())


def _remembering(router: APIRouter, door: Door) -> None:
    async def remember(asked: notes.Remember) -> Response:
        """Write a memory down. It is on disk when this answers, and the next `/recall` finds it."""
        return await _written(
            door,
            asked,
            lambda library: library.memories.remember(
                asked.text,
                asked.title,
                type=asked.type,
                tags=asked.tag,
                links=asked.link,
                review_by=asked.review_by,
                supersedes=asked.supersedes,
            ),
            points=_points(asked.text, asked.link),
        )

    async def update(asked: notes.UpdateMemory) -> Response:
        """Change a memory's text or fields, or say that it is still true."""
        points = asked.verified or _points(asked.text or "", asked.link or ())
        return await _written(
            door, asked, lambda library: library.memories.update(asked.id, asked.record()), points=points
        )

    async def append(asked: notes.Append) -> Response:
        """Add to the end of a memory."""
        return await _written(
            door, asked, lambda library: library.memories.append(asked.id, asked.text), points=_points(asked.text)
        )

    async def archive(asked: notes.OneMemory) -> Response:
        """Keep a memory, but recall it only when archived ones are asked for."""
        return await _written(door, asked, lambda library: library.memories.archive(asked.id))

    async def forget(asked: notes.OneMemory) -> Response:
        """Move a memory to the trash."""
        return await _written(door, asked, lambda library: library.memories.forget(asked.id))

    async def restore(asked: notes.OneMemory) -> Response:
        """Bring a memory back from the trash, under its old name or a free one."""
        return await _written(door, asked, lambda library: library.memories.restore(asked.id))

    async def merge(asked: notes.Merge) -> Response:
        """Fold several memories into a new one that supersedes them; the old ones are archived."""
        return await _written(door, asked, lambda library: library.memories.merge(asked.id, asked.title, asked.text))

    _posted(router, "/remember", notes.Remember, remember, _MEMORY)
    _posted(router, "/update", notes.UpdateMemory, update, _MEMORY)
    _posted(router, "/append", notes.Append, append, _MEMORY)
    _posted(router, "/archive", notes.OneMemory, archive, _MEMORY)
    _posted(router, "/forget", notes.OneMemory, forget, answers(shape("Trashed")))
    _posted(router, "/restore", notes.OneMemory, restore, _MEMORY)
    _posted(router, "/merge", notes.Merge, merge, _MEMORY)


def _adding(router: APIRouter, door: Door) -> None:
    async def add(asked: notes.Add) -> Response:
        """Keep a document from elsewhere: a URL, one of the library's own files, or a text."""
        return await _written(
            door,
            asked,
            lambda library: adding.add(
                library,
                AddDocument(
                    source=asked.source, text=asked.text, project=asked.project, title=asked.title, type=asked.type
                ),
            ),
            Lane.NETWORK,
        )

    async def drop(asked: notes.Drop) -> Response:
        """Remove added documents; when one of them is not there, none is removed."""
        return await _written(door, asked, lambda library: adding.drop(library, tuple(asked.id)))

    async def apply(asked: notes.AskedProject) -> Response:
        """Look at the sources of added documents again, and take in what changed."""
        return await _written(door, asked, lambda library: adding.updated(library, asked.project), Lane.NETWORK)

    fetched = answers(shape("Addition"), about="The document, and whether that changed anything")
    problem = {"description": "The address does not answer as it should", "content": _PROBLEM}
    _posted(router, "/add", notes.Add, add, {**fetched, 502: problem})
    _posted(router, "/drop", notes.Drop, drop, answers(_list("AddedDocument")))
    _posted(router, "/updates", notes.AskedProject, apply, answers(_list("Update")))


def _looking(router: APIRouter, door: Door) -> None:
    @router.get("/list", responses=answers(_list("AddedDocument")))
    async def listed(asked: Annotated[notes.AskedProject, Query()]) -> Response:
        """The added documents, by project and title."""
        return await _written(door, asked, lambda library: library.added.list(asked.project))

    @router.get("/get", responses=answers(shape("AddedText")))
    async def get(asked: Annotated[notes.AskedAdded, Query()]) -> Response:
        """An added document, whole."""
        return await _written(door, asked, lambda library: library.added.get(asked.id))

    @router.get("/updates", responses=answers(_list("Update")))
    async def updates(asked: Annotated[notes.AskedProject, Query()]) -> Response:
        """Look at the sources of added documents again: changed, missing, unchanged or unreachable."""
        return await _written(door, asked, lambda library: library.added.updates(asked.project), Lane.NETWORK)


_PROBLEM = {"application/problem+json": {"schema": shape("Problem")}}


def _list(name: str) -> Described:
    return {"type": "array", "items": shape(name)}


def _posted(
    router: APIRouter, path: str, kind: type[T], answer: Callable[[T], Awaitable[Response]], responses: Responses
) -> None:
    """A route that takes a body."""

    async def read(request: Request, library: Name = "") -> Response:
        return await answer(await body_of(request, kind, library))

    read.__doc__ = answer.__doc__
    router.post(path, responses=responses, openapi_extra=takes(kind.__name__), name=f"post{path}")(read)


async def _written(
    door: Door, asked: Asked, call: Callable[[Library], object], lane: Lane = Lane.QUICK, *, points: bool = False
) -> Response:
    """The record of a call that needs no index of the documents, and does not wait for the first one. One whose text
    `points` at documents is to see them as they are now."""
    library = door.libraries.get(asked.library)
    if points and library.is_indexed:
        await door.refresh(asked)

    def written() -> bytes:
        try:
            return dumps(wire(call(library))).encode()
        except BadAddress as odd:  # a name that nothing can have is one that nothing has
            raise NotFound(odd.problem, odd.next_step) from odd

    return Response(await door.run(asked.library, written, lane), media_type="application/json")


def _points(text: str, links: Sequence[str] = ()) -> bool:
    return "[" in text or bool(links)
