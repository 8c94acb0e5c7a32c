"""Converters that do what no converter may do, for tests of the process in which they run."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
from collections.abc import Callable

from pinakes.records.made_text import MadeText


def _tried(action: Callable[[], object]) -> MadeText:
    try:
        action()
    except OSError as error:
        return MadeText(f"refused: {error}")
    return MadeText("done")


def _path(data: bytes) -> str:
    return data.decode().split("\n")[0]


def echo(data: bytes, name: str, base: str) -> MadeText:
    return MadeText(data.decode())


def process_id(data: bytes, name: str, base: str) -> MadeText:
    return MadeText(str(os.getpid()))


def connect(data: bytes, name: str, base: str) -> MadeText:
    return _tried(lambda: socket.create_connection(("127.0.0.1", int(data.decode().split("\n")[1]))))


def resolve(data: bytes, name: str, base: str) -> MadeText:
    return _tried(lambda: socket.getaddrinfo("localhost", 80))


def start_program(data: bytes, name: str, base: str) -> MadeText:
    return _tried(lambda: subprocess.run(["true"], check=True))


def write_file(data: bytes, name: str, base: str) -> MadeText:
    return _tried(lambda: open(_path(data), "w", encoding="utf-8"))


def remove_file(data: bytes, name: str, base: str) -> MadeText:
    return _tried(lambda: os.remove(_path(data)))


def kill_parent(data: bytes, name: str, base: str) -> MadeText:
    return _tried(lambda: os.kill(int(data.decode().split("\n")[2]), signal.SIGTERM))


def _by_hand(result: int) -> MadeText:
    return MadeText(f"refused: {ctypes.get_errno()}" if result < 0 else "done")


def connect_by_hand(data: bytes, name: str, base: str) -> MadeText:
    return _by_hand(ctypes.CDLL(None, use_errno=True).socket(2, 1, 0))


def start_by_hand(data: bytes, name: str, base: str) -> MadeText:
    words = (ctypes.c_char_p * 2)(b"/bin/true", None)
    return _by_hand(ctypes.CDLL(None, use_errno=True).execve(b"/bin/true", words, None))


def remove_by_hand(data: bytes, name: str, base: str) -> MadeText:
    return _by_hand(ctypes.CDLL(None, use_errno=True).unlink(data))


def empty_by_hand(data: bytes, name: str, base: str) -> MadeText:
    return _by_hand(ctypes.CDLL(None, use_errno=True).open(data, os.O_WRONLY | os.O_TRUNC))


def empty_without_writing_by_hand(data: bytes, name: str, base: str) -> MadeText:
    return _by_hand(ctypes.CDLL(None, use_errno=True).openat(-100, data, os.O_RDONLY | os.O_TRUNC))


def make_by_hand(data: bytes, name: str, base: str) -> MadeText:
    return _by_hand(ctypes.CDLL(None, use_errno=True).open(data + b".new", os.O_RDWR | os.O_CREAT, 0o644))


def make_folder_by_hand(data: bytes, name: str, base: str) -> MadeText:
    return _by_hand(ctypes.CDLL(None, use_errno=True).mkdir(data + b".new", 0o755))


def open_rights_by_hand(data: bytes, name: str, base: str) -> MadeText:
    return _by_hand(ctypes.CDLL(None, use_errno=True).chmod(data, 0o666))


def kill_parent_by_hand(data: bytes, name: str, base: str) -> MadeText:
    parent = os.getppid()
    return _by_hand(ctypes.CDLL(None, use_errno=True).tgkill(parent, parent, int(signal.SIGTERM)))


def read_by_hand(data: bytes, name: str, base: str) -> MadeText:
    return _by_hand(ctypes.CDLL(None, use_errno=True).open(data, os.O_RDONLY))


def compute_for_ever(data: bytes, name: str, base: str) -> MadeText:
    while True:
        pass


def take_memory(data: bytes, name: str, base: str) -> MadeText:
    return MadeText(str(len(bytearray(1 << 40))))


def crash(data: bytes, name: str, base: str) -> MadeText:
    os.abort()


def answer_nonsense(data: bytes, name: str, base: str) -> MadeText:
    for descriptor in range(3, 10):
        try:
            os.write(descriptor, b"\0\0\0\0\0\0\0\x04\xff\xff\xff\xff")
        except OSError:
            continue
    os._exit(3)


def raise_something(data: bytes, name: str, base: str) -> MadeText:
    raise KeyError("odd")
