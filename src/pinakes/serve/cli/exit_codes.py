"""How the program ends: whatever happens, one sentence on stderr and an exit code that means something.

What a command raises enters, an exit code leaves. Errors of the library have become click's by then (see `frame`); here
are the rest: a slip on the command line, Ctrl-C, a reader that went away, a disk that is full, a terminal that cannot
show every letter.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import click

from pinakes.serve.cli.progress_line import clear_line

TROUBLE, INTERRUPTED = 2, 130
UNHEARD = 1
"""The exit code when whoever read the output went away, as after ``| head``."""


@contextmanager
def errors_to_exit_codes() -> Iterator[None]:
    """Run a command inside; it leaves with an exit code and without a stack trace."""
    codecs.register_error("pinakes.spelled", _spelled)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="pinakes.spelled")
    try:
        yield
    except click.exceptions.NoArgsIsHelpError as error:
        _say(error.format_message())
        sys.exit(error.exit_code)
    except click.ClickException as error:
        _say(_shown(error))
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _say("pinakes: Stopped. What was finished is kept, and the next run goes on from there.")
        sys.exit(INTERRUPTED)
    except OSError as error:
        _silence_stdout()
        if error.errno == errno.EPIPE:
            sys.exit(UNHEARD)
        name = f"{error.filename}: " if error.filename else ""
        _say(_safe(f"pinakes: {name}{error.strerror or error}. Check the disk, the folder and its permissions."))
        sys.exit(TROUBLE)
    except MemoryError:
        _say("pinakes: There was not enough memory. Leave large files out with .pinakesignore, or close something.")
        sys.exit(TROUBLE)


def _shown(error: click.ClickException) -> str:
    """One line, whatever was typed: it may have come from a file's name."""
    message = error.format_message()
    if not message.endswith((".", "?")):
        message += "."
    if isinstance(error, click.UsageError) and error.ctx is not None:
        message += f" {error.ctx.command_path} --help says what it takes."
    return _safe(f"pinakes: {message}")


def _safe(text: str) -> str:
    from pinakes.render import safe  # only now: `--help` needs none of it

    return safe(text)


def _spelled(error: UnicodeError) -> tuple[str, int]:
    """Letters that a terminal or a pipe cannot take, as JSON writes them, so that JSON stays JSON in every encoding."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2)), error.end


def _say(text: str) -> None:
    with suppress(OSError):  # nobody is left to hear it
        clear_line()
        click.echo(text, err=True)


def _silence_stdout() -> None:
    """What is still buffered would fail once more while Python ends, and print a complaint."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
