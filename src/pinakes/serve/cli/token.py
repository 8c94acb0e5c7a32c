"""`pinakes token`: the token that clients send to a server before they write."""

from __future__ import annotations

import click

from pinakes.serve.cli import frame
from pinakes.serve.kept_token import kept_token


@click.command("token")
@click.option("--new", "is_renewed", is_flag=True, help="Make another one. Servers take it when they start again.")
@click.option("--header", "as_header", is_flag=True, help="Print the whole header, as curl -H @FILE takes it.")
@frame.guarded
def command(is_renewed: bool, as_header: bool) -> None:
    """Print your token, which clients of pinakes serve send before they write.

    \b
    Example:
      curl -H @<(pinakes token --header) -H 'Content-Type: application/json' \\
        -d '{"text": "Deploys run on Tuesdays."}' http://127.0.0.1:7465/remember
    """
    token = kept_token(is_renewed=is_renewed)
    frame.echo(f"Authorization: Bearer {token}" if as_header else token)
