"""`pinakes links`: what a document or section points at and what points at it."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.render import connections_text, dumps, wire
from pinakes.serve.cli import frame


@click.command("links")
@click.argument("address")
@frame.root_option
@frame.store_option
@frame.json_option
@frame.sync_option
@frame.guarded
def command(
    address: str,
    root: Path | None,
    store: Path | None,
    as_json: bool,
    do_sync: bool,
) -> None:
    """Show the links from and to ADDRESS, a document or a section of it.

    Exit code 1 when there are none.

    \b
    Example:
      pinakes links docs/guide.md
      pinakes links docs/guide.md#installation --json
    """
    opened, _ = frame.library(root, store)
    with opened as library:
        frame.fresh(library, do_sync=do_sync)
        found = library.links(frame.address(library, address))
    frame.echo(dumps(wire(found)) if as_json else connections_text(found))
    if not found.outgoing and not found.incoming:
        raise SystemExit(frame.NOTHING)
