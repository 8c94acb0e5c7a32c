"""`pinakes log`: what was written, through which door and by whom."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime, time
from pathlib import Path

import click

from pinakes.access.access_log import AccessRow, read_access_log
from pinakes.config import find_root
from pinakes.errors import ConfigError
from pinakes.postgres import shared_database
from pinakes.render import safe
from pinakes.serve.cli import frame
from pinakes.serve.cli.build import Output, show
from pinakes.write_log import LoggedWrite, read_log


@click.command("log")
@frame.root_option
@click.option("--all", "is_all", is_flag=True, help="Of all your libraries.")
@click.option("--since", default="", metavar="DAY", help="Only what was written on or after this day (2026-01-31).")
@click.option(
    "--limit", type=click.IntRange(1, 1_000_000), default=50, help="At most so many, the newest. Default: 50."
)
@click.option("--store", "url", default="", help="What was written and refused with the tokens of postgresql://…")
@frame.json_option
@frame.guarded
def command(root: Path | None, is_all: bool, since: str, limit: int, url: str, as_json: bool) -> None:
    """Show what was written: notes, added documents, published folders, tokens; the newest last.

    \b
    Example:
      pinakes log --since 2026-11-01
      pinakes log --all --json
      pinakes log --store postgresql://ada@localhost/pinakes
    """
    try:
        day = date.fromisoformat(since) if since else None
    except ValueError:
        raise ConfigError(f"“{since[:40]}” is not a day.", "Write it as 2026-01-31.") from None
    if url:
        if root or is_all:
            raise ConfigError("--store names a database, and --root or --all folders.", "Give one of them.")
        after = datetime.combine(day, time(), UTC) if day else None
        rows = read_access_log(shared_database(url), after, limit)
        text = "\n".join(map(_access_line, rows)) or "Nothing was written, and nobody refused."
        show(Output(rows, text, is_found=bool(rows)), as_json=as_json)
        return
    home = Path(os.path.realpath(root)) if root else find_root(Path.cwd())
    found = read_log(None if is_all else home, day.isoformat() if day else "", limit)
    text = "\n".join(_line(one, is_all=is_all) for one in found) or "Nothing was written."
    show(Output(found, text, is_found=bool(found)), as_json=as_json)


def _access_line(one: AccessRow) -> str:
    who = f"{one.name or '-'} {one.token or '-'}"
    often = f"  {one.count} times" if one.count > 1 else ""
    what = f"{one.action:9} {one.result:9} {one.library} {one.object}".rstrip()
    return safe(f"{one.time}  {one.door:6}  {who}  {what}{f'  {one.peer}' if one.peer else ''}{often}")


def _line(one: LoggedWrite, *, is_all: bool) -> str:
    where = f"  {one.root}" if is_all and one.root else ""
    return safe(f"{one.time}  {one.door:6}  {one.user}  {one.action:9} {one.result:9} {one.object}{where}".rstrip())
