"""What the index was made from, in a small file beside it: ``manifest.json``.

It is written when everything it speaks of is on disk, by replacing the file, so whoever reads it sees the index before
an update or after it. A file that cannot be read, was not signed by this user, or was written for another form of index
is as good as none.

The engine's files never change once written. One of another size is damaged; one of another time is read, and damaged
when its checksum is another one too.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from pinakes.own_folder import OwnEntry, OwnFolder
from pinakes.user_key import read_signed, write_signed

NAME = "manifest.json"
FOLDER = "index-"
"""How the names of folders with the engine's files begin."""
LIST = "meta.json"
"""The engine's own list of its files."""
_FORM = "5"
"""Changes with every change to the terms of a chunk or to the fields they are in, so that older ones are made anew."""


class Manifest(Struct, frozen=True):
    """A whole index."""

    form: str
    """Names everything that decides by which terms a chunk is found."""
    folder: str
    """Where the engine's files are, beside this one."""
    generation: int
    """Of the store."""
    history: str
    """Names the run of the store's generations."""
    files: Mapping[str, Sequence[int]]
    """Of each of the engine's files its size in bytes, its time in nanoseconds, and its CRC-32."""


def form_name() -> str:
    """Names everything that decides by which terms a chunk is found; the stemmer's tables change with its version."""
    import Stemmer

    return f"{_FORM}:{Stemmer.version()}"


def read_manifest(folder: OwnFolder) -> Manifest | None:
    """The index kept in `folder`, if it is whole and of the present form."""
    try:
        found = Manifest(**(read_signed(folder, NAME) or {}))
    except TypeError:
        return None
    is_ours = found.form == form_name() and found.folder.startswith(FOLDER) and "/" not in found.folder
    return found if is_ours else None


def write_manifest(folder: OwnFolder, made: Manifest) -> None:
    write_signed(folder, NAME, to_builtins(made))


def remove_manifest(folder: OwnFolder) -> None:
    """Without it the next update starts over, even when the store has not changed."""
    folder.remove(NAME)


def written(folder: OwnFolder) -> dict[str, Sequence[int]]:
    """What is to be remembered of the engine's files."""
    return {name: (found.st_size, found.st_mtime_ns, _checksum(folder, name)) for name, found in _files(folder)}


def changed_file(folder: OwnFolder, made: Manifest) -> str:
    """The name of what is not as it was written, or nothing. While somebody writes, that is no damage yet."""
    return _first_changed(folder, made, may_be_newer=False)


def changed_segment(folder: OwnFolder, made: Manifest) -> str:
    """Like `changed_file`, but without the files that every commit of the engine replaces: one that is gone may have
    been merged away, and the engine's list of files may be newer than this manifest."""
    return _first_changed(folder, made, may_be_newer=True)


def _first_changed(folder: OwnFolder, made: Manifest, *, may_be_newer: bool) -> str:
    try:
        present = dict(_files(folder))
        for name, (size, time, checksum) in made.files.items():
            found = present.get(name)
            if may_be_newer and (found is None or name == LIST):
                continue
            if found is None or found.st_size != size:
                return name
            try:
                if found.st_mtime_ns != time and _checksum(folder, name) != checksum:
                    return name
            except FileNotFoundError:
                if not may_be_newer:
                    return name
    except (OSError, ValueError):
        return folder.path.name
    return ""


def damage(folder: OwnFolder) -> str:
    """The name of a file whose every byte was read and is not what was written, or nothing."""
    made = read_manifest(folder)
    if made is None:
        return NAME if folder.holds(NAME) else ""
    return changed_file(
        folder.folder(made.folder),
        replace(made, files={name: (size, -1, checksum) for name, (size, _, checksum) in made.files.items()}),
    )


def copy(source: OwnFolder, target: OwnFolder) -> None:
    """Put the files of an index into another folder, with a manifest of their own; nothing when they are not what was
    written."""
    made = read_manifest(source)
    if made is None:
        return
    here, there = source.folder(made.folder), target.folder(made.folder)
    try:
        there.make()
        for name in made.files:
            here.copy(name, there)
        copied = written(there)
    except OSError:  # an update may be taking the files away
        return
    if _contents(copied) == _contents(made.files):
        write_manifest(target, replace(made, files=copied))


def _contents(files: Mapping[str, Sequence[int]]) -> dict[str, tuple[int, int]]:
    """Of each file its size and its checksum, whenever it was written."""
    return {name: (size, checksum) for name, (size, _, checksum) in files.items()}


def _files(folder: OwnFolder) -> list[OwnEntry]:
    """The engine's files; hidden are its locks and what it knows of files to remove."""
    return [entry for entry in folder.entries() if not entry.name.startswith(".")]


def _checksum(folder: OwnFolder, name: str) -> int:
    found = 0
    with folder.open(name) as file:
        while piece := file.read(1 << 20):
            found = zlib.crc32(piece, found)
    return found
