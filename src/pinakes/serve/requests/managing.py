"""The table of what may be asked of a server that looks after its libraries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pinakes.access import TokenScope
from pinakes.serve.requests.parameters import Doors, Request, row
from pinakes.serve.requests.rows import HTTP


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncRequest(Request):
    """Begin to compare the index with the folder; `/events` and `/status` tell how far it is."""

    doors: ClassVar[Doors] = HTTP
    needs: ClassVar[TokenScope] = TokenScope.WRITE


@dataclass(frozen=True, slots=True, kw_only=True)
class ListModels(Request):
    """The models, which one is selected, and how far a finer one has come."""

    doors: ClassVar[Doors] = HTTP


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectModel(Request):
    """Select the model that compares meanings, in the project's pinakes.toml."""

    doors: ClassVar[Doors] = HTTP
    needs: ClassVar[TokenScope] = TokenScope.ADMIN
    name: str = row("What `GET /models` calls it.", longest=200, shortest=1, is_required=True)
    reranker: bool = row("Select it as the reranker.", default=False)
