"""`pinakes serve`: HTTP, MCP and the page, for many clients at once."""

from __future__ import annotations

import os
import secrets
import sys
from functools import partial
from pathlib import Path

import click
from msgspec.structs import replace

from pinakes.access.tokens import TokenTable
from pinakes.config import default_root, load_config
from pinakes.errors import ConfigError, ExtraMissing
from pinakes.other_python import NEUTRAL
from pinakes.postgres import shared_database, without_password
from pinakes.processors import processors
from pinakes.render import safe
from pinakes.serve.cli import frame
from pinakes.serve.cli.store_place import StorePlace, store_option
from pinakes.serve.ending import leave

PORT = 7465
"""P-I-N-K on a telephone's keys."""
MOST_WORKERS = 256
MOST_BY_DEFAULT = 8
"""Each takes memory of its own for its models and caches."""


@click.command("serve")
@click.argument("roots", nargs=-1, type=click.Path(path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="The port; 0 for any free one."
)
@click.option(
    "--token",
    default="",
    envvar="PINAKES_TOKEN",
    help="The bearer token that clients must send, also to read; required outside loopback. Better: set PINAKES_TOKEN.",
)
@click.option("--no-token", is_flag=True, help="Let every user of this machine write, not only read.")
@click.option("--name", "names", multiple=True, help="Another name of this server, such as a proxy's. Repeatable.")
@click.option(
    "--base-path",
    default="",
    envvar="PINAKES_BASE_PATH",
    metavar="PATH",
    help="The path that a proxy serves this under, such as /docs.",
)
@click.option(
    "--watch/--no-watch",
    "do_watch",
    default=True,
    help="Follow changes as they happen (default), or compare before answers.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, MOST_WORKERS),
    default=None,
    envvar="PINAKES_WORKERS",
    metavar="N",
    help="How many processes answer; default: one for each processor.",
)
@click.option(
    "--published",
    default=None,
    type=click.Path(path_type=Path),
    metavar="OUT",
    help="Serve a folder that pinakes publish wrote, to everybody, instead of a library.",
)
@store_option
@frame.guarded
def command(
    roots: tuple[Path, ...],
    host: str,
    port: int,
    token: str,
    no_token: bool,
    names: tuple[str, ...],
    base_path: str,
    do_watch: bool,
    workers: int | None,
    published: Path | None,
    store: StorePlace | None,
) -> None:
    """Serve the library over HTTP: search, map, read, links, events, MCP at /mcp, and a page for people at /.

    ROOTS are folders of documents (default: the project you are in). Each library has the name of its folder. With a
    database as the store and no ROOTS, all of its libraries are served, to whoever has a token of it.

    \b
    Example:
      pinakes serve
      pinakes serve docs handbook --port 8000
      pinakes serve --published site
      pinakes serve --store postgresql://reader@db/pinakes
    """
    if published is not None:
        if roots or store is not None:
            raise ConfigError("--published serves one folder and no library.", "Leave the roots and --store out.")
        _hand_out(published, host, port, token, names, base_path)
        return
    if isinstance(store, Path) and len(roots) > 1:
        raise ConfigError("--store names one index, and there are several roots.", "Leave it out, or serve one root.")
    try:
        from pinakes.serve.http import ServeOptions, create_app, listen_at, normal_base_path, serve
    except ModuleNotFoundError as missing:
        raise ExtraMissing(f"{missing.name} is not installed.", "Run: pip install pinakes") from None
    from pinakes.serve.libraries import Libraries
    from pinakes.serve.workers.settings import ServerSettings

    if token and no_token:
        raise ConfigError("--no-token was given, and a token is set.", "Leave one of them out; see PINAKES_TOKEN.")
    arguments: dict[str, object] = {"store": store} if store else {}
    config = load_config(roots[0] if roots else Path(NEUTRAL), arguments)
    url, read_urls = config.store_url, config.store_read_urls
    tokens_url = "" if token or no_token else url
    if tokens_url:
        TokenTable(shared_database(url, read_urls)).require()
        shared_database(url, read_urls).close()  # the processes that answer have connections of their own
    served_url = "" if roots else url
    if not served_url:
        roots = roots or (default_root(Path.cwd()),)
    options = ServeOptions(
        host, port, token, names, base_path=normal_base_path(base_path),
        tokens_url=tokens_url, tokens_read_urls=read_urls,
    )  # fmt: skip
    listening = listen_at(options)
    options = replace(
        options,
        port=listening.getsockname()[1],
        write_token="" if token or no_token or tokens_url else _made_token(),
    )
    what = _database_libraries(served_url) if served_url else ", ".join(Libraries(roots, arguments).names)
    say = partial(_say, what, host, options.port, options.base_path)
    workers = workers or min(processors(), MOST_BY_DEFAULT)
    settings = ServerSettings(roots, arguments, options, do_watch, frame.warn, served_url)
    if workers > 1 and hasattr(os, "fork"):
        from pinakes.serve.workers.starting import serve_by_many

        sys.exit(serve_by_many(listening, workers, settings, say))
    libraries = settings.libraries()
    serve(create_app(libraries, options), listening, options.limits, say)
    leave(libraries.close)


def _database_libraries(url: str) -> str:
    """What is served where no folder is named; raises `StoreError` where the database cannot be used."""
    from pinakes.library.served import require_served, served_corpora

    require_served(url)
    count = len(served_corpora(url))
    shared_database(url).close()
    return f"{count:,} {'library' if count == 1 else 'libraries'} of {without_password(url)}"


def _made_token() -> str:
    """The user's token; where it cannot be kept, one that nobody knows: what is served can then be read alone."""
    from pinakes.serve.kept_token import kept_token

    try:
        return kept_token()
    except ConfigError as error:
        frame.warn(f"Nobody can write here. {error}")
        return secrets.token_urlsafe(32)


def _hand_out(folder: Path, host: str, port: int, token: str, names: tuple[str, ...], base_path: str) -> None:
    """Serve a published folder until told to end."""
    try:
        from pinakes.serve.http import listen_at, normal_base_path, serve
        from pinakes.serve.http.published import PublishedApp, PublishedOptions
    except ModuleNotFoundError as missing:
        raise ExtraMissing(f"{missing.name} is not installed.", "Run: pip install pinakes") from None

    from pinakes.publish.listing import Listing

    listing = Listing(folder)
    options = PublishedOptions(host, port, token, names, base_path=normal_base_path(base_path))
    listening = listen_at(options)
    options = replace(options, port=listening.getsockname()[1])
    app = PublishedApp(listing, options)
    serve(app, listening, options.limits, lambda: _say(safe(str(folder)), host, options.port, options.base_path))


def _say(what: str, host: str, port: int, base_path: str) -> None:
    shown = f"[{host}]" if ":" in host else host
    click.echo(f"pinakes: serving {safe(what)} at http://{shown}:{port}{base_path}/", err=True)
