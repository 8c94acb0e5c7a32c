"""The commands that make the index, bring it up to date and examine it: init, sync, doctor."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path

import click

from pinakes.config import load_config, starter_config
from pinakes.errors import ConfigError
from pinakes.library import Library, open_library
from pinakes.records import Upgrade, code_media_of
from pinakes.render import diagnoses_text, report_text, safe, wire
from pinakes.serve.cli import frame, later
from pinakes.serve.cli.build import Output, with_library
from pinakes.serve.cli.store_place import StorePlace, store_option
from pinakes.sources import FolderSource


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False), default=".")
@click.option("--no-sync", is_flag=True, help="Write the file only.")
@frame.json_option
@frame.guarded
def init(folder: Path, no_sync: bool, as_json: bool) -> None:
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
        note = f"Wrote {safe(str(target))}. Every setting in it is a comment with its default."
    except FileExistsError:
        note = f"{safe(str(target))} is already there and was left as it is."
    except OSError as error:
        raise ConfigError(
            f"{target} cannot be written: {error.strerror}.", "Check the folder's permissions."
        ) from error
    report = None
    if not no_sync:
        with open_library(folder) as library:
            report = library.sync(progress=frame.progress_bar())
    if as_json:
        frame.echo_json({"config": str(target), "report": wire(report) if report else None})
    else:
        frame.echo("\n".join(filter(None, (note, _about_code(folder), report_text(report) if report else ""))))


def _about_code(folder: Path) -> str:
    """A sentence where there is source code that could be read, too."""
    config = load_config(folder.resolve(), {})
    if config.code.enabled:
        return ""
    names = (stamp.ref.path.rpartition("/")[2] for stamp in FolderSource(folder, config.sources).scan().stamps)
    count = sum(code_media_of(name).code is not None for name in names)
    files = "1 file" if count == 1 else f"{count:,} files"
    return f"Here is source code, too ({files}). Set code.enabled = true to read it beside the documents." * bool(count)


@click.command("sync")
@click.argument("folder", type=click.Path(path_type=Path), required=False)
@frame.root_option
@store_option
@click.option("--verify", is_flag=True, help="Read every document again instead of trusting sizes and times.")
@click.option("--rebuild", is_flag=True, help="Set the index aside and build a new one.")
@click.option("--wait", is_flag=True, help="Make all keywords and vectors now, however long it takes.")
@frame.json_option
@frame.guarded
def sync(
    folder: Path | None,
    root: Path | None,
    store: StorePlace | None,
    verify: bool,
    rebuild: bool,
    wait: bool,
    as_json: bool,
) -> None:
    """Bring the index up to date: of the library that contains FOLDER (default: of the library you are in).

    It reads only files that changed. It reports a file that cannot be read and continues with the others. Of a large
    library, keywords and vectors follow in the background.

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
        is_told = wait or rebuild or not library.is_indexed
        with later.alone(library) if wait else nullcontext():
            report = library.sync(verify=verify, rebuild=rebuild, wait=wait, progress=frame.progress_bar())
        is_left = not wait and later.is_left(library)
        if is_left:
            later.begin(library)
        upgrade, missing = library.models.upgrade_state(), library.models.missing()
    if as_json:
        frame.echo_json(wire(report))
    else:
        frame.echo(report_text(report))
    if is_left:
        frame.warn("Keywords and vectors are made in the background; pinakes sync --wait waits for them.")
    if missing:
        frame.warn(f"The vectors of the selected model are not made: {missing}")
    if is_told and upgrade and not upgrade.is_whole and not upgrade.problem:
        frame.warn(_about_upgrade(upgrade))


def _about_upgrade(upgrade: Upgrade) -> str:
    """Who makes the vectors of the finer model. Told once, when the index is new, and to those who waited for all."""
    missing = f"{upgrade.total - upgrade.done:,} of {upgrade.total:,} vectors" if upgrade.total else "The vectors"
    return (
        f"{missing} of the finer model {safe(upgrade.model)} are still to be made: by pinakes model upgrade now, or by"
        " serve, mcp and watch in the background. Until then search goes by the quick model."
    )


@click.command("doctor")
@click.option(
    "--repair",
    is_flag=True,
    help="Set a damaged index aside and build a new one; make damaged words and vectors again.",
)
@with_library
def doctor(library: Library, repair: bool) -> Output:
    """Examine Python, SQLite, the folder, every index, memories and added documents, and the embedder.

    It reads every byte of an index. Exit code 1 when something is not sound. A repair keeps the old index beside the
    new one, and leaves alone what is sound.

    \b
    Example:
      pinakes doctor
      pinakes doctor --repair
    """
    frame.recover(library)
    found = library.doctor()
    if repair and not all(diagnosis.is_sound for diagnosis in found):
        for done in library.mend(progress=frame.progress_bar()):
            frame.warn(done)
        found = library.doctor()
    return Output(found, diagnoses_text(found), is_found=all(diagnosis.is_sound for diagnosis in found))
