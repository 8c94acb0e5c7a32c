"""How another Python is started, so that nothing in the folder we are in is run.

The words of a command enter; the command, its folder and its environment leave. A folder of documents may hold a file
`json.py` or `pip.py` for Python to stumble over. So the command says `-P`, which keeps the present folder out of the
search path, and starts in the root of the file system; relative entries of PYTHONPATH and PATH would mean the present
folder once more, and are left out. So are folders of PATH inside the working tree that we are in: it may be somebody
else's repository, and a process that starts elsewhere could not tell any more.
"""

from __future__ import annotations

import os
import site
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

NEUTRAL = os.path.abspath(os.sep)
"""Where such a process starts: a folder in which no document lies and others plant nothing."""
_PACKAGES = str(Path(__file__).resolve().parents[1])
"""The folder this package lies in, so that the other Python finds the same one. Where Python looks by itself it is not
named again: that would put every installed package in front of the standard library."""


FRUGAL = {"MALLOC_MMAP_THRESHOLD_": "1000000", "MALLOC_TRIM_THRESHOLD_": "1000000"}
"""For the environment of a process that needs much memory by turns: has glibc give back at once what was large, where
it would keep up to 64 MB. Other C libraries do not know the names."""


def python(*words: str) -> list[str]:
    """The command that runs this very Python with `words`; start it in `NEUTRAL` with `environment()`."""
    return [sys.executable, "-P", *words]


def environment() -> dict[str, str]:
    """Our own environment, in which the other Python finds our packages, and nothing of the present working tree."""
    inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    installed = {os.path.realpath(one) for one in (*site.getsitepackages(), site.getusersitepackages())}
    found = [] if _PACKAGES in installed else [_PACKAGES]
    found += [one for one in inherited if os.path.isabs(one) and one != _PACKAGES]
    return {**os.environ, "PATH": trusted_path(present_tree()), "PYTHONPATH": os.pathsep.join(found)}


def trusted_path(among: Sequence[str]) -> str:
    """The folders in which programs are looked for, without those in `among` and those that depend on where we are."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(
        [one for one in folders if os.path.isabs(one) and not is_below(os.path.realpath(one), among)]
    )


def present_tree() -> tuple[str, ...]:
    """The top of the working tree around the present folder, or nothing."""
    try:
        here = os.path.realpath(os.getcwd())
    except OSError:  # it was removed
        return ()
    while not os.path.lexists(os.path.join(here, ".git")):
        above = os.path.dirname(here)
        if above == here:
            return ()
        here = above
    return (here,)


def is_below(path: str, folders: Iterable[str]) -> bool:
    """Whether a path is one of these folders or lies in one."""
    return any(path == one or path.startswith(os.path.join(one, "")) for one in folders)
