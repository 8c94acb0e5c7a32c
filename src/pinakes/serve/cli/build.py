"""Commands made from the table of requests: options and arguments from its rows, one way to open, ask and print.

A command is a function from a library and a request to an `Output`; everything around it is here, and so is the text
that a command is given as an argument, in a file or on standard input.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import update_wrapper
from pathlib import Path
from typing import Any, TypeVar

import click
from msgspec import Struct

from pinakes.errors import BadMemory, Unreadable
from pinakes.library import Library
from pinakes.library.everywhere import EVERY, Opener
from pinakes.records import CorpusName
from pinakes.render import wire
from pinakes.serve.cli import frame
from pinakes.serve.cli.store_place import StorePlace, store_option
from pinakes.serve.requests.parameters import BadParameter, Doors, Parameter, Request, parameters, parse
from pinakes.serve.requests.revision import asked_library, is_past

R = TypeVar("R", bound=Request)
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class Output(Struct, frozen=True):
    """What a command prints."""

    record: object
    """For ``--json``."""
    text: str
    """For people; made safe, unless it is verbatim."""
    is_found: bool = True
    """Whether there is something to show; else the exit code is 1."""
    is_verbatim: bool = False
    """Whether the text is printed byte for byte."""
    note: str = ""
    """For stderr, below the text."""


def library_command(
    name: str,
    kind: type[R],
    *,
    arguments: Mapping[str, str] | None = None,
    syncs: Callable[[Library, R], Sequence[CorpusName] | None] | None = None,
    everywhere: Callable[[Mapping[str, Opener], R], Output] | None = None,
) -> Callable[[Callable[[Library, R], Output]], click.Command]:
    """A command that asks one library. `arguments` are the rows that stand without a dash, with their names in the
    help; `syncs` names the corpora to bring up to date first: an empty list for all documents, None for nothing.
    `everywhere` asks all libraries, where that can be asked."""

    def made(answer: Callable[[Library, R], Output]) -> click.Command:
        def run(
            request: R,
            root: Path | None,
            store: StorePlace | None,
            *,
            as_json: bool,
            do_sync: bool = True,
            named: str = "",
        ) -> None:
            if named == EVERY and everywhere is not None:
                show(everywhere(frame.every_library(request, root, store), request), as_json=as_json)
                return
            if named:
                with frame.named_library(named, request, root, store) as (library, asked):
                    output = answer(library, asked)
                show(output, as_json=as_json or getattr(request, "format", "") == "json")
                return
            opened, part = frame.library(root, store, getattr(request, "under", ""))
            with opened as library:
                if hasattr(request, "under"):
                    changed: dict[str, Any] = {"under": part}
                    request = request.changed(**changed)
                corpora = None if syncs is None else syncs(library, request)
                if corpora is not None and not is_past(request):
                    frame.refresh(library, corpora, do_sync=do_sync, may_be_partial=name == "search")
                with asked_library(library, request, frame.progress_bar()) as then:
                    output = answer(then, request)
            show(output, as_json=as_json or getattr(request, "format", "") == "json")

        shaped = frame.json_option(takes(kind, arguments or {})(update_wrapper(run, answer)))
        shaped = frame.root_option(store_option(shaped if syncs is None else frame.sync_option(shaped)))
        shaped = frame.named_option(shaped) if "at" in parameters(kind, Doors.CLI) else shaped
        return click.command(name, help=answer.__doc__)(frame.guarded(shaped))

    return made


def with_library(answer: Callable[..., Output]) -> Callable[..., None]:
    """Hand a function an open library beside its own options, and print its output; adds --root, --store, --json."""

    def run(root: Path | None, store: StorePlace | None, *, as_json: bool, **given: Any) -> None:
        with frame.library(root, store)[0] as library:
            output = answer(library, **given)
        show(output, as_json=as_json)

    return frame.root_option(store_option(frame.json_option(frame.guarded(update_wrapper(run, answer)))))


def takes(kind: type[R], arguments: Mapping[str, str]) -> Decorator:
    """Hand a function the request instead of its options; what cannot be meant is an error of usage."""
    rows = parameters(kind, Doors.CLI)
    names = [name for one in rows.values() for name in (one.name, *one.aliases)]

    def made(function: Callable[..., Any]) -> Callable[..., Any]:
        def run(**given: Any) -> Any:
            typed = {name: given.pop(name) for name in names if name in given}
            if "text" in rows:
                typed["text"] = text_given(typed["text"], given.pop("file"))
            if given.get("as_json") and "format" in rows:
                typed["format"] = "json"
            try:
                request = parse(kind, _values(typed, rows), Doors.CLI, is_text=True)
            except BadParameter as error:
                raise click.UsageError(str(error), click.get_current_context(silent=True)) from error
            return function(request, **given)

        shaped: Callable[..., Any] = update_wrapper(run, function)
        shaped = file_option(shaped) if "text" in rows else shaped
        for one in reversed(tuple(rows.values())):
            if one.name in arguments:
                shaped = _argument(one, arguments[one.name])(shaped)
                continue
            for alias in one.aliases:
                shaped = click.option(_flag(alias), multiple=one.is_many, hidden=True)(shaped)
            shaped = _option(one)(shaped)
        return shaped

    return made


def _values(typed: Mapping[str, Any], rows: Mapping[str, Parameter]) -> dict[str, object]:
    """What was typed of it all: words of one text are joined, and what was left out is left out."""
    values: dict[str, object] = {}
    for name, value in typed.items():
        if value is None or value is False or value == ():
            continue
        is_words = isinstance(value, tuple) and name in rows and not rows[name].is_many
        values[name] = " ".join(value) if is_words else list(value) if isinstance(value, tuple) else value
    return values


def show(output: Output, *, as_json: bool) -> None:
    """Print what a command found, as text or as JSON; exits with 1 where that is nothing."""
    if as_json:
        frame.echo_json(wire(output.record))
    elif output.is_verbatim:
        frame.echo_verbatim(output.text)
    elif output.text:
        frame.echo(output.text)
    if output.note and not as_json:
        frame.warn(output.note)
    if not output.is_found:
        raise SystemExit(frame.NOTHING)


def _argument(one: Parameter, metavar: str) -> Decorator:
    is_many = metavar.endswith("...")
    return click.argument(one.name, metavar=metavar, nargs=-1 if is_many else 1, required=not metavar.startswith("["))


def _option(one: Parameter) -> Decorator:
    words = one.help + (" Repeatable." if one.is_many else "")
    default = one.default_at(Doors.CLI)
    if isinstance(default, (str, int)) and default and "Default:" not in words:
        words += f" Default: {default}."
    if one.base is bool:
        return click.option(_flag(one.name), one.name, is_flag=True, help=words)
    metavar = f"[{'|'.join(one.values)}]" if one.values else "N" if one.base in (int, float) else None
    return click.option(_flag(one.name), one.name, multiple=one.is_many, metavar=metavar, help=words)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


MOST_BYTES = 10_000_000
"""More is not even read."""

file_option = click.option(
    "--file", "file", type=click.Path(path_type=Path), help="Take the text from this file, or from stdin with -."
)


def text_given(typed: tuple[str, ...] | str | None, file: Path | None) -> str | None:
    """The text, from wherever it was given, None for none; raises `BadMemory` for two, `Unreadable` for a file that
    cannot be read."""
    words = (typed,) if isinstance(typed, str) else typed or ()
    if words and file is not None:
        raise BadMemory("There are two texts: an argument and --file.", "Give one of them.")
    if words == ("-",) or file == Path("-"):
        data = sys.stdin.buffer.read(MOST_BYTES + 1)
        return _decoded(data, "Standard input")
    if file is not None:
        try:
            with file.open("rb") as opened:
                return _decoded(opened.read(MOST_BYTES + 1), str(file))
        except OSError as error:
            raise Unreadable(f"{file} cannot be read: {error.strerror}.", "Check its name and permissions.") from error
    return " ".join(words) if words else None


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadMemory(f"{name} is not UTF-8.", "Only text can be remembered.") from None
