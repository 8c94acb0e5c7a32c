"""`pinakes merge`: several memories become one."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.render import dumps, wire
from pinakes.render.memories import memory_text
from pinakes.serve.cli import frame, given


@click.command("merge")
@click.argument("names", nargs=-1, required=True, metavar="ID...")
@frame.root_option
@frame.store_option
@click.option("--title", required=True, help="Of the new memory.")
@click.option("--text", default="", help="Of the new memory; default: the texts of the old ones, one after another.")
@given.file_option
@frame.json_option
@frame.guarded
def command(
    names: tuple[str, ...],
    root: Path | None,
    store: Path | None,
    title: str,
    text: str,
    file: Path | None,
    as_json: bool,
) -> None:
    """Fold the memories ID into a new one that supersedes them; the old ones are archived.

    \b
    Example:
      pinakes merge auth-plan token-notes --title "Authentication"
    """
    opened, _ = frame.library(root, store)
    with opened as library:
        memory = library.memories.merge(names, title, given.text_given((text,) if text else (), file))
    frame.echo(dumps(wire(memory)) if as_json else memory_text(memory))
