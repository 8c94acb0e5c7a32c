"""A memory's file, read: any bytes give a memory.

Bytes enter, a `Kept` leaves: the parsed document and what its fields mean. What is missing gets a default, what is odd
a warning. Where its links lead is not known here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from pinakes.memories.files import Facts
from pinakes.memories.head import Head, HeadKind, read_head
from pinakes.memories.words import title_of
from pinakes.parse import parse
from pinakes.records import MEMORIES, Document, Media, Raw, Ref, Stamp
from pinakes.records.memory import Memory, MemoryStatus, MemoryType

_Choice = TypeVar("_Choice", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Kept:
    """A memory as it is in its file."""

    facts: Facts
    document: Document
    memory: Memory
    """Without links and marks."""


def read_memory(facts: Facts, data: bytes) -> Kept:
    """What a file holds."""
    ref = Ref(MEMORIES, facts.path)
    digest = hashlib.blake2b(data, digest_size=16).hexdigest()
    document = parse(Raw(Stamp(ref, "", Media.MARKDOWN), data, digest))
    head = read_head(document.source)
    text = document.source[document.body :].decode("utf-8", "replace").strip()
    warnings = list(document.warnings)
    if head.kind is HeadKind.TOML:
        warnings.append("Its fields are TOML; only YAML is understood here.")
    memory = Memory(
        ref=ref,
        title=(head.text("title") or title_of("", text))[:1000],
        type=_chosen(head, "type", MemoryType.OBSERVATION, warnings),
        status=_chosen(head, "status", MemoryStatus.ACTIVE, warnings),
        tags=document.tags,
        created_at=head.text("created_at"),
        updated_at=head.text("updated_at"),
        review_by=head.text("review_by"),
        supersedes=head.texts("supersedes"),
        text=text,
        warnings=tuple(warnings),
        seen=_seen(head),
    )
    return Kept(facts, document, memory)


def _chosen(head: Head, name: str, otherwise: _Choice, warnings: list[str]) -> _Choice:
    said = head.text(name).lower()
    for choice in type(otherwise):
        if choice.value == said:
            return choice
    if said:
        warnings.append(f"There is no {name} “{said[:60]}”; it counts as {otherwise.value}.")
    return otherwise


def _seen(head: Head) -> Mapping[str, str]:
    said = head.said("seen")
    return {key: value for key, value in said.items() if isinstance(value, str)} if isinstance(said, dict) else {}
