"""What the database must at least contain, remembered outside of it.

A truncated or replaced database can look like an empty but sound one. The seal is written after every commit, so a
database may be ahead of its seal (a crash in between) but never behind it. A file that has another time than its seal
says was written to by somebody else, or by us just before a crash: its pages are compared with their checksums.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from pinakes.atomic import replace_file

NAME = "seal.json"


@dataclass(frozen=True, slots=True)
class DatabaseSeal:
    """The state a commit left behind."""

    generation: int
    documents: int
    """How many the database held at that generation."""
    file_bytes: int
    """How long the database file was; it never becomes shorter."""
    modified_ns: int = 0
    """When the database file was last written to."""


def read_seal(folder: Path) -> DatabaseSeal | None:
    """None without a seal, or when it is not legible: then the database has to speak for itself."""
    try:
        fields = json.loads((folder / NAME).read_bytes())
        return DatabaseSeal(
            int(fields["generation"]),
            int(fields["documents"]),
            int(fields["file_bytes"]),
            int(fields.get("modified_ns", 0)),
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def write_seal(folder: Path, seal: DatabaseSeal) -> None:
    """Replaces the seal in one step. A seal that cannot be written stays behind its database, which is allowed."""
    with suppress(OSError):
        replace_file(folder / NAME, json.dumps(asdict(seal)).encode(), durable=False)


def break_seal(folder: Path) -> None:
    """Let nobody trust the time of the file any more."""
    seal = read_seal(folder)
    if seal is not None and seal.modified_ns:
        write_seal(folder, replace(seal, modified_ns=0))
