"""The text a command is given: as an argument, in a file, or on standard input."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pinakes.errors import BadMemory, Unreadable

MOST_BYTES = 10_000_000
"""More is not even read."""

file_option = click.option(
    "--file", "file", type=click.Path(path_type=Path), help="Take the text from this file, or from stdin with -."
)


def text_given(typed: tuple[str, ...] | str | None, file: Path | None) -> str | None:
    """The text, from wherever it was given, None for none; raises `BadMemory` for two, `Unreadable` for a file that
    cannot be read."""
    words = (typed,) if isinstance(typed, str) else typed or ()
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
    return " ".join(words) if words else None


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadMemory(f"{name} is not UTF-8.", "Only text can be remembered.") from None
