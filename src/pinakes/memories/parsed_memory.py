"""Parses the file of a memory. Any bytes give a memory.

Bytes enter, a `ParsedMemory` leaves: the document and the meaning of its fields. A missing field gets its default, an
odd one a warning. Links stay unresolved here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from pinakes.memories.files import FileVersion
from pinakes.memories.validation import title_of
from pinakes.parse import parse
from pinakes.records import MEMORIES, Document, Raw, Ref, Stamp, formats
from pinakes.records.memory import Memory, MemoryStatus, MemoryType

_Choice = TypeVar("_Choice", bound=StrEnum)
_LONGEST_SHOWN = 1000
_MOST_LINKS = 2000
"""Each is looked for on disk, and its surroundings are read, at every question that a memory answers."""


class ParsedMemory(Struct, frozen=True):
    """A memory as it is in its file."""

    facts: FileVersion
    document: Document
    """With its first links only, where there are thousands."""
    memory: Memory
    """Without links and marks."""


def read_memory(facts: FileVersion, data: bytes) -> ParsedMemory:
    """What a file holds."""
    ref = Ref(MEMORIES, facts.path)
    digest = hashlib.blake2b(data, digest_size=16).hexdigest()
    document = parse(Raw(Stamp(ref, "", formats.MARKDOWN), data, digest))
    metadata = document.metadata
    others = {str(key).lower(): value for key, value in json.loads(metadata.extra).items()}
    text = document.source[document.body :].decode("utf-8", "replace").strip()
    warnings = list(document.warnings)
    if len(document.links) > _MOST_LINKS:
        warnings.append(f"Of its {len(document.links):,} links the first {_MOST_LINKS:,} are followed.")
        document = replace(document, links=document.links[:_MOST_LINKS])
    memory = Memory(
        ref=ref,
        title=" ".join(metadata.title.split())[:_LONGEST_SHOWN] or title_of("", text),
        type=_chosen("type", metadata.category, MemoryType.OBSERVATION, warnings),
        status=_chosen("status", _line(others.get("status")), MemoryStatus.ACTIVE, warnings),
        tags=document.tags,
        created_at=metadata.created,
        updated_at=metadata.modified,
        review_by=_line(others.get("review_by")),
        supersedes=_lines(others.get("supersedes")),
        text=text,
        warnings=tuple(warnings),
        seen=_seen(others.get("seen")),
    )
    return ParsedMemory(facts, document, memory)


def _chosen(name: str, said: str, otherwise: _Choice, warnings: list[str]) -> _Choice:
    for choice in type(otherwise):
        if choice.value == said.lower():
            return choice
    if said:
        warnings.append(f"There is no {name} “{said[:60]}”; it counts as {otherwise.value}.")
    return otherwise


def _line(value: object) -> str:
    return " ".join(str(value).split()) if isinstance(value, (str, int, float)) else ""


def _lines(value: object) -> tuple[str, ...]:
    """A list, or one line with commas."""
    parts = value if isinstance(value, list) else _line(value).split(",")
    return tuple(line for part in parts if (line := _line(part)))


def _seen(value: object) -> Mapping[str, str]:
    return {str(key): _line(one) for key, one in value.items()} if isinstance(value, dict) else {}
