"""`pinakes sync`: make the index agree with the folder."""

from __future__ import annotations

import os
from pathlib import Path

import click

from pinakes.errors import ConfigError
from pinakes.render import dumps, report_text, upgrade_text, wire
from pinakes.serve.cli import frame


@click.command("sync")
@click.argument("folder", type=click.Path(path_type=Path), required=False)
@frame.root_option
@frame.store_option
@click.option("--verify", is_flag=True, help="Read every document again instead of trusting sizes and times.")
@click.option("--rebuild", is_flag=True, help="Set the index aside and build a new one.")
@frame.json_option
@frame.guarded
def command(
    folder: Path | None,
    root: Path | None,
    store: Path | None,
    verify: bool,
    rebuild: bool,
    as_json: bool,
) -> None:
    """Bring the index up to date: of the library that contains FOLDER (default: of the library you are in).

    It reads only files that changed. It reports a file that cannot be read and continues with the others.

    \b
    Example:
      pinakes sync
      pinakes sync --root docs --verify
    """
    if folder and not os.path.isdir(folder):
        raise ConfigError(f"{folder} is not a folder.", "Name the folder that holds your documents.")
    opened, part = frame.library(root, store, str(folder) if folder else "")
    if part:
        frame.warn(f"{part} is part of {opened.root}, which is brought up to date; --root {folder} makes it a library.")
    with opened as library:
        report = library.sync(verify=verify, rebuild=rebuild, progress=frame.progress_bar())
        upgrade = library.models.upgrade_state()
    frame.echo(dumps(wire(report)) if as_json else report_text(report))
    if upgrade is not None and not upgrade.is_whole and not upgrade.problem:
        told = upgrade_text(upgrade)
        frame.warn(f"{told}; pinakes model upgrade makes the rest now; serve, mcp and watch make it in the background.")
