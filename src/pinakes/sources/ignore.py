"""git's ignore rules: the text of an ignore file enters, a judge of paths leaves.

The rules are those of gitignore(5) as git itself carries them out, byte for byte: later lines win, ``!`` keeps, a
slash anchors, a slash at the end means folders, ``**`` crosses folders. Patterns and paths are compared as bytes
(held in Latin-1 text), so ``?`` is one byte, as in git.

Lines without wildcards become dictionary keys and the rest one regular expression per file, so judging a path costs
about a microsecond however long the ignore file is.

It refuses to know where ignore files are found, and it never reads git's configuration.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from msgspec import Struct

from pinakes.globs import DEEP, NEVER, REST, STAR, path_regex

_SPECIAL = re.compile(r"[*?\[\\]")

_CLASSES = {
    "alnum": frozenset(i for i in range(128) if chr(i).isalnum()),
    "alpha": frozenset(i for i in range(128) if chr(i).isalpha()),
    "blank": frozenset(b" \t"),
    "cntrl": frozenset((*range(32), 127)),
    "digit": frozenset(b"0123456789"),
    "graph": frozenset(range(33, 127)),
    "lower": frozenset(range(ord("a"), ord("z") + 1)),
    "print": frozenset(range(32, 127)),
    "punct": frozenset(i for i in range(33, 127) if not chr(i).isalnum()),
    "space": frozenset(b" \t\n\v\f\r"),
    "upper": frozenset(range(ord("A"), ord("Z") + 1)),
    "xdigit": frozenset(b"0123456789abcdefABCDEF"),
}


class Rule(Struct, frozen=True):
    """One line of an ignore file."""

    where: str
    """The ignore file or option it stands in."""
    line: int
    """From 1."""
    text: str
    """As written."""
    keeps: bool
    """It starts with ``!``: what it matches is not ignored."""
    folders_only: bool
    pattern: str
    """Without the ``!`` and the slash at the end, bytes as Latin-1."""


class _Table:
    """Patterns arranged for looking up; gives the position of the last one that matches."""

    __slots__ = ("endings", "name_regex", "names", "path_regex", "paths")

    def __init__(self, patterns: Iterable[tuple[int, str]]) -> None:
        self.names: dict[str, int] = {}
        self.paths: dict[str, int] = {}
        endings: dict[str, int] = {}
        name_globs: list[tuple[int, str]] = []
        path_globs: list[tuple[int, str]] = []
        for position, pattern in patterns:
            is_literal = not _SPECIAL.search(pattern)
            if "/" in pattern:
                pattern = pattern.removeprefix("/")
                if is_literal:
                    self.paths[pattern] = position
                else:
                    path_globs.append((position, pattern))
            elif is_literal:
                self.names[pattern] = position
            elif pattern[0] == "*" and not _SPECIAL.search(pattern, 1):
                endings[pattern[1:]] = position
            else:
                name_globs.append((position, pattern))
        self.endings = (tuple(endings), tuple(endings.items()))
        self.name_regex = _either(name_globs)
        self.path_regex = _either(path_globs)

    def last(self, name: str, path: str) -> int:
        """The position of the last pattern that matches, or -1."""
        best = self.names.get(name, -1)
        endings, positions = self.endings
        if name.endswith(endings):
            best = max(best, *(position for ending, position in positions if name.endswith(ending)))
        if self.paths:
            best = max(best, self.paths.get(path, -1))
        for globs, text in ((self.name_regex, name), (self.path_regex, path)):
            if globs is not None and (found := globs[0].match(text)) is not None:
                best = max(best, globs[1][(found.lastindex or 1) - 1])
        return best


class Rules:
    """The rules of one ignore file, for paths relative to the scan's root."""

    __slots__ = ("_above", "_cut", "_files", "_folders", "rules")

    def __init__(self, rules: tuple[Rule, ...], *, above: str = "", below: str = "") -> None:
        """`below` is the folder under the root that holds the ignore file; for an ignore file above the root,
        `above` is where the root lies from there. Both are empty or end with a slash."""
        self.rules = rules
        self._above = as_bytes(above)
        self._cut = len(as_bytes(below))
        self._folders = _Table((i, rule.pattern) for i, rule in enumerate(rules))
        self._files = self._folders
        if any(rule.folders_only for rule in rules):
            self._files = _Table((i, rule.pattern) for i, rule in enumerate(rules) if not rule.folders_only)

    def of_file(self, name: str, path: str) -> Rule | None:
        """The rule that decides about a file, both given `as_bytes`; None when no rule speaks of it."""
        position = self._files.last(name, self._above + path[self._cut :])
        return self.rules[position] if position >= 0 else None

    def of_folder(self, name: str, path: str) -> Rule | None:
        """The rule that decides about a folder (its path without a slash at the end); None when none does."""
        position = self._folders.last(name, self._above + path[self._cut :])
        return self.rules[position] if position >= 0 else None


