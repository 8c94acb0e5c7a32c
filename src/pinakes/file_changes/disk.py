"""Files below one folder, changed without following a link.

A folder and paths below it enter. Every step on the way is opened relative to the one before with links refused, so
nothing that is swapped in between two looks leads elsewhere. It raises an error of the caller's choice for what is in
the way, `StoreStrange` for a link among the folders of a path, and `OSError`.
"""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from contextlib import suppress
from pathlib import Path

from pinakes.errors import PinakesError, StoreStrange
from pinakes.own_folder.held import HeldFolder, hold
from pinakes.sources.inside import open_without_links, read_at_most

MOST_BYTES = 1_000_000_000
_LONGEST_NAME, _SHOWN = 255, 200
_STEP = "Put the folder itself in its place, or leave what is below it alone."
_OTHER = "Choose another file."
_DIRECTORY_RIGHTS, _FILE_RIGHTS = 0o777, 0o666


class Disk:
    """The files below a folder."""

    def __init__(self, root: Path, refused: type[PinakesError]) -> None:
        self.root = os.path.realpath(root)
        self.refused = refused
        """The error for what is in the way."""

    def read(self, path: str, most_bytes: int = MOST_BYTES) -> bytes:
        """The bytes of a plain file; raises `refused` for everything else."""
        try:
            descriptor = open_without_links(self.root, path)
        except FileNotFoundError:
            raise self.refused(f"{path} is no longer there.", "Run the command again.") from None
        except OSError as error:
            raise self.refused(
                f"{path} cannot be changed: {error.strerror}.", "Put the file itself in its place."
            ) from error
        try:
            data = read_at_most(descriptor, most_bytes)
        except OSError as error:
            raise self.refused(f"{path} cannot be changed: it {error.strerror}.", _OTHER) from error
        finally:
            os.close(descriptor)
        if data is None:
            raise self.refused(f"{path} holds more than {most_bytes:,} bytes.", _OTHER)
        return data

    def read_if_there(self, path: str) -> bytes | None:
        """As `read`; None when nothing is there."""
        return None if self.facts(path) is None else self.read(path)

    def facts(self, path: str) -> os.stat_result | None:
        """What is at a path, a link too; None when nothing is."""
        *folders, name = self._parts(path)
        try:
            with hold(self.root, folders, _STEP) as held:
                return held.lstat(name)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def is_same_name(self, old: str, new: str) -> bool:
        """Whether two paths are one name, because the disk does not tell capital letters from small ones. Hard links
        are two names of one file: a folder lists both, even where they differ in capital letters alone."""
        if old == new:
            return True
        before, after = self.facts(old), self.facts(new)
        if before is None or after is None or not os.path.samestat(before, after) or _folded(old) != _folded(new):
            return False
        *folders, name = self._parts(old)
        *new_folders, new_name = self._parts(new)
        if not self.is_same_name("/".join(folders), "/".join(new_folders)):
            return False
        with hold(self.root, new_folders, _STEP) as held, held.opened() as opened:
            return name == new_name or not {name, new_name} <= set(os.listdir(opened))

    def refuse_unwritable(self, path: str) -> None:
        """Raise `refused` for a file that is read only, or lies in a folder that is."""
        facts = self.facts(path)
        place = os.path.join(self.root, path)
        if facts is not None and stat.S_ISREG(facts.st_mode) and not facts.st_mode & 0o222:
            raise self.refused(f"{path} is read only.", "Allow writing it first.")
        if not os.access(os.path.dirname(place), os.W_OK | os.X_OK):
            raise self.refused(f"The folder of {path} is read only.", "Allow writing in it first.")

    def write_beside(self, path: str, name: str, data: bytes) -> None:
        """Write a file called `name` in the folder of `path`, with the rights of the file that is at `path`, if any."""
        *folders, own = self._parts(path)
        with hold(self.root, folders, _STEP) as held:
            facts = _at(held, own)
            with os.fdopen(held.new(name, 0o600 if facts else _FILE_RIGHTS), "wb") as file:
                file.write(data)
                if facts is not None:
                    rights = stat.S_IMODE(facts.st_mode)
                    os.chmod(file.fileno() if os.chmod in os.supports_fd else held.at(name), rights)
                file.flush()
                os.fsync(file.fileno())

    def put_in_place(self, path: str, name: str) -> None:
        """Let the file called `name` in the folder of `path` take the place of the file at `path`."""
        *folders, own = self._parts(path)
        with hold(self.root, folders, _STEP) as held:
            held.rename(name, held, own)
            held.flush()

    def put_in_free_place(self, path: str, name: str) -> None:
        """Let the file called `name` in the folder of `path` be the file at `path`; raises `refused` when there is one
        already."""
        *folders, own = self._parts(path)
        with hold(self.root, folders, _STEP) as held:
            try:
                held.rename_to_free(name, held, own)
            except FileExistsError:
                raise self.refused(f"{path} exists already.", "Look at it, and choose another name.") from None
            held.flush()

    def remove(self, path: str) -> None:
        """Remove a file."""
        *folders, own = self._parts(path)
        with hold(self.root, folders, _STEP) as held:
            os.unlink(held.at(own), dir_fd=held.descriptor)
            held.flush()

    def forget_beside(self, path: str, name: str) -> None:
        """Remove the file called `name` in the folder of `path`, if it is there."""
        *folders, _ = self._parts(path)
        with suppress(OSError, StoreStrange), hold(self.root, folders, _STEP) as held:
            held.forget(name)

    def missing_folders(self, path: str) -> tuple[str, ...]:
        """The folders above `path` that are not there, the uppermost first."""
        parts = self._parts(path)[:-1]
        above = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
        return tuple(folder for folder in above if self.facts(folder) is None)

    def make_folder(self, path: str) -> None:
        """Make one folder, if it is not there."""
        *folders, name = self._parts(path)
        with suppress(FileExistsError), hold(self.root, folders, _STEP) as held:
            os.mkdir(held.at(name), _DIRECTORY_RIGHTS, dir_fd=held.descriptor)

    def remove_empty(self, path: str) -> None:
        """Remove a folder that holds nothing; one that holds something stays."""
        *folders, name = self._parts(path)
        with suppress(OSError, StoreStrange), hold(self.root, folders, _STEP) as held:
            os.rmdir(held.at(name), dir_fd=held.descriptor)

    def move(self, old: str, new: str) -> None:
        """Give a file or folder another path that nothing has; raises `refused`."""
        *folders, name = self._parts(old)
        *new_folders, new_name = self._parts(new)
        with hold(self.root, folders, _STEP) as held, hold(self.root, new_folders, _STEP) as other:
            facts = held.lstat(name)
            there = _at(other, new_name)
            if there is not None and not self.is_same_name(old, new):
                raise self.refused(f"{new} exists already.", "Choose another name, or move that away first.")
            if there is not None or stat.S_ISDIR(facts.st_mode):
                held.rename(name, other, new_name)  # there: the same name, written in other letters
            else:
                held.rename_to_free(name, other, new_name)
            other.flush()
            held.flush()

    def move_back(self, old: str, new: str) -> None:
        """Undo `move`, however far it came."""
        before, after = self.facts(old), self.facts(new)
        if after is None:
            return
        if before is None or self.is_same_name(old, new):
            for folder in self.missing_folders(old):
                self.make_folder(folder)
            self.move(new, old)
        elif os.path.samestat(before, after):
            *folders, name = self._parts(new)
            with hold(self.root, folders, _STEP) as held:
                held.forget(name)  # a file that was about to move has two names for a moment

    def _parts(self, path: str) -> list[str]:
        """The names in a path; raises `refused` for one that leads out of the folder, or into what is never changed."""
        parts = path.split("/")
        if any(part in ("", ".", "..", ".git", ".pinakes") or not _can_be_name(part) for part in parts):
            raise self.refused(
                f"“{path[:_SHOWN]}” does not name a file that may be changed.", "Name a path below the root."
            )
        return parts


def _can_be_name(part: str) -> bool:
    """Whether a file could be called so: in 255 bytes, without halves of letters."""
    try:
        return "\0" not in part and len(os.fsencode(part)) <= _LONGEST_NAME
    except UnicodeEncodeError:
        return False


def _folded(path: str) -> str:
    """A path without what some disks do not tell apart."""
    return unicodedata.normalize("NFC", path).casefold()


def _at(held: HeldFolder, name: str) -> os.stat_result | None:
    try:
        return held.lstat(name)
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTDIR):
            raise
        return None
