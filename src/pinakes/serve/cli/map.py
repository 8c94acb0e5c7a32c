"""`pinakes map`: the outline of everything, of a folder or of a document, within a token budget."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.outline import MapRequest
from pinakes.render import dumps, wire
from pinakes.serve.cli import frame


@click.command("map")
@click.argument("part", required=False, default="")
@frame.root_option
@frame.store_option
@click.option("--budget", type=click.IntRange(min=0), help="At most this many tokens; 0 for everything. Default: 8000.")
@click.option("--focus", default="", help="A question, a path or a section: what matters to it survives first.")
@click.option(
    "--since",
    default="",
    metavar="HASH|REV",
    help="Only the blocks that changed since the map with this hash, or since a revision of git (HEAD~5, v1.2).",
)
@click.option("--summary", is_flag=True, help="Add the first sentence of each section.")
@click.option("--tokens", is_flag=True, help="Add each section's size in tokens.")
@click.option("--format", "form", type=click.Choice(["text", "json", "svg"]), default="text", help="Default: text.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@frame.sync_option
@frame.guarded
def command(
    part: str,
    root: Path | None,
    store: Path | None,
    form: str,
    as_json: bool,
    do_sync: bool,
    focus: str,
    since: str,
    budget: int | None,
    summary: bool,
    tokens: bool,
) -> None:
    """Show the outline of PART (a folder or document; default: everything): headings, what they are about, links.

    --format svg draws the link graph instead.

    \b
    Example:
      pinakes map
      pinakes map docs/api --budget 2000 --focus "how do tokens expire?"
    """
    opened, under = frame.library(root, store, part)
    with opened as library:
        frame.fresh(library, do_sync=do_sync)
        if form == "svg" and not as_json:
            frame.echo(library.picture(under))
            return
        limit = library.config.map.budget_tokens if budget is None else budget
        request = MapRequest(budget_tokens=limit, summary=summary, tokens=tokens)
        if as_json or form == "json":
            frame.echo(dumps(wire(library.map(under, request, focus=focus, since=since))))
            return
        drawn = library.map_text(under, request, focus=focus, since=since)
    frame.echo(drawn.text)
    if not since:
        frame.warn(f"map {drawn.hash}, {drawn.tokens:,} tokens; --since {drawn.hash} shows what changed from here on")