def as_bytes(path: str) -> str:
    """A path's bytes as Latin-1 text, which is how rules want it; ASCII paths are themselves."""
    return path if path.isascii() else os.fsencode(path).decode("latin-1")


def read_rules(data: bytes, where: str) -> tuple[Rule, ...]:
    """The rules of an ignore file's bytes."""
    return _parse(data.removeprefix(b"\xef\xbb\xbf").decode("latin-1").split("\n"), where)


def rules_of(patterns: Iterable[str], where: str) -> tuple[Rule, ...]:
    """The rules of patterns given one by one, as in an option."""
    return _parse((as_bytes(pattern) for pattern in patterns), where)


def _parse(lines: Iterable[str], where: str) -> tuple[Rule, ...]:
    rules = []
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            continue
        text = _without_trailing_spaces(line.removesuffix("\r").partition("\0")[0])
        pattern = text.removeprefix("!")
        folders_only = pattern.endswith("/")
        pattern = pattern.removesuffix("/")
        if pattern:
            written = text.encode("latin-1").decode("utf-8", "replace")
            rules.append(Rule(where, number, written, text.startswith("!"), folders_only, pattern))
    return tuple(rules)


def _without_trailing_spaces(line: str) -> str:
    bare = line.rstrip(" ")
    # A space after an odd number of backslashes is escaped and stays.
    if len(bare) < len(line) and (len(bare) - len(bare.rstrip("\\"))) % 2:
        return line[: len(bare) + 1]
    return bare


def _either(globs: list[tuple[int, str]]) -> tuple[re.Pattern[str], tuple[int, ...]] | None:
    """One expression for many globs, the last one tried first; group n is the n-th of the positions."""
    if not globs:
        return None
    globs = globs[::-1]
    either = "|".join(f"({_regex(pattern)})" for _, pattern in globs)
    return re.compile(rf"(?s:(?:{either})\Z)"), tuple(position for position, _ in globs)


def _regex(pattern: str) -> str:
    tokens = _tokens(pattern)
    return NEVER if tokens is None else path_regex(tokens)


def _tokens(pattern: str) -> list[str] | None:
    """The pattern as regular expressions for single bytes and the tokens of `globs`; None when it can never match."""
    tokens: list[str] = []
    i, size = 0, len(pattern)
    while i < size:
        char = pattern[i]
        if char == "[":
            found = _bracket(pattern, i + 1)
            if found is None:
                return None
            token, i = found
            tokens.append(token)
            continue
        if char == "*":
            end = i
            while end < size and pattern[end] == "*":
                end += 1
            # git looks at what stands before the stars only after the literal start of the pattern is cut off.
            opens = i == 0 or pattern[i - 1] == "/" or not _SPECIAL.search(pattern[:i])
            if end - i > 1 and opens and (end == size or pattern[end] == "/"):
                tokens.append(REST if end == size else DEEP)
                i = end + 1
            else:
                tokens.append(STAR)
                i = end
            continue
        if char == "\\":
            i += 1
            if i == size:
                return None
            char = pattern[i]
            tokens.append("/" if char == "/" else re.escape(char))
        elif char == "?":
            tokens.append("[^/]")
        else:
            tokens.append("/" if char == "/" else re.escape(char))
        i += 1
    return tokens


def _bracket(pattern: str, i: int) -> tuple[str, int] | None:
    """A ``[…]`` as a regular expression and the place after it, read exactly as git reads it; None when malformed."""
    negated = pattern[i : i + 1] in ("!", "^")
    i += negated
    members: set[int] = set()
    before = -1
    is_first = True
    while is_first or pattern[i : i + 1] != "]":
        is_first = False
        char = pattern[i : i + 1]
        if not char:
            return None
        if char == "-" and before >= 0 and pattern[i + 1 : i + 2] not in ("", "]"):
            i += 1
            if pattern[i] == "\\":
                i += 1
                if i == len(pattern):
                    return None
            members.update(range(before, ord(pattern[i]) + 1))
            before = -1
        elif char == "[" and pattern[i + 1 : i + 2] == ":" and (end := pattern.find("]", i + 2)) != -1:
            if end > i + 2 and pattern[end - 1] == ":":
                named = _CLASSES.get(pattern[i + 2 : end - 1])
                if named is None:
                    return None
                members |= named
                before, i = -1, end
            else:
                members.add(ord("["))
                before = ord("[")
        else:
            if char == "\\":
                i += 1
                if i == len(pattern):
                    return None
            before = ord(pattern[i])
            members.add(before)
        i += 1
    if negated:
        members = set(range(256)) - members
    members.discard(ord("/"))
    return ("[" + "".join(f"\\x{byte:02x}" for byte in sorted(members)) + "]" if members else NEVER), i + 1
