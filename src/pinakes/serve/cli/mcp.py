"""`pinakes mcp`: the library for language models, on standard input and output; and `pinakes mcp install`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("mcp")
@click.argument("roots", nargs=-1, type=click.Path(path_type=Path))
@click.option("--preset", type=click.Choice(["few", "full"]), default="few", help="How many tools. Default: few.")
@click.option(
    "--store", type=click.Path(path_type=Path), help="Where the index is kept. Default: .pinakes in the root."
)
def command(roots: tuple[Path, ...], preset: str, store: Path | None) -> None:
    """Serve the documents of ROOTS to a language model, by the Model Context Protocol on standard input and output.

    \b
    Example:
      pinakes mcp docs
      pinakes mcp install claude-code --print
    """
    from pinakes.serve.mcp import serve_stdio

    raise SystemExit(serve_stdio(roots, {"store": store} if store else {}, preset))
