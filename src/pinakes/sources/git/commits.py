"""What git says of single commits: one process for any number of them.

A hash enters, a `Commit` leaves. ``git diff-tree --stdin`` waits for hashes and prints each commit with its changed
files and its difference; a line that is no hash it repeats, which tells us where its answer ends. That line is a random
word, so that no commit can hold it.

A commit that kills git (its objects are damaged or missing) is asked for again with less: without the difference, then
without the changed files. One that takes too long or says too much is taken as far as it came.
"""

from __future__ import annotations

import os
import re
import secrets
import select
import subprocess
import time
from collections import deque
from collections.abc import Iterable

from pinakes.errors import Unreadable
from pinakes.records.history import Commit
from pinakes.sources.git.command import end, output, started
from pinakes.sources.git.repositories import Repository

DIFF_LINES = 200
"""Lines of a difference that are kept."""
MOST_FILES = 2000
"""Changed files that are kept; a commit with more is an import, and its first files say so."""
MOST_BYTES = 4_000_000
MOST_SECONDS = 10.0
MOST_MESSAGE = 200_000
"""Bytes of a message that are kept."""

AHEAD = 128
"""Commits that git is asked for before they are taken. What we write of them must fit into a pipe (64 kB), or git could
wait for us while we wait for git."""

_PIECE = 1 << 18
_FORMAT = "--format=%x01%H%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cd%x00%B%x00"
_DATES = "--date=format-local:%Y-%m-%dT%H:%M:%SZ"
"""Of the commit, in universal time, so that dates can be compared as they are written; the author's keeps its zone."""
_FIELDS = 9
_SAFE = ("diff-tree", "--stdin", "--root", "--always", "--no-ext-diff", "--no-textconv", "--no-color", _DATES)
_NAMES = ("--cc", "-r", "-z", "-M", "-l200", "--raw")
_MANNERS = ((*_SAFE, *_NAMES, "-p", "-U1", "--full-index"), (*_SAFE, *_NAMES))
"""Ways to ask, each for less than the one before: with differences, and with changed files."""
_NO_DIFF = 1
_PATIENCE = 5
"""Commits in a row that kill git before the rest of the repository is asked for less."""
_INDEX = re.compile(rb"^index [0-9a-f,.]+(?: [0-7]+)?\n", re.MULTILINE)
"""Which objects a difference is between: hashes that say nothing and would fill the word index."""


class CommitReader:
    """One repository's commits. Holds a process open while it is used; `close` ends it.

    Commits that are expected are asked for ahead of time: git works on them while we read the one before.
    """

    def __init__(self, program: str, repository: Repository) -> None:
        self._program = program
        self._repository = repository
        self._manner = _NO_DIFF if repository.is_partial else 0
        self._killed = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._running = -1
        """The manner in which the process was started."""
        self._end = b""
        self._heard = bytearray()
        """What git has said and nobody has taken yet."""
        self._asked: deque[str] = deque()
        """What git was asked for and has not been taken, in order."""
        self._expected: deque[str] = deque()

    def expect(self, hashes: Iterable[str]) -> None:
        """These will be read next, most likely in this order."""
        self._expected = deque(hashes)

    def read(self, hash: str) -> Commit | None:
        """The commit, or None when the repository does not hold it; raises `Unreadable`."""
        for manner in range(self._manner, len(_MANNERS)):
            for _ in range(2):  # a process that was killed by somebody else deserves a second one
                said = self._answer(hash, manner)
                if said is not None:
                    break
            else:
                continue
            self._note(manner)
            data, is_cut = said
            if not data:
                return None
            found = _commit(data, self._repository.name, has_diff=manner < _NO_DIFF, is_cut=is_cut)
            if found is None or found.hash != hash.encode():
                raise Unreadable("What git says of this commit makes no sense.", "git fsck may say more.")
            return found
        return self._message(hash)

    def close(self) -> None:
        if self._process is not None:
            end(self._process)
            self._process = None
        self._expected.extendleft(reversed(self._asked))
        self._asked.clear()
        self._heard.clear()

    def _message(self, hash: str) -> Commit:
        """A commit whose changes cannot be told, by a process of its own."""
        words = ["rev-list", "--no-walk", "--max-count=1", _DATES, _FORMAT, hash, "--"]
        said = output(started(self._program, self._repository, words), b"")[0]
        head, _, data = said.partition(b"\n")
        found = _commit(data[:MOST_BYTES], self._repository.name, has_diff=False, is_cut=len(data) > MOST_BYTES)
        if head != b"commit " + hash.encode() or found is None:
            raise Unreadable("git could not read this commit.", "git fsck says what is damaged or missing.")
        return found

    def _note(self, manner: int) -> None:
        """Repositories that lack all contents need not show it again for every commit."""
        self._killed = self._killed + 1 if manner > self._manner else 0
        if self._killed >= _PATIENCE:
            self._manner, self._killed = manner, 0

    def _answer(self, hash: str, manner: int) -> tuple[bytes, bool] | None:
        """What git prints for a commit and whether it was cut short; None when it died of it."""
        try:
            process = self._started(manner)
            self._ask(process, hash)
            assert process.stdout is not None
            while self._asked[0] != hash:  # what was expected and never asked for
                if self._taken(process.stdout.fileno()) is None:
                    return self._answer(hash, manner)
            return self._taken(process.stdout.fileno())
        except OSError:
            self.close()
            return None

    def _started(self, manner: int) -> subprocess.Popen[bytes]:
        if self._process is None or self._running != manner:
            self.close()
            inside = self._repository.inside
            part = [f"--relative={inside}", "--", inside] if inside else []
            self._process = started(self._program, self._repository, [*_MANNERS[manner], _FORMAT, *part])
            self._running = manner
            self._end = f"!{secrets.token_hex(16)}\n".encode()
        return self._process

    def _ask(self, process: subprocess.Popen[bytes], hash: str) -> None:
        """Ask for a commit unless that is done already, and for some that are expected after it."""
        asking = []
        if hash not in self._asked:
            if hash in self._expected:
                while self._expected.popleft() != hash:
                    pass  # passed over, so no longer expected
            asking = [hash]
        if len(self._asked) < AHEAD // 2:
            while self._expected and len(self._asked) + len(asking) < AHEAD:
                asking.append(self._expected.popleft())
        if asking:
            self._asked.extend(asking)
            assert process.stdin is not None
            process.stdin.write(b"".join([b"%s\n%s" % (one.encode(), self._end) for one in asking]))

    def _taken(self, pipe: int) -> tuple[bytes, bool] | None:
        """The answer to what was asked first."""
        data, end = self._heard, self._end
        deadline = time.monotonic() + MOST_SECONDS
        looked = 0
        while (stop := data.find(end, looked)) < 0:
            looked = max(0, len(data) - len(end))
            if len(data) > MOST_BYTES or not _has_more(pipe, deadline):
                return self._cut_short()
            piece = os.read(pipe, _PIECE)
            if not piece:
                self._asked.popleft()
                self.close()
                return None
            data += piece
        self._asked.popleft()
        answer = bytes(data[:stop])
        del data[: stop + len(end)]
        return answer, False

    def _cut_short(self) -> tuple[bytes, bool] | None:
        said = bytes(self._heard)
        self._asked.popleft()
        self.close()
        return (said, True) if said else None


