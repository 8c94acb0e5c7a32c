"""A file is there as a whole or not at all.

A path and bytes enter; the file holds them when the call returns. Killed at any moment, it leaves the old file or the
new one, and at worst a hidden file beside it that nobody reads. What the bytes mean is not known here.
"""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

_NO_HARD_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK, errno.EACCES)
"""What file systems without them say."""


def replace_file(path: Path, data: bytes, mode: int = 0o644, *, durable: bool = True) -> None:
    """Put `data` in place of the file, with the rights it had, or `mode` for one that is new; raises `OSError`.

    A `durable` file outlives a power cut from the return of the call on. Without, which is quicker, a power cut may
    leave any content: right for what is checked when it is read and can be made again.
    """
    with suppress(FileNotFoundError):
        mode = stat.S_IMODE(path.stat().st_mode)
    written = _written_beside(path, data, mode, durable=durable)
    try:
        os.replace(written, path)
    except BaseException:
        _forget(written)
        raise
    if durable:
        sync_folder(path.parent)


def create_file(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Make a file that is not there yet; raises `FileExistsError`, and `OSError` for everything else."""
    written = _written_beside(path, data, mode, durable=True)
    try:
        try:
            os.link(written, path)  # unlike a rename it never takes the place of a file that appeared meanwhile
        except OSError as error:
            if error.errno not in _NO_HARD_LINKS:
                raise
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
            os.replace(written, path)
            written = ""
    finally:
        if written:
            _forget(written)
    sync_folder(path.parent)


def make_unseen(folder: Path, home: Path | None = None) -> None:
    """Make a folder that git leaves out, and first `home`, which holds it and others; what is there stays as it is.
    Raises `OSError`."""
    for part in (home or folder, folder):
        if not part.is_dir():
            part.mkdir(parents=True, exist_ok=True)  # another process may be as quick
            (part / ".gitignore").write_text("*\n", encoding="utf-8")


def sync_folder(folder: Path) -> None:
    """See to it that a new name in a folder outlives a power cut, where the system can do that."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some file systems cannot, and the file itself is written
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _written_beside(path: Path, data: bytes, mode: int, *, durable: bool) -> str:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".pinakes-", suffix=".new")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.chmod(name, mode)
    except BaseException:
        _forget(name)
        raise
    return name


def _forget(name: str) -> None:
    with suppress(OSError):
        os.unlink(name)
