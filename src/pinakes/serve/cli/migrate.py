"""`pinakes migrate`: the tables of a PostgreSQL database, made and upgraded."""

from __future__ import annotations

import click

from pinakes.library.databases import migrate_database
from pinakes.serve.cli import frame
from pinakes.serve.cli.build import Output, show


@click.command("migrate")
@click.option(
    "--store",
    "url",
    required=True,
    envvar="PINAKES_STORE_URL",
    help="The database: postgresql://USER:PASSWORD@HOST/NAME. Default: PINAKES_STORE_URL.",
)
@frame.json_option
@frame.guarded
def command(url: str, *, as_json: bool) -> None:
    """Make the tables of Pinakes in a PostgreSQL database, or bring them up to date.

    Nothing is changed where they are. Stop servers of an older Pinakes first: they refuse newer tables.

    \b
    Example:
      pinakes migrate --store postgresql://ada@localhost/pinakes
    """
    steps = migrate_database(url)
    lines = [
        f"{one.name}: version {one.after}" + (f", was {one.before}" if one.before != one.after else ", as it was")
        for one in steps
    ]
    show(Output(steps, "\n".join(lines)), as_json=as_json)
