"""`pinakes archive`: a memory is kept, but out of the way."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.render import dumps, wire
from pinakes.render.memories import memory_text
from pinakes.serve.cli import frame


@click.command("archive")
@click.argument("names", nargs=-1, required=True, metavar="ID...")
@frame.root_option
@frame.store_option
@frame.json_option
@frame.guarded
def command(names: tuple[str, ...], root: Path | None, store: Path | None, as_json: bool) -> None:
    """Keep the memories ID, but recall them only with --archived.

    ID is what `pinakes memories` shows first, or a unique title. `pinakes update ID --status active` undoes it.

    \b
    Example:
      pinakes archive auth-plan
    """
    opened, _ = frame.library(root, store)
    with opened as library:
        done = [library.memories.archive(name) for name in names]
    frame.echo(dumps(wire(done)) if as_json else "\n".join(memory_text(one) for one in done))
