"""`pinakes serve`: HTTP, MCP and the page, for many clients at once."""

from __future__ import annotations

import os
import sys
import threading
from dataclasses import replace
from pathlib import Path

import click

from pinakes.config import find_root
from pinakes.errors import ConfigError, ExtraMissing
from pinakes.serve.cli import frame

PORT = 7465
"""P-I-N-K on a telephone's keys."""
CLOSING_S = 0.5
"""How long the index may take to be closed."""


@click.command("serve")
@click.argument("roots", nargs=-1, type=click.Path(path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0 for any free one.")
@click.option(
    "--token",
    default="",
    envvar="PINAKES_TOKEN",
    help="What clients must show as a bearer token; needed off loopback. Better in the environment: PINAKES_TOKEN.",
)
@click.option("--name", "names", multiple=True, help="Another name this server is reached by, such as a proxy's.")
@click.option(
    "--watch/--no-watch", "do_watch", default=True, help="Take changes in as they happen (default), or before answers."
)
@frame.store_option
@frame.guarded
def command(
    roots: tuple[Path, ...],
    host: str,
    port: int,
    token: str,
    names: tuple[str, ...],
    do_watch: bool,
    store: Path | None,
) -> None:
    """Answer over HTTP: search, map, read, links, events, MCP at /mcp, and a page for people at /.

    ROOTS are folders of documents; without one it is the project you are in. Several are told apart by their names.

    \b
    Example:
      pinakes serve
      pinakes serve docs handbook --port 8000
    """
    if store is not None and len(roots) > 1:
        raise ConfigError("--store names one index, and there are several roots.", "Leave it out, or serve one root.")
    try:
        from pinakes.serve.http import ServeOptions, create_app, listen_at, serve
    except ModuleNotFoundError as missing:
        raise ExtraMissing(f"{missing.name} is not installed.", "pip install 'pinakes[serve]'") from None
    from pinakes.serve.libraries import Libraries

    options = ServeOptions(host, port, token, names)
    listening = listen_at(options)
    options = replace(options, port=listening.getsockname()[1])
    libraries = Libraries(roots or (find_root(Path.cwd()),), {"store": store} if store else {})

    def started() -> None:
        shown = f"[{host}]" if ":" in host else host
        click.echo(f"pinakes: serving {', '.join(libraries.names)} at http://{shown}:{options.port}/", err=True)

    if do_watch:
        libraries.watch(warn=frame.warn)
    serve(create_app(libraries, options), listening, options.limits, started)
    # A thread that indexes or searches cannot be stopped, and Python would wait for it. Everything it writes is a
    # transaction, so the process may end in the middle of one; usually there is none, and the index is closed in order.
    closing = threading.Thread(target=libraries.close, daemon=True)
    closing.start()
    closing.join(CLOSING_S)
    sys.stderr.flush()
    os._exit(0)
