"""`pinakes links`: what a document or section points at and what points at it."""

from __future__ import annotations

from pinakes.library import Library
from pinakes.render import connections_text
from pinakes.serve.cli import frame
from pinakes.serve.cli.build import Output, library_command
from pinakes.serve.requests.questions import LinksRequest


@library_command("links", LinksRequest, arguments={"address": "ADDRESS"}, syncs=lambda library, request: ())
def command(library: Library, request: LinksRequest) -> Output:
    """Show the links from and to ADDRESS, a document or a section of it.

    Exit code 1 when there are none.

    \b
    Example:
      pinakes links docs/guide.md
      pinakes links docs/guide.md#installation --json
    """
    found = library.links(frame.address(library, request.address))
    return Output(found, connections_text(found), is_found=bool(found.outgoing or found.incoming))
