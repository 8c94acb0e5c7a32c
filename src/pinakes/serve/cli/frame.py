"""What every command shares: finding the library, showing progress, printing, and turning errors into exit codes.

Results go to stdout, progress and warnings to stderr. Exit 0: found or done. 1: nothing found, or checks failed.
2: trouble.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import update_wrapper
from pathlib import Path
from typing import IO, ParamSpec, TypeVar

import click

from pinakes.config import find_root
from pinakes.errors import NotFound, PinakesError
from pinakes.library import Library, open_library
from pinakes.records import Event
from pinakes.render import safe

P = ParamSpec("P")
T = TypeVar("T")

NOTHING, TROUBLE = 1, 2


class Trouble(click.ClickException):
    """A library error on its way to the terminal."""

    exit_code = TROUBLE

    def __init__(self, error: PinakesError) -> None:
        super().__init__(safe(str(error)))

    def show(self, file: IO[str] | None = None) -> None:
        click.echo(f"pinakes: {self.message}", file=file, err=True)


class Nothing(Trouble):
    """What was asked for is not there."""

    exit_code = NOTHING


def guarded(function: Callable[P, T]) -> Callable[P, T]:
    """Let a command raise library errors freely; they leave as one sentence and the right exit code."""

    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except PinakesError as error:
            raise (Nothing if isinstance(error, NotFound) else Trouble)(error) from error

    return update_wrapper(run, function)


root_option = click.option(
    "--root",
    type=click.Path(path_type=Path),
    help="The folder of documents. Default: the nearest folder upwards with an index, a pinakes.toml or a .git.",
)
store_option = click.option(
    "--store", type=click.Path(path_type=Path), help="Where the index is kept. Default: .pinakes in the root."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
sync_option = click.option(
    "--sync/--no-sync",
    "do_sync",
    default=True,
    help="Compare with the folder first (default), or not.",
)


def library(root: Path | None, store: Path | None, inside: str = "") -> tuple[Library, str]:
    """Open the library a command is about, and say which part of it `inside` names, relative to its root.

    A path inside the present library stays there; a path elsewhere opens the library it belongs to.
    """
    start = Path.cwd()
    place = Path(inside) if inside else start
    home = root.resolve() if root else find_root(start)
    whole = place if place.is_absolute() else start / place
    if not root and inside and not _is_inside(whole, home) and whole.exists():
        home = find_root(whole if whole.is_dir() else whole.parent)
    part = _part(whole, place, home) if inside else ""
    return open_library(home, {"store": store} if store else {}), part


def _is_inside(path: Path, home: Path) -> bool:
    return path.resolve().is_relative_to(home)


def _part(whole: Path, place: Path, home: Path) -> str:
    if _is_inside(whole, home):
        relative = whole.resolve().relative_to(home).as_posix()
        return "" if relative == "." else relative
    return place.as_posix()


def fresh(opened: Library, *, do_sync: bool) -> None:
    """Bring the index up to date before a question is answered, and say so when that was not possible."""
    if (do_sync or not opened.is_indexed) and (note := opened.refresh(progress=progress_bar())):
        warn(note)


def echo(text: str) -> None:
    """Print a result; text from documents has been made safe by its renderer."""
    click.echo(text)


def warn(text: str) -> None:
    click.echo(f"pinakes: {safe(text)}", err=True)


def progress_bar() -> Callable[[Event], None]:
    """A line on stderr that rewrites itself, on a terminal only, and only for work that takes a while."""
    if not sys.stderr.isatty():
        return lambda event: None
    started = time.monotonic()
    shown = 0.0

    def show(event: Event) -> None:
        nonlocal shown
        now = time.monotonic()
        is_last = event.total and event.done >= event.total
        if now - started < 0.3 or (now - shown < 0.1 and not is_last):
            return
        shown = now
        share = f" {100 * event.done // event.total:3d} %" if event.total else ""
        count = f" {event.done:,} of {event.total:,}" if event.total else ""
        line = f"{event.phase.value}{share}{count} {safe(event.path)}"
        click.echo(f"\r\x1b[K{line[:100]}", nl=False, err=True)
        if is_last:
            click.echo("\r\x1b[K", nl=False, err=True)

    return show
