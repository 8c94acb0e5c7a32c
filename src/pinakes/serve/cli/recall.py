"""`pinakes recall`: memories that answer a question, or the newest."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.render import dumps, wire
from pinakes.render.memories import recollection_text
from pinakes.serve.cli import frame, given


@click.command("recall")
@click.argument("question", nargs=-1)
@frame.root_option
@frame.store_option
@given.type_option
@given.tag_option
@click.option("--after", default="", help="Only what was written or changed on or after this day (2026-01-31).")
@click.option("--linked-to", default="", metavar="ADDRESS", help="Only what points at this document, section or file.")
@click.option("--archived", is_flag=True, help="Also what is archived or superseded.")
@click.option("--limit", type=click.IntRange(1, 100), default=10, help="At most this many. Default: 10.")
@frame.json_option
@frame.guarded
def command(
    question: tuple[str, ...],
    root: Path | None,
    store: Path | None,
    type_name: str | None,
    tags: tuple[str, ...],
    after: str,
    linked_to: str,
    archived: bool,
    limit: int,
    as_json: bool,
) -> None:
    """Find the memories that answer QUESTION; without one, show the newest. Exit code 1 when there are none.

    \b
    Example:
      pinakes recall "why did we choose SQLite?"
      pinakes recall --linked-to docs/roadmap.md#q3 --type plan
    """
    opened, _ = frame.library(root, store)
    with opened as library:
        found = library.memories.recall(
            " ".join(question),
            type=given.kind(type_name),
            tags=tags,
            after=after,
            linked_to=frame.address(library, linked_to) if linked_to else "",
            limit=limit,
            archived=archived,
            progress=frame.progress_bar(),
        )
    frame.echo(dumps(wire(found)) if as_json else recollection_text(found))
    if not found.found:
        raise SystemExit(frame.NOTHING)
