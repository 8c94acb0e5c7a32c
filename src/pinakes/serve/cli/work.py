"""`pinakes work`: a workspace in the browser, over one library."""

from __future__ import annotations

import threading
from pathlib import Path

import click
from msgspec.structs import replace

from pinakes.config import SettingLevel, default_root, load_config
from pinakes.errors import ExtraMissing
from pinakes.render import safe
from pinakes.serve.cli import frame
from pinakes.serve.cli.store_place import StorePlace, store_option
from pinakes.serve.ending import leave
from pinakes.serve.open_browser import open_browser

PORT = 7466
"""The one behind that of `serve`, so that both can run."""


@click.command("work")
@click.argument("root", required=False, type=click.Path(path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="The port; 0 for any free one."
)
@click.option(
    "--token",
    default="",
    envvar="PINAKES_TOKEN",
    help="The bearer token that clients must send; required outside loopback. Default: your own, see pinakes token.",
)
@click.option("--name", "names", multiple=True, help="Another name of this server, such as a proxy's. Repeatable.")
@click.option(
    "--watch/--no-watch",
    "do_watch",
    default=True,
    help="Follow changes as they happen (default), or compare before questions.",
)
@click.option(
    "--code/--no-code",
    "code",
    default=None,
    help="Read source code, too, or documents alone. Default: as the settings say; where they say nothing, read it.",
)
@click.option("--open/--no-open", "do_open", default=True, help="Open the page in your browser (default), or not.")
@store_option
@frame.guarded
def command(
    root: Path | None,
    host: str,
    port: int,
    token: str,
    names: tuple[str, ...],
    *,
    do_watch: bool,
    code: bool | None,
    do_open: bool,
    store: StorePlace | None,
) -> None:
    """Work on the library with a language model, in a page in your browser.

    ROOT is the folder to work on (default: the project you are in). The page shows files, a conversation over code or
    documents, what is sent to the model, and the changes it proposes; nothing is written without a click. Without a key
    for a model everything but the conversation works.

    \b
    Example:
      pinakes work
      pinakes work ~/handbook --no-open
    """
    try:
        from pinakes.serve.http import ServeOptions, create_app, listen_at, serve
        from pinakes.serve.work.desk import open_workspace
        from pinakes.serve.work.entering import EntryTicket
    except ModuleNotFoundError as missing:
        raise ExtraMissing(f"{missing.name} is not installed.", "Run: pip install 'pinakes[work]'") from None
    from pinakes.library.work.modes import keyword_state
    from pinakes.serve.http.options import ServeLimits, bracketed
    from pinakes.serve.kept_token import kept_token
    from pinakes.serve.libraries import Libraries
    from pinakes.serve.requests.work import LARGEST_BODY

    options = ServeOptions(host, port, token, names, limits=ServeLimits(file_body_bytes=LARGEST_BODY))
    listening = listen_at(options)
    options = replace(options, port=listening.getsockname()[1], write_token="" if token else kept_token())
    root = root or default_root(Path.cwd())
    arguments: dict[str, object] = {"code.enabled": _reads_code(root) if code is None else code}
    libraries = Libraries((root,), arguments | ({"store": store} if store else {}))
    if do_watch:
        libraries.watch(warn=frame.warn)
    libraries.hear_others()
    if warning := keyword_state(libraries.get()).keywords_message:
        frame.warn(warning)
    ticket = EntryTicket(options.write_token)
    app = create_app(libraries, options, open_workspace(libraries), ticket)
    address = f"http://{bracketed(host)}:{options.port}/work"

    def started() -> None:
        click.echo(f"pinakes: working on {safe(libraries.names[0])} at {address}", err=True)
        if do_open:
            # Where a token was given, the browser asks for it, as it does for every page of serve.
            whole = address if token else f"{address}#ticket={ticket.word}"
            threading.Thread(target=_open, args=(whole, address, libraries.get().root), daemon=True).start()

    serve(app, listening, options.limits, started)
    leave(libraries.close)


def _reads_code(root: Path) -> bool | None:
    """A workspace is for code, too, unless somebody decided otherwise; None leaves it to the settings."""
    settings = {one.key: one.level for one in load_config(root).origins}
    return True if settings["code.enabled"] is SettingLevel.DEFAULT else None


def _open(whole: str, shown: str, root: Path) -> None:
    if not open_browser(whole, [root]):
        frame.warn(f"No browser could be opened. Open {shown} yourself; it asks for what pinakes token prints.")
