"""The routes for memories and added documents.

Everything that writes is a POST with a JSON body, which no page of another site can send.
"""

from __future__ import annotations

from pinakes.serve import add_documents
from pinakes.serve.http.endpoints import Endpoint
from pinakes.serve.http.openapi import list_of, shape
from pinakes.serve.pool import Lane
from pinakes.serve.requests.notes import (
    AddDocument,
    AppendMemory,
    CheckSources,
    DropDocuments,
    GetDocument,
    ListDocuments,
    ListMemories,
    MergeMemories,
    OneMemory,
    RecallRequest,
    Remember,
    UpdateMemory,
)
from pinakes.serve.requests.parameters import Request

_MEMORY = shape("Memory")
NOTES = (
    Endpoint("/recall", RecallRequest, shape("Recollection"), needs_index=True),
    Endpoint("/memories", ListMemories, shape("MemoryList"), "GET", needs_index=True),
    Endpoint(
        "/trash",
        Request,
        list_of("Trashed"),
        "GET",
        lambda library, _: library.memories.trash(),
        about="Memories that were forgotten and can be restored.",
    ),
    Endpoint("/remember", Remember, _MEMORY),
    Endpoint("/update", UpdateMemory, _MEMORY),
    Endpoint("/append", AppendMemory, _MEMORY),
    Endpoint(
        "/archive",
        OneMemory,
        _MEMORY,
        call=lambda library, request: library.memories.archive(request.id),
        about="Keep a memory, but recall it only when archived ones are asked for.",
    ),
    Endpoint(
        "/forget",
        OneMemory,
        shape("Trashed"),
        call=lambda library, request: library.memories.forget(request.id),
        about="Move a memory to the trash.",
    ),
    Endpoint(
        "/restore",
        OneMemory,
        _MEMORY,
        call=lambda library, request: library.memories.restore(request.id),
        about="Bring a memory back from the trash, under its old name or a free one.",
    ),
    Endpoint("/merge", MergeMemories, _MEMORY),
    Endpoint("/add", AddDocument, shape("Addition"), call=add_documents.add, lane=Lane.NETWORK),
    Endpoint(
        "/drop",
        DropDocuments,
        list_of("AddedDocument"),
        call=lambda library, request: add_documents.drop(library, request.id),
    ),
    Endpoint(
        "/updates",
        CheckSources,
        list_of("Update"),
        call=lambda library, request: add_documents.apply_updates(library, request.project),
        lane=Lane.NETWORK,
        about="Look at the sources of added documents again, and take in what changed.",
    ),
    Endpoint("/list", ListDocuments, list_of("AddedDocument"), "GET"),
    Endpoint("/get", GetDocument, shape("AddedText"), "GET"),
    Endpoint(
        "/updates",
        CheckSources,
        list_of("Update"),
        "GET",
        call=lambda library, request: add_documents.check_sources(library, request.project),
        lane=Lane.NETWORK,
    ),
)
