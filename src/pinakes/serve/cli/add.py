"""`pinakes add`: keep a document from elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pinakes.added.names import DEFAULT
from pinakes.added.text import MOST_BYTES
from pinakes.records.added import TextType
from pinakes.render import dumps, wire
from pinakes.render.added import addition_text
from pinakes.serve.cli import frame


@click.command("add")
@click.argument("source")
@frame.root_option
@frame.store_option
@click.option("--project", default=DEFAULT, help="The project it belongs to. Default: default.")
@click.option("--title", default="", help="What to call it, instead of what it calls itself.")
@click.option(
    "--type",
    "type_name",
    type=click.Choice([one.value for one in TextType]),
    help="What it is. Default: by its ending, or what the server says; Markdown on standard input.",
)
@frame.json_option
@frame.guarded
def command(
    source: str,
    root: Path | None,
    store: Path | None,
    project: str,
    title: str,
    type_name: str | None,
    as_json: bool,
) -> None:
    """Keep a document that lives elsewhere: SOURCE is a path, a URL, or - for standard input.

    The same path or URL in the same project replaces what was there and keeps its id; when nothing changed, nothing is
    touched. It is found by the next search.

    \b
    Example:
      pinakes add ../handbook/release.md --project handbook
      pinakes add https://www.rfc-editor.org/rfc/rfc3986.txt --title "URIs"
      git log -5 | pinakes add - --title "Last commits" --type txt
    """
    opened, _ = frame.library(root, store)
    with opened as library:
        if source == "-":
            data = sys.stdin.buffer.read(MOST_BYTES + 1)
            made = library.added.add_text(data, project=project, title=title, type_name=type_name or "")
        else:
            made = library.added.add(source, project=project, title=title, type_name=type_name or "")
    frame.echo(dumps(wire(made)) if as_json else addition_text(made))
