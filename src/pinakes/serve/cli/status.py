"""`pinakes status`: what is indexed, what failed and why."""

from __future__ import annotations

from pinakes.library import Library
from pinakes.render import files_text, status_text
from pinakes.serve.cli import frame
from pinakes.serve.cli.build import Output, library_command
from pinakes.serve.requests.questions import StatusRequest


@library_command("status", StatusRequest, arguments={"path": "[PATHS]..."})
def command(library: Library, request: StatusRequest) -> Output:
    """Show what is indexed and what failed; for PATHS, why each of them is or is not indexed.

    It does not refresh the index first.

    \b
    Example:
      pinakes status
      pinakes status --files
      pinakes status drafts/plan.md
    """
    if request.path or request.files:
        listed = library.files([frame.address(library, path) for path in request.path])
        return Output(listed, files_text(listed))
    state = library.status()
    return Output(state, status_text(state))
