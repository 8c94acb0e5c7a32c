"""How git is called, so that a repository can decide nothing about it; and which commits it says can be reached.

A repository's own configuration can name programs that git runs (pagers, monitors, text converters, filters, hooks).
We do not try to switch each of them off: git never gets to see the repository. It works in an empty one of ours, the
folder `nothing` beside this module, and is only lent the folder of objects. Names of branches, of files and the
configuration stay unread; what git is asked about goes to it as full hashes on its standard input. The environment is
made from nothing, so that no trace, proxy, editor or template of the user's is inherited either.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

from pinakes.other_python import is_below, present_tree, trusted_path
from pinakes.sources.git.repositories import Repository

OLDEST = (2, 25)
LONGEST_S = 600.0
NOTHING = Path(__file__).parent / "nothing"
"""The empty repositories that git works in, by kind of hash."""
_VERSION = re.compile(rb"git version (\d+)\.(\d+)")
SETTINGS = (
    "core.bare=true",
    f"core.attributesFile={os.devnull}",
    f"core.excludesFile={os.devnull}",
    f"core.hooksPath={os.devnull}",
    "core.fsmonitor=false",
    "core.commitGraph=false",
    "core.multiPackIndex=false",
    "core.quotePath=false",
    "core.bigFileThreshold=1m",
    "protocol.allow=never",
    "i18n.logOutputEncoding=UTF-8",
)
"""Commit graphs and indexes over many packs repeat what the objects say and may lie about it; files over a megabyte are
told to differ, and no more."""
_KEPT = ("SYSTEMROOT", "TMPDIR", "TEMP", "TMP")
HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class NoGit(Exception):
    """There is no git that could be asked; the text says why, `next_step` what to do."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.next_step = f"Install git {OLDEST[0]}.{OLDEST[1]} or newer; everything else works without it."


def program(roots: Iterable[str]) -> str:
    """Where git is; raises `NoGit`. A program that lies among the documents, or in the working tree that we happen to
    be in, is not it: the documents may be a mirror, and the present folder somebody else's repository."""
    among = (*roots, *present_tree())
    trusted = trusted_path(among)
    found = shutil.which("git", path=trusted) if trusted else None
    if found is None or is_below(os.path.realpath(found), among):
        is_ours = shutil.which("git") is not None
        where = "The only git on the path lies among the documents" if is_ours else "git is not installed"
        raise NoGit(f"{where}, so there is no history.")
    version = _version(found)
    if version < OLDEST:
        raise NoGit(f"git {version[0]}.{version[1]} is too old to read history safely.")
    return found


@cache
def _version(found: str) -> tuple[int, int]:
    try:
        said = subprocess.run(
            [found, "--version"], capture_output=True, timeout=20, cwd=NOTHING, env=isolated(), check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise NoGit(f"git cannot be run: {error}.") from error
    number = _VERSION.match(said.stdout)
    if number is None:
        raise NoGit("What is called git here does not say which version it is.")
    return int(number[1]), int(number[2])


def started(
    program: str, repository: Repository, words: Sequence[str], more: Mapping[str, str] = MappingProxyType({})
) -> subprocess.Popen[bytes]:
    """A git command on the objects of a repository, with pipes to and from it; raises `OSError`. `more` are variables
    of its environment; a working tree among them is the folder it starts in."""
    home = str(NOTHING / ("sha256" if repository.is_sha256 else "sha1"))
    shallow = ["--shallow-file", repository.shallow] if repository.shallow else []
    settings = [part for setting in SETTINGS for part in ("-c", setting)]
    return subprocess.Popen(
        [program, "--no-pager", "--no-replace-objects", "--literal-pathspecs", *shallow, *settings, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        cwd=more.get("GIT_WORK_TREE", home),
        env={**isolated(), "GIT_DIR": home, "GIT_OBJECT_DIRECTORY": repository.objects, **more},
        process_group=0,  # Ctrl-C is for us; git ends when its input does
    )


def list_settings(program: str, words: Sequence[str], own: Mapping[str, str], given: bytes = b"") -> bytes:
    """The settings of a file, or of the user, as git lists them; nothing when it cannot. It reads them and runs none
    of it. `own` are variables by which git finds the files of the user, `given` is its standard input."""
    home = str(NOTHING / "sha1")
    alone = {name: value for name, value in isolated().items() if name != "GIT_CONFIG_GLOBAL"}
    try:
        said = subprocess.run(
            [program, "--no-pager", "config", *words, "--null", "--list"],
            input=given,
            capture_output=True,
            timeout=20,
            cwd=home,
            env={**alone, "GIT_DIR": home, **own},
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return b""
    return said.stdout if said.returncode == 0 else b""


def output(process: subprocess.Popen[bytes], asked: bytes, limit_s: float = LONGEST_S) -> tuple[bytes, int]:
    """All that a command says, and its exit code; one that takes too long is stopped."""
    try:
        said, _ = process.communicate(asked, timeout=limit_s)
    except subprocess.TimeoutExpired:
        said = b""
    finally:
        end(process)
    return said, process.returncode


def end(process: subprocess.Popen[bytes]) -> None:
    """Stop a command, whatever it is doing, and close its pipes."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


def isolated() -> dict[str, str]:
    """An environment in which git knows nothing of the user or the system. The programs that git starts (itself, a
    shell) are looked for where git is."""
    nowhere = str(NOTHING / "home")
    return {
        **{name: os.environ[name] for name in _KEPT if name in os.environ},
        "PATH": trusted_path(present_tree()),
        "HOME": nowhere,
        "XDG_CONFIG_HOME": nowhere,
        "LC_ALL": "C",
        "TZ": "UTC0",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_PAGER": "cat",
        "GIT_EDITOR": "false",
        "GIT_ASKPASS": "false",
    }


def reachable_commits(program: str, repository: Repository, tips: Collection[str]) -> tuple[list[str], bool]:
    """Every commit that can be reached from these, and whether git came to the end of them.

    Tips that are not there, or are no commits, lead nowhere.
    """
    try:
        return _listed(program, repository, ["--ignore-missing"], sorted(tips)) if tips else ([], True)
    except OSError:
        return [], False


def difference(
    program: str, repository: Repository, before: Collection[str], now: Collection[str]
) -> tuple[list[str], list[str]] | None:
    """The commits that came and those that went between two sets of tips; None when git cannot tell, because what was
    there before is gone altogether."""
    new, old = set(now) - set(before), set(before) - set(now)
    came = _listed(program, repository, (), [*sorted(new), *_without(before)]) if new else ([], True)
    went = _listed(program, repository, (), [*sorted(old), *_without(now)]) if old else ([], True)
    return (came[0], went[0]) if came[1] and went[1] else None


def _without(tips: Iterable[str]) -> list[str]:
    return [f"^{tip}" for tip in sorted(tips)]


def _listed(
    program: str, repository: Repository, options: Iterable[str], asked: Iterable[str]
) -> tuple[list[str], bool]:
    part = ["--full-history", "--", repository.inside] if repository.inside else []
    lines = list(asked)
    if not all(HASH.fullmatch(line.removeprefix("^")) for line in lines):
        return [], False
    process = started(program, repository, ["rev-list", *options, "--stdin", *part])
    said, code = output(process, "".join(f"{line}\n" for line in lines).encode())
    return [value for value in said.decode("ascii", "replace").split() if HASH.fullmatch(value)], code == 0
