"""`pinakes remember`: a note for later, kept as a file of its own."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.records.memory import MemoryType
from pinakes.render import dumps, wire
from pinakes.render.memories import memory_text
from pinakes.serve.cli import frame, given


@click.command("remember")
@click.argument("text", nargs=-1)
@frame.root_option
@frame.store_option
@given.file_option
@click.option("--title", default="", help="Default: the first line of the text.")
@given.type_option
@given.tag_option
@click.option("--link", "links", multiple=True, help="What it is about: path, path#anchor or memory; repeatable.")
@click.option("--review-by", default="", help="The day after which it is marked as due (2026-01-31).")
@click.option("--supersedes", multiple=True, metavar="ID", help="A memory that it takes the place of; repeatable.")
@frame.json_option
@frame.guarded
def command(
    text: tuple[str, ...],
    root: Path | None,
    store: Path | None,
    file: Path | None,
    title: str,
    type_name: str | None,
    tags: tuple[str, ...],
    links: tuple[str, ...],
    review_by: str,
    supersedes: tuple[str, ...],
    as_json: bool,
) -> None:
    """Write TEXT down as a memory: an argument, - for standard input, or --file.

    Links in it, such as [[src/server.py]] or [[docs/roadmap.md#q3]], lead to sections and files; when those change, the
    memory is marked "verify".

    \b
    Example:
      pinakes remember "We fixed the leak in [[src/server.py]]" --type fact --tag memory
      git log -1 --format=%B | pinakes remember - --title "Last commit" --type journal
    """
    opened, _ = frame.library(root, store)
    with opened as library:
        memory = library.memories.remember(
            given.text_given(text, file),
            title,
            type=given.kind(type_name) or MemoryType.OBSERVATION,
            tags=tags,
            links=[frame.address(library, link) for link in links],
            review_by=review_by,
            supersedes=supersedes,
        )
    frame.echo(dumps(wire(memory)) if as_json else memory_text(memory))
