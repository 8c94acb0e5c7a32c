"""Conversations on disk: a file of JSON lines for each, in a folder of ours.

    {"id": "3f9c…", "at": "2026-11-16T17:20:00+00:00", "role": "user", "text": "…", "mode": "docs", "files": ["a.md"],
     "edits": [], "usage": null, "until": "", "signature": "…"}

Lines enter and leave; nothing that was written is changed or deleted. A line counts when it is whole and this user
signed it for this session: a repository can bring such a folder along, and nobody shall find words there that they
never said. All other lines are skipped and counted. A line is written in one go, and one that a kill cut short is
closed before the next, so that it spoils no other.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from pinakes.errors import ConversationError, NotFound, StoreError
from pinakes.folder_lock import exclusive_lock
from pinakes.own_folder import OwnFolder
from pinakes.records.conversation import SessionLine, Usage
from pinakes.user_key import is_signed, sign

FOLDER = "sessions"
MOST_BYTES = 64_000_000
"""Of a session."""
MOST_LINE = 8_000_000
"""Bytes of a line."""
MOST_SESSIONS = 2_000
"""Of which the newest are listed and searched."""
_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}\Z")
_ENDING = ".jsonl"
_PURPOSE = "session line"
_ROLES = ("user", "assistant", "system", "summary")
_TITLE = 120


class Session(Struct, frozen=True):
    """A conversation as it was read."""

    id: str
    lines: tuple[SessionLine, ...]
    skipped: int = 0
    """Lines that are damaged, or that this user did not write."""

    @property
    def title(self) -> str:
        """The beginning of the first question; empty while there is none."""
        first = next((line.text for line in self.lines if line.role == "user"), "")
        short = " ".join(first[: 4 * _TITLE].split())
        return short if len(short) <= _TITLE else short[:_TITLE].rstrip() + "…"


class SessionTitle(Struct, frozen=True):
    """A conversation in a list."""

    id: str
    title: str
    at: str
    """When something was last said; UTC, ISO 8601."""
    messages: int
    """Questions and answers."""
    skipped: int = 0


class Sessions:
    """The conversations over one library."""

    def __init__(self, home: OwnFolder) -> None:
        """`home` is the folder of the index; a folder in it is made with the first line that is written."""
        self._folder = replace(home.folder(FOLDER), next_step="Remove it; sessions are plain files.")
        self._titles: dict[str, tuple[tuple[int, int], SessionTitle]] = {}

    def new(self) -> str:
        """The id of a session that does not exist yet. It exists from its first line on."""
        return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"

    def append(self, session: str, line: SessionLine) -> None:
        """Add a line; on return it is on the disk. Raises `ConversationError` where it cannot be kept."""
        name = _name(session)
        body = json.dumps(to_builtins(line), ensure_ascii=True)
        signature = sign(_PURPOSE, session, body)
        data = f'{body[:-1]}, "signature": "{signature}"}}\n'.encode()
        if len(data) > MOST_LINE:
            raise ConversationError("This is too long to be kept.", f"Say it in less than {MOST_LINE // 4:,} letters.")
        try:
            self._folder.make(unseen=True)
            with exclusive_lock(self._folder, "sessions"), self._folder.open_to_write(name, create=True) as file:
                size = file.seek(0, os.SEEK_END)
                if size + len(data) > MOST_BYTES:
                    raise ConversationError("This session is full.", "Begin a new one; it stays where it is.")
                if size:
                    file.seek(size - 1)
                    data = data if file.read(1) == b"\n" else b"\n" + data
                file.seek(size)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except (OSError, StoreError) as error:
            raise ConversationError(
                f"The session cannot be kept in {self._folder.path}: {error}", "Check the folder and its disk."
            ) from error

    def read(self, session: str) -> Session:
        """A conversation; raises `NotFound` where there is none of this id."""
        found = self._read(session)
        if found is None:
            raise NotFound(f"There is no session “{session[:60]}”.", "List the sessions, and take one of them.")
        return found

    def list(self) -> tuple[SessionTitle, ...]:
        """The conversations in which something was asked, the latest first."""
        found = [title for one in self._ids() if (title := self._title(one)) is not None and title.messages]
        return tuple(sorted(found, key=lambda one: (one.at, one.id), reverse=True))

    def search(self, text: str) -> tuple[SessionTitle, ...]:
        """The conversations in which all these words occur, in whatever case, the latest first."""
        words = text.casefold().split()
        return tuple(title for title in self.list() if self._has(title.id, words))

    def _has(self, session: str, words: Sequence[str]) -> bool:
        found = self._read(session) if words else None
        if found is None:
            return not words
        said = "\n".join(line.text for line in found.lines).casefold()
        return all(word in said for word in words)

    def _ids(self) -> Sequence[str]:
        try:
            names = self._folder.names()[1] if self._folder.exists() else []
        except OSError as error:
            raise ConversationError(f"The sessions cannot be read: {error}.", "Check the folder.") from error
        ids = [name.removesuffix(_ENDING) for name in names if name.endswith(_ENDING)]
        return sorted(filter(_ID.match, ids), reverse=True)[:MOST_SESSIONS]

    def _title(self, session: str) -> SessionTitle | None:
        try:
            facts = self._folder.facts(_name(session))
        except OSError:
            return None
        if facts is None:
            return None
        stamp = (facts.st_size, facts.st_mtime_ns)
        known = self._titles.get(session)
        if known is None or known[0] != stamp:
            found = self._read(session)
            if found is None:
                return None
            messages = sum(line.role in ("user", "assistant") for line in found.lines)
            at = found.lines[-1].at if found.lines else ""
            known = self._titles[session] = (stamp, SessionTitle(session, found.title, at, messages, found.skipped))
        return known[1]

    def _read(self, session: str) -> Session | None:
        try:
            with self._folder.open(_name(session)) as file:
                data = file.read(MOST_BYTES)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ConversationError(f"The session cannot be read: {error}.", "Check the folder.") from error
        lines = tuple(_lines(data, session))
        found = tuple(line for line in lines if line is not None)
        return Session(session, found, len(lines) - len(found))


def line_id() -> str:
    """The id of a new line."""
    return secrets.token_hex(8)


def now() -> str:
    """The time of a new line."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _name(session: str) -> str:
    if not _ID.match(session):
        raise NotFound(f"“{session[:60]}” is no name of a session.", "List the sessions, and take one of them.")
    return session + _ENDING


