"""`pinakes get`: an added document, whole."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.render import dumps, wire
from pinakes.render.added import added_text
from pinakes.serve.cli import frame


@click.command("get")
@click.argument("document", metavar="ID")
@frame.root_option
@frame.store_option
@click.option("--plain", is_flag=True, help="Only the text, byte for byte, without saying where it is from.")
@frame.json_option
@frame.guarded
def command(document: str, root: Path | None, store: Path | None, plain: bool, as_json: bool) -> None:
    """Print an added document: ID is its id, the first four letters of it or more, or its path or URL.

    \b
    Example:
      pinakes get 3f9a0c71b2de
      pinakes get 3f9a --plain
    """
    opened, _ = frame.library(root, store)
    with opened as library:
        found = library.added.get(document)
    if as_json:
        frame.echo(dumps(wire(found)))
    elif plain:
        frame.echo_verbatim(found.text)
    else:
        frame.echo(added_text(found))
