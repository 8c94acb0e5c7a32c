"""The commands for added documents: add, get, list, drop, and look at their sources again."""

from __future__ import annotations

import sys

from pinakes.added.identity import DEFAULT
from pinakes.added.text import MOST_BYTES
from pinakes.library import Library
from pinakes.library.following import FollowLimits
from pinakes.render.notes import added_text, addition_text, documents_text, dropped_text, site_text, updates_text
from pinakes.serve.cli.build import Output, library_command
from pinakes.serve.cli.frame import progress_bar
from pinakes.serve.requests.notes import AddDocument, CheckSources, DropDocuments, GetDocument, ListDocuments


@library_command("add", AddDocument, arguments={"source": "SOURCE"})
def add(library: Library, request: AddDocument) -> Output:
    """Keep a copy of a document from elsewhere: SOURCE is a path, a URL, or - for standard input.

    The same path or URL in the same project replaces what was there and keeps its id; when nothing changed, nothing is
    touched. It is found by the next search.

    \b
    Example:
      pinakes add ../handbook/release.md --project handbook
      pinakes add https://www.rfc-editor.org/rfc/rfc3986.txt --title "URIs"
      git log -5 | pinakes add - --title "Last commits" --type txt
      pinakes add https://docs.example.org/guide/ --follow --project guide
    """
    project, media = request.project or DEFAULT, request.type.value if request.type else ""
    if request.follow:
        return _site(library, request, project)
    if request.source == "-":
        data = sys.stdin.buffer.read(MOST_BYTES + 1)
        addition = library.added.add_text(data, project=project, title=request.title, type_name=media)
    else:
        addition = library.added.add(request.source, project=project, title=request.title, type_name=media)
    return Output(addition, addition_text(addition))


def _site(library: Library, request: AddDocument, project: str) -> Output:
    """What became of the pages of a site."""
    limits = FollowLimits(request.pages, delay_s=request.delay)
    report = library.added.follow(request.source, project=project, limits=limits, tell=progress_bar())
    return Output(report, site_text(report))


@library_command("get", GetDocument, arguments={"id": "ID"})
def get(library: Library, request: GetDocument) -> Output:
    """Print an added document. ID is its id, at least four letters of it, or its path or URL.

    \b
    Example:
      pinakes get 3f9a0c71b2de
      pinakes get 3f9a --plain
    """
    found = request.run(library)
    return Output(found, found.text if request.plain else added_text(found), is_verbatim=request.plain)


@library_command("list", ListDocuments)
def list(library: Library, request: ListDocuments) -> Output:
    """List the added documents, by project and title. Exit code 1 when there are none.

    \b
    Example:
      pinakes list
      pinakes list --project handbook --json
    """
    found = request.run(library)
    return Output(found, documents_text(found), is_found=bool(found))


@library_command("drop", DropDocuments, arguments={"id": "ID..."})
def drop(library: Library, request: DropDocuments) -> Output:
    """Remove added documents, also from the index. Their sources are not touched.

    If one of them does not exist, none is removed.

    \b
    Example:
      pinakes drop 3f9a0c71b2de
    """
    gone = library.added.drop(request.id)
    return Output(gone, dropped_text(gone))


@library_command("updates", CheckSources)
def updates(library: Library, request: CheckSources) -> Output:
    """Report the state of added documents at their source: changed, missing, unchanged or unreachable.

    It changes nothing without --apply, and never drops a document.

    \b
    Example:
      pinakes updates
      pinakes updates --project handbook --apply
    """
    found = request.run(library)
    return Output(found, updates_text(found))
