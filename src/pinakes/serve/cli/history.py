"""`pinakes history`: commits that answer a question, or the newest."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from pinakes.records import HISTORY, Detail, Filter, Query, Results
from pinakes.render import dumps, results_text, wire
from pinakes.search import PROFILES
from pinakes.serve.cli import frame


@click.command("history")
@click.argument("question", nargs=-1)
@frame.root_option
@frame.store_option
@click.option(
    "--file", "files", multiple=True, metavar="GLOB", help="Only commits that changed such a file; repeatable."
)
@click.option("--author", default="", help="Only commits whose author's name or address holds this.")
@click.option("--after", default="", help="Only commits of this day or later (2026-01-31).")
@click.option("--before", default="", help="Only commits before this day.")
@click.option("--limit", type=click.IntRange(1, 100), default=10, help="At most this many. Default: 10.")
@click.option("--profile", type=click.Choice(list(PROFILES)), help="How thoroughly to look. Default: balanced.")
@click.option("--anyway", is_flag=True, help="Show the nearest even when nothing seems to answer.")
@click.option("--explain", is_flag=True, help="Show each hit's votes and what every stage did.")
@frame.json_option
@frame.sync_option
@frame.guarded
def command(
    question: tuple[str, ...],
    root: Path | None,
    store: Path | None,
    files: tuple[str, ...],
    author: str,
    after: str,
    before: str,
    limit: int,
    profile: str | None,
    anyway: bool,
    explain: bool,
    as_json: bool,
    do_sync: bool,
) -> None:
    """Find the commits that answer QUESTION; without one, show the newest. Exit code 1 when there are none.

    A hash, or the beginning of one, is answered with that commit. pinakes read history:HASH prints it whole.

    \b
    Example:
      pinakes history "why was the cache removed?" --file "src/**"
      pinakes history --author Ada --after 2026-01-01
    """
    opened, _ = frame.library(root, store)
    with opened as library:
        commits = library.corpus(HISTORY)
        if commits.is_indexed or commits.source.exists:
            frame.fresh(library, (HISTORY,), do_sync=do_sync)
        query = Query(
            " ".join(question),
            Filter(corpora=(HISTORY,), files=files, author=author, after=after, before=before),
            limit=limit,
            profile=profile or library.config.search.profile,
            detail=Detail.SECTION,
            abstain=not anyway,
        )
        found = library.history(query)
    shown = dumps(wire(found)) if as_json else results_text(_titled(found), explain=explain, marked=frame.has_faces())
    frame.echo(shown)
    if not found.hits:
        raise SystemExit(frame.NOTHING)


def _titled(found: Results) -> Results:
    """A hash says nothing to people, so each hit is headed by the commit's day and subject."""
    hits = [replace(hit, trail=(f"{hit.modified[:10]} {hit.title}", *hit.trail)) for hit in found.hits]
    return replace(found, hits=tuple(hits))
