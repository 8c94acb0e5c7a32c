"""`pinakes log`: what was written, through which door and by whom."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import click

from pinakes.config import find_root
from pinakes.errors import ConfigError
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
@frame.json_option
@frame.guarded
def command(root: Path | None, is_all: bool, since: str, limit: int, as_json: bool) -> None:
    """Show what was written: notes, added documents, published folders, tokens; the newest last.

    \b
    Example:
      pinakes log --since 2026-11-01
      pinakes log --all --json
    """
    try:
        day = date.fromisoformat(since).isoformat() if since else ""
    except ValueError:
        raise ConfigError(f"“{since[:40]}” is not a day.", "Write it as 2026-01-31.") from None
    home = Path(os.path.realpath(root)) if root else find_root(Path.cwd())
    found = read_log(None if is_all else home, day, limit)
    text = "\n".join(_line(one, is_all=is_all) for one in found) or "Nothing was written."
    show(Output(found, text, is_found=bool(found)), as_json=as_json)


def _line(one: LoggedWrite, *, is_all: bool) -> str:
    where = f"  {one.root}" if is_all and one.root else ""
    return safe(f"{one.time}  {one.door:6}  {one.user}  {one.action:9} {one.result:9} {one.object}{where}".rstrip())
