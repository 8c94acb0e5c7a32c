"""`pinakes token`: the one token of this machine, and those that lie in a database."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import click

from pinakes.access import TokenScope
from pinakes.access.tokens import TokenRow, TokenTable
from pinakes.errors import ConfigError
from pinakes.postgres import shared_database
from pinakes.render import object_of, safe
from pinakes.serve.cli import frame
from pinakes.serve.cli.build import Output, show
from pinakes.serve.kept_token import kept_token
from pinakes.write_log import log_writes

_EXPIRES = re.compile(r"([1-9]\d{0,4})([dhm])")
_UNITS = {"d": "days", "h": "hours", "m": "minutes"}
_NEVER, _ALL = "never", "*"

_store_option = click.option(
    "--store",
    "url",
    required=True,
    envvar="PINAKES_STORE_URL",
    help="The database: postgresql://USER:PASSWORD@HOST/NAME. Default: PINAKES_STORE_URL.",
)


@click.group("token", invoke_without_command=True)
@click.option("--new", "is_renewed", is_flag=True, help="Make another one. Servers take it when they start again.")
@click.option("--header", "as_header", is_flag=True, help="Print the whole header, as curl -H @FILE takes it.")
@click.pass_context
@frame.guarded
def command(context: click.Context, is_renewed: bool, as_header: bool) -> None:
    """Print your token, which clients of pinakes serve send before they write.

    With a command: make, list and revoke the tokens of servers over a database.

    \b
    Example:
      curl -H @<(pinakes token --header) -H 'Content-Type: application/json' \\
        -d '{"text": "Deploys run on Tuesdays."}' http://127.0.0.1:7465/remember
    """
    if context.invoked_subcommand is not None:
        if is_renewed or as_header:
            raise ConfigError("--new and --header are of the one token of this machine.", "Leave them out.")
        return
    token = kept_token(is_renewed=is_renewed)
    frame.echo(f"Authorization: Bearer {token}" if as_header else token)


@command.command("create")
@click.argument("name")
@click.option(
    "--scope",
    type=click.Choice([one.value for one in TokenScope]),
    default=TokenScope.READ.value,
    show_default=True,
    help="How far it reaches; each includes those before it.",
)
@click.option("--library", "libraries", multiple=True, required=True, help="A library it sees; repeatable. * for all.")
@click.option(
    "--expires",
    default="90d",
    show_default=True,
    metavar="WHEN",
    help="Days (90d), hours (12h), minutes (30m), a day (2027-01-31), or never.",
)
@_store_option
@frame.json_option
@frame.guarded
def create_command(name: str, scope: str, libraries: tuple[str, ...], expires: str, url: str, *, as_json: bool) -> None:
    """Make a token called NAME, and print it. It is shown this once, and kept nowhere.

    \b
    Example:
      pinakes token create docs-bot --library handbook --expires 30d --store postgresql://ada@localhost/pinakes
      pinakes token create ci --scope write --library '*'
    """
    named = None if _ALL in libraries else libraries
    text, row = TokenTable(shared_database(url)).create(name, TokenScope(scope), named, _time(expires))
    log_writes("token create", [(f"{row.name} {row.id}", "done")])
    note = f"{_line(row)}\nThis is shown once. Whoever has it may do this much."
    show(Output({"token": text, **object_of(row)}, text, note=note), as_json=as_json)


@command.command("list")
@_store_option
@frame.json_option
@frame.guarded
def list_command(url: str, *, as_json: bool) -> None:
    """List the tokens of a database, without their secrets.

    \b
    Example:
      pinakes token list --store postgresql://ada@localhost/pinakes
    """
    rows = TokenTable(shared_database(url)).list()
    note = "" if rows else "There are no tokens. pinakes token create NAME --library '*' makes one."
    show(Output(rows, "\n".join(map(_line, rows)), note=note), as_json=as_json)


@command.command("revoke")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@_store_option
@frame.json_option
@frame.guarded
def revoke_command(names: tuple[str, ...], url: str, *, as_json: bool) -> None:
    """Have tokens allow nothing any more, by their names or ids. Servers refuse them within seconds.

    \b
    Example:
      pinakes token revoke docs-bot --store postgresql://ada@localhost/pinakes
    """
    table = TokenTable(shared_database(url))
    done = []
    for name in names:
        done.append(row := table.revoke(name))
        log_writes("token revoke", [(f"{row.name} {row.id}", "done")])
    show(Output(tuple(done), "\n".join(map(_line, done))), as_json=as_json)


def _time(given: str) -> datetime | None:
    """When a token expires; None for never."""
    if given == _NEVER:
        return None
    now = datetime.now(UTC)
    if found := _EXPIRES.fullmatch(given):
        return now + timedelta(**{_UNITS[found[2]]: int(found[1])})
    try:
        return datetime.strptime(given, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise ConfigError(
            f"“{given[:80]}” is no time at which a token expires.", "Write 90d, 12h, 30m, 2027-01-31 or never."
        ) from None


def _line(row: TokenRow) -> str:
    libraries = "all libraries" if row.libraries is None else ", ".join(row.libraries)
    until = f"until {row.expires}" if row.expires else "for ever"
    return safe(f"{row.name}  {row.id}  {row.scope.value}  {libraries}  {until}  {row.state}")
