"""The session that is open: its lines, on disk as soon as they are said.

Lines enter; the history of the next prompt leaves. What is noted before anything was asked waits in memory, so that
looking around leaves no empty session behind.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from msgspec.structs import replace

from pinakes.context.modes import ContextMode
from pinakes.conversation.history import ChatHistory, history
from pinakes.conversation.sessions import Session, Sessions, SessionTitle, line_id, now
from pinakes.errors import NotFound
from pinakes.library.work.modes import SWITCHED
from pinakes.records.conversation import SessionLine


class SessionLog:
    """One session at a time. Lines may come from several threads: an answer ends while somebody switches modes."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._changing = threading.Lock()
        self.id = sessions.new()
        self.lines: tuple[SessionLine, ...] = ()
        """Everything that was said and noted, the oldest first."""
        self._kept = 0
        """How many of them are on disk: what is behind waits."""

    @property
    def title(self) -> str:
        """The beginning of the first question; empty while there is none."""
        return Session(self.id, self.lines).title

    def begin(self) -> str:
        """Leave the session, which stays on disk, and begin another."""
        with self._changing:
            self.id, self.lines, self._kept = self._sessions.new(), (), 0
            return self.id

    def resume(self, session: str) -> None:
        """Go on with a session; raises `NotFound`."""
        with self._changing:
            found = self._sessions.read(session)
            self.id, self.lines, self._kept = session, found.lines, len(found.lines)

    def list(self, text: str = "") -> tuple[SessionTitle, ...]:
        """The sessions in which all these words occur, the latest first."""
        return self._sessions.search(text) if text.strip() else self._sessions.list()

    def add(self, line: SessionLine) -> SessionLine:
        """Keep a line; with an empty id or time, it gets one. Raises `ConversationError` where it cannot be kept."""
        whole = replace(line, id=line.id or line_id(), at=line.at or now())
        with self._changing:
            if whole.role == "system" and not self._kept:
                self.lines = (*self.lines, whole)
                return whole
            for one in (*self.lines[self._kept :], whole):
                self._sessions.append(self.id, one)
                if one is whole:
                    self.lines = (*self.lines, whole)
                self._kept += 1
        return whole

    def note(self, text: str, mode: ContextMode, edits: Sequence[str] = ()) -> SessionLine:
        """Keep what the workspace has to say."""
        return self.add(SessionLine("", "", "system", text, mode.value, edits=tuple(edits)))

    def answer(self, exchange: str) -> SessionLine:
        """The answer of an exchange; raises `NotFound`."""
        for line in self.lines:
            if line.id == exchange and line.role == "assistant":
                return line
        raise NotFound(f"There is no answer “{exchange[:60]}” in this session.", "Ask for the messages again.")

    def history(self) -> ChatHistory:
        """What the next prompt says of the session."""
        return history(without_detours(self.lines))


def without_detours(lines: Sequence[SessionLine]) -> tuple[SessionLine, ...]:
    """The lines without switches of modes that were taken back before anything was asked: a prompt that comes after
    them is the one that would have come without them."""
    found: list[SessionLine] = []
    notes: list[SessionLine] = []
    mode = ContextMode.CODE.value
    for line in lines:
        if line.role == "system":
            notes.append(line)
            continue
        if line.role == "user":
            found += _settled(notes, mode)
            notes, mode = [], line.mode
        found.append(line)
    return (*found, *_settled(notes, mode))


def _settled(notes: Sequence[SessionLine], mode: str) -> list[SessionLine]:
    switches = [one for one in notes if one.text in SWITCHED.values()]
    last = switches[-1] if switches and switches[-1].mode != mode else None
    return [one for one in notes if one is last or one not in switches]
