"""Converters that do what no converter may do, for tests of the process in which they run."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import socket
import subprocess
import threading
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


def begin_process_by_hand(data: bytes, name: str, base: str) -> MadeText:
    process = ctypes.CDLL(None, use_errno=True).fork()
    if not process:
        os._exit(0)
    return _by_hand(process)


def begin_process_by_number(data: bytes, name: str, base: str) -> MadeText:
    process = ctypes.CDLL(None, use_errno=True).syscall(_CLONE, signal.SIGCHLD, 0, 0, 0, 0)
    if not process:
        os._exit(0)
    return _by_hand(process)


def bound_parent_by_hand(data: bytes, name: str, base: str) -> MadeText:
    bounds = (ctypes.c_ulong * 2)()
    return _by_hand(ctypes.CDLL(None, use_errno=True).prlimit(os.getppid(), 7, None, bounds))


def type_by_hand(data: bytes, name: str, base: str) -> MadeText:
    return _by_hand(ctypes.CDLL(None, use_errno=True).ioctl(0, 0x5412, b"x"))


def have_parent_signalled_by_hand(data: bytes, name: str, base: str) -> MadeText:
    return _by_hand(ctypes.CDLL(None, use_errno=True).fcntl(0, 8, os.getppid()))


def share_memory_by_hand(data: bytes, name: str, base: str) -> MadeText:
    return _by_hand(ctypes.CDLL(None, use_errno=True).shmget(0, 4096, 0o600))


def leave_namespace_by_hand(data: bytes, name: str, base: str) -> MadeText:
    return _by_hand(ctypes.CDLL(None, use_errno=True).unshare(0))


_CLONE = 56 if platform.machine() == "x86_64" else 220
_OLD_CALL = bytes.fromhex("53 89f8 89f3 87d1 cd80 5b c3")
"""For x86-64: a call by the table of 32 bits. Its number and three values enter as C hands them over."""


def empty_by_the_other_table(data: bytes, name: str, base: str) -> MadeText:
    readable, writable, runnable, private, low = 1, 2, 4, 0x22, 0x40
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    place = libc.mmap(None, 8192, readable | writable | runnable, private | low, -1, 0)
    ctypes.memmove(place, _OLD_CALL, len(_OLD_CALL))
    ctypes.memmove(place + 4096, data, len(data) + 1)
    call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_uint, ctypes.c_int, ctypes.c_int)(place)
    result = call(5, place + 4096, os.O_WRONLY | os.O_TRUNC, 0)
    return MadeText(f"refused: {-result}" if result < 0 else "done")


def begin_thread(data: bytes, name: str, base: str) -> MadeText:
    said: list[str] = []
    thread = threading.Thread(target=said.append, args=("done",))
    thread.start()
    thread.join()
    return MadeText(said[0])


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


def answer_too_much(data: bytes, name: str, base: str) -> MadeText:
    pipes = [one for one in range(3, 10) if _can_be_written(one)]
    os.write(pipes[-1], (1 << 40).to_bytes(8, "big"))
    while True:
        os.write(pipes[-1], bytes(1 << 20))


def _can_be_written(descriptor: int) -> bool:
    try:
        return os.write(descriptor, b"") == 0
    except OSError:
        return False


def raise_something(data: bytes, name: str, base: str) -> MadeText:
    raise KeyError("odd")
