"""The command line. Each command is imported only when it is called."""

from __future__ import annotations

import gc
import sys
from difflib import get_close_matches
from importlib import import_module

import click

from pinakes.serve.cli.leaving import leaving

COMMANDS = {
    "init": "Write a commented pinakes.toml and make the index.",
    "sync": "Make the index agree with the folder.",
    "watch": "Keep the index up to date while it runs.",
    "map": "Show the outline of everything within a token budget.",
    "search": "Find the passages that answer a question.",
    "read": "Print a section, lines or a document, verbatim.",
    "links": "Show what a document points at and what points at it.",
    "history": "Find the commits that answer a question.",
    "check": "Find broken links and anchors, orphans, contradictions, drift.",
    "publish": "Write the library as static files, for any web server.",
    "eval": "Ask questions with known answers and say how well they were answered.",
    "bench": "Measure how fast your library answers, and what it takes.",
    "remember": "Write a note down, linked to what it speaks of.",
    "recall": "Find the notes that answer a question.",
    "memories": "List the notes, with what speaks against believing them.",
    "update": "Change a note, or say that it is still true.",
    "append": "Add to the end of a note.",
    "archive": "Keep a note, but out of the way.",
    "merge": "Fold several notes into one.",
    "forget": "Move a note to the trash.",
    "restore": "Bring a note back from the trash.",
    "add": "Keep a document from elsewhere: a file, a web page, text.",
    "get": "Print an added document, whole.",
    "list": "List the added documents.",
    "drop": "Remove added documents.",
    "updates": "Look whether the sources of added documents changed.",
    "status": "Show what is indexed, what failed and why.",
    "serve": "Answer over HTTP, with a page for people and MCP for models.",
    "model": "Show, add and select the models that compare meanings.",
    "mcp": "Serve the documents to language models, on standard input and output.",
    "doctor": "Examine the installation and the index.",
}
"""Name and one-line help of every command, so that `--help` imports none of them."""
_NOTES = ("remember", "recall", "memories", "update", "append", "archive", "merge", "forget", "restore")
_DOCUMENTS = ("add", "get", "list", "drop", "updates")
_HOMES = dict.fromkeys(_NOTES, "notes") | dict.fromkeys(_DOCUMENTS, "documents")
"""The modules of small commands that stand together; every other command has one of its own."""


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
    # A command lives for seconds and its records form no cycles; looking for them would take a fifth of that time.
    gc.set_threshold(200_000, 20, 100)


def main() -> None:
    """What the shell calls."""
    with leaving():
        code = commands.main(prog_name="pinakes", standalone_mode=False)
    sys.exit(code if isinstance(code, int) else 0)
