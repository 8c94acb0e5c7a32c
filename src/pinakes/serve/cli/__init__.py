"""The command line. Each command is imported only when it is called."""

from __future__ import annotations

import atexit
import gc
import sys
import threading
from difflib import get_close_matches
from importlib import import_module

import click

from pinakes.serve.cli.exit_codes import errors_to_exit_codes
from pinakes.serve.ending import leave

COMMANDS = {
    "init": "Write a commented pinakes.toml and make the index.",
    "sync": "Bring the index up to date with the folder.",
    "watch": "Keep the index up to date while it runs.",
    "map": "Show the outline of everything within a token budget.",
    "search": "Find the passages that answer a question.",
    "read": "Print a section, lines or a document, verbatim.",
    "links": "Show what a document links to and what links to it.",
    "history": "Find the commits that answer a question.",
    "check": "Find broken links and anchors, orphans, contradictions and drift.",
    "move": "Move a document or folder, and rewrite the links to it.",
    "rename": "Rename a heading, document or folder, and rewrite the links to it.",
    "context": "Show the prompt for a language model: the map and selected files, laid out for its cache.",
    "ask": "Ask a language model about the library, and let it propose changes.",
    "publish": "Write the library as static files for any web server.",
    "eval": "Measure how well search answers questions with known answers.",
    "bench": "Measure how fast your library answers, and its memory and disk use.",
    "remember": "Write a note, linked to what it is about.",
    "recall": "Find the notes that answer a question.",
    "memories": "List the notes, flagged when what they link to has changed.",
    "update": "Change a note, or confirm that it is still true.",
    "append": "Add to the end of a note.",
    "archive": "Hide a note.",
    "merge": "Combine several notes into one.",
    "forget": "Move a note to the trash.",
    "restore": "Bring a note back from the trash.",
    "add": "Keep a copy of a document from elsewhere: a file, a web page, text.",
    "get": "Print an added document.",
    "list": "List the added documents.",
    "drop": "Remove added documents.",
    "updates": "Report which added documents have changed at their source.",
    "status": "Show what is indexed, what failed and why.",
    "work": "Work on the library with a language model, in a page in your browser.",
    "serve": "Serve the library over HTTP, with a page for people and MCP for models.",
    "token": "Print the token that clients of serve send before they write.",
    "log": "Show what was written, through which door and by whom.",
    "migrate": "Make or upgrade the tables of a PostgreSQL database.",
    "library": "Keep repositories of others as libraries: add, list, sync, remove.",
    "worker": "Do the work that waits in a PostgreSQL database: fetch, index, embed.",
    "model": "List, add and select the models that compare meanings.",
    "plugins": "List the plug-ins that are installed, and whether they work.",
    "mcp": "Serve the library to a language model on standard input and output.",
    "lsp": "Serve the library to an editor: symbols, links, completion, findings.",
    "doctor": "Examine the installation and the index.",
}
"""Name and one-line help of every command, so that `--help` imports none of them."""
_HOMES = {
    **dict.fromkeys(("init", "sync", "doctor"), "index"),
    **dict.fromkeys(("search", "map", "read", "links", "history", "check", "status"), "questions"),
    **dict.fromkeys(
        ("remember", "recall", "memories", "update", "append", "archive", "merge", "forget", "restore"), "notes"
    ),
    **dict.fromkeys(("move", "rename"), "moves"),
    **dict.fromkeys(("add", "get", "list", "drop", "updates"), "documents"),
}
"""The modules of commands that stand together, where each is a function; every other command has a module of its own
with a function `command`."""


def find_command(name: str) -> click.Command:
    """A command by its name, imported now."""
    home = _HOMES.get(name, name)
    found: click.Command = getattr(import_module(f"pinakes.serve.cli.{home}"), "command" if home == name else name)
    return found


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        return find_command(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and (near := get_close_matches(args[0], COMMANDS, n=1)):
            raise click.UsageError(f"There is no command “{args[0]}”. Did you mean {near[0]}?", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="pinakes", prog_name="pinakes")
def commands() -> None:
    """The catalogue of your documentation: a map, a search and a checked link graph of Markdown, SVG and text.

    \b
    Example:
      pinakes map docs --budget 4000
    """


def program() -> None:
    """What the shell calls. It leaves without taking apart what the system frees anyway: with many modules loaded and
    an index mapped, that is a fifth of a search."""
    code: str | int | None = 0
    try:
        main()
    except SystemExit as end:
        code = end.code
    others = [one for one in threading.enumerate() if one is not threading.current_thread() and not one.daemon]
    if others or not isinstance(code, int | None):
        sys.exit(code)
    atexit._run_exitfuncs()  # processes are ended and databases closed by these
    leave(code=code or 0)


def main() -> None:
    """Run a command; raises `SystemExit` with its code."""
    # A command lives for seconds and its records form no cycles; looking for them would take a fifth of that time, and
    # of the time in which modules are imported, which is before any command runs.
    gc.set_threshold(200_000, 20, 100)
    with errors_to_exit_codes():
        code = commands.main(prog_name="pinakes", standalone_mode=False)
    sys.exit(code if isinstance(code, int) else 0)
