"""The system calls that the process which converts is refused by the kernel, on Linux (seccomp).

Nothing enters; a filter leaves that also holds for code in C, which Python's audit hook does not see. A machine whose
numbers of calls are not in the table gets no filter. On the others every call is refused that has another table of
numbers, or one that is newer than this one: what it does cannot be known here.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

_NO_NEW_PRIVILEGES, _SET_FILTER, _FILTER_MODE = 38, 22, 2
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCHITECTURE_AT = 0, 4
_ALLOW, _REFUSE, _UNKNOWN = 0x7FFF0000, 0x00050000 | 1, 0x00050000 | 38
"""What a filter says: go on, fail with EPERM, or with ENOSYS, at which C libraries take an older call."""
_FIRST_UNKNOWN = 452
"""Calls from here on are newer than this table, or the same ones under other numbers (x32)."""
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_A_THREAD = 0x10000
"""Of `clone`: not a process, which would outlive this one."""
_TYPING = (0x5412, 0x541C, 0x8901, 0x8902)
"""Of `ioctl`: put letters into a terminal as if its user typed them, and name a process that gets a signal."""
_SIGNALLING = (8, 10, 15)
"""Of `fcntl`: name a process that gets a signal, and which one."""

_REFUSED: Mapping[str, tuple[int, ...]] = {
    # Names that only x86_64 has come with one number, the others with those of x86_64 and aarch64.
    "socket": (41, 198),
    "connect": (42, 203),
    "execve": (59, 221),
    "execveat": (322, 281),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kill": (62, 129),
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_send_signal": (424, 424),
    "pidfd_getfd": (438, 438),
    "io_uring_setup": (425, 425),  # its requests pass by every filter
    "openat2": (437, 437),  # its flags lie where a filter cannot look
    "creat": (85,),
    "truncate": (76, 45),
    "rename": (82,),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    "unlink": (87,),
    "unlinkat": (263, 35),
    "rmdir": (84,),
    "mkdir": (83,),
    "mkdirat": (258, 34),
    "mknod": (133,),
    "mknodat": (259, 33),
    "link": (86,),
    "linkat": (265, 37),
    "symlink": (88,),
    "symlinkat": (266, 36),
    "chmod": (90,),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "chown": (92,),
    "fchown": (93, 55),
    "lchown": (94,),
    "fchownat": (260, 54),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "utime": (132,),
    "utimes": (235,),
    "futimesat": (261,),
    "utimensat": (280, 88),
    # Other processes, now or later.
    "fork": (57,),
    "vfork": (58,),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "kcmp": (312, 272),
    "perf_event_open": (298, 241),
    # Memory, queues and keys that processes of a user share.
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "semctl": (66, 191),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # The machine, for a user who may do anything.
    "open_by_handle_at": (304, 265),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "mount_setattr": (442, 442),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "iopl": (172,),
    "ioperm": (173,),
}


class _Machine(NamedTuple):
    """How a kind of processor names what the filter looks at."""

    audit_number: int
    position: int
    """In the table of calls."""
    open: int | None
    openat: int
    tgkill: int
    clone: int
    ioctl: int
    fcntl: int
    prlimit: int


_MACHINES: Mapping[str, _Machine] = {
    "x86_64": _Machine(0xC000003E, 0, 2, 257, 234, 56, 16, 72, 302),
    "aarch64": _Machine(0xC00000B7, 1, None, 56, 131, 220, 29, 25, 261),
}
_CLONE3 = 435
"""Its flags lie where a filter cannot look. A C library takes `clone` where there is no such call."""


class _Step(NamedTuple):
    """An instruction of a filter. Without a label to jump to, the next one follows."""

    code: int
    value: int
    yes: str = ""
    no: str = ""
    label: str = ""


def refuse_system_calls() -> None:
    """Have the kernel refuse this process connections, programs, signals to others, and every change of a file."""
    machine = _MACHINES.get(platform.machine())
    if sys.platform != "linux" or machine is None or sys.maxsize < 1 << 32:
        return
    with suppress(OSError, AttributeError):  # a C library or a kernel without it; the audit hook stays
        prctl = ctypes.CDLL(None, use_errno=True).prctl
        program = ctypes.create_string_buffer(_assembled(_filter(machine, os.getpid())))
        head = struct.pack("HP", (len(program) - 1) // 8, ctypes.addressof(program))
        prctl(_NO_NEW_PRIVILEGES, ctypes.c_ulong(1), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0))
        prctl(_SET_FILTER, ctypes.c_ulong(_FILTER_MODE), ctypes.c_char_p(head))


def _filter(machine: _Machine, own_process: int) -> Sequence[_Step]:
    refused = [numbers[machine.position] for numbers in _REFUSED.values() if machine.position < len(numbers)]
    opens = [] if machine.open is None else [_Step(_IF_EQUAL, machine.open, yes="open")]
    return (
        _Step(_LOAD, _ARCHITECTURE_AT),
        _Step(_IF_EQUAL, machine.audit_number, no="refuse"),  # a program may change to the table of 32 bits
        _Step(_LOAD, _NUMBER_AT),
        _Step(_IF_AT_LEAST, _FIRST_UNKNOWN, yes="unknown"),
        _Step(_IF_EQUAL, _CLONE3, yes="unknown"),
        *(_Step(_IF_EQUAL, number, yes="refuse") for number in refused),
        *opens,
        _Step(_IF_EQUAL, machine.openat, yes="openat"),
        _Step(_IF_EQUAL, machine.tgkill, yes="tgkill"),
        _Step(_IF_EQUAL, machine.clone, yes="clone"),
        _Step(_IF_EQUAL, machine.ioctl, yes="ioctl"),
        _Step(_IF_EQUAL, machine.fcntl, yes="fcntl"),
        _Step(_IF_EQUAL, machine.prlimit, yes="prlimit"),
        _Step(_RETURN, _ALLOW),
        _Step(_LOAD, _argument_at(0), label="tgkill"),  # a process that aborts sends itself a signal
        _Step(_IF_EQUAL, own_process, yes="allowed", no="refuse"),
        _Step(_LOAD, _argument_at(0), label="clone"),
        _Step(_IF_ANY_BIT, _A_THREAD, yes="allowed", no="refuse"),
        _Step(_LOAD, _argument_at(0), label="prlimit"),  # 0 is this process
        _Step(_IF_EQUAL, 0, yes="allowed", no="refuse"),
        _Step(_LOAD, _argument_at(1), label="ioctl"),
        *(_Step(_IF_EQUAL, request, yes="refuse") for request in _TYPING),
        _Step(_RETURN, _ALLOW),
        _Step(_LOAD, _argument_at(1), label="fcntl"),
        *(_Step(_IF_EQUAL, request, yes="refuse") for request in _SIGNALLING),
        _Step(_RETURN, _ALLOW),
        _Step(_LOAD, _argument_at(2), label="openat"),
        _Step(_IF_ANY_BIT, _WRITING, yes="refuse", no="allowed"),
        _Step(_LOAD, _argument_at(1), label="open"),
        _Step(_IF_ANY_BIT, _WRITING, yes="refuse", no="allowed"),
        _Step(_RETURN, _ALLOW, label="allowed"),  # a filter jumps forward only
        _Step(_RETURN, _UNKNOWN, label="unknown"),
        _Step(_RETURN, _REFUSE, label="refuse"),
    )


def _argument_at(position: int) -> int:
    """Where the lower half of an argument lies; both machines put it first."""
    return 16 + 8 * position


def _assembled(steps: Sequence[_Step]) -> bytes:
    """A filter as the kernel reads it: code, jump if so, jump if not, value."""
    places = {step.label: at for at, step in enumerate(steps) if step.label}

    def jump(at: int, label: str) -> int:
        return places[label] - at - 1 if label else 0

    return b"".join(
        struct.pack("HBBI", step.code, jump(at, step.yes), jump(at, step.no), step.value)
        for at, step in enumerate(steps)
    )
