"""Which commits can be reached from some refs?

Hashes of branches and tags enter, hashes of commits leave, newest first. How refs are read and what commits say is
settled elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from pinakes.sources.git.command import output, started
from pinakes.sources.git.repositories import Repository

HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


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
