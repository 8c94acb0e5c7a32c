"""`pinakes memories`: all of them, with counts by type and tag."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.records.memory import MemoryStatus
from pinakes.render import dumps, wire
from pinakes.render.memories import listing_text, trash_text
from pinakes.serve.cli import frame, given


@click.command("memories")
@frame.root_option
@frame.store_option
@given.type_option
@given.tag_option
@click.option("--status", type=click.Choice([status.value for status in MemoryStatus]), help="Only active or archived.")
@click.option("--trash", is_flag=True, help="List what was forgotten and can be restored.")
@frame.json_option
@frame.guarded
def command(
    root: Path | None,
    store: Path | None,
    type_name: str | None,
    tags: tuple[str, ...],
    status: str | None,
    trash: bool,
    as_json: bool,
) -> None:
    """List memories, the newest first, with what speaks against believing them, and count them by type and tag.

    \b
    Example:
      pinakes memories --type plan
      pinakes memories --trash
    """
    opened, _ = frame.library(root, store)
    with opened as library:
        if trash:
            held = library.memories.trash()
            frame.echo(dumps(wire(held)) if as_json else trash_text(held))
            return
        wanted = MemoryStatus(status) if status else None
        listing = library.memories.list(given.kind(type_name), tags, wanted)
    frame.echo(dumps(wire(listing)) if as_json else listing_text(listing))
