"""`pinakes drop`: remove added documents."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.render import dumps, wire
from pinakes.render.added import dropped_text
from pinakes.serve.cli import frame


@click.command("drop")
@click.argument("documents", metavar="ID...", nargs=-1, required=True)
@frame.root_option
@frame.store_option
@frame.json_option
@frame.guarded
def command(documents: tuple[str, ...], root: Path | None, store: Path | None, as_json: bool) -> None:
    """Remove added documents, with everything that was indexed of them. Their sources are not touched.

    When one of them is not there, none is removed.

    \b
    Example:
      pinakes drop 3f9a0c71b2de
    """
    opened, _ = frame.library(root, store)
    with opened as library:
        found = library.added.drop(documents)
    frame.echo(dumps(wire(found)) if as_json else dropped_text(found))
