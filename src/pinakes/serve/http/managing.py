"""The routes that look after a library: begin a sync, list the models, select one."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from pinakes.library import Library
from pinakes.render import Json, dumps, object_of, wire
from pinakes.serve.http.endpoints import Door, request_of
from pinakes.serve.http.openapi import Described, answers, takes
from pinakes.serve.model_choice import select_model
from pinakes.serve.requests.managing import ListModels, SelectModel, SyncRequest

MANAGING = (SyncRequest, SelectModel)
"""The requests that come with a body."""
_TEXT, _FLAG = {"type": "string"}, {"type": "boolean"}


def _object(about: str, **properties: Described) -> Described:
    return {"type": "object", "description": about, "properties": properties, "required": list(properties)}


def add_managing(router: APIRouter, door: Door) -> None:
    """Have a router answer them."""
    begun = _object("A sync that has begun", library=_TEXT, is_syncing=_FLAG)
    listed = _object("The models", models={"type": "array", "items": {"type": "object"}}, upgrade={})
    chosen = _object("The setting that was written", file=_TEXT, key=_TEXT, value=_TEXT)

    @router.post("/sync", responses=answers(begun), openapi_extra=takes(SyncRequest, "POST"))
    async def sync(request: Request) -> Response:
        """Begin to compare the index with the folder; `/events` and `/status` tell how far it is."""
        asked = await request_of(request, SyncRequest)
        own = door.libraries.name_or_default(asked.library)
        if not await door.freshness.pool.run(partial(door.libraries.is_synced_elsewhere, own)):
            door.freshness.begin(own)
        return _json({"library": wire(own), "is_syncing": True})

    @router.get("/models", responses=answers(listed), openapi_extra=takes(ListModels))
    async def models(request: Request) -> Response:
        """The models, which one is selected, and how far a finer one has come."""
        asked = await request_of(request, ListModels)
        library = door.libraries.get(asked.library)
        return _json(await door.run(asked.library, lambda: models_of(library)))

    @router.post("/model", responses=answers(chosen), openapi_extra=takes(SelectModel, "POST"))
    async def model(request: Request) -> Response:
        """Select the model that compares meanings, in the project's pinakes.toml; the index follows by itself."""
        asked = await request_of(request, SelectModel)
        own = door.libraries.name_or_default(asked.library)
        library = door.libraries.get(own)
        library.refuse_change()
        choice = await door.run(
            own, lambda: select_model(library, asked.name, is_reranker=asked.reranker), is_repeatable=False
        )
        await door.freshness.refresh(own, first_s=0.0)  # takes up the changed settings
        return _json({"file": str(choice.file), "key": choice.key, "value": choice.value})


def models_of(library: Library) -> dict[str, Json]:
    """The models of a library as data."""
    models, made = library.models.list()
    rows: list[Json] = [
        {**object_of(one), "is_ready": not one.problem, "made_vectors": one.embedder in made} for one in models
    ]
    return {"models": rows, "upgrade": wire(library.models.upgrade_state())}


def _json(body: dict[str, Json]) -> Response:
    return Response(dumps(body), media_type="application/json")
