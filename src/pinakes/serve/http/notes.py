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
    Endpoint(
        "/recall",
        RecallRequest,
        shape("Recollection"),
        "Memories that answer a question, the recent ones lifted; without a question the newest.",
        needs_index=True,
    ),
    Endpoint(
        "/memories",
        ListMemories,
        shape("MemoryList"),
        "Memories with their marks, the newest first, and how many there are of each type and tag.",
        "GET",
        needs_index=True,
    ),
    Endpoint(
        "/trash",
        Request,
        list_of("Trashed"),
        "Memories that were forgotten and can be restored.",
        "GET",
        lambda library, _: library.memories.trash(),
    ),
    Endpoint(
        "/remember",
        Remember,
        _MEMORY,
        "Write a memory down. It is on disk when this answers, and the next `/recall` finds it.",
    ),
    Endpoint("/update", UpdateMemory, _MEMORY, "Change a memory's text or fields, or say that it is still true."),
    Endpoint("/append", AppendMemory, _MEMORY, "Add to the end of a memory."),
    Endpoint(
        "/archive",
        OneMemory,
        _MEMORY,
        "Keep a memory, but recall it only when archived ones are asked for.",
        call=lambda library, request: library.memories.archive(request.id),
    ),
    Endpoint(
        "/forget",
        OneMemory,
        shape("Trashed"),
        "Move a memory to the trash.",
        call=lambda library, request: library.memories.forget(request.id),
    ),
    Endpoint(
        "/restore",
        OneMemory,
        _MEMORY,
        "Bring a memory back from the trash, under its old name or a free one.",
        call=lambda library, request: library.memories.restore(request.id),
    ),
    Endpoint(
        "/merge",
        MergeMemories,
        _MEMORY,
        "Fold several memories into a new one that supersedes them; the old ones are archived.",
    ),
    Endpoint(
        "/add",
        AddDocument,
        shape("Addition"),
        "Keep a document from elsewhere: a URL, one of the library's own files, or a text.",
        call=add_documents.add,
        lane=Lane.NETWORK,
    ),
    Endpoint(
        "/drop",
        DropDocuments,
        list_of("AddedDocument"),
        "Remove added documents; when one of them is not there, none is removed.",
        call=lambda library, request: add_documents.drop(library, request.id),
    ),
    Endpoint(
        "/updates",
        CheckSources,
        list_of("Update"),
        "Look at the sources of added documents again, and take in what changed.",
        call=lambda library, request: add_documents.apply_updates(library, request.project),
        lane=Lane.NETWORK,
    ),
    Endpoint("/list", ListDocuments, list_of("AddedDocument"), "The added documents, by project and title.", "GET"),
    Endpoint("/get", GetDocument, shape("AddedText"), "An added document, whole.", "GET"),
    Endpoint(
        "/updates",
        CheckSources,
        list_of("Update"),
        "Report the state of added documents at their source: changed, missing, unchanged or unreachable.",
        "GET",
        lane=Lane.NETWORK,
    ),
)
