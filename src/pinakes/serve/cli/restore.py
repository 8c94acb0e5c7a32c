"""`pinakes restore`: a memory comes back from the trash."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.render import dumps, wire
from pinakes.render.memories import memory_text
from pinakes.serve.cli import frame


@click.command("restore")
@click.argument("names", nargs=-1, required=True, metavar="ID...")
@frame.root_option
@frame.store_option
@frame.json_option
@frame.guarded
def command(names: tuple[str, ...], root: Path | None, store: Path | None, as_json: bool) -> None:
    """Bring the memories ID back from the trash, under their old names or free ones.

    ID is what `pinakes memories --trash` shows first.

    \b
    Example:
      pinakes restore auth-plan
    """
    opened, _ = frame.library(root, store)
    with opened as library:
        done = [library.memories.restore(name) for name in names]
    frame.echo(dumps(wire(done)) if as_json else "\n".join(memory_text(one) for one in done))
