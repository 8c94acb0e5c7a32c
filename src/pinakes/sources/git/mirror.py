"""A mirror of somebody's repository: a bare repository of ours, which holds what theirs publishes.

A folder and an address enter; afterwards the folder holds the branches and tags that are there, and nothing that runs.
Git writes into a repository that it made itself, whose configuration and hooks are ours, asks nobody for a password,
and speaks https or reads a folder: other protocols start programs.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from pinakes.errors import ConfigError, Unreadable
from pinakes.sources.git.command import LONGEST_S, NOTHING, SETTINGS, NoGit, isolated, program

DEFAULT = "pinakes-default"
"""The tag under which the mirror keeps what the repository has checked out."""
_REFS = (f"+HEAD:refs/tags/{DEFAULT}", "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
_HTTPS = re.compile(r"https://[A-Za-z0-9][A-Za-z0-9.-]*(?::\d{1,5})?/[^\s\\@]{1,2000}\Z")
_LONGEST_REASON = 300
_SAYABLE = re.compile(
    r".*(?:does not appear to be a git repository|dubious ownership|couldn't find remote ref|Permission denied|"
    r"not a git repository|does not exist|No space left)"
)
"""What git may say of a folder of this machine. The rest quotes files there, which may be links to any other file."""


def address_of(written: str) -> str:
    """The address of a repository as git takes it: https, or a folder of this machine. Raises `ConfigError`."""
    if _HTTPS.match(written):
        return written
    path = written.removeprefix("file://")
    if "://" not in path and os.path.isdir(path):
        return os.path.realpath(path)
    raise _no_address(written)


def _no_address(written: str) -> ConfigError:
    return ConfigError(
        f"“{written[:200]}” is no repository that can be fetched.",
        "Give https://host/path without a user or a password, or a folder of this machine.",
    )


def fetch(mirror: Path, address: str) -> None:
    """Bring a mirror up to date, made now where there is none; raises `Unreadable` with git's reason, and `ConfigError`
    for what is no address, wherever it comes from."""
    if not (_HTTPS.match(address) or os.path.isabs(address)):  # a folder may be gone for now
        raise _no_address(address)
    try:
        git = program(())
    except NoGit as missing:
        raise Unreadable(str(missing), missing.next_step) from missing
    if not (mirror / "HEAD").exists():
        _run(git, mirror, address, ["init", "--quiet", "--bare", "--template="])
    _run(
        git,
        mirror,
        address,
        ["fetch", "--quiet", "--prune", "--no-tags", "--no-recurse-submodules", "--", address, *_REFS],
    )


def _run(git: str, mirror: Path, address: str, words: Sequence[str]) -> None:
    settings = [part for setting in (*SETTINGS, "credential.helper=", "gc.auto=0") for part in ("-c", setting)]
    process = subprocess.Popen(
        [git, "--no-pager", *settings, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=NOTHING,
        env={**isolated(), "GIT_DIR": str(mirror), "GIT_ALLOW_PROTOCOL": "https:file"},
        process_group=0,
    )
    try:
        _, said = process.communicate(timeout=LONGEST_S)
    except subprocess.TimeoutExpired as slow:
        raise Unreadable(f"The repository did not answer within {LONGEST_S:.0f} s.", "Try again later.") from slow
    finally:
        process.kill()
        process.wait()
    if process.returncode:
        lines = [line for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
        fatal = [line for line in lines if line.startswith("fatal: ")]  # advice may follow
        reason = (fatal or lines or ["git says nothing"])[0].removeprefix("fatal: ")[:_LONGEST_REASON]
        if not _HTTPS.match(address) and not _SAYABLE.match(reason):
            reason = "git cannot read it."
        if str(mirror) in "".join(lines):  # git quotes what it cannot read there, and that may be another file
            raise Unreadable("The mirror of the repository is damaged.", "Remove the library, and add it again.")
        raise Unreadable(
            f"The repository could not be fetched: {reason}", "Check its address and that you may read it."
        )
