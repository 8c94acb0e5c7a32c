"""`pinakes lsp`: the library for editors, on standard input and output."""

from __future__ import annotations

import os
from pathlib import Path

import click

from pinakes.errors import ConfigError, ExtraMissing
from pinakes.serve.cli.frame import guarded
from pinakes.serve.cli.store_place import StorePlace, store_option


@click.command("lsp")
@click.option(
    "--root",
    "roots",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A folder of documents, in place of the folders that the editor names. May be given several times.",
)
@store_option
@guarded
def command(roots: tuple[Path, ...], store: StorePlace | None) -> None:
    """Serve an editor, over the Language Server Protocol on standard input and output.

    Editors start it themselves; docs/editors.md shows how to tell yours. Without --root, each folder that the editor
    opens belongs to the nearest folder upwards with an index, a pinakes.toml or a .git.

    \b
    Example:
      pinakes lsp
      pinakes lsp --root docs
    """
    for root in roots:
        if not os.path.isdir(root):
            raise ConfigError(f"{root} is not a folder.", "Name the folder that holds your documents.")
    try:
        from pinakes.serve.lsp.stdio import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol", "cattrs", "attrs"):
            raise
        raise ExtraMissing("pygls is not installed.", "pip install 'pinakes[lsp]' brings it.") from error
    serve(roots, {"store": store} if store else {})
