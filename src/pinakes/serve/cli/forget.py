"""`pinakes forget`: a memory goes to the trash."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.render import dumps, wire
from pinakes.render.memories import trash_text
from pinakes.serve.cli import frame


@click.command("forget")
@click.argument("names", nargs=-1, required=True, metavar="ID...")
@frame.root_option
@frame.store_option
@frame.json_option
@frame.guarded
def command(names: tuple[str, ...], root: Path | None, store: Path | None, as_json: bool) -> None:
    """Move the memories ID to the trash; `pinakes restore` brings them back.

    \b
    Example:
      pinakes forget auth-plan
    """
    opened, _ = frame.library(root, store)
    with opened as library:
        done = tuple(library.memories.forget(name) for name in names)
    frame.echo(dumps(wire(done)) if as_json else trash_text(done))
