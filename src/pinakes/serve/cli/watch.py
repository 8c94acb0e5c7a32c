"""`pinakes watch`: keep the index up to date for as long as it runs."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pinakes.config import default_root
from pinakes.errors import ConfigError
from pinakes.index.background import Cancelled
from pinakes.ports import Progress
from pinakes.records import DOCS, Event
from pinakes.render import object_of, safe
from pinakes.serve.cli import frame
from pinakes.serve.cli.store_place import StorePlace, store_option
from pinakes.serve.ending import leave, leave_soon_after

if TYPE_CHECKING:
    from pinakes.serve.library_watcher import WatchResult

BEGIN_S = 10.0
"""How long the first look may take before it is said to watch all the same."""
SHOWN = 3
"""Names on a line; more would not be read."""


@click.command("watch")
@click.option(
    "--root", "roots", multiple=True, type=click.Path(path_type=Path), help="A folder of documents. Repeatable."
)
@store_option
@frame.json_option
@frame.guarded
def command(roots: tuple[Path, ...], store: StorePlace | None, as_json: bool) -> None:
    """Keep the index up to date, and print each update; Ctrl-C ends it.

    `pinakes serve` and `pinakes mcp` do this already; use this command when neither runs.

    \b
    Example:
      pinakes watch
      pinakes watch --root docs --json
    """
    if store is not None and len(roots) > 1:
        raise ConfigError("--store names one index, and there are several roots.", "Leave it out, or watch one root.")
    from pinakes.serve.libraries import Libraries

    ending = threading.Event()
    # The system's own handler writes to a pipe. One of Python's would run in this thread only, and a signal that comes
    # just before the thread begins to wait would be noticed when the wait is over.
    noticed, signalled = os.pipe()
    os.set_blocking(signalled, False)
    signal.set_wakeup_fd(signalled)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, stack: None)

    def end_on_signal() -> None:
        os.read(noticed, 1)
        ending.set()

    threading.Thread(target=end_on_signal, name="pinakes-signals", daemon=True).start()
    libraries = Libraries(roots or (default_root(Path.cwd()),), {"store": store} if store else {})

    unseen = set(libraries.names)
    has_begun = threading.Event()

    def show(name: str, result: WatchResult) -> None:
        if libraries.is_watched(name):
            unseen.discard(name)
        if not unseen:
            has_begun.set()
        if result.problem:
            frame.warn(result.problem)
        report = result.report
        if not (report.put or report.moved or report.dropped or result.paths):
            return
        if as_json:
            frame.echo_json(
                {"library": name, "corpus": result.corpus, "generation": result.generation, **object_of(report)}
            )
        else:
            frame.echo(_line(name, result))
        sys.stdout.flush()

    leave_soon_after(ending)
    libraries.watch(show, warn=frame.warn, is_thorough=True)
    with suppress(Cancelled):
        for name in libraries.names:
            note = libraries.refresh(name, progress=_until(ending))
            for sentence in filter(None, (note, libraries.get(name).news())):
                frame.warn(sentence)
        has_begun.wait(BEGIN_S)
        frame.warn(f"watching {', '.join(libraries.names)}; Ctrl-C ends it")
        ending.wait()
    leave(libraries.close)


def _until(ending: threading.Event) -> Progress:
    """Progress for the terminal that stops what is being done once it is to end."""
    show = frame.progress_bar()

    def check_cancelled(event: Event) -> None:
        if ending.is_set():
            raise Cancelled
        show(event)

    return check_cancelled


def _line(name: str, result: WatchResult) -> str:
    """What one look did, in one line."""
    report = result.report
    where = name if result.corpus == DOCS else f"{name} {result.corpus}"
    parts = [
        _some("read", [ref.path for ref in report.put]),
        _some("moved", [f"{origin.path} → {target.path}" for origin, target in report.moved]),
        _some("gone", [ref.path for ref in report.dropped]),
        _some("failing", [failure.ref.path for failure in report.failed]),
    ]
    done = "; ".join(part for part in parts if part) or "taken in by another process"
    return f"{time.strftime('%H:%M:%S')} {safe(where)}: {done}; {report.seconds:.2f} s"


def _some(what: str, names: list[str]) -> str:
    if not names:
        return ""
    shown = ", ".join(safe(name) for name in names[:SHOWN])
    return f"{what} {shown}" if len(names) <= SHOWN else f"{what} {shown} and {len(names) - SHOWN:,} more"
