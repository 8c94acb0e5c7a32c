"""A watcher's word for commands: the process that keeps an index current says so to one that would compare it again.

The watcher is asked and not read: a file would tell how things were when it was written, and its writer may have been
stopped or killed since. Whoever answers takes in first what the system has told it by then, so that the word is true of
every edit before the question. No answer within `ALIVE_S`, another index, other settings: the command compares by
itself, as it does where nobody watches.

A socket for each watcher lies in the user's cache folder. Only Linux reports every change at once, so there is one
only there.
"""

from __future__ import annotations

import json
import os
import socket
import stat
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path

from pinakes.errors import PinakesError
from pinakes.index.plan import READING_VERSION
from pinakes.library import Library
from pinakes.records import DOCS
from pinakes.user_folders import cache_path

ALIVE_S = 0.2
"""How long a sign of life is waited for: a process that was stopped gives none."""
WORD_S = 2.0
"""How long the word itself is waited for: a change that was just saved is taken in before."""
_ALIVE = b"."
_MOST_BYTES = 1000
_AT_ONCE = 8
"""Questions that are answered at the same time; whoever is turned away compares by himself."""
_CREDENTIALS = struct.Struct("3i")


class WatchSocket:
    """Where a watcher is asked. Without a folder for it, nobody can ask, and nothing else is different."""

    def __init__(self, library: Library, is_current: Callable[[], bool]) -> None:
        """`is_current` takes in what waits and says whether the index agrees with the folder now."""
        self._library = library
        self._is_current = is_current
        self._free = threading.Semaphore(_AT_ONCE)
        self._listener: socket.socket | None = None
        self._name = f"{_index_name(library)}-{os.getpid()}-{os.urandom(3).hex()}"

    def start(self) -> None:
        """Answer from now on, in the background."""
        place = _folder()
        if place is None:
            return
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            place.mkdir(0o700, parents=True, exist_ok=True)
            with _held(place) as folder:
                _sweep(folder)
                listener.bind(f"{folder}/.{self._name}")
                listener.listen(_AT_ONCE)
                # Under its own name only now: one that does not listen yet would be taken for a dead one.
                os.rename(f"{folder}/.{self._name}", f"{folder}/{self._name}")
        except OSError:  # no such folder, or no sockets in it
            listener.close()
            return
        self._listener = listener
        threading.Thread(target=self._serve, args=(listener,), name="pinakes-watch-socket", daemon=True).start()

    def close(self) -> None:
        """Answer no more."""
        listener, self._listener = self._listener, None
        if listener is None:
            return
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        if (place := _folder()) is not None:
            with suppress(OSError), _held(place) as folder:
                os.unlink(f"{folder}/{self._name}")

    def _serve(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            if self._free.acquire(blocking=False):
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()
            else:
                connection.close()

    def _answer(self, connection: socket.socket) -> None:
        try:
            with connection, suppress(OSError, PinakesError):  # who gets no word compares
                if _is_ours(connection):
                    connection.sendall(_ALIVE)
                    if self._is_current():
                        word = _word(self._library) | {"generation": self._library.generation}
                        connection.sendall(json.dumps(word).encode())
        finally:
            self._free.release()


def is_kept_current(library: Library) -> bool:
    """Whether a watcher says that the documents, by the settings of this library, are in the index as they are now."""
    place = _folder()
    if place is None or not library.is_indexed:
        return False
    begins = f"{_index_name(library)}-"
    with suppress(OSError, PinakesError), _held(place) as folder:
        for name in sorted(os.listdir(folder)):
            if not name.startswith(begins) or (said := _asked(f"{folder}/{name}")) is None:
                continue
            generation = said.pop("generation", None)
            # It grows with keywords, too, which may have come since.
            if isinstance(generation, int) and generation <= library.generation and said == _word(library):
                return True
    return False


def _word(library: Library) -> dict[str, object]:
    """Which index it is, and what decides which files are in it and how they are read."""
    config = library.config
    shaping = (config.root, config.store, config.sources, config.roots, config.keywords, config.chunks, config.code)
    others = (config.check, config.memories, config.added, config.history)
    settings = blake2b(repr((READING_VERSION, shaping, others)).encode("utf-8", "surrogatepass"), digest_size=16)
    index = [*library.corpus(DOCS).place.identity]
    return {"index": index, "settings": settings.hexdigest()}


def _asked(path: str) -> dict[str, object] | None:
    """What the watcher at this socket says; None when it is not there, does not stir or cannot say."""
    data = b""
    with suppress(OSError, ValueError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(ALIVE_S)
        connection.connect(path)
        if not _is_ours(connection) or connection.recv(1) != _ALIVE:
            return None
        connection.settimeout(WORD_S)
        while len(data) < _MOST_BYTES and (part := connection.recv(_MOST_BYTES)):
            data += part
        said = json.loads(data)
        return said if isinstance(said, dict) else None
    return None


def _index_name(library: Library) -> str:
    return blake2b(os.fsencode(library.config.store), digest_size=8).hexdigest()


def _folder() -> Path | None:
    return cache_path("watchers") if sys.platform == "linux" else None


@contextmanager
def _held(place: Path) -> Iterator[str]:
    """A short path to a folder that is this user's alone: a name of a socket may have a hundred letters. Raises
    `OSError`, also where the folder is another's."""
    descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    try:
        facts = os.fstat(descriptor)
        if facts.st_uid != os.getuid() or stat.S_IMODE(facts.st_mode) & 0o022:
            raise PermissionError(f"{place} can be written to by others")
        yield f"/proc/self/fd/{descriptor}"
    finally:
        os.close(descriptor)


def _sweep(folder: str) -> None:
    """Remove the sockets of watchers that were killed."""
    for name in os.listdir(folder):
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(ALIVE_S)
            try:
                connection.connect(f"{folder}/{name}")
            except ConnectionRefusedError:
                if not name.startswith("."):
                    os.unlink(f"{folder}/{name}")


def _is_ours(connection: socket.socket) -> bool:
    """Whether the other end is a process of this user."""
    data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, user, _ = _CREDENTIALS.unpack(data)
    return bool(user == os.getuid())
