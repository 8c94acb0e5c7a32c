"""`pinakes read`: a document, a section or lines, verbatim."""

from __future__ import annotations

import re
from pathlib import Path

import click

from pinakes.errors import ConfigError
from pinakes.records import DOCS
from pinakes.render import dumps, passage_text, wire
from pinakes.serve.cli import frame

_WEB = re.compile(r"https?://", re.IGNORECASE)


@click.command("read")
@click.argument("address")
@frame.root_option
@frame.store_option
@click.option("--plain", is_flag=True, help="Only the text, byte for byte, without saying where it is from.")
@click.option(
    "--first",
    type=click.IntRange(min=1),
    metavar="N",
    help="Of a published document: only its N best chunks, in the order to read them.",
)
@frame.json_option
@frame.sync_option
@frame.guarded
def command(
    address: str,
    root: Path | None,
    store: Path | None,
    plain: bool,
    first: int | None,
    as_json: bool,
    do_sync: bool,
) -> None:
    """Print what ADDRESS names: path, path#anchor, path:12 or path:12-30, or URL#path of what was published.

    \b
    Example:
      pinakes read docs/guide.md#installation
      pinakes read docs/guide.md:12-30 --plain
      pinakes read https://example.org/docs/#guide/reading.md --first 3
    """
    if _WEB.match(address):
        from pinakes.serve.cli.published import print_published

        print_published(address, first, plain=plain, as_json=as_json)
        return
    if first is not None:
        raise ConfigError("--first is for documents that were published.", "Name one: https://…/#guide/reading.md.")
    opened, _ = frame.library(root, store)
    with opened as library:
        named = address.partition(":")[0]
        frame.fresh(library, (DOCS, named) if named in library.corpora else (), do_sync=do_sync)
        found = library.read(frame.address(library, address))
    if as_json:
        frame.echo(dumps(wire(found)))
    elif plain:
        frame.echo_verbatim(found.text)
    else:
        frame.echo(passage_text(found))
