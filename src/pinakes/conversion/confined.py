"""What the process that converts may not do: it reads its input and answers, and that is all.

`confine` gives the present process limits of memory, and takes sockets, programs and files to write away from it. On
Linux the kernel refuses them (seccomp), whatever code asks; everywhere Python refuses them (an audit hook).
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from pinakes.conversion.system_calls import refuse_system_calls

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


def confine() -> None:
    """Take everything from this process that reading a file does not need; it cannot be given back."""
    _limit_memory()
    refuse_system_calls()
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
    # The figure further down counts what the process took that started this one, which may be a large server.
    with suppress(OSError, StopIteration, ValueError), open("/proc/self/status", encoding="ascii") as told:
        return int(next(line for line in told if line.startswith("VmHWM:")).split()[1]) * 1024
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
