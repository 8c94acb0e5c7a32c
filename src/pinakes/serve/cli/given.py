"""The text a command is given: as an argument, in a file, or on standard input."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from pinakes.errors import BadMemory, Unreadable
from pinakes.records.memory import MemoryType

F = TypeVar("F", bound=Callable[..., object])

MOST_BYTES = 10_000_000
"""More is not even read."""

file_option = click.option(
    "--file", "file", type=click.Path(path_type=Path), help="Take the text from this file, or from stdin with -."
)
type_option = click.option(
    "--type", "type_name", type=click.Choice([kind.value for kind in MemoryType]), help="What kind of memory."
)
tag_option = click.option("--tag", "tags", multiple=True, help="A tag; repeatable.")


def kind(name: str | None) -> MemoryType | None:
    return MemoryType(name) if name else None


def text_given(words: tuple[str, ...], file: Path | None) -> str:
    """The text, from wherever it was given; raises `BadMemory` for none or for two."""
    if words and file is not None:
        raise BadMemory("There are two texts: an argument and --file.", "Give one of them.")
    if words == ("-",) or file == Path("-"):
        data = sys.stdin.buffer.read(MOST_BYTES + 1)
        return _decoded(data, "Standard input")
    if file is not None:
        try:
            with file.open("rb") as opened:
                return _decoded(opened.read(MOST_BYTES + 1), str(file))
        except OSError as error:
            raise Unreadable(f"{file} cannot be read: {error.strerror}.", "Check its name and permissions.") from error
    return " ".join(words)


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadMemory(f"{name} is not UTF-8.", "Only text can be remembered.") from None