def _has_more(pipe: int, deadline: float) -> bool:
    if not hasattr(select, "poll"):
        return True  # such systems can only wait
    waiting = select.poll()
    waiting.register(pipe, select.POLLIN)
    return bool(waiting.poll(max(0.0, deadline - time.monotonic()) * 1000))


def _commit(data: bytes, name: str, *, has_diff: bool, is_cut: bool) -> Commit | None:
    """Read what git printed, which may end anywhere when it was cut."""
    fields = data[1:].split(b"\0", _FIELDS)
    if data[:1] != b"\x01" or len(fields) <= _FIELDS:
        if not is_cut or len(fields) < _FIELDS:
            return None
        fields.append(b"")
    hash, parents, author, author_mail, authored, committer, committer_mail, committed, message, rest = fields
    raw, _, diff = rest.lstrip(b"\0\n").partition(b"\0\0")
    if not raw.startswith(b":"):
        raw, diff = b"", b""
    files = _files(raw)
    lines, left_out = _first_lines(diff)
    is_long = len(message) > MOST_MESSAGE
    return Commit(
        hash,
        os.fsencode(name),
        parents,
        author,
        author_mail,
        authored,
        committer,
        committer_mail,
        committed,
        message[:MOST_MESSAGE],
        files=tuple(files[:MOST_FILES]),
        diff=lines,
        left_out=left_out,
        files_left_out=max(0, len(files) - MOST_FILES),
        is_cut=is_cut or is_long,
        has_diff=has_diff,
    )


def _files(raw: bytes) -> list[tuple[bytes, bytes]]:
    """Each changed file with the letter that says what happened to it."""
    found: list[tuple[bytes, bytes]] = []
    parts = iter(raw.split(b"\0"))
    for facts in parts:
        status = facts[facts.rfind(b" ") + 1 :][:1]
        path = next(parts, b"")
        if status in (b"R", b"C") and facts.startswith(b":") and not facts.startswith(b"::"):
            new = next(parts, b"")
            if status == b"R" and path:
                found.append((b"<", path))
            path = new
        if path and status:
            found.append((status, path))
    return found


def _first_lines(diff: bytes) -> tuple[bytes, int]:
    """The lines that are kept, and how many are not."""
    diff = _INDEX.sub(b"", diff)
    if len(diff) <= DIFF_LINES:
        return diff, 0
    parts = diff.split(b"\n", DIFF_LINES)
    if len(parts) <= DIFF_LINES or not parts[-1]:
        return diff, 0
    rest = parts.pop()
    return b"\n".join(parts) + b"\n", rest.count(b"\n") + (not rest.endswith(b"\n"))
