"""Which commit last touched what: each line of some documents, each file, and some names in the code.

The root, documents and names enter; a `Timeline` leaves. It is read from one ``git log`` along first parents, newest
first, so that a merge counts as one change at the time it was merged. Positions in that log stand for moments: 0 is the
newest commit, -1 what is not committed yet, and what is older than the log goes back stands at its end.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from pinakes.records import media_of
from pinakes.sources.git.command import NoGit, end, program, started
from pinakes.sources.git.committed import committed_otherwise
from pinakes.sources.git.defining_lines import definition_in, made_in
from pinakes.sources.git.refs import checked_out
from pinakes.sources.git.repositories import Repository, find

MOST_COMMITS = 5000
"""How far back the log goes: years of most projects, and seconds of work."""
NOT_COMMITTED = -1
"""The position of what was changed since the last commit."""
_UNKNOWN = -2
_MOST_COMPARED = 1_000_000
"""Pairs of lines; beyond them all that lie between the same ones are taken for new."""

_LOG = (
    *("log", "--stdin", "--first-parent", "-m", "-p", "-U0", "-M", "-l200", "--no-ext-diff", "--no-textconv"),
    *("--no-color", f"--max-count={MOST_COMMITS}", "--format=%x01%H%x00%cI%x00%s"),
)
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NAME = re.compile(rb"--[A-Za-z][\w-]*|[A-Za-z_]\w*")


class Moment(Struct, frozen=True):
    """A commit, as far as a message about it needs."""

    hash: str
    day: str
    subject: str
    """The first line of its message."""


class Fate(Struct, frozen=True):
    """The newest thing that happened to a file."""

    position: int
    is_gone: bool = False
    moved_to: str = ""


class Timeline(Struct, frozen=True):
    """What changed when, as positions in `moments`."""

    moments: tuple[Moment, ...]
    """Newest first."""
    lines: Mapping[str, Sequence[int]]
    """By path, for each line of a document the position of what last touched it."""
    files: Mapping[str, Fate]
    removed: Mapping[str, int]
    """By name, the newest commit that took a line with it out of a file that is no document."""
    remade: Mapping[str, int]
    """By name, the newest commit that changed the line which makes it, in a file that is no test."""
    unmade: Mapping[str, int]
    """By name, the newest commit that took the line which makes it out of such a file."""


def read_timeline(
    root: Path, documents: Mapping[str, bytes], names: frozenset[str], *, tip: tuple[Repository, str] | None = None
) -> Timeline | None:
    """The timeline of the repository that `root` is in; None when there is none, or no git to ask.

    `documents` are whole texts by path; `names` are those names in code that matter. It begins at `tip`, else at the
    commit that is checked out.
    """
    real = os.path.realpath(root)
    tip = tip or tip_of(real)
    if tip is None:
        return None
    repository, start = tip
    try:
        git = program((real,))
        pages = {path: _Page(text, None) for path, text in documents.items()}
        with closing(committed_otherwise(git, repository, start, documents)) as others:
            for path, before in others:
                pages[path] = _Page(documents[path], before)
        log = _Log(pages, names)
        with closing(_said(git, repository, [*_LOG, *_below(repository)], [start])) as lines:
            for line in lines:
                log.hear(line)
    except (NoGit, OSError):
        return None
    return log.timeline()


def tip_of(root: str) -> tuple[Repository, str] | None:
    """The repository that a folder is in, and the commit it has checked out; None when there is neither."""
    for repository, refs in find((root,)).repositories:
        if repository.inside or repository.name == ".":
            top = root[: -len(repository.inside)] if repository.inside else root
            value = checked_out(top, repository.folder, dict(refs))
            return (repository, value) if value else None
    return None


def _below(repository: Repository) -> list[str]:
    return [f"--relative={repository.inside}", "--", repository.inside] if repository.inside else []


def _said(git: str, repository: Repository, words: Sequence[str], asked: Iterable[str]) -> Generator[bytes, None, None]:
    """What git says, line by line; closing this ends it."""
    process = started(git, repository, words)
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("".join(f"{line}\n" for line in asked).encode("utf-8", "surrogateescape"))
        process.stdin.close()
        with open(process.stdout.fileno(), "rb", buffering=1 << 18, closefd=False) as lines:
            yield from lines
    finally:
        end(process)


class _Page:
    """One document's lines on their way back through the log."""

    def __init__(self, text: bytes, before: bytes | None) -> None:
        count = _line_count(text)
        self.touched = [_UNKNOWN] * count
        """By line of the present text."""
        self.waiting = [(number, number + 1) for number in range(count)]
        """Lines nobody has been found for: their place in the present text, and their number at this point of the
        log."""
        if before is not None:
            self._compare(text, before)

    def _compare(self, text: bytes, before: bytes) -> None:
        """Lines that were changed since the last commit were touched now."""
        import difflib

        now, then = text.split(b"\n")[: len(self.touched)], before.split(b"\n")[: _line_count(before)]
        self.touched = [NOT_COMMITTED] * len(now)
        self.waiting = []
        head = _shared(then, now)
        tail = _shared(then[head:][::-1], now[head:][::-1])
        gone, come = then[head : len(then) - tail], now[head : len(now) - tail]
        self._keep(0, 0, head)
        if len(gone) * len(come) <= _MOST_COMPARED:  # the time it takes may grow faster still
            for block in difflib.SequenceMatcher(None, gone, come, autojunk=False).get_matching_blocks():
                self._keep(head + block.b, head + block.a, block.size)
        self._keep(len(now) - tail, len(then) - tail, tail)

    def _keep(self, place: int, number: int, count: int) -> None:
        """Lines from `place` on are those that were committed as lines from `number` on."""
        for step in range(count):
            self.touched[place + step] = _UNKNOWN
            self.waiting.append((place + step, number + step + 1))

    def go_back(self, position: int, hunks: Sequence[_Hunk]) -> None:
        """Step from the version after a commit to the one before it."""
        left = []
        for place, number in self.waiting:
            shift = 0
            for hunk in hunks:
                if hunk.new <= number < hunk.new + hunk.came:
                    self.touched[place] = position
                    break
                if number >= hunk.new_after:
                    shift = hunk.old_after - hunk.new_after
            else:
                left.append((place, number + shift))
        self.waiting = left


