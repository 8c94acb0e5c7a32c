"""Edit blocks, read from an answer while it streams.

Pieces of text enter, cut anywhere; blocks leave, each when the next one begins or the answer ends. The blocks of an
answer are the same however it is cut. A block is

    path/to/file
    <<<<<<< FIND
    the text that stands there now
    =======
    the text that shall stand there instead
    >>>>>>> END

The three marks stand at the beginning of their lines and have the same number of signs, seven or more. Lines that look
like marks of another length are text, so that a text with such lines is written with longer marks. Where marks of a
block's own length leave more than one reading, the block gets a fault instead of a guess. The same is true of a block
that has no path, that is indented or that the answer does not finish. Both texts are empty or end with a line end,
which is always `\\n`.

What stands around the path, out of habit, does not belong to it: ``./``, backticks, asterisks, the signs of a heading
or of a list, a colon. Empty lines and the opening of a code fence may stand between the path and the block.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pinakes.records.edits import EditBlock

_OPENING = re.compile(r"(<{7,}) FIND[ \t]*")
_CLOSING = re.compile(r"(>{7,}) END[ \t]*")
_BETWEEN = re.compile(r"(={7,})[ \t]*")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[^`]*")
_LEADING = re.compile(r"(#{1,6}|[-*+]|\d{1,3}[.)])[ \t]+")
_QUOTED = re.compile(r"(`+)([^`]+)\1|\*\*(.+)\*\*")
_LONGEST_PATH = 4000

_NO_PATH = "The block has no path in the line above it. Write the path of the file there, alone in its line."
_SPACES = "A new file with spaces in its path needs backticks around the path, or it could be a sentence."
_INDENTED = "The marks of the block are indented. Write them, and the texts, at the beginning of their lines."
_UNDIVIDED = (
    "The block has no line of {} equal signs between the text to find and the text to put. Ask for it once more."
)
_LONGER = "If that belongs to a text, write the block with longer marks: {}."
_TWICE = f"The block has several lines of {{}} equal signs, and any of them may divide it. {_LONGER}"
_NESTED = f"The block begins once more before it ends. {_LONGER}"
_ENDS_TWICE = f"The block ends twice, and either end may be the true one. {_LONGER}"
_UNFINISHED = "The answer ended before the block did, which has no line {} END. Ask for it once more."


class EditStream:
    """The blocks of one answer."""

    def __init__(self) -> None:
        self._line: list[str] = []
        """The pieces of the line that has not ended yet."""
        self._above = ""
        """The last line outside of blocks that may hold a path."""
        self._block: _OpenBlock | None = None
        self._ended: _OpenBlock | None = None
        """The last block, until it is clear that its end was not a line of its text."""

    def feed(self, text: str) -> tuple[EditBlock, ...]:
        """The blocks that are known for sure with this piece of the answer."""
        found = []
        *ended, rest = text.split("\n")
        for piece in ended:
            self._line.append(piece)
            found += self._take_line()
        if rest:
            self._line.append(rest)
        return tuple(found)

    def finish(self) -> tuple[EditBlock, ...]:
        """The last blocks: at the end of the answer, one that is not finished is known to have that fault."""
        found = self._take_line() if self._line else []
        found += self._released()
        if self._block is not None:
            found.append(self._block.closed(is_finished=False))
        self._block, self._above = None, ""
        return tuple(found)

    def _take_line(self) -> list[EditBlock]:
        line = "".join(self._line).rstrip("\r")
        self._line.clear()
        if self._block is None:
            return self._look_outside(line)
        if self._block.ends_with(line):
            self._ended, self._block = self._block, None
        return []

    def _look_outside(self, line: str) -> list[EditBlock]:
        if opening := _OPENING.fullmatch(line.lstrip(" \t")):
            path, is_quoted = _path(self._above)
            self._block = _OpenBlock(path, len(opening[1]), not line.startswith("<"), is_quoted)
            self._above = ""
            return self._released()
        if self._ended is not None:
            self._ended.look_behind(line)
        if line.strip() and not _FENCE.fullmatch(line):
            self._above = line if len(line) <= _LONGEST_PATH else ""
        return []

    def _released(self) -> list[EditBlock]:
        ended, self._ended = self._ended, None
        return [ended.closed()] if ended is not None else []


def blocks_of(answer: str) -> tuple[EditBlock, ...]:
    """The blocks of a whole answer, also those that have a fault."""
    stream = EditStream()
    return (*stream.feed(answer), *stream.finish())


@dataclass(slots=True)
class _OpenBlock:
    """A block whose last line has not come yet."""

    path: str
    length: int
    """How many signs each of its marks has."""
    is_indented: bool
    is_quoted: bool
    find: list[str] = field(default_factory=list)
    put: list[str] | None = None
    depth: int = 1
    """How many blocks have begun and not ended."""
    fault: str = ""

    def ends_with(self, line: str) -> bool:
        """Take a line; whether it is the last one."""
        mark = line.lstrip(" \t") if self.is_indented else line
        if self._is_mark(_CLOSING.fullmatch(mark)):
            self.depth -= 1
        elif self._is_mark(_OPENING.fullmatch(mark)):
            self.depth += 1
            self.fault = self.fault or _NESTED.format(self._longer())
        elif self.depth == 1 and self._is_mark(_BETWEEN.fullmatch(mark)):
            if self.put is None:
                self.put = []
                return False
            self.fault = self.fault or _TWICE.format(self.length, self._longer())
        if self.depth:
            (self.find if self.put is None else self.put).append(line)
        return not self.depth

    def look_behind(self, line: str) -> None:
        """Take a line that follows the block before another begins."""
        if self._is_mark(_CLOSING.fullmatch(line)):
            self.fault = self.fault or _ENDS_TWICE.format(self._longer())

    def closed(self, *, is_finished: bool = True) -> EditBlock:
        """The block as it is now, with the first of its faults."""
        find, put = _text(self.find), _text(self.put or [])
        faults = (
            "" if is_finished else _UNFINISHED.format(">" * self.length),
            self.fault,
            _INDENTED if self.is_indented else "",
            _UNDIVIDED.format(self.length) if self.put is None else "",
            "" if self.path else _NO_PATH,
            _SPACES if " " in self.path and not self.is_quoted and not find.strip() else "",
        )
        return EditBlock(self.path, find, put, next(filter(None, faults), ""))

    def _is_mark(self, found: re.Match[str] | None) -> bool:
        return found is not None and len(found[1]) == self.length

    def _longer(self) -> str:
        longer = self.length + 1
        return f"{'<' * longer} FIND, {'=' * longer} and {'>' * longer} END"


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _path(line: str) -> tuple[str, bool]:
    """The path that a line names, and whether it is in backticks."""
    path = line.strip().removeprefix("\ufeff")
    if leading := _LEADING.match(path):
        path = path[leading.end() :]
    is_quoted = False
    while True:
        inner = path.removesuffix(":").strip()
        if quoted := _QUOTED.fullmatch(inner):
            is_quoted = is_quoted or bool(quoted[2])
            inner = (quoted[2] or quoted[3]).strip()
        if inner == path:
            return path.removeprefix("./"), is_quoted
        path = inner
