"""Short requests that a person picks instead of typing them.

The name of a file enters; its snippets leave. The package has one file for each mode. A copy of the same name in the
user's own settings is taken instead; one that cannot be understood is left, with a sentence that says why.
"""

from __future__ import annotations

import json
from importlib.resources import files

from msgspec import Struct

from pinakes.errors import ConfigError
from pinakes.toml_file import read_bytes
from pinakes.user_folders import config_path

_MOST = 50
_LONGEST_NAME = 40
_LONGEST_TEXT = 10_000


class Snippet(Struct, frozen=True):
    """A short request."""

    name: str
    """What a button says."""
    text: str
    """What is asked."""


class SnippetList(Struct, frozen=True):
    """The snippets of a mode."""

    snippets: tuple[Snippet, ...]
    warning: str = ""
    """Why the user's own file was not taken; empty where there is none, or it was."""


def load_snippets(name: str) -> SnippetList:
    """The snippets of the user's file of that name, else those of the package."""
    built_in = parse_snippets(files("pinakes.context").joinpath("prompts", name).read_bytes())
    place = config_path(name)
    if place is None:
        return SnippetList(built_in)
    try:
        own = read_bytes(place)
        return SnippetList(built_in if own is None else parse_snippets(own))
    except ConfigError as error:
        return SnippetList(built_in, f"{error.problem} {error.next_step}")
    except ValueError as error:
        return SnippetList(
            built_in, f"{place} {error}. The snippets of the package are used; correct the file or remove it."
        )


def parse_snippets(data: bytes) -> tuple[Snippet, ...]:
    """Raises `ValueError` with what is wrong, which follows the name of the file: “… is not JSON”."""
    try:
        rows = json.loads(data)
    except (ValueError, RecursionError):
        raise ValueError("is not JSON") from None
    if not isinstance(rows, list) or len(rows) > _MOST:
        raise ValueError(f"is not a list of at most {_MOST} snippets")
    found = tuple(_snippet(number, row) for number, row in enumerate(rows, 1))
    if len({one.name for one in found}) < len(found):
        raise ValueError("has two snippets of one name")
    return found


def _snippet(number: int, row: object) -> Snippet:
    if not isinstance(row, dict) or row.keys() != {"name", "text"}:
        raise ValueError(f'has as snippet {number} something else than {{"name": "…", "text": "…"}}')
    for key, longest in (("name", _LONGEST_NAME), ("text", _LONGEST_TEXT)):
        value = row[key]
        if not isinstance(value, str) or not value.strip() or len(value) > longest:
            raise ValueError(f"has in snippet {number} a {key} that is no text of 1 to {longest:,} characters")
    return Snippet(row["name"].strip(), row["text"].strip())
