"""`pinakes append`: more text at the end of a memory."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.render import dumps, wire
from pinakes.render.memories import memory_text
from pinakes.serve.cli import frame, given


@click.command("append")
@click.argument("name", metavar="ID")
@click.argument("text", nargs=-1)
@frame.root_option
@frame.store_option
@given.file_option
@frame.json_option
@frame.guarded
def command(
    name: str, text: tuple[str, ...], root: Path | None, store: Path | None, file: Path | None, as_json: bool
) -> None:
    """Add TEXT to the end of the memory ID: an argument, - for standard input, or --file.

    \b
    Example:
      pinakes append auth-plan "Done: the tests of [[src/server.py]] pass."
    """
    opened, _ = frame.library(root, store)
    with opened as library:
        memory = library.memories.append(name, given.text_given(text, file))
    frame.echo(dumps(wire(memory)) if as_json else memory_text(memory))
