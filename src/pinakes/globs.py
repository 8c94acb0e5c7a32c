"""From the parts of a glob to a regular expression that no pattern can make slow.

Each dialect (git's ignore rules, the filters of a search) reads its own patterns into tokens; what the stars among
them mean is the same for all. What stands between two stars is matched once, at the first place where it fits
(``?>``): if any later place leads to a match, so does the first. Without that a hostile pattern could take for ever.
"""

from __future__ import annotations

from collections.abc import Sequence

NEVER = "(?!)"
"""An expression that matches nothing."""
STAR, DEEP, REST = "*", "**/", "**"
"""Tokens that are not regular expressions: any part of a name, folders in between, everything below."""


def literal_glob(path: str) -> str:
    """The pattern that means this path alone, whatever letters it holds."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in path)


def path_regex(tokens: Sequence[str]) -> str:
    """One expression for a path. Tokens are `STAR`, `DEEP`, `REST`, a slash, or an expression for one letter."""
    first, *middle = map(_names, _split(tokens, DEEP))
    if not middle:
        return first
    *inner, last = middle
    return first + "".join(f"(?>(?:[^/]*/)*?{run})" for run in inner) + f"(?:[^/]*/)*?{last}"


def _names(tokens: list[str]) -> str:
    """A run of names, between two `DEEP`."""
    if tokens and tokens[-1] == REST:
        return _names(tokens[:-1]) + ".*"
    return "/".join(map(_name, _split(tokens, "/")))


def _name(tokens: list[str]) -> str:
    first, *rest = ("".join(piece) for piece in _split(tokens, STAR))
    if not rest:
        return first
    *inner, last = rest
    return first + "".join(f"(?>[^/]*?{piece})" for piece in inner) + f"[^/]*{last}(?![^/])"


def _split(tokens: Sequence[str], border: str) -> list[list[str]]:
    pieces: list[list[str]] = [[]]
    for token in tokens:
        if token == border:
            pieces.append([])
        else:
            pieces[-1].append(token)
    return pieces
