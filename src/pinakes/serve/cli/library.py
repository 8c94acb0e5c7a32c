"""`pinakes library`: repositories of others as libraries, under names of the user's."""

from __future__ import annotations

import click

from pinakes.library.git_libraries import GitLibraries, GitLibrary
from pinakes.render import safe
from pinakes.serve.cli import frame
from pinakes.serve.cli.build import Output, show


@click.group("library", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Keep repositories of others as libraries: add, list, sync, remove.

    Without a command it lists them. search, map, read, links and check ask one with --library NAME.

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
@frame.json_option
@frame.guarded
def add_command(name: str, address: str, ref: str, path: str, *, as_json: bool) -> None:
    """Mirror a repository as the library NAME, and index it.

    \b
    Example:
      pinakes library add handbook --git ../handbook --ref main
    """
    made = GitLibraries().add(name, address, ref, path, progress=frame.progress_bar())
    show(Output(made, _line(made)), as_json=as_json)


@command.command("list")
@frame.json_option
@frame.guarded
def list_command(*, as_json: bool = False) -> None:
    """List the libraries, what each of them asks, and when it was fetched.

    \b
    Example:
      pinakes library list --json
    """
    found = GitLibraries().list()
    note = "" if found else "There are no libraries. pinakes library add NAME --git URL makes one."
    show(Output(found, "\n".join(map(_line, found)), note=note), as_json=as_json)


@command.command("sync")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@frame.json_option
@frame.guarded
def sync_command(names: tuple[str, ...], *, as_json: bool) -> None:
    """Fetch what is new in NAME, or in all libraries, and index it.

    \b
    Example:
      pinakes library sync handbook
    """
    libraries = GitLibraries()
    wanted = names or tuple(one.name for one in libraries.list())
    done = tuple(libraries.sync(name, progress=frame.progress_bar()) for name in wanted)
    show(Output(done, "\n".join(map(_line, done))), as_json=as_json)


@command.command("remove")
@click.argument("name")
@frame.json_option
@frame.guarded
def remove_command(name: str, *, as_json: bool) -> None:
    """Remove NAME with its mirror and its indexes. The repository itself is not touched.

    \b
    Example:
      pinakes library remove handbook
    """
    gone = GitLibraries().remove(name)
    show(Output(gone, f"removed {gone.name}"), as_json=as_json)


def _line(one: GitLibrary) -> str:
    asked = f"{one.ref or 'HEAD'} {one.commit[:12]}"
    return safe(f"{one.name}  {one.address}{f' {one.path}' if one.path else ''}  {asked}  {one.synced}")