def _lines(data: bytes, session: str) -> Iterator[SessionLine | None]:
    for raw in data.split(b"\n"):
        if raw.strip():
            yield _line(raw, session)


def _line(raw: bytes, session: str) -> SessionLine | None:
    """A line of this user's; None for anything else."""
    try:
        if len(raw) > MOST_LINE:
            return None
        body, mark, tail = raw.decode("utf-8").rpartition(', "signature": "')
        if not mark or tail[-2:] != '"}' or not is_signed(tail[:-2], _PURPOSE, session, body + "}"):
            return None
        return _record(json.loads(body + "}"))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None


def _record(held: dict[str, Any]) -> SessionLine:
    """Fields that a newer Pinakes writes are passed over."""
    role = held["role"]
    if role not in _ROLES:
        raise ValueError(role)
    return SessionLine(
        str(held["id"]),
        str(held["at"]),
        role,
        str(held["text"]),
        str(held.get("mode", "")),
        tuple(map(str, held.get("files", ()))),
        tuple(map(str, held.get("edits", ()))),
        _usage(held.get("usage")),
        str(held.get("until", "")),
    )


def _usage(held: Any) -> Usage | None:
    if held is None:
        return None
    cached = held.get("cached")
    return Usage(
        int(held.get("sent", 0)),
        None if cached is None else int(cached),
        int(held.get("written", 0)),
        int(held.get("answered", 0)),
        bool(held.get("is_estimate", False)),
    )
