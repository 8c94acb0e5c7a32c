"""`pinakes doctor`: examine the installation and the indexes, and repair those when asked."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.render import diagnoses_text, dumps, wire
from pinakes.serve.cli import frame


@click.command("doctor")
@frame.root_option
@frame.store_option
@click.option(
    "--repair",
    is_flag=True,
    help="Set a damaged index aside and build a new one; make damaged words and vectors again.",
)
@frame.json_option
@frame.guarded
def command(
    root: Path | None,
    store: Path | None,
    repair: bool,
    as_json: bool,
) -> None:
    """Examine Python, SQLite, the folder, every index, memories and added documents, and the embedder.

    It reads every byte of an index. Exit code 1 when something is not sound. A repair keeps the old index beside the
    new one, and leaves alone what is sound.

    \b
    Example:
      pinakes doctor
      pinakes doctor --repair
    """
    opened, _ = frame.library(root, store)
    with opened as library:
        found = library.doctor()
        if repair and not all(diagnosis.is_sound for diagnosis in found):
            for done in library.mend(progress=frame.progress_bar()):
                frame.warn(done)
            found = library.doctor()
    frame.echo(dumps(wire(found)) if as_json else diagnoses_text(found))
    if not all(diagnosis.is_sound for diagnosis in found):
        raise SystemExit(frame.NOTHING)
