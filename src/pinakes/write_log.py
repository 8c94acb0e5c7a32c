"""What was written, through which door and by whom: a line of JSON for each object, added to the end of a file.

    time      2026-11-16T07:40:12+00:00
    door      cli, http, mcp or python
    action    the name of the command: remember, update, append, archive, merge, forget, restore, add, drop, updates,
              publish, rebuild, sync, token, move, edit, undo, save, commit
    object    its address: memories:plan.md, added:handbook/99823204876b.md
    root      the folder of the library; empty for what belongs to none
    user      the number of the user
    result    done, begun, added, updated, undone, or the name of the error

Methods that write enter with `logged`, which is why every door is logged alike. The log lies in the user's data folder,
not in the project: a repository can neither bring one along nor change it. It never holds texts or tokens. A write
does not fail because it cannot be logged.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import update_wrapper
from pathlib import Path
from typing import BinaryIO, Concatenate, ParamSpec, Protocol, TypeVar

from msgspec import Struct, to_builtins

from pinakes.errors import ConfigError, PinakesError
from pinakes.folder_lock import exclusive_lock
from pinakes.own_folder import OwnFolder
from pinakes.records import DOCS, MEMORIES
from pinakes.records.added import AddedDocument, Addition, Became, Update
from pinakes.records.edits import EditPlan
from pinakes.records.memory import Memory, Trashed
from pinakes.records.moves import MoveResult, MoveState
from pinakes.records.publish import Published
from pinakes.user_folders import data_path

MOST_BYTES = 4_000_000
"""After which a new file is begun."""
_OLDER = 4
"""Files that are kept besides the newest."""
_FOLDER, _FILE = "log", "writes{}.jsonl"
_DONE = "done"
DOOR: ContextVar[str] = ContextVar("door", default="python")
"""Set by a door before it calls a library."""
_IS_INSIDE: ContextVar[bool] = ContextVar("is_inside", default=False)
"""Whether this write is a part of another, which is logged."""

P = ParamSpec("P")
T = TypeVar("T")


class HasRoot(Protocol):
    """Something that belongs to a library."""

    @property
    def root(self) -> Path | None: ...


S = TypeVar("S", bound=HasRoot)


class LoggedWrite(Struct, frozen=True):
    """One line of the log."""

    time: str
    door: str
    action: str
    object: str
    root: str
    user: int
    result: str


_NAMES = LoggedWrite.__struct_fields__
LogWrite = Callable[[LoggedWrite], None]
ALSO_LOGGED: ContextVar[LogWrite | None] = ContextVar("also_logged", default=None)
"""Hears of each line, where a door keeps a log of its own."""


def logged(action: str) -> Callable[[Callable[Concatenate[S, P], T]], Callable[Concatenate[S, P], T]]:
    """Have a method log what it wrote, or the error that it raised; nothing when it changed nothing."""

    def marked(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
        def run(own: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
            if _IS_INSIDE.get():
                return method(own, *args, **kwargs)
            token = _IS_INSIDE.set(True)
            try:
                result = method(own, *args, **kwargs)
            except Exception as error:
                log_writes(action, [("", type(error).__name__)], own.root)
                raise
            finally:
                _IS_INSIDE.reset(token)
            log_writes(action, _changes(result), own.root)
            return result

        update_wrapper(run, method)
        return run

    return marked


def log_writes(action: str, changes: Iterable[tuple[str, str]], root: Path | None = None) -> None:
    """Add a line for each object and what became of it."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    who = os.geteuid() if hasattr(os, "geteuid") else 0
    lines = [LoggedWrite(now, DOOR.get(), action, changed, str(root or ""), who, result) for changed, result in changes]
    data = "".join(json.dumps(to_builtins(line)) + "\n" for line in lines).encode()
    with suppress(OSError, PinakesError):  # what was written is written
        if data and (folder := _folder()) is not None:
            _append(folder.make(parents=True), data)
    if (also := ALSO_LOGGED.get()) is not None:
        for line in lines:
            also(line)


def read_log(root: Path | None = None, since: str = "", limit: int = 50) -> tuple[LoggedWrite, ...]:
    """The newest lines, the newest last: those of one library and of no library, or all; raises `ConfigError`."""
    folder = _folder()
    if folder is None:
        raise ConfigError("There is no home to keep a log in.", "Set HOME.")
    found: list[LoggedWrite] = []
    for line in _lines_backwards(folder):
        if line.time < since or len(found) == limit:
            break
        if root is None or line.root in ("", str(root)):
            found.append(line)
    return tuple(reversed(found))


def _changes(result: object) -> Iterator[tuple[str, str]]:
    """The address of each object that a method wrote, and what became of it."""
    match result:
        case tuple():
            for one in result:
                yield from _changes(one)
        case Addition(became=became) if became is not Became.UNCHANGED:
            yield str(result.ref), became.value
        case Update(is_applied=True):
            yield f"added:{result.project}/{result.id}", "updated"
        case Memory() | AddedDocument():
            yield str(result.ref), _DONE
        case Trashed():
            yield f"{MEMORIES}:{result.id}", _DONE
        case MoveResult(plan=plan, state=state):
            yield f"{plan.old} → {plan.new}", state.value
            for edited in plan.files:
                yield str(edited.ref), "updated" if state is MoveState.DONE else state.value
        case EditPlan(changes=changes):
            for change in changes:
                yield f"{DOCS}:{change.path}", _DONE
        case Published():
            yield result.folder, _DONE


def _folder() -> OwnFolder | None:
    place = data_path(_FOLDER)
    return OwnFolder.of_user(place.parent).folder(place.name) if place is not None else None


def _name(age: int) -> str:
    return _FILE.format(f".{age}" if age else "")


def _append(folder: OwnFolder, data: bytes) -> None:
    with folder.open_to_write(_name(0), create=True) as file:
        _only_append(file)
        size = file.seek(0, os.SEEK_END)
        os.write(file.fileno(), data)
    if size + len(data) <= MOST_BYTES:
        return
    with exclusive_lock(folder, "log entries", wait_s=1.0):
        facts = folder.facts(_name(0))
        if facts is None or facts.st_size <= MOST_BYTES:
            return  # another process was as quick
        for age in range(_OLDER, 0, -1):
            if folder.holds(_name(age - 1)):
                folder.move(_name(age - 1), folder, _name(age))


def _only_append(file: BinaryIO) -> None:
    """Have the system put every write at the end, also when other processes write."""
    if os.name != "nt":
        import fcntl

        flags = fcntl.fcntl(file.fileno(), fcntl.F_GETFL)
        fcntl.fcntl(file.fileno(), fcntl.F_SETFL, flags | os.O_APPEND)


def _lines_backwards(folder: OwnFolder) -> Iterator[LoggedWrite]:
    for age in range(_OLDER + 1):
        try:
            data = folder.read(_name(age))
        except FileNotFoundError:
            continue
        except OSError as error:
            raise ConfigError(f"The log cannot be read: {error}.", "Check its permissions.") from error
        for line in reversed(data.splitlines()):
            with suppress(ValueError, TypeError):  # cut off by a full disk
                held = json.loads(line)
                yield LoggedWrite(**{name: held.get(name, "") for name in _NAMES})
