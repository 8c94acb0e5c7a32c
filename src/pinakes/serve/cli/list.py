"""`pinakes list`: the added documents."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.render import dumps, wire
from pinakes.render.added import documents_text
from pinakes.serve.cli import frame


@click.command("list")
@frame.root_option
@frame.store_option
@click.option("--project", default="", help="Only those of this project.")
@frame.json_option
@frame.guarded
def command(root: Path | None, store: Path | None, project: str, as_json: bool) -> None:
    """List the added documents, by project and title. Exit code 1 when there are none.

    \b
    Example:
      pinakes list
      pinakes list --project handbook --json
    """
    opened, _ = frame.library(root, store)
    with opened as library:
        found = library.added.list(project)
    frame.echo(dumps(wire(found)) if as_json else documents_text(found))
    if not found:
        raise SystemExit(frame.NOTHING)
