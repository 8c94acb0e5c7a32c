"""`pinakes update`: a memory's text or fields change, or it is found to be still true."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.records.memory import MemoryStatus, Revision
from pinakes.render import dumps, wire
from pinakes.render.memories import memory_text
from pinakes.serve.cli import frame, given


@click.command("update")
@click.argument("name", metavar="ID")
@click.argument("text", nargs=-1)
@frame.root_option
@frame.store_option
@given.file_option
@click.option("--title", help="Another title; the id stays.")
@given.type_option
@click.option("--status", type=click.Choice([status.value for status in MemoryStatus]), help="Active or archived.")
@click.option("--tag", "tags", multiple=True, help="The tags it shall have; repeatable. An empty one removes all.")
@click.option("--link", "links", multiple=True, help="What it is about; repeatable. An empty one removes all.")
@click.option("--review-by", help="The day after which it is marked as due; empty for none.")
@click.option("--verified", is_flag=True, help="It is still true: what it points at is taken as it is now.")
@frame.json_option
@frame.guarded
def command(
    name: str,
    text: tuple[str, ...],
    root: Path | None,
    store: Path | None,
    file: Path | None,
    title: str | None,
    type_name: str | None,
    status: str | None,
    tags: tuple[str, ...],
    links: tuple[str, ...],
    review_by: str | None,
    verified: bool,
    as_json: bool,
) -> None:
    """Give the memory ID another TEXT, other fields, or say that it is still true.

    Everything else in its file stays as it is.

    \b
    Example:
      pinakes update auth-plan --verified
      pinakes update auth-plan --review-by 2026-12-31 --tag auth --tag tokens
    """
    opened, _ = frame.library(root, store)
    with opened as library:
        memory = library.memories.update(
            name,
            Revision(
                text=given.text_given(text, file) if text or file else None,
                title=title,
                type=given.kind(type_name),
                status=MemoryStatus(status) if status else None,
                tags=tags or None,
                links=tuple(frame.address(library, link) for link in links) if links else None,
                review_by=review_by,
                is_verified=verified,
            ),
        )
    frame.echo(dumps(wire(memory)) if as_json else memory_text(memory))
