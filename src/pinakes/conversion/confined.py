"""What the process that converts may not do: it reads its input and answers, and that is all.

`confine` gives the present process limits of memory, and takes sockets, programs and files to write away from it. On
Linux the kernel refuses them (seccomp), whatever code asks; everywhere Python refuses them (an audit hook).
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from contextlib import suppress

MOST_MEMORY = 3 << 30
"""Of address space. A sensible page of 10 MB takes half a gigabyte."""
_FORBIDDEN = frozenset(
    (
        *("socket.__new__", "socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname"),
        *("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile", "os.fork"),
        *("os.forkpty", "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.truncate", "os.link", "os.symlink"),
        *("os.chmod", "os.chown", "os.kill", "shutil.rmtree", "shutil.move", "webbrowser.open"),
    )
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_NO_NEW_PRIVILEGES, _SET_FILTER, _FILTER_MODE = 38, 22, 2
_LOAD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | 1
"""What a filter says: go on, or fail with EPERM."""
_OTHER_ABI = 0x40000000
"""System calls from here on are the same ones under other numbers (x32)."""
# socket, connect, execve, execveat, ptrace, kill, io_uring_setup; then rename, unlink, truncate, link and their like.
_CALLS = {
    "x86_64": (0xC000003E, (41, 42, 59, 322, 101, 62, 425, 82, 264, 316, 87, 263, 84, 76, 86, 265, 88, 266, 90, 268)),
    "aarch64": (0xC00000B7, (198, 203, 221, 281, 117, 129, 425, 38, 276, 35, 45, 37, 36, 53)),
}


def confine() -> None:
    """Take everything from this process that reading a file does not need; it cannot be given back."""
    _limit_memory()
    _refuse_by_kernel()
    sys.addaudithook(_refuse)


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # not on Windows, where the limit of time has to do
        return
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def peak_bytes() -> int:
    """The most memory that this process ever took; 0 where that is not known."""
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    if event in _FORBIDDEN:
        raise PermissionError(f"a converter may not use {event}")
    if event == "open":
        flags = arguments[2]
        if isinstance(flags, int) and flags & _WRITING:
            raise PermissionError("a converter may not write files")


def _refuse_by_kernel() -> None:
    known = _CALLS.get(platform.machine())
    if sys.platform != "linux" or known is None:
        return
    with suppress(OSError, AttributeError):  # a C library or a kernel without it; the audit hook stays
        prctl = ctypes.CDLL(None, use_errno=True).prctl
        program = ctypes.create_string_buffer(_program(*known))
        head = struct.pack("HP", (len(program) - 1) // 8, ctypes.addressof(program))
        prctl(_NO_NEW_PRIVILEGES, ctypes.c_ulong(1), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0))
        prctl(_SET_FILTER, ctypes.c_ulong(_FILTER_MODE), ctypes.c_char_p(head))


def _program(architecture: int, calls: tuple[int, ...]) -> bytes:
    """A filter of system calls, as the kernel reads it: code, jump if so, jump if not, value."""
    steps = [
        (_LOAD, 0, 0, 4),
        (_JUMP_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _ALLOW),  # other calls mean other things; the audit hook stays
        (_LOAD, 0, 0, 0),
        (_JUMP_GREATER_EQUAL, len(calls) + 1, 0, _OTHER_ABI),
    ]
    steps += [(_JUMP_EQUAL, len(calls) - at, 0, call) for at, call in enumerate(calls)]
    steps += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)]
    return b"".join(struct.pack("HBBI", *step) for step in steps)
