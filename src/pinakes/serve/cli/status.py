"""`pinakes status`: what is indexed, what failed and why."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.render import dumps, files_text, status_text, wire
from pinakes.serve.cli import frame


@click.command("status")
@click.argument("paths", nargs=-1)
@frame.root_option
@frame.store_option
@click.option("--files", is_flag=True, help="List every file with its state and the reason for it.")
@frame.json_option
@frame.guarded
def command(
    paths: tuple[str, ...],
    root: Path | None,
    store: Path | None,
    files: bool,
    as_json: bool,
) -> None:
    """Show what is indexed and what failed; for PATHS, why each of them is or is not indexed.

    Nothing is brought up to date first: this shows the index as it is.

    \b
    Example:
      pinakes status
      pinakes status --files
      pinakes status drafts/plan.md
    """
    opened, _ = frame.library(root, store)
    with opened as library:
        if paths or files:
            listed = library.files([frame.address(library, path) for path in paths])
            frame.echo(dumps(wire(listed)) if as_json else files_text(listed))
            return
        state = library.status()
    frame.echo(dumps(wire(state)) if as_json else status_text(state))
