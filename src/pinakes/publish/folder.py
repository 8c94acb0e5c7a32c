"""The folder that is published into, and the promise that nothing in it is touched that we did not write.

Parts enter, files leave. The folder carries `.pinakes-published`, the manifest: every part with its inputs, facts and
the digests of its files. Everybody else knows a published folder by that name, so it is the first file written.

    .pinakes-published       {"format": 1, "parts": {name: {"inputs", "facts", "files": {path: digest}}}}
    .pinakes-writing         what is about to be written, one `digest path` a line; gone when the manifest is written
    .pinakes-writing.new     the file that is being written, before it is moved into its place

A file is ours while its bytes are those of the manifest, or of a line in `.pinakes-writing`: whoever is killed leaves
files that the next run knows. Any other file is somebody's: it is neither written over nor removed, and named. Links
are somebody's as well and never followed.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from pinakes.atomic import replace_file
from pinakes.errors import PublishError
from pinakes.publish.part import Facts, FolderPart, PartFiles
from pinakes.publish.shape import as_json
from pinakes.render import Json

MARKER = ".pinakes-published"
WRITING = ".pinakes-writing"
SCRATCH = ".pinakes-writing.new"
_FORMAT = 1
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@dataclass(slots=True)
class _Known:
    """A part as the manifest has it."""

    inputs: str
    facts: Facts
    files: dict[str, str]


@dataclass(slots=True)
class Tally:
    """What became of the files."""

    written: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unchanged: int = 0
    kept: dict[str, None] = field(default_factory=dict)
    """Somebody else's files in our way, each once."""


class PublishedFolder:
    """One folder, for one run. `remembered` is a file elsewhere that says what files looked like after the last run, so
    that they need not be read again; it may be missing."""

    def __init__(self, root: Path, remembered: Path | None) -> None:
        self.root = root
        self._top = f"{root}{os.sep}"
        self.tally = Tally()
        self._remembered = remembered
        self._before = _claimed(root)
        self._after: dict[str, _Known] = {}
        self._claims = _claims(self._before, root)
        self._looks = _looks(remembered)
        self._seen: dict[str, tuple[int, int, str]] = {}
        self._folders = {""}

    def up_to_date(self, part: FolderPart) -> Facts | None:
        """The facts of a part that need not be made, because its inputs are what they were and its files are there;
        files that somebody changed stay as they are and are named."""
        known = self._before.get(part.name)
        if known is None or known.inputs != part.inputs:
            return None
        states = {path: self._digest(path) for path in known.files}
        if "" in states.values():
            return None
        for path, digest in states.items():
            if digest == known.files[path]:
                self.tally.unchanged += 1
            elif digest in self._claims.get(path, ()):
                return None  # half of another run
            else:
                self.tally.kept[path] = None
        self._after[part.name] = known
        return known.facts

    def write(self, part: FolderPart, made: PartFiles) -> None:
        """Write what differs from what is there."""
        wanted = {path: _digest(data) for path, data in made.files}
        present = {path: self._digest(path) for path in wanted}
        pending = [(path, data) for path, data in made.files if present[path] != wanted[path]]
        self.tally.unchanged += len(wanted) - len(pending)
        ours = [(path, data) for path, data in pending if self._may_write(path, present[path])]
        known = self._before.get(part.name)
        held = known.files if known else {}
        foreign = {path for path, _ in pending} - {path for path, _ in ours}
        files = {path: held.get(path, "") if path in foreign else digest for path, digest in wanted.items()}
        if ours:
            self._announce((wanted[path], path) for path, _ in ours)
            for path, data in ours:
                self._put(path, data, wanted[path])
        self._after[part.name] = _Known(part.inputs, made.facts, {path: one for path, one in files.items() if one})
        if foreign:
            # Something of this part is missing, so that it must be made again as soon as the way is free.
            self._after[part.name].inputs = ""

    def finish(self) -> None:
        """Remove what no part has any more, and write the manifest; without a change nothing is written."""
        wanted = {path for known in self._after.values() for path in known.files}
        for path in sorted(set(self._claims) - wanted):
            self._remove(path)
        manifest: Json = {
            "format": _FORMAT,
            "parts": {
                name: {"inputs": one.inputs, "facts": dict(one.facts), "files": dict(one.files)}
                for name, one in self._after.items()
            },
        }
        data = as_json(manifest)
        place = self.root / MARKER
        if _read(place) != data:
            replace_file(place, data)
        with suppress(FileNotFoundError):
            (self.root / WRITING).unlink()
        self._remember()

    def give_up(self) -> None:
        """Leave no half-written file behind."""
        with suppress(OSError):
            (self.root / SCRATCH).unlink()

    def _digest(self, path: str) -> str:
        """Of the file at a path; empty for none, and a word that is no digest for what is no plain file."""
        if not self._is_inside(path):
            return "elsewhere"
        place = self._top + path
        try:
            found = os.lstat(place)
        except (FileNotFoundError, NotADirectoryError):
            return ""
        if not stat.S_ISREG(found.st_mode):
            return "no file"
        look = self._looks.get(path)
        is_known = look is not None and look[:2] == (found.st_size, found.st_mtime_ns)
        digest = look[2] if look is not None and is_known else _digest_at(place)
        self._seen[path] = (found.st_size, found.st_mtime_ns, digest)
        return digest

    def _may_write(self, path: str, present: str) -> bool:
        is_ours = not present or present in self._claims.get(path, ())
        if not is_ours:
            self.tally.kept[path] = None
        return is_ours

    def _is_inside(self, path: str) -> bool:
        """Whether the folders on the way to a path are folders, and not links or files; those missing may be made."""
        folder = path.rpartition("/")[0]
        if folder in self._folders:
            return True
        if not self._is_inside(folder):
            return False
        try:
            found = os.lstat(self._top + folder)
        except FileNotFoundError:
            return True
        if stat.S_ISDIR(found.st_mode):
            self._folders.add(folder)
            return True
        return False

    def _announce(self, lines: Iterable[tuple[str, str]]) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | _NO_FOLLOW
        with open(os.open(self.root / WRITING, flags, 0o644), "ab") as file:
            # With a line end in front: a full disk may have cut the line before this one short.
            file.write("".join(f"\n{digest} {path}" for digest, path in lines).encode() + b"\n")

    def _put(self, path: str, data: bytes, digest: str) -> None:
        folder = path.rpartition("/")[0]
        if folder not in self._folders:
            os.makedirs(self._top + folder, exist_ok=True)
            self._folders.add(folder)
        scratch = self._top + SCRATCH
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _NO_FOLLOW
        descriptor = os.open(scratch, flags, 0o644)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            found = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        os.replace(scratch, self._top + path)
        self._seen[path] = (found.st_size, found.st_mtime_ns, digest)
        self.tally.written.append(path)

    def _remove(self, path: str) -> None:
        """Remove a file of an earlier run, and the folders that it leaves empty; one that was changed since stays."""
        digest = self._digest(path)
        if digest in self._claims[path]:
            (self.root / path).unlink()
            self.tally.removed.append(path)
            self._seen.pop(path, None)
        elif digest:
            self.tally.kept[path] = None
        folder = path.rpartition("/")[0]
        while folder and digest != "elsewhere":
            try:
                os.rmdir(self.root / folder)
            except OSError:
                return
            self._folders.discard(folder)
            folder = folder.rpartition("/")[0]

    def _remember(self) -> None:
        if self._remembered is None or self._seen == self._looks:
            return
        with suppress(OSError):  # only spares reading
            self._remembered.parent.mkdir(parents=True, exist_ok=True)
            seen = json.dumps({path: list(one) for path, one in self._seen.items()})
            replace_file(self._remembered, seen.encode(), durable=False)


