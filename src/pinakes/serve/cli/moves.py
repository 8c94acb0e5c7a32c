"""The commands that give documents, folders and headings other names."""

from __future__ import annotations

import os
from pathlib import Path

import click

from pinakes.library import Library
from pinakes.records.moves import MovePlan, MoveResult, MoveState
from pinakes.render.moves import move_text
from pinakes.serve.cli import frame
from pinakes.serve.cli.build import Output, library_command
from pinakes.serve.requests.moves import MoveRequest, RenameRequest


@library_command("move", MoveRequest, arguments={"source": "[SOURCE]", "target": "[TARGET]"})
def move(library: Library, request: MoveRequest) -> Output:
    """Move a document, file or folder SOURCE, and rewrite every link that leads to it or stands in it.

    TARGET is the new path, or an existing folder to move it into. The changes are printed as a diff; only --apply
    writes them: all of them, or none. Links, references, images, wikilinks, HTML, frontmatter, paths in the text and
    memories lead where they led. `pinakes move --undo` takes the last move or rename back.

    \b
    Example:
      pinakes move guide/auth.md manual/login.md
      pinakes move guide manual/ --apply
      pinakes move --undo
    """
    if request.undo:
        return _undone(library, request.source)
    if not request.source or not request.target:
        raise click.UsageError("Name what to move and where to", click.get_current_context(silent=True))
    plan = library.plan_move(frame.address(library, request.source), _seen(library, request.source, request.target))
    return _answer(library, plan, request)


@library_command("rename", RenameRequest, arguments={"address": "[ADDRESS]", "name": "[NAME]"})
def rename(library: Library, request: RenameRequest) -> Output:
    """Give the heading at ADDRESS (path#anchor) other words, or a document or folder another NAME where it is.

    Every link that leads there is rewritten, also links to other headings of the document whose anchors change. The
    changes are printed as a diff; only --apply writes them: all of them, or none. `pinakes rename --undo` takes the
    last move or rename back.

    \b
    Example:
      pinakes rename guide/auth.md#tokens "API keys"
      pinakes rename guide/auth.md login --apply
    """
    if request.undo:
        return _undone(library, request.address)
    if not request.address or not request.name:
        raise click.UsageError("Name what to rename and its new name", click.get_current_context(silent=True))
    return _answer(library, library.plan_rename(frame.address(library, request.address), request.name), request)


def _answer(library: Library, plan: MovePlan, request: MoveRequest | RenameRequest) -> Output:
    shown = library.diff(plan)
    if not request.apply:
        result = MoveResult(plan, MoveState.PLANNED)
        return Output(result, move_text(result, shown))
    result = library.apply(plan, force=request.force)
    return Output(result, move_text(result, ""))


def _undone(library: Library, named: str) -> Output:
    if named:
        raise click.UsageError("--undo takes back the last move, and no other", click.get_current_context(silent=True))
    result = library.undo_move()
    return Output(result, move_text(result, ""))


def _seen(library: Library, source: str, target: str) -> str:
    """The target from the root: typed in the same folder as the source."""
    is_here = os.path.lexists(source) and Path(os.path.abspath(source)).is_relative_to(library.root)
    if os.path.isabs(target) or not is_here:
        return target
    slash = "/" if target.endswith("/") else ""
    return os.path.relpath(os.path.abspath(target), library.root) + slash
