"""`pinakes mcp`: the library for language models, on standard input and output; and `pinakes mcp install`.

Nothing but click is imported until it is known what to do: a client is waiting for its first answer.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from pinakes.errors import ExtraMissing, PinakesError
from pinakes.serve.cli.store_place import StorePlace, store_option, whole

_CLIENTS = [
    *("claude-code", "claude-desktop", "cursor", "vscode", "codex", "windsurf", "zed", "gemini", "continue", "cline"),
]
_COMMANDS = ["install", "instructions"]
_SKILL_HEAD = """---
name: pinakes
description: >-
  Find, read and cite the documentation of this project through the MCP server “pinakes”. Use it before you answer a
  question about the project, before you change documentation, and to keep what you learned for the next session.
---

"""
preset_option = click.option(
    "--preset", type=click.Choice(["few", "full"]), default="few", help="How many tools: few (default) or full."
)
structured_option = click.option(
    "--structured", "is_structured", is_flag=True, help="Send each answer as data, too, for programs that read it."
)
roots_argument = click.argument("roots", nargs=-1, type=click.Path(path_type=Path))


class _Mcp(click.Group):
    """`install` and `instructions` are commands; anything else is the folders to serve."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        is_ours = args[:1] and args[0] in (*_COMMANDS, "-h", "--help")
        return super().parse_args(ctx, args if is_ours else ["serve", *args])

    def list_commands(self, ctx: click.Context) -> list[str]:
        return _COMMANDS

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(
            ctx.command_path, "[ROOT...] [--preset few|full] [--structured] [--store FOLDER] [--no-watch]"
        )
        formatter.write_usage(ctx.command_path, "install CLIENT [ROOT...] [--print] [--remove]")
        formatter.write_usage(ctx.command_path, "instructions [--skill]")


@click.group("mcp", cls=_Mcp)
def command() -> None:
    """Serve the documents of one or more folders to a language model, over the Model Context Protocol.

    On standard input and output, for clients that start it themselves; `pinakes serve` offers the same over HTTP at
    /mcp. Without ROOT: the nearest folder upwards with an index, a pinakes.toml or a .git.

    \b
    Example:
      pinakes mcp docs
      pinakes mcp install claude-code docs --print
    """


@command.command("serve", hidden=True)
@roots_argument
@preset_option
@structured_option
@store_option
@click.option("--watch/--no-watch", "do_watch", default=True)
def serve(roots: tuple[Path, ...], preset: str, is_structured: bool, store: StorePlace | None, do_watch: bool) -> None:
    """Serve the documents of ROOTS on standard input and output."""
    from pinakes.serve.mcp.stdio import serve as serve_stdio

    try:
        arguments = {"store": store} if store else {}
        serve_stdio(roots, arguments, preset, do_watch=do_watch, is_structured=is_structured)
    except PinakesError as error:
        raise _trouble(error) from error
    except ModuleNotFoundError as error:
        if error.name not in ("mcp", "mcp_types", "anyio", "pydantic"):
            raise
        missing = ExtraMissing("The MCP SDK is not installed.", "Run: pip install pinakes")
        raise _trouble(missing) from error


@command.command("install")
@click.argument("client", type=click.Choice(_CLIENTS))
@roots_argument
@preset_option
@store_option
@click.option("--print", "only_shown", is_flag=True, help="Print the entry and the name of its file; write nothing.")
@click.option("--remove", "is_removed", is_flag=True, help="Take the entry out again.")
def install(
    client: str, roots: tuple[Path, ...], preset: str, store: StorePlace | None, only_shown: bool, is_removed: bool
) -> None:
    """Add this server to the configuration file of CLIENT; everything else in it stays.

    The entries of Claude Code, Cursor, VS Code, Gemini CLI and Continue go into the project, those of Claude Desktop,
    Codex, Windsurf, Zed and Cline into your own settings.

    \b
    Example:
      pinakes mcp install cursor docs
      pinakes mcp install claude-desktop docs --print
    """
    from pinakes.config import find_root
    from pinakes.render import safe
    from pinakes.serve.mcp import install as installing

    project = find_root(Path.cwd())
    words = [*_ourselves(), "mcp", *(str(Path(os.path.realpath(root))) for root in roots or (project,))]
    words += ["--preset", preset] if preset != "few" else []
    words += ["--store", whole(store)] if store else []
    file = installing.place(client, project, os.environ)
    if only_shown:
        click.echo(installing.shown(client, words), nl=False)
        click.echo(f"pinakes: Put this into {safe(str(file))}", err=True)
        return
    try:
        is_new = installing.remove(client, file) if is_removed else installing.install(client, file, words)
    except PinakesError as error:
        raise _trouble(error) from error
    title = installing.CLIENTS[client].title
    if is_removed:
        outcome = "has no such entry any more; start it again" if is_new else "has no such entry"
    else:
        outcome = "has a new entry; start it again" if is_new else "has this entry already"
    click.echo(f"{title} {outcome}: {safe(str(file))}")


@command.command("instructions")
@click.option("--skill", "is_skill", is_flag=True, help="With the head that makes it a skill: SKILL.md.")
def instructions(is_skill: bool) -> None:
    """Print what to tell an agent of these tools, for its AGENTS.md, CLAUDE.md or a skill.

    \b
    Example:
      pinakes mcp instructions >> AGENTS.md
      pinakes mcp instructions --skill > .claude/skills/pinakes/SKILL.md
    """
    from importlib.resources import files

    text = files("pinakes.serve.mcp").joinpath("instructions.md").read_text(encoding="utf-8")
    click.echo(_SKILL_HEAD + text if is_skill else text, nl=False)


def _ourselves() -> list[str]:
    """How to start this very installation, whatever the client's PATH is."""
    script = Path(sys.executable).parent / "pinakes"
    # -P: clients start us inside a project, whose files must not be taken for modules.
    return [str(script)] if script.is_file() else [sys.executable, "-P", "-m", "pinakes"]


class _Trouble(click.ClickException):
    exit_code = 2


def _trouble(error: PinakesError) -> click.ClickException:
    return _Trouble(str(error))
