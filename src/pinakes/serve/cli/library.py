"""`pinakes library`: repositories of others as libraries, under names of the user's."""

from __future__ import annotations

import click

from pinakes.library.git_libraries import GitLibraries, wanted_library
from pinakes.library.named import named_libraries
from pinakes.records.jobs import GitLibrary
from pinakes.render import safe
from pinakes.render.queue import queue_text
from pinakes.serve.cli import frame
from pinakes.serve.cli.build import Output, show
from pinakes.serve.cli.store_place import database_option

_here_option = click.option(
    "--here", is_flag=True, help="Do the work in this process, and leave none of it to workers of the database."
)


@click.group("library", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Keep repositories of others as libraries: add, list, sync, remove.

    Without a command it lists them. search, map, read, links and check ask one with --library NAME. With a database
    (--store, or PINAKES_STORE_URL) they are its libraries, and every machine knows them.

    \b
    Example:
      pinakes library add flask --git https://github.com/pallets/flask --path docs
      pinakes search "how are blueprints registered?" --library flask
    """
    if context.invoked_subcommand is None:
        context.invoke(list_command)


@command.command("add")
@click.argument("name")
@click.option("--git", "address", required=True, help="The repository: https://…, or a folder of this machine.")
@click.option(
    "--ref", default="", help="The branch, tag or commit to ask. Default: what the repository has checked out."
)
@click.option("--path", default="", help="The folder of its documents. Default: all of it.")
@database_option
@_here_option
@frame.json_option
@frame.guarded
def add_command(name: str, address: str, ref: str, path: str, url: str, here: bool, *, as_json: bool) -> None:
    """Mirror a repository as the library NAME, and index it.

    \b
    Example:
      pinakes library add handbook --git ../handbook --ref main
    """
    libraries, progress = named_libraries(url), frame.progress_bar()
    if isinstance(libraries, GitLibraries):
        made = libraries.add(name, address, ref, path, progress=progress)
    else:
        made = libraries.add(wanted_library(name, address, ref, path), here=here, progress=progress)
    show(Output(made, _line(made)), as_json=as_json)


@command.command("list")
@database_option
@frame.json_option
@frame.guarded
def list_command(url: str = "", *, as_json: bool = False) -> None:
    """List the libraries, what each of them asks, and when it was fetched; of a database also what there is to do.

    \b
    Example:
      pinakes library list --json
    """
    libraries = named_libraries(url)
    found = libraries.list()
    note = "" if found else "There are no libraries from git. pinakes library add NAME --git URL makes one."
    if isinstance(libraries, GitLibraries):
        show(Output(found, "\n".join(map(_line, found)), note=note), as_json=as_json)
        return
    queue, folders = libraries.queue(), libraries.of_folders()
    lines = [*map(_line, found), *(safe(f"{name}  a folder; pinakes sync there keeps it current") for name in folders)]
    text = "\n".join([*lines, "", queue_text(queue)]).lstrip("\n")
    show(Output({"libraries": found, "folders": folders, "queue": queue}, text, note=note), as_json=as_json)


@command.command("sync")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@database_option
@_here_option
@click.option("--no-wait", is_flag=True, help="Leave the work to workers of the database, and do not wait for it.")
@frame.json_option
@frame.guarded
def sync_command(names: tuple[str, ...], url: str, here: bool, no_wait: bool, *, as_json: bool) -> None:
    """Fetch what is new in NAME, or in all libraries, and index it.

    Workers of the database do it where there are some, and the command waits for them; else it does the work itself.

    \b
    Example:
      pinakes library sync handbook
    """
    libraries = named_libraries(url)
    wanted = names or tuple(one.name for one in libraries.list())
    if isinstance(libraries, GitLibraries):
        done = tuple(libraries.sync(name, progress=frame.progress_bar()) for name in wanted)
    elif no_wait:
        libraries.begin(wanted)
        done = tuple(libraries.get(name) for name in wanted)
    else:
        done = tuple(libraries.sync(name, here=here, progress=frame.progress_bar()) for name in wanted)
    show(Output(done, "\n".join(map(_line, done))), as_json=as_json)


@command.command("remove")
@click.argument("name")
@database_option
@frame.json_option
@frame.guarded
def remove_command(name: str, url: str, *, as_json: bool) -> None:
    """Remove NAME with its mirror and its indexes. The repository itself is not touched.

    \b
    Example:
      pinakes library remove handbook
    """
    gone = named_libraries(url).remove(name)
    show(Output(gone, f"removed {gone.name}"), as_json=as_json)


def _line(one: GitLibrary) -> str:
    asked = f"{one.ref or 'HEAD'} {one.commit[:12] or 'never fetched'}"
    return safe(f"{one.name}  {one.address}{f' {one.path}' if one.path else ''}  {asked}  {one.synced}")