class _Hunk(NamedTuple):
    """One changed stretch: line numbers from 1, as git counts them."""

    old: int
    went: int
    new: int
    came: int

    @property
    def old_after(self) -> int:
        """The first line behind it in the old version; where nothing went, git names the line in front of it."""
        return self.old + (self.went or 1)

    @property
    def new_after(self) -> int:
        return self.new + (self.came or 1)


class _Log:
    """Hears a log line by line, newest commit first."""

    def __init__(self, pages: Mapping[str, _Page], names: frozenset[str]) -> None:
        self._pages = pages
        self._called = dict(zip(pages, pages, strict=True))
        """What a document was called at this point of the log, and what it is called now."""
        self._names = frozenset(name.encode() for name in names)
        self._moments: list[Moment] = []
        self._files: dict[str, Fate] = {}
        self._removed: dict[bytes, int] = {}
        self._remade: dict[bytes, int] = {}
        self._undone: dict[bytes, int] = {}
        self._forget_file()
        self._left: list[int] = [0, 0]
        """Lines that the present hunk still has to say, gone and new ones."""

    def timeline(self) -> Timeline:
        self._end_file()
        end = len(self._moments)
        return Timeline(
            tuple(self._moments),
            {path: [end if at == _UNKNOWN else at for at in page.touched] for path, page in self._pages.items()},
            self._files,
            {name.decode(): at for name, at in self._removed.items()},
            {name.decode(): at for name, at in self._remade.items()},
            {name.decode(): at for name, at in self._undone.items()},
        )

    def hear(self, line: bytes) -> None:
        if any(self._left):
            self._changed_line(line)
        elif line.startswith(b"\x01"):
            self._end_file()
            hash, day, subject = line[1:].rstrip(b"\n").decode("utf-8", "replace").split("\0", 2)
            self._moments.append(Moment(hash, day[:10], subject))
        elif line.startswith(b"diff --git "):
            self._end_file()
            half = line[11:-1]
            middle = len(half) // 2  # "a/path b/path", the same path twice unless the file was renamed
            self._old, self._new = _path(half[:middle]), _path(half[middle + 1 :])
        elif line.startswith(b"deleted file "):
            self._is_gone = True
        elif line.startswith(b"rename from "):
            self._old, self._is_moved = _plain(line[12:-1]), True
        elif line.startswith(b"rename to "):
            self._new = _plain(line[10:-1])
        elif found := _HUNK.match(line):
            old, went, new, came = (1 if part is None else int(part) for part in found.groups())
            self._hunks.append(_Hunk(old, went, new, came))
            self._left = [went, came]

    def _changed_line(self, line: bytes) -> None:
        if line.startswith(b"-"):
            self._left[0] -= 1
            if self._names and self._is_code:
                self._gone |= self._names.intersection(_NAME.findall(line))
                self._note_made(self._unmade, line)
        elif line.startswith(b"+"):
            self._left[1] -= 1
            if self._unmade:
                self._note_made(self._made, line)
        elif not line.startswith(b"\\"):  # "\ No newline at end of file" belongs to the line before
            self._left = [0, 0]

    def _note_made(self, made: dict[bytes, set[bytes]], line: bytes) -> None:
        for name in self._names & made_in(self._new, line):
            made.setdefault(name, set()).add(definition_in(line[1:]))

    @property
    def _is_code(self) -> bool:
        return self._old not in self._called and not _was_document(self._old)

    def _forget_file(self) -> None:
        self._old = self._new = ""
        self._is_gone = self._is_moved = False
        self._hunks: list[_Hunk] = []
        self._gone: set[bytes] = set()
        self._unmade: dict[bytes, set[bytes]] = {}
        self._made: dict[bytes, set[bytes]] = {}

    def _end_file(self) -> None:
        if self._new:
            position = len(self._moments) - 1
            if self._is_moved:
                self._files.setdefault(self._old, Fate(position, is_gone=True, moved_to=self._new))
            self._files.setdefault(self._new, Fate(position, is_gone=self._is_gone))
            for name in self._gone:
                self._removed.setdefault(name, position)
            for name, lines in self._unmade.items():
                made = self._made.get(name, lines)
                if name not in self._made:
                    self._undone.setdefault(name, position)
                elif lines != made and b"" not in lines | made:
                    self._remade.setdefault(name, position)
            now = self._called.get(self._new)
            if now is not None:
                self._pages[now].go_back(position, self._hunks)
                if self._is_moved:
                    del self._called[self._new]
                    self._called[self._old] = now
        self._forget_file()


@lru_cache(maxsize=1)
def _was_document(path: str) -> bool:
    """Whether a file that may be gone by now was no code; asked for each of its lines."""
    return media_of(path.rpartition("/")[2]).is_document


def _path(half: bytes) -> str:
    """``a/path`` without what git puts in front; nothing for names that git writes with escapes."""
    return "" if half.startswith(b'"') else _plain(half[2:])


def _plain(path: bytes) -> str:
    return "" if path.startswith(b'"') else os.fsdecode(path)


def _shared(one: Sequence[bytes], other: Sequence[bytes]) -> int:
    """How many lines at the beginning are the same."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _line_count(text: bytes) -> int:
    return text.count(b"\n") + (not text.endswith(b"\n") and bool(text))
