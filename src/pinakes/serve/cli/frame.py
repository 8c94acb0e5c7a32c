"""What every command shares: finding the library, showing progress, printing, and turning errors into exit codes.

Results go to stdout, progress and warnings to stderr. Exit 0: found or done. 1: nothing found, or checks failed.
2: trouble.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, update_wrapper
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import click

from pinakes.config import default_root, find_project, find_root
from pinakes.errors import ConfigError, NotFound, PinakesError
from pinakes.library import Library, open_library
from pinakes.library.everywhere import EVERY, Opener, library_in
from pinakes.records import ALL_CORPORA, HISTORY, MEMORIES, CorpusName, Event
from pinakes.render import Json, dumps, safe
from pinakes.render.answers import FACES
from pinakes.serve.cli.progress_line import clear_line, rewrite_line
from pinakes.serve.cli.store_place import StorePlace
from pinakes.serve.requests.parameters import Request
from pinakes.write_log import DOOR

P = ParamSpec("P")
R = TypeVar("R", bound=Request)
T = TypeVar("T")

NOTHING, TROUBLE = 1, 2
_FACE = re.compile(f"({'|'.join(map(re.escape, FACES))})")
_LINES = re.compile(r":\d+(-\d+)?\Z")


class Trouble(click.ClickException):
    """A library error on its way to the terminal."""

    exit_code = TROUBLE

    def __init__(self, error: PinakesError) -> None:
        super().__init__(str(error))


class Nothing(Trouble):
    """What was asked for is not there."""

    exit_code = NOTHING


def guarded(function: Callable[P, T]) -> Callable[P, T]:
    """Let a command raise library errors freely; they leave as one sentence and the right exit code."""

    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        before = DOOR.set("cli")
        try:
            return function(*args, **kwargs)
        except PinakesError as error:
            raise (Nothing if isinstance(error, NotFound) else Trouble)(error) from error
        finally:
            DOOR.reset(before)

    return update_wrapper(run, function)


root_option = click.option(
    "--root",
    type=click.Path(path_type=Path),
    help="The folder of documents. Default: the nearest folder upwards with an index, a pinakes.toml or a .git.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
sync_option = click.option(
    "--sync/--no-sync", "do_sync", default=True, help="Compare the index with the folder first (default), or not."
)

named_option = click.option(
    "--library",
    "named",
    default="",
    help="Ask a library that pinakes library add made, instead of a folder. * asks all, or the one before the address.",
)


@contextmanager
def named_library(name: str, request: R, root: Path | None, store: StorePlace | None) -> Iterator[tuple[Library, R]]:
    """The library from git that a command asks, at the revision that the request names, and what it is asked. Of all
    libraries it is the one that stands before the address."""
    if root or isinstance(store, Path):
        raise ConfigError("--library names a library, and --root or --store another.", "Give one of them.")
    from pinakes.library.named import named_libraries
    from pinakes.serve.requests.questions import CheckRequest

    revision, needs_files = str(getattr(request, "at", "")), isinstance(request, CheckRequest)
    libraries = named_libraries(store or "")
    if name == EVERY:
        if not hasattr(request, "address"):
            raise ConfigError("Only search asks all libraries.", "Name one: pinakes library list.")
        name, address = library_in(libraries.asked_names(), request.address)
        changed: dict[str, Any] = {"address": address}
        request = request.changed(**changed)
    with libraries.opened(name, revision, has_files=needs_files, progress=progress_bar()) as opened:
        yield opened, request


def every_library(request: Request, root: Path | None, store: StorePlace | None) -> Mapping[str, Opener]:
    """Every library there is to ask, by name, each at the revision that the request names."""
    if root or isinstance(store, Path):
        raise ConfigError("--library * asks all libraries, and --root or --store one folder.", "Give one of them.")
    from pinakes.library.named import named_libraries

    libraries, revision = named_libraries(store or ""), str(getattr(request, "at", ""))
    names = libraries.asked_names()
    return {name: partial(libraries.opened, name, revision, progress=progress_bar()) for name in names}


def library(root: Path | None, store: StorePlace | None, inside: str = "") -> tuple[Library, str]:
    """Open the library a command is about, and say which part of it `inside` names, relative to its root.

    A path inside the present library stays there; a path elsewhere opens the project it belongs to. A folder that is no
    project is only made one when it is named by `--root`, or when the present one is none either.
    """
    given = {"store": store} if store else {}
    start = Path(os.path.realpath(root)) if root and os.path.isabs(root) else _here()
    home = Path(os.path.realpath(start / root)) if root else _default_root(start, inside)
    if not inside:
        return open_library(home, given), ""
    whole = os.path.join(start, inside)
    real = Path(os.path.realpath(whole))
    if real.is_relative_to(home):
        return open_library(home, given), "" if real == home else real.relative_to(home).as_posix()
    # A link inside the library that leads out of it is no way to open what it points at.
    if root or Path(os.path.normpath(whole)).is_relative_to(home) or not os.path.exists(whole):
        return open_library(home, given), Path(inside).as_posix()
    other = find_project(real)
    if other is None and find_project(start) is not None:
        raise NotFound(f"{inside} is outside of the library {home}.", "To open that folder, name it with --root.")
    home = other or find_root(real)
    return open_library(home, given), "" if real == home else real.relative_to(home).as_posix()


def _default_root(start: Path, inside: str) -> Path:
    """The library meant when none is named. One that is no project is asked about on a terminal, else refused; a path
    that is named elsewhere needs none."""
    try:
        return default_root(start)
    except ConfigError as error:
        if inside:
            return start
        is_asked = sys.stdin is not None and sys.stdin.isatty() and sys.stderr is not None and sys.stderr.isatty()
        if is_asked and click.confirm(f"{error.problem} Index everything below it?", err=True):
            return start
        raise


def address(opened: Library, typed: str) -> str:
    """What was typed, seen from the root when it names a file from the folder one is in; else as it is."""
    path, mark, rest = typed.partition("#")
    if not mark and (lines := _LINES.search(typed)):
        path, mark, rest = typed[: lines.start()], "", lines[0]
    whole = os.path.normpath(os.path.join(_here(), path)) if path else ""
    if "\0" in path or not whole or not os.path.exists(whole) or not Path(whole).is_relative_to(opened.root):
        return typed
    return f"{Path(whole).relative_to(opened.root).as_posix()}{mark}{rest}"


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise NotFound(
            "The folder you are in no longer exists.", "Go to another one, or name one with --root."
        ) from None


def refresh(
    opened: Library, corpora: Sequence[CorpusName] = (), *, do_sync: bool, may_be_partial: bool = False
) -> None:
    """Bring what is about to be asked up to date (the corpora named, else all documents), and say so when that was not
    possible. What was never indexed is indexed in any case. With `may_be_partial`, another process does what takes
    long."""
    may_be_partial = may_be_partial and not corpora and (do_sync or not opened.is_indexed)
    if may_be_partial:
        from pinakes.serve.cli import later  # most commands start no process

        if later.answers_from_a_part(opened):
            return
    is_indexed = opened.is_indexed and all(opened.corpus(one).is_indexed for one in corpora if one != ALL_CORPORA)
    if is_indexed and do_sync and not _UNWATCHED.intersection(corpora) and _is_kept_current(opened):
        note = ""
    else:
        note = opened.refresh(corpora=corpora, progress=progress_bar()) if do_sync or not is_indexed else ""
    for sentence in filter(None, (note, opened.news())):
        warn(sentence)
    if may_be_partial:
        later.hurry(opened)


_UNWATCHED = {ALL_CORPORA, HISTORY, MEMORIES}
"""Whose watchers wait until it is quiet for long, so that only a comparison tells."""


def _is_kept_current(opened: Library) -> bool:
    """Whether a watcher has the index current, so that there is nothing to compare."""
    from pinakes.serve.watch_socket import is_kept_current

    recover(opened)  # what a killed move left is taken back before, so that the watcher sees it
    return is_kept_current(opened)


def recover(opened: Library) -> None:
    """Undo what a move, or edits, left that were killed, and say so: for commands that do not refresh."""
    if note := opened.recover_files():
        warn(note)


def echo(text: str) -> None:
    """Print a result, with everything spelled out that nobody sees or that steers a terminal, but bold type."""
    clear_line()
    click.echo("".join(part if part in FACES else safe(part, keep="\n\t") for part in _FACE.split(text)))


def echo_json(data: Json) -> None:
    """Print JSON, which escapes such letters in its own way."""
    clear_line()
    click.echo(dumps(data))


def has_faces() -> bool:
    """Whether bold type can be shown and is wanted."""
    return sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def echo_verbatim(text: str) -> None:
    """Print text byte for byte; only a terminal is spared what would steer it."""
    clear_line()
    if sys.stdout is not None and sys.stdout.isatty():
        click.echo(safe(text, keep="\n\t"), nl=False)
    else:
        click.echo(text.encode(), nl=False)


def warn(text: str) -> None:
    clear_line()
    click.echo(f"pinakes: {safe(text)}", err=True)


def counter(things: str) -> Callable[[int, int], None]:
    """Show how many of all things are done."""
    return lambda done, total: rewrite_line(f"{done:,} of {total:,} {things}" if done < total else "")


def progress_bar() -> Callable[[Event], None]:
    """A line that rewrites itself, only for work that takes a while; it says how long the present step still takes."""
    started = time.monotonic()
    shown = 0.0
    step: tuple[object, float, int] = (None, started, 0)

    def show(event: Event) -> None:
        nonlocal shown, step
        now = time.monotonic()
        if step[0] is not event.phase:
            step = event.phase, now, event.done
        is_last = event.total and event.done >= event.total
        if now - started < 0.3 or (now - shown < 0.1 and not is_last):
            return
        shown = now
        share = f" {100 * event.done // event.total:3d} %" if event.total else ""
        count = f" {event.done:,} of {event.total:,}" if event.total else ""
        _, began, before = step
        is_known = event.total and event.done > before and now - began > 1.0
        left = (event.total - event.done) * (now - began) / (event.done - before) if is_known else 0
        wait = f", {left:.0f} s left" if left else ""
        rewrite_line("" if is_last else f"{event.phase.value}{share}{count}{wait} {safe(event.path)}")

    return show
