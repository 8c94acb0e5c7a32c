"""`pinakes doctor`: examine the installation and the index, and repair the index when asked."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.render import diagnoses_text, dumps, report_text, wire
from pinakes.serve.cli import frame


@click.command("doctor")
@frame.root_option
@frame.store_option
@click.option("--repair", is_flag=True, help="Set a damaged index aside and build a new one from the documents.")
@frame.json_option
@frame.guarded
def command(
    root: Path | None,
    store: Path | None,
    repair: bool,
    as_json: bool,
) -> None:
    """Examine Python, SQLite, the folder, the index and the embedder.

    Exit code 1 when something is not sound. A repair keeps the old index beside the new one.

    \b
    Example:
      pinakes doctor
      pinakes doctor --repair
    """
    opened, _ = frame.library(root, store)
    with opened as library:
        found = library.doctor()
        if repair and not all(diagnosis.is_sound for diagnosis in found if diagnosis.topic == "index"):
            report = library.sync(rebuild=True, progress=frame.progress_bar())
            frame.warn(report_text(report))
            found = library.doctor()
    frame.echo(dumps(wire(found)) if as_json else diagnoses_text(found))
    if not all(diagnosis.is_sound for diagnosis in found):
        raise SystemExit(frame.NOTHING)
