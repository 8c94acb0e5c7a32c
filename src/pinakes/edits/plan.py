"""What the blocks of an answer come to, tried against the files as they are now. Nothing is written.

A root and blocks enter, an `EditPlan` leaves. The blocks of a file are tried in their order, each against what the ones
before it made of the file. One that cannot be carried out is refused with the reason and the next step, and the others
go on.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from pinakes.edits.match import MOST_PLACES, TextPlaces, replace_once
from pinakes.edits.nearest import nearest
from pinakes.edits.paths import new_path_fault, one_name, path_fault
from pinakes.errors import BadEdit, PinakesError
from pinakes.file_changes import Disk
from pinakes.records.edits import EditBlock, EditPlan, FileChange, RefusedEdit
from pinakes.render.text import safe

LARGEST_FILE = 4_000_000
"""Bytes of a file that can be changed."""
MOST_BLOCKS = 1000
_MOST_COMPARED = 8_000_000
"""Letters of files that are compared in all with texts that do not stand in them: some seconds."""


def plan_edits(root: Path, blocks: Iterable[EditBlock], why_not: Callable[[str], str]) -> EditPlan:
    """The changes that blocks come to, and the blocks that are refused. `why_not` gives the reason why a file at a
    path is none to be changed, as the end of a sentence, or nothing."""
    trial = _Trial(Disk(root, BadEdit), why_not)
    refused = []
    for number, block in enumerate(blocks, 1):
        try:
            if number > MOST_BLOCKS:
                raise BadEdit(f"The answer has more than {MOST_BLOCKS} blocks.", "Ask for less at a time.")
            trial.take(block)
        except _TextMissing as missing:
            refused.append(RefusedEdit(block, str(missing), missing.nearest, missing.line))
        except PinakesError as error:
            refused.append(RefusedEdit(block, str(error)))
        except OSError as error:
            refused.append(RefusedEdit(block, f"{safe(block.path)} cannot be changed: {error.strerror}."))
    return EditPlan(trial.changes(), tuple(refused))


class _TextMissing(BadEdit):
    """The text to find does not stand in the file exactly once."""

    def __init__(self, problem: str, next_step: str, nearest: str = "", line: int = 0) -> None:
        super().__init__(problem, next_step)
        self.nearest, self.line = nearest, line


@dataclass(slots=True)
class _TriedFile:
    before: bytes | None
    text: str | None
    """What the blocks so far make of it; None while there is no file."""
    identity: tuple[int, int] | None
    """Device and number of the file."""
    after: bytes | None = None


class _Trial:
    """The files that blocks name, as the blocks leave them."""

    def __init__(self, disk: Disk, why_not: Callable[[str], str]) -> None:
        self._disk = disk
        self._why_not = why_not
        self._files: dict[str, _TriedFile] = {}
        """Those that a block was carried out on."""
        self._read: dict[str, _TriedFile] = {}
        """All that were read: an answer may name a large file in hundreds of blocks that are refused."""
        self._left = _MOST_COMPARED

    def changes(self) -> tuple[FileChange, ...]:
        found = (FileChange(path, one.before, one.after) for path, one in self._files.items())
        return tuple(change for change in found if change.before != change.after)

    def take(self, block: EditBlock) -> None:
        """Carry a block out on what is held here; raises `BadEdit` and what reading a file raises."""
        if block.fault:
            raise BadEdit(block.fault)
        if fault := path_fault(block.path):
            raise BadEdit(f"The path “{safe(block.path)}” {fault}.", "Name a file of the repository from its root.")
        if reason := self._why_not(block.path):
            raise BadEdit(f"{block.path} is not to be changed: {reason}.", "Choose another file.")
        file = self._file(block.path)
        text = self._made(block, file) if not block.find.strip() else self._replaced(block, file)
        file.after, file.text = bytes_of(block.path, text), text
        self._files[block.path] = file

    def _file(self, path: str) -> _TriedFile:
        if path in self._files:
            return self._files[path]
        if path not in self._read:
            facts = self._disk.facts(path)
            if facts is None:
                return _TriedFile(None, None, None)
            data = self._disk.read(path, LARGEST_FILE)
            self._disk.refuse_unwritable(path)
            self._read[path] = _TriedFile(data, text_of(path, data), (facts.st_dev, facts.st_ino), data)
        file = self._read[path]
        if other := next((name for name, one in self._files.items() if one.identity == file.identity), ""):
            raise BadEdit(f"{path} is the same file as {other}.", "Name it in one way only.")
        return file

    def _made(self, block: EditBlock, file: _TriedFile) -> str:
        """The text of a new file."""
        path = block.path
        if file.text is not None:
            raise BadEdit(
                f"{path} exists already, and a block without a text to find makes a new file.",
                "Copy the text to find from the file, or choose another path.",
            )
        if fault := new_path_fault(path):
            raise BadEdit(f"No file is made at “{path}”: it {fault}.", "Choose another name.")
        for other in self._files:
            if one_name(other) == one_name(path):
                raise BadEdit(f"{path} differs from {other} in a way that not every disk tells.", "Name it otherwise.")
            if other.startswith(f"{path}/") or path.startswith(f"{other}/"):
                raise BadEdit(f"{path} and {other} cannot both be files.", "Choose another path.")
        parts = path.split("/")
        for count in range(1, len(parts)):
            facts = self._disk.facts(folder := "/".join(parts[:count]))
            if facts is not None and not stat.S_ISDIR(facts.st_mode):
                raise BadEdit(f"{folder} is no folder, and nothing can lie below it.", "Choose another path.")
        return block.put

    def _replaced(self, block: EditBlock, file: _TriedFile) -> str:
        """The text of a file with the block carried out."""
        if file.text is None:
            raise BadEdit(
                f"There is no file {block.path}.", "Name one that is there, or leave the text to find empty to make it."
            )
        text = replace_once(file.text, block.find, block.put)
        if isinstance(text, TextPlaces):
            raise self._missing(block, file.text, text.lines)
        if text == file.text:
            raise BadEdit(f"The block changes nothing in {block.path}.", "Put another text than the one to find.")
        return text

    def _missing(self, block: EditBlock, text: str, lines: tuple[int, ...]) -> _TextMissing:
        if lines:
            often = f"{len(lines)} times" if len(lines) < MOST_PLACES else f"{MOST_PLACES} times or more"
            return _TextMissing(
                f"The text to find stands {often} in {block.path}, in the lines {', '.join(map(str, lines))}.",
                "Copy more lines around it, so that it stands there once.",
            )
        problem = f"The text to find does not stand in {block.path}"
        self._left -= len(text)
        line, found = nearest(text, block.find) if self._left > 0 else (0, "")
        if not line:
            return _TextMissing(f"{problem}, and nothing like it.", "Copy it from the file, letter by letter.")
        last = line + found.count("\n")
        where = f"line {line} is" if last == line else f"the lines {line}–{last} are"
        return _TextMissing(f"{problem}; {where} most like it.", "Copy it from there, letter by letter.", found, line)


def text_of(path: str, data: bytes) -> str:
    """The text of a file, with its byte order mark, if it has one; raises `BadEdit` for what is no text in UTF-8."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise BadEdit(f"{path} is not in UTF-8.", "Change it by hand, or convert it first.") from None
    if "\0" in text:
        raise BadEdit(f"{path} is no text.", "Change it by hand.")
    return text


def bytes_of(path: str, text: str) -> bytes:
    """What a text is in a file; raises `BadEdit` for signs that no file of text holds."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        data = b"\0"
    if b"\0" in data:
        raise BadEdit(f"The text for {path} holds signs that are no text.", "Leave them out.")
    if len(data) > LARGEST_FILE:
        raise BadEdit(f"{path} would hold more than {LARGEST_FILE:,} bytes.", "Put less text.")
    return data
