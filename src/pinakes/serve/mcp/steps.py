"""Errors in words for a model: it has tools where their next step names a command.

What no tool does (repairing an index, making a token) stays a command, for the person who has a terminal. Options of a
command that is not named say nothing to either.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from pinakes.errors import PinakesError
from pinakes.render import safe

_COMMAND = re.compile(r"\bpinakes [a-z]+| --[a-z]+")
_OPTION = re.compile(r",? with --[a-z-]+")
"""How something is named to a command; to a tool, nothing is."""
_AS_TOOLS = tuple(
    (tool, re.compile(command), step)
    for tool, command, step in (
        ("map", r"pinakes map (.+) lists its sections", r"`map` with under \1 lists its sections"),
        ("map", r"pinakes status --files lists all files", "`map` shows what there is"),
        ("recall", r"pinakes memories lists (them|their ids)", r"`recall` without a query lists \1"),
        ("status", r"pinakes sync makes one", "It is being made; `status` says how far it is"),
        ("list", r"pinakes list shows all", "`list` shows all"),
        ("add", r"pinakes add (takes|puts)", r"`add` \1"),
        ("add", r"or pinakes add it", "or `add` it"),
        ("search", r"Name a folder that is in one with --root", "`search` finds what the documents say"),
        ("context", r"ask for --mode docs", "ask `context` with mode docs"),
        ("remember", r"Give it as an argument, with --file, or with - on stdin", "Give it to `remember` as text"),
    )
)
"""A tool that does what a command does, and the step in its words."""


def for_model(error: PinakesError, tools: Collection[str]) -> str:
    """An error and its next step, by these tools where one of them can take it."""
    step = error.next_step
    for tool, command, words in _AS_TOOLS:
        if tool in tools:
            step = command.sub(words, step)
    if "pinakes " not in step:
        step = _OPTION.sub("", step)
    is_for_people = _COMMAND.search(step) and "in a terminal" not in step.casefold()
    return safe(f"{error.problem} {'In a terminal: ' if is_for_people else ''}{step}".strip())
