"""`pinakes ask`: a question for a language model over the library, and the changes that its answer proposes."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import click
from msgspec.structs import replace

from pinakes.context.modes import ContextMode
from pinakes.conversation.models import chat_model
from pinakes.conversation.sessions import SessionTitle
from pinakes.errors import ConversationError, NotFound
from pinakes.library import Library
from pinakes.library.work.events import AnswerBegun, AnswerDone, AnswerFailed
from pinakes.library.workspace import AppliedEdits, Workspace
from pinakes.records import CODE, DOCS
from pinakes.records.conversation import AnswerText, Usage
from pinakes.records.edits import EditPlan, RefusedEdit
from pinakes.render import safe
from pinakes.serve.cli import frame
from pinakes.serve.cli.build import Output, show, takes
from pinakes.serve.cli.store_place import StorePlace, store_option
from pinakes.serve.requests.ask import AskRequest


@click.command("ask")
@frame.root_option
@store_option
@frame.guarded
@takes(AskRequest, {"question": "[QUESTION]..."})
@click.option("--continue", "is_continued", is_flag=True, help="Go on with the latest session.")
@frame.json_option
def command(
    request: AskRequest,
    root: Path | None,
    store: StorePlace | None,
    *,
    is_continued: bool = False,
    as_json: bool = False,
) -> None:
    """Ask a language model about your documents or code, and let it propose changes.

    It sees the map of the library, the selected files in full and what was said before. Changes that it proposes are
    shown as a diff. On a terminal you are asked before they are written; elsewhere only --apply writes them: all of
    them, or none. Choose a model in your settings, and put its key into the environment. Exit code 2 when no model
    can be asked or the answer breaks off.

    \b
    Example:
      pinakes ask "What is missing in the guide?" --select docs/guide.md
      pinakes ask "Rename the function to load" --mode code --select src/app.py --apply
      pinakes ask --continue "And the tests?"
      pinakes ask "Did I forget something?" --review HEAD
      pinakes ask --undo
    """
    opened, _ = frame.library(root, store)
    with opened as library:
        if request.undo:
            changed = _undone(Workspace(library))
            show(Output({"changed": changed}, f"taken back: {', '.join(changed)}"), as_json=as_json)
            return
        workspace = _workspace(library, request)
        if request.sessions:
            found = workspace.log.list(request.question)
            show(_sessions(found, request.question), as_json=as_json)
            return
        _prepare(workspace, request, is_continued=is_continued)
        output = _asked(workspace, request, is_quiet=as_json)
    show(output, as_json=as_json)


def _undone(workspace: Workspace) -> tuple[str, ...]:
    """Take the last changes back, and have the latest session say so: the model believes that they were made."""
    if sessions := workspace.log.list():
        workspace.resume_session(sessions[0].id)
    return workspace.undo()


def _workspace(library: Library, request: AskRequest) -> Workspace:
    if not request.model:
        return Workspace(library)
    return Workspace(library, model=lambda one: chat_model(replace(one.config.work, model=request.model)))


def _prepare(workspace: Workspace, request: AskRequest, *, is_continued: bool) -> None:
    """See to it that there is a model before anything is indexed; then choose session, mode and files."""
    if reason := workspace.conversation().reason:
        raise ConversationError(reason)
    if request.session and is_continued:
        raise click.UsageError("Give --session or --continue", click.get_current_context(silent=True))
    session = request.session or (_latest(workspace) if is_continued else "")
    if session:
        workspace.resume_session(session)
    last = next((line.mode for line in reversed(workspace.log.lines) if line.mode), "")
    mode = request.mode or ContextMode(last or ContextMode.DOCS)
    library = workspace.library
    frame.refresh(library, (DOCS, CODE) if mode is ContextMode.CODE and CODE in library.corpora else (), do_sync=True)
    keywords = workspace.switch(mode).keywords
    if keywords.keywords_message and mode is ContextMode.DOCS:
        frame.warn(keywords.keywords_message)
    workspace.set_review(request.review or None)
    workspace.select([frame.address(library, path) for path in request.select])


def _latest(workspace: Workspace) -> str:
    sessions = workspace.log.list()
    if not sessions:
        raise NotFound("There is no session to go on with.", "Ask without --continue.")
    return sessions[0].id


def _asked(workspace: Workspace, request: AskRequest, *, is_quiet: bool) -> Output:
    """Ask, print the answer as it comes, and see to its changes. With `is_quiet` nothing is printed or asked here."""
    pieces: list[str] = []
    end: AnswerDone | None = None
    with closing(workspace.ask(request.question)) as events:
        for event in events:
            match event:
                case AnswerText(text):
                    pieces.append(text)
                    if not is_quiet:
                        click.echo(safe(text, keep="\n\t"), nl=False)
                case AnswerFailed(_, detail, next_step):
                    _end_line(pieces, is_quiet=is_quiet)
                    raise ConversationError(detail, next_step)
                case AnswerDone():
                    end = event
                case AnswerBegun(_, tokens) if not is_quiet and frame.has_faces():
                    frame.warn(f"{tokens:,} tokens are sent to {workspace.conversation().model}")
    assert end is not None
    _end_line(pieces, is_quiet=is_quiet)
    plan = workspace.plan(end.exchange) if end.edits else EditPlan()
    if not is_quiet:
        _show_plan(workspace, plan)
    done = _applied(workspace, end.exchange, plan, request, is_quiet=is_quiet)
    if not is_quiet:
        frame.warn(f"{_usage(end)}; session {workspace.log.id}")
    record = {
        "session": workspace.log.id,
        "exchange": end.exchange,
        "mode": workspace.mode,
        "answer": "".join(pieces),
        "is_whole": end.is_whole,
        "usage": end.usage or Usage(),
        "diff": workspace.editing.diff(plan),
        "refused": plan.refused,
        "changed": done.changed,
    }
    return Output(record, "", is_found=bool(plan.changes) or not plan.refused)


def _end_line(pieces: list[str], *, is_quiet: bool) -> None:
    if pieces and not is_quiet and not pieces[-1].endswith("\n"):
        click.echo()


def _show_plan(workspace: Workspace, plan: EditPlan) -> None:
    if plan.changes:
        frame.echo(f"\n{workspace.editing.diff(plan)}".rstrip("\n"))
    for one in plan.refused:
        frame.warn(_refusal(one))


def _refusal(one: RefusedEdit) -> str:
    nearest = f" The nearest text is: {one.nearest.strip()[:200]}" if one.nearest.strip() else ""
    return f"{one.block.path} is not changed here: {one.reason.rstrip('.')}.{nearest}"


def _applied(
    workspace: Workspace, exchange: str, plan: EditPlan, request: AskRequest, *, is_quiet: bool
) -> AppliedEdits:
    """Write the changes where that is wanted: by --apply, or by whoever sits at the terminal."""
    nothing = AppliedEdits((), plan.refused)
    if not plan.changes or request.dry_run:
        return nothing
    if not request.apply and not (not is_quiet and _has_person() and click.confirm("Write these changes?", err=True)):
        if not is_quiet:
            frame.warn("Nothing was written. --apply writes the changes.")
        return nothing
    done = workspace.apply(exchange)
    if not is_quiet:
        frame.warn(f"written: {', '.join(done.changed)}. pinakes ask --undo takes it back.")
    return done


def _has_person() -> bool:
    """Whether somebody can be asked."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr is not None and sys.stderr.isatty()


def _usage(end: AnswerDone) -> str:
    """What an answer took."""
    used = end.usage
    whole = "" if end.is_whole else "the answer is not whole; "
    if used is None:
        return f"{whole}tokens unknown"
    cached = f", {used.cached:,} of them from the cache" if used.cached else ""
    about = "about " if used.is_estimate else ""
    return f"{whole}{about}{used.sent:,} tokens sent{cached}, {about}{used.answered:,} answered"


def _sessions(found: tuple[SessionTitle, ...], words: str) -> Output:
    """Sessions, one a line. That nobody has asked anything yet is no search without a result."""
    lines = (f"{one.id}  {one.at[:16]}  {one.messages:>4}  {safe(one.title)}" for one in found)
    nothing = "These words occur in no session." if words else "There are no sessions yet."
    return Output(found, "\n".join(lines), is_found=bool(found) or not words, note="" if found else nothing)
