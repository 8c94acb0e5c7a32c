"""`pinakes updates`: have the sources of added documents changed?"""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.render import dumps, wire
from pinakes.render.added import updates_text
from pinakes.serve.cli import frame


@click.command("updates")
@frame.root_option
@frame.store_option
@click.option("--project", default="", help="Only documents of this project.")
@click.option("--apply", is_flag=True, help="Take in what changed.")
@frame.json_option
@frame.guarded
def command(root: Path | None, store: Path | None, project: str, apply: bool, as_json: bool) -> None:
    """Look at the sources of added documents again: changed, missing, unchanged or unreachable.

    Nothing is changed without --apply, and nothing is ever dropped.

    \b
    Example:
      pinakes updates
      pinakes updates --project handbook --apply
    """
    opened, _ = frame.library(root, store)
    with opened as library:
        found = library.added.updates(project, apply=apply)
    frame.echo(dumps(wire(found)) if as_json else updates_text(found))