def _claimed(root: Path) -> dict[str, _Known]:
    """The parts of the manifest, after making sure that the folder is ours; an empty one becomes so."""
    marker = root / MARKER
    try:
        root.mkdir(parents=True, exist_ok=True)
        is_ours = stat.S_ISREG(os.lstat(marker).st_mode) if os.path.lexists(marker) else None
        if is_ours is None and not os.listdir(root):
            replace_file(marker, as_json({"format": _FORMAT, "parts": {}}))
            is_ours = True
        data = marker.read_bytes() if is_ours else b""
    except OSError as error:
        raise cannot_write(root, error) from error
    if not is_ours:
        raise PublishError(
            f"{root} is not empty and was not published by Pinakes.", "Name an empty folder or one that is not there."
        )
    try:
        held = json.loads(data)
        version = held["format"]
        parts = {
            str(name): _Known(str(one["inputs"]), dict(one["facts"]), {str(p): str(d) for p, d in one["files"].items()})
            for name, one in held["parts"].items()
        }
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return {}  # whatever is there and differs from what we would write is then taken for somebody's
    if not isinstance(version, int) or version > _FORMAT:
        raise PublishError(f"{root} was published by a newer Pinakes.", "Use that one, or publish into another folder.")
    return parts


def _claims(parts: Mapping[str, _Known], root: Path) -> dict[str, set[str]]:
    """Every path we ever wrote to, with the digests of what we wrote or were about to. Names that lead out of the
    folder are none of ours, whoever put them into the manifest."""
    found: dict[str, set[str]] = {}
    for known in parts.values():
        for path, digest in known.files.items():
            found.setdefault(path, set()).add(digest)
    for line in _read(root / WRITING).decode("utf-8", "replace").split("\n"):
        digest, _, path = line.partition(" ")
        if path:
            found.setdefault(path, set()).add(digest)
    return {path: digests for path, digests in found.items() if _is_plain(path)}


def _is_plain(path: str) -> bool:
    parts = path.split("/")
    reserved = (MARKER, WRITING, SCRATCH)
    return not any(part in ("", ".", "..") or "\0" in part or "\\" in part for part in parts) and path not in reserved


def _looks(remembered: Path | None) -> dict[str, tuple[int, int, str]]:
    if remembered is None:
        return {}
    try:
        held = json.loads(remembered.read_bytes())
        return {str(path): (int(one[0]), int(one[1]), str(one[2])) for path, one in held.items()}
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return {}


def cannot_write(root: Path, error: OSError) -> PublishError:
    """What to say when the system does not let us."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        step = "Make room and publish again: it goes on from there."
    else:
        step = "Check the folder's permissions, or name another one, and publish again."
    return PublishError(f"{root} cannot be written: {error.strerror or error}.", step)


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _digest_at(place: str) -> str:
    with open(os.open(place, os.O_RDONLY | _NO_FOLLOW), "rb") as file:
        return _digest(file.read())


def _read(place: Path) -> bytes:
    """What a file of ours holds; nothing when it is not there, or is a link."""
    try:
        with open(os.open(place, os.O_RDONLY | _NO_FOLLOW), "rb") as file:
            return file.read()
    except OSError:
        return b""
