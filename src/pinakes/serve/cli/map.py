"""`pinakes map`: the outline of everything, of a folder or of a document, within a token budget."""

from __future__ import annotations

from pinakes.library import Library
from pinakes.render import picture_svg
from pinakes.serve.cli.build import Output, library_command
from pinakes.serve.requests.questions import MapView


@library_command("map", MapView, arguments={"under": "[PART]"}, syncs=lambda library, request: ())
def command(library: Library, request: MapView) -> Output:
    """Show the outline of PART (a folder or document; default: everything): headings, keywords, links.

    --format svg draws the link graph instead.

    \b
    Example:
      pinakes map
      pinakes map docs/api --budget 2000 --focus "how do tokens expire?"
    """
    if request.format == "svg":
        return Output(None, picture_svg(library.layout(request.under)))
    wanted = request.record(library)
    if request.format == "json":
        return Output(library.map(request.under, wanted, focus=request.focus, since=request.since), "")
    drawn = library.map_text(request.under, wanted, focus=request.focus, since=request.since)
    note = f"map {drawn.hash}, {drawn.tokens:,} tokens; --since {drawn.hash} shows what changed from here on"
    return Output(drawn, drawn.text, note="" if request.since else note)
