"""Runs `pinakes` as a process of its own, under limits, and looks for what must never come out of it.

Every run is held to the same promises: it ends by itself, without a stack trace, within its memory, and prints nothing
that could steer a terminal. A test only adds what it wants to know besides.
"""

from __future__ import annotations

import io
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

import pytest

SECRET = "xyzzy-7c1f-plugh"
"""Planted where nothing may be read."""

CPU_S = 20
MEMORY_MB = 1000

STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]"
)
"""Everything but line ends and tabs that a terminal obeys or a reader does not see."""

_LAUNCH = """
import contextlib, io, json, os, pathlib, resource, sys, tempfile
def warm_up():
    # Python itself may lie where the other user cannot read it, so everything that will be needed is loaded before.
    rest = sys.argv[1:]
    quiet = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
    with tempfile.TemporaryDirectory() as folder, quiet[0], quiet[1]:
        pathlib.Path(folder, "a.md").write_text("---\\na: b\\n---\\n# A heading about words\\n\\n[Words](b.md).\\n")
        for word in ("sync", "map", "check", "status", "doctor"):
            sys.argv[1:] = [word, "--root", folder, *(["--json"] if word == "sync" else [])]
            with contextlib.suppress(SystemExit):
                main()
    sys.argv[1:] = rest
wish = json.loads(sys.argv.pop(1))
from pinakes.serve.cli import main
for name, value in wish["limits"].items():
    resource.setrlimit(getattr(resource, "RLIMIT_" + name), (value, value))
if wish["user"]:
    warm_up()
    os.setgroups([])
    os.setgid(wish["user"])
    os.setuid(wish["user"])
if wish["gone"]:
    os.chdir(wish["gone"])
    os.rmdir(wish["gone"])
sys.argv[0] = "pinakes"
main()
"""
"""Limits itself and then becomes `pinakes`: a limit set from outside would have to be set between fork and exec."""


@dataclass(frozen=True)
class Wish:
    """How a run differs from an ordinary one."""

    cpu_s: int = CPU_S
    """Processor time after which the system ends the process, so that a hang fails and a slow machine does not."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """More limits, by their names without RLIMIT_."""
    environment: Mapping[str, str | None] = field(default_factory=dict)
    user: int = 0
    """Whom to become first; 0 for nobody else."""
    gone: str = ""
    """A folder to go to and to remove before anything else."""
    may_steer: bool = False
    """Whether the output is meant byte for byte."""


ORDINARY = Wish()


@dataclass(frozen=True)
class Ran:
    """What became of a run."""

    code: int
    out: str
    error: str

    @property
    def both(self) -> str:
        return self.out + self.error


def command(wish: Wish, *arguments: str) -> list[str]:
    """The command line that runs `pinakes` as wished."""
    limits = {"CPU": wish.cpu_s, "AS": 4 * MEMORY_MB * 1_000_000, "CORE": 0, **wish.limits}
    packed = json.dumps({"limits": limits, "user": wish.user, "gone": wish.gone})
    return [sys.executable, "-P", "-c", _LAUNCH, packed, *arguments]


def environment(wish: Wish = ORDINARY) -> dict[str, str]:
    """Ours, without settings of whoever runs the tests, and changed as wished."""
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("PINAKES_", "XDG_", "LC_", "LANG"))}
    own = {"HOME": "/nonexistent", "XDG_DATA_HOME": os.environ["XDG_DATA_HOME"]}  # the same key as in this process
    wanted = {**plain, **own, "LC_ALL": "C.UTF-8", **wish.environment}
    return {key: value for key, value in wanted.items() if value is not None}


def pinakes(folder: Path, *arguments: str, wish: Wish = ORDINARY) -> Ran:
    """Run a command in a folder and hold it to what every run must keep."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error:
        child = subprocess.Popen(
            command(wish, *arguments),
            cwd=folder,
            env=environment(wish),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=error,
        )
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        error.seek(0)
        printed, complained = out.read(), error.read()
    ran = Ran(child.returncode, printed.decode("utf-8", "replace"), complained.decode("utf-8", "replace"))
    said = f"pinakes {' '.join(arguments)[:200]!r}: {ran.code}\n{ran.both[-3000:]}"
    assert ran.code >= 0, f"ended by signal {-ran.code}: {said}"
    assert "Traceback" not in ran.error, said
    # The system counts what the tests themselves had when the child was made; past that much, nothing can be told.
    ours = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert used.ru_maxrss < max(MEMORY_MB * 1000, ours + 1), f"{used.ru_maxrss // 1000} MB: {said}"
    assert wish.may_steer or not STEERING.search(ran.both), said
    return ran


def pinakes_here(folder: Path, *arguments: str) -> Ran:
    """The same inside this process, which is much cheaper, where limits are not what a test is about."""
    from pinakes.serve.cli import main

    out, error, before, typed = io.StringIO(), io.StringIO(), Path.cwd(), sys.argv
    os.chdir(folder)
    sys.argv = ["pinakes", *arguments]
    try:
        with redirect_stdout(out), redirect_stderr(error), pytest.raises(SystemExit) as ended:
            main()
    finally:
        os.chdir(before)
        sys.argv = typed
    code = ended.value.code
    ran = Ran(code if isinstance(code, int) else 0, out.getvalue(), error.getvalue())
    assert not STEERING.search(ran.both), ran.both
    return ran


def synced(folder: Path, *, wish: Wish = ORDINARY) -> dict[str, list[str]]:
    """Sync a folder and tell what was read, what failed and what was odd, as paths; it must succeed."""
    ran = pinakes(folder, "sync", "--json", wish=wish)
    assert ran.code == 0, ran.both
    report = json.loads(ran.out)
    return {
        "read": [ref.removeprefix("docs:") for ref in report["put"]],
        "failed": [failure["path"] for failure in report["failed"]],
        "odd": sorted({warning["ref"].removeprefix("docs:") for warning in report["warnings"]}),
    }


def mapped(folder: Path, *, wish: Wish = ORDINARY) -> str:
    """The whole map of a folder as it stands in the index."""
    ran = pinakes(folder, "map", "--no-sync", "--budget", "0", wish=wish)
    assert ran.code == 0, ran.both
    return ran.out


def one_line(ran: Ran) -> str:
    """The only line on stderr, which says what is wrong and what to do next."""
    assert ran.error.endswith("\n"), ran.both
    assert ran.error.count("\n") == 1, ran.both
    assert ran.error.startswith("pinakes: "), ran.both
    return ran.error.removeprefix("pinakes: ").rstrip("\n")


def no_secret_in(folder: Path, *printed: str) -> None:
    """The secret is in nothing that was printed and in no file of the index."""
    assert not any(SECRET in text for text in printed)
    files = [path for path in (folder / ".pinakes").rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if SECRET.encode() in path.read_bytes()] == []


@contextmanager
def for_anyone() -> Iterator[Path]:
    """A folder that other users may enter too; pytest's own are closed to them. Only root can become somebody else."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    folder = Path(tempfile.mkdtemp(prefix="pinakes-", dir="/tmp"))
    folder.chmod(0o777)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


NOBODY = 65534
