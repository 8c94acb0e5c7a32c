"""A tool's arguments as a model sent them: each is asked for by name and type, and refused with what to send instead.

Schemas tell clients the same, but not every client looks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from pinakes.errors import PinakesError

LONGEST = 10_000
"""Characters of any text: a question or a guess of an answer, never a document."""
MOST = 100
"""Entries of any list."""


class BadArgument(PinakesError):
    """An argument that is unknown, missing or malformed."""


class Arguments:
    """What was sent with one call. Every question takes the value out; `done` refuses what nobody asked for."""

    def __init__(self, given: Mapping[str, object], known: Sequence[str]) -> None:
        for name in given:
            if name not in known:
                near = get_close_matches(name, known, n=1)
                offer = f"Did you mean {near[0]}?" if near else f"There are {', '.join(known) or 'none'}."
                raise BadArgument(f"There is no argument “{name[:80]}”.", offer)
        self._given = given

    def text(self, name: str, *, required: bool = False, longest: int = LONGEST) -> str:
        """A text; empty when it is not there and need not be."""
        value = self._given.get(name)
        if value is None or value == "":
            if required:
                raise BadArgument(f"The argument “{name}” is missing.", "Send it as a text.")
            return ""
        if not isinstance(value, str):
            raise BadArgument(f"“{name}” is not a text.", "Send a JSON string.")
        if len(value) > longest:
            raise BadArgument(f"“{name}” has {len(value):,} characters.", f"At most {longest:,} are taken.")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts; a single text stands for a list of one."""
        value = self._given.get(name)
        if value is None:
            return ()
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
            raise BadArgument(f"“{name}” is not a list of texts.", 'Send JSON such as ["guide/**"].')
        if len(listed) > MOST or any(len(one) > LONGEST for one in listed):
            raise BadArgument(f"“{name}” is too long.", f"At most {MOST} texts are taken.")
        return tuple(listed)

    def number(self, name: str, default: int, least: int, most: int) -> int:
        """A whole number within bounds."""
        value = self._given.get(name)
        if value is None:
            return default
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise BadArgument(f"“{name}” must be a whole number.", f"From {least} to {most:,}.")
        return value

    def flag(self, name: str) -> bool:
        value = self._given.get(name)
        if value is None or isinstance(value, bool):
            return bool(value)
        raise BadArgument(f"“{name}” is not a yes or no.", "Send true or false.")

    def choice(self, name: str, choices: Sequence[str], default: str) -> str:
        value = self.text(name) or default
        if value not in choices:
            raise BadArgument(f"“{name}” cannot be “{value[:80]}”.", f"Choose one of {', '.join(choices)}.")
        return value
