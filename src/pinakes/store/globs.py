"""Which paths does a pattern mean?

A glob or a folder's name enters, something that tells paths apart leaves. Patterns start at the root and cover the
whole path; ``*``, ``?`` and ``[…]`` stay within one name, ``**`` stands for any number of folders. Every input is a
pattern: a bracket that is never closed is just a bracket.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from msgspec import Struct

from pinakes.globs import DEEP, NEVER, REST, STAR, path_regex

_SPECIAL = re.compile(r"[*?\[]")


class Glob(Struct, frozen=True):
    """A pattern, ready to use."""

    prefix: str
    """What every path that matches begins with."""
    whole: re.Pattern[str]

    def matches(self, path: str) -> bool:
        return self.whole.fullmatch(path) is not None

    def positions(self, paths: Sequence[str]) -> list[int]:
        """Where in these sorted paths the ones that match are."""
        start = bisect_left(paths, self.prefix)
        size = len(self.prefix)
        end = bisect_right(paths, self.prefix, lo=start, key=lambda path: path[:size])
        matches = self.whole.fullmatch
        return [position for position in range(start, end) if matches(paths[position])]


def glob(pattern: str) -> Glob:
    """A folder's name, alone or with a slash at its end, means everything below it (and a file of that name)."""
    pattern = re.sub("/+", "/", pattern).removeprefix("./").removeprefix("/")
    name = "" if pattern == "." else pattern.rstrip("/")
    special = _SPECIAL.search(name)
    if special is None:
        below = re.escape(name) + ("(?:/.*)?" if name == pattern else "/.*")
        return Glob(name, re.compile(below if name else ".*", re.DOTALL))
    if name != pattern:
        name += "/**"
    return Glob(name[: special.start()], re.compile(path_regex(list(_tokens(name.split("/")))), re.DOTALL))


def _tokens(names: list[str]) -> Iterator[str]:
    """Of all names of a path, for `path_regex`."""
    for at, name in enumerate(names):
        is_last = at == len(names) - 1
        if name == "**":
            yield REST if is_last else DEEP
            continue
        yield from _letters(name)
        if not is_last:
            yield "/"


def _letters(name: str) -> Iterator[str]:
    position = 0
    while position < len(name):
        letter = name[position]
        position += 1
        if letter == "*":
            yield STAR
        elif letter == "?":
            yield "[^/]"
        elif (
            letter == "[" and (end := name.find("]", position + 1 + (name[position : position + 1] in ("!", "^")))) > 0
        ):
            yield _class(name[position:end])
            position = end + 1
        else:
            yield re.escape(letter)


def _class(inside: str) -> str:
    """The letters between brackets."""
    is_not = inside[:1] in ("!", "^")
    rest = inside[is_not:]
    allowed = ""
    while rest:
        if len(rest) > 2 and rest[1] == "-":
            if rest[0] <= rest[2]:
                allowed += f"{re.escape(rest[0])}-{re.escape(rest[2])}"
            rest = rest[3:]
        else:
            allowed += re.escape(rest[0])
            rest = rest[1:]
    if is_not:
        return f"[^/{allowed}]"
    return f"(?!/)[{allowed}]" if allowed else NEVER
