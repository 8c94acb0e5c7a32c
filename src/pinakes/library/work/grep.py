"""Lines of files that have a text, or that a regular expression matches, within a time.

A library and what is looked for enter; lines leave. Plain text is looked for here, which takes time in proportion to
the files. A regular expression may take for ever, so it is matched in a process that is ended when the time is over.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, suppress
from itertools import accumulate
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeAlias

from msgspec import Struct

from pinakes.cancelling import checked
from pinakes.errors import ConfigError
from pinakes.library.listed_files import LARGEST
from pinakes.library.work.grep_worker import MOST_IN_FILE, shown
from pinakes.other_python import NEUTRAL, environment, python
from pinakes.sources.inside import open_inside, read_at_most

if TYPE_CHECKING:
    from pinakes.library.library import Library

MOST_MATCHES = 1_000
LONGEST_S = 5.0
"""For all files together."""
LONGEST_PATTERN = 1_000
_Found: TypeAlias = Generator[tuple[str, list[tuple[int, str]]], None, None]
"""By path, the numbers and texts of lines that match."""
_WORKER = str(Path(__file__).with_name("grep_worker.py"))


class GrepMatch(Struct, frozen=True):
    """A line that matches."""

    path: str
    number: int
    """Counted from 1."""
    text: str


class GrepResult(Struct, frozen=True):
    """What was found."""

    matches: tuple[GrepMatch, ...]
    is_cut: bool
    """Whether there may be more: too many were found, or the time was over."""


class GrepQuery(Struct, frozen=True):
    """What is looked for."""

    text: str
    is_regex: bool = False
    heeds_case: bool = False


def grep(
    library: Library, paths: Iterable[str], query: GrepQuery, longest_s: float = LONGEST_S, most: int = MOST_MATCHES
) -> GrepResult:
    """The lines of these files that match, in their order; raises `ConfigError` for what cannot be looked for. Files
    that are large or no text are passed over."""
    if not query.text or len(query.text) > LONGEST_PATTERN:
        raise ConfigError(
            "There is nothing to look for." if not query.text else "The text to look for is too long.",
            f"Give 1 to {LONGEST_PATTERN:,} letters.",
        )
    until = time.monotonic() + longest_s
    matches: list[GrepMatch] = []
    in_time = _InTime(_texts(library, paths), until)
    with closing(_by_regex(in_time, query, until) if query.is_regex else _by_text(in_time, query)) as found:
        for path, lines in found:
            matches += [GrepMatch(path, number, text) for number, text in lines]
            if len(matches) > most:
                return GrepResult(tuple(matches[:most]), is_cut=True)
    return GrepResult(tuple(matches), is_cut=in_time.is_over)


class _InTime:
    """Files, until the time is over."""

    def __init__(self, files: Iterable[tuple[str, str]], until: float) -> None:
        self._files = files
        self._until = until
        self.is_over = False

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for one in self._files:
            if time.monotonic() > self._until:
                self.is_over = True
                return
            yield one


def _texts(library: Library, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    root = os.path.realpath(library.root)
    for path in checked(paths):
        with suppress(OSError):
            descriptor = open_inside(root, path)
            try:
                data = read_at_most(descriptor, LARGEST)
            finally:
                os.close(descriptor)
            if data and b"\0" not in data:
                yield path, data.decode("utf-8", "replace")


def _by_text(files: Iterable[tuple[str, str]], query: GrepQuery) -> _Found:
    # Not by a regular expression: one that passes over cases takes the time of the file times that of the text.
    fold = str if query.heeds_case else str.casefold
    wanted = fold(query.text)
    for path, text in files:
        if wanted in fold(text) and (lines := _lines_with(wanted, text, fold)):
            yield path, lines


def _lines_with(wanted: str, text: str, fold: Callable[[str], str]) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        folded = fold(line)
        if (at := folded.find(wanted)) < 0:
            continue
        if len(folded) != len(line):  # some letters become two
            ends = accumulate(len(fold(letter)) for letter in line)
            at = next(place for place, end in enumerate(ends) if end > at)
        found.append((number, shown(line, at)))
        if len(found) == MOST_IN_FILE:
            break
    return found


def _by_regex(files: _InTime, query: GrepQuery, until: float) -> _Found:
    with subprocess.Popen(
        python("-S", _WORKER),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=NEUTRAL,
        env=environment() | {"PYTHONUTF8": "1"},
    ) as worker:
        assert worker.stdin is not None and worker.stdout is not None

        def end() -> None:
            files.is_over = True
            worker.kill()

        ending = threading.Timer(max(until - time.monotonic(), 0.0), end)
        ending.daemon = True
        ending.start()
        sending = threading.Thread(target=_send, args=(files, query, worker.stdin), daemon=True)
        sending.start()
        try:
            head = worker.stdout.readline()
            if head and (error := json.loads(head)["error"]):
                raise ConfigError(f"“{query.text}” is no regular expression: {error}.", "Correct it.")
            for line in worker.stdout:
                if line.endswith(b"\n"):  # or it was cut off by the end
                    answer = json.loads(line)
                    if answer["lines"]:
                        yield answer["path"], answer["lines"]
        finally:
            ending.cancel()
            worker.kill()
            sending.join()


def _send(files: Iterable[tuple[str, str]], query: GrepQuery, to: IO[bytes]) -> None:
    """A worker that was ended reads no more."""
    with suppress(OSError, ValueError), to:
        to.write(json.dumps({"pattern": query.text, "case": query.heeds_case}).encode() + b"\n")
        for path, text in files:
            to.write(json.dumps({"path": path, "text": text}).encode() + b"\n")
