"""The journal of moves: what the last one changed, so that it can be undone, and what a killed one left behind.

There is one file for each library, below the user's data folder and not in the project, because what it says is
carried out: a repository must not be able to bring one along. It holds the plan (edits and paths, no other text), the
digests of the files after it, and whether it came to its end.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins

from pinakes.errors import BadMove, ConfigError
from pinakes.folder_lock import exclusive_lock
from pinakes.own_folder import OwnFolder
from pinakes.records import Ref, Span
from pinakes.records.moves import FileEdits, FileMove, MovePlan, TextEdit
from pinakes.user_folders import data_path

_FOLDER = "moves"
_FORMAT = 1


class JournalEntry(Struct, frozen=True):
    """A move that was begun."""

    plan: MovePlan
    roots: Mapping[str, str]
    """For each corpus the folder that its paths count from."""
    token: str
    """A part of the names of temporary files."""
    made: tuple[tuple[str, str], ...]
    """Corpus and path of each folder that is made for it, the uppermost first."""
    after: Mapping[str, str]
    """The digest of each edited file afterwards, by its printed address before."""
    is_done: bool = False
    undoes: JournalEntry | None = None
    """The move that this one takes back: it counts again if this one is not finished."""


class Journal:
    """The journal of one library."""

    def __init__(self, root: Path) -> None:
        real = os.fsencode(os.path.realpath(root))
        self._name = f"{hashlib.blake2b(real, digest_size=16).hexdigest()}.json"

    def _place(self) -> OwnFolder:
        place = data_path(_FOLDER)
        if place is None:
            raise ConfigError("There is no home to keep the journal of moves in.", "Set HOME.")
        return OwnFolder.of_user(place.parent).folder(place.name)

    def locked(self, wait_s: float = 30.0) -> AbstractContextManager[None]:
        """One move at a time; raises `StoreBusy`."""
        return exclusive_lock(self._place().make(parents=True), "moves", wait_s)

    def read(self) -> JournalEntry | None:
        """The last move; None when there was none, or when it was undone. Raises `BadMove` for what cannot be
        understood: it may be a move that was killed, and nothing must be changed on top of it."""
        if data_path(_FOLDER) is None:
            return None
        place = self._place()
        try:
            data = place.read(self._name)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise BadMove(
                f"The journal of moves cannot be read: {error.strerror}.", "Check its permissions."
            ) from error
        try:
            return _entry(json.loads(data))
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise BadMove(
                f"The journal of moves {place.path / self._name} is damaged, or of another version of Pinakes.",
                "Use that version, or see to it that the last move is whole and remove this file.",
            ) from error

    def write(self, entry: JournalEntry) -> None:
        """Keep what is about to happen, or that it happened; it outlives a power cut."""
        data = {"format": _FORMAT, **to_builtins(entry)}
        self._place().replace(self._name, json.dumps(data).encode())

    def clear(self) -> None:
        """There is nothing to undo any more."""
        self._place().remove(self._name, durable=True)


def _entry(data: dict[str, Any]) -> JournalEntry:
    if data["format"] != _FORMAT:
        raise ValueError(data["format"])
    return JournalEntry(
        _plan(data["plan"]),
        {str(name): str(root) for name, root in data["roots"].items()},
        str(data["token"]),
        tuple((str(corpus), str(path)) for corpus, path in data["made"]),
        {str(ref): str(digest) for ref, digest in data["after"].items()},
        bool(data["is_done"]),
        _entry({"format": _FORMAT, **data["undoes"]}) if data["undoes"] else None,
    )


def _plan(data: dict[str, Any]) -> MovePlan:
    return MovePlan(
        Ref(**data["old"]),
        Ref(**data["new"]),
        tuple(map(_file, data["files"])),
        tuple(FileMove(Ref(**one["old"]), Ref(**one["new"]), one["is_folder"]) for one in data["moves"]),
        tuple(data["notes"]),
        tuple(map(_file, data["carried"])),
    )


def _file(data: dict[str, Any]) -> FileEdits:
    edits = tuple(TextEdit(Span(*one["span"]), one["old"], one["new"]) for one in data["edits"])
    return FileEdits(Ref(**data["ref"]), data["digest"], edits)
