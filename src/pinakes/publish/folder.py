"""The folder that is published into, and the promise that nothing in it is touched that we did not write.

Parts enter, files leave. The folder carries `.pinakes-published`, the manifest: every part with its inputs, facts and
the digests of its files. Everybody else knows a published folder by that name, so it is the first file written.

    .pinakes-published       {"format": 1, "parts": {name: {"inputs", "facts", "files": {path: digest}}}}
    .pinakes-writing         what is about to be written, one `digest path` a line; gone when the manifest is written
    .pinakes-writing.new     the file that is being written, before it is moved into its place

A file is ours while its bytes are those of the manifest, or of a line in `.pinakes-writing`: whoever is killed leaves
files that the next run knows. Any other file is somebody's: it is neither written over nor removed, and named. Links
are somebody's as well and never followed: every file is reached as one of ours is, see `OwnFolder`.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from pinakes.errors import PublishError, StoreStrange
from pinakes.own_folder import OwnFolder
from pinakes.publish.part import Facts, FolderPart, PartFiles
from pinakes.publish.shape import as_json
from pinakes.render import Json

MARKER = ".pinakes-published"
WRITING = ".pinakes-writing"
SCRATCH = ".pinakes-writing.new"
_FORMAT = 1
_LOOKS = "files.json"
_NO_FILE = "no file"
_MOST_BYTES = 1_000_000_000


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
    """One folder, for one run. `remembered` is a folder elsewhere that says what files looked like after the last run,
    so that they need not be read again; it may be missing."""

    def __init__(self, own: OwnFolder, remembered: OwnFolder | None) -> None:
        self.root = own.path
        self._own = own
        self.tally = Tally()
        self._remembered = remembered
        self._before = _claimed(self._own)
        self._after: dict[str, _Known] = {}
        self._claims = _claims(self._before, self._own)
        self._looks = _looks(remembered)
        self._seen: dict[str, tuple[int, int, str]] = {}
        self._made: set[OwnFolder] = set()
        self._folders: dict[str, OwnFolder] = {}

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
        if _read(self._own, MARKER) != data:
            self._own.replace(MARKER, data)
        self._own.remove(WRITING)
        self._remember()

    def give_up(self) -> None:
        """Leave no half-written file behind."""
        with suppress(OSError, StoreStrange):
            self._own.remove(SCRATCH)

    def _at(self, path: str) -> tuple[OwnFolder, str]:
        above, _, name = path.rpartition("/")
        if above not in self._folders:
            self._folders[above] = self._own.folder(*above.split("/")) if above else self._own
        return self._folders[above], name

    def _digest(self, path: str) -> str:
        """Of the file at a path; empty for none, and a word that is no digest for what is no plain file."""
        folder, name = self._at(path)
        try:
            found = folder.facts(name)
            if found is None:
                return ""
            look = self._looks.get(path)
            is_known = look is not None and look[:2] == (found.st_size, found.st_mtime_ns)
            digest = look[2] if look is not None and is_known else _digest(folder.read(name, _MOST_BYTES))
        except FileNotFoundError:
            return ""
        except (StoreStrange, NotADirectoryError, IsADirectoryError):
            return _NO_FILE
        self._seen[path] = (found.st_size, found.st_mtime_ns, digest)
        return digest

    def _may_write(self, path: str, present: str) -> bool:
        is_ours = not present or present in self._claims.get(path, ())
        if not is_ours:
            self.tally.kept[path] = None
        return is_ours

    def _announce(self, lines: Iterable[tuple[str, str]]) -> None:
        with self._own.open_to_write(WRITING, create=True) as file:
            file.seek(0, os.SEEK_END)
            # With a line end in front: a full disk may have cut the line before this one short.
            file.write("".join(f"\n{digest} {path}" for digest, path in lines).encode() + b"\n")

    def _put(self, path: str, data: bytes, digest: str) -> None:
        folder, name = self._at(path)
        if folder not in self._made:
            self._made.add(folder.make())
        with self._own.open_to_write(SCRATCH, create=True) as file:
            file.truncate()
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(file.fileno(), rest) :]
            found = os.fstat(file.fileno())
        self._own.move(SCRATCH, folder, name, durable=False)
        self._seen[path] = (found.st_size, found.st_mtime_ns, digest)
        self.tally.written.append(path)

    def _remove(self, path: str) -> None:
        """Remove a file of an earlier run, and the folders that it leaves empty; one that was changed since stays."""
        folder, name = self._at(path)
        digest = self._digest(path)
        if digest in self._claims[path]:
            folder.remove(name)
            self.tally.removed.append(path)
            self._seen.pop(path, None)
        elif digest:
            self.tally.kept[path] = None
        *above, _ = path.split("/")
        while above:
            try:
                self._own.folder(*above[:-1]).remove_empty(above[-1])
            except (OSError, StoreStrange):
                return
            above.pop()

    def _remember(self) -> None:
        if self._remembered is None or self._seen == self._looks:
            return
        with suppress(OSError):  # only spares reading
            seen = json.dumps({path: list(one) for path, one in self._seen.items()})
            self._remembered.make().replace(_LOOKS, seen.encode(), durable=False)


def _claimed(own: OwnFolder) -> dict[str, _Known]:
    """The parts of the manifest, after making sure that the folder is ours; an empty one becomes so."""
    root = own.path
    try:
        root.mkdir(parents=True, exist_ok=True)
        if not os.listdir(root):
            own.replace(MARKER, as_json({"format": _FORMAT, "parts": {}}))
        is_ours = own.holds(MARKER)
        data = own.read(MARKER, _MOST_BYTES) if is_ours else b""
    except OSError as error:
        raise cannot_write(root, error) from error
    except StoreStrange:
        is_ours = False
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


def _claims(parts: Mapping[str, _Known], own: OwnFolder) -> dict[str, set[str]]:
    """Every path we ever wrote to, with the digests of what we wrote or were about to. Names that lead out of the
    folder are none of ours, whoever put them into the manifest."""
    found: dict[str, set[str]] = {}
    for known in parts.values():
        for path, digest in known.files.items():
            found.setdefault(path, set()).add(digest)
    for line in _read(own, WRITING).decode("utf-8", "replace").split("\n"):
        digest, _, path = line.partition(" ")
        if path:
            found.setdefault(path, set()).add(digest)
    return {path: digests for path, digests in found.items() if _is_plain(path)}


def _is_plain(path: str) -> bool:
    parts = path.split("/")
    reserved = (MARKER, WRITING, SCRATCH)
    return not any(part in ("", ".", "..") or "\0" in part or "\\" in part for part in parts) and path not in reserved


def _looks(remembered: OwnFolder | None) -> dict[str, tuple[int, int, str]]:
    if remembered is None:
        return {}
    try:
        held = json.loads(remembered.read(_LOOKS, _MOST_BYTES))
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


def _read(own: OwnFolder, name: str) -> bytes:
    """What a file of ours holds; nothing when it is not there, or is a link."""
    try:
        return own.read(name, _MOST_BYTES)
    except (OSError, StoreStrange):
        return b""
