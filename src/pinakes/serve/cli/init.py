"""`pinakes init`: write a commented pinakes.toml and make the index."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.config import starter_config
from pinakes.errors import ConfigError
from pinakes.library import open_library
from pinakes.render import dumps, report_text, wire
from pinakes.serve.cli import frame


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False), default=".")
@click.option("--no-sync", is_flag=True, help="Write the file only.")
@frame.json_option
@frame.guarded
def command(folder: Path, no_sync: bool, as_json: bool) -> None:
    """Write a commented pinakes.toml into FOLDER (default: here) and index it.

    An existing file is left as it is.

    \b
    Example:
      pinakes init docs
    """
    target = folder.resolve() / "pinakes.toml"
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(starter_config())
        note = f"Wrote {target}. Every setting in it is a comment with its default."
    except FileExistsError:
        note = f"{target} is already there and was left as it is."
    except OSError as error:
        raise ConfigError(
            f"{target} cannot be written: {error.strerror}.", "Check the folder's permissions."
        ) from error
    report = None
    if not no_sync:
        with open_library(folder) as library:
            report = library.sync(progress=frame.progress_bar())
    if as_json:
        frame.echo(dumps({"config": str(target), "report": wire(report) if report else None}))
    else:
        frame.echo(note + (f"\n{report_text(report)}" if report else ""))
