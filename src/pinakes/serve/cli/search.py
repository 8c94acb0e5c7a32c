"""`pinakes search`: ranked passages for a question, each with its address."""

from __future__ import annotations

from pinakes.library import Library
from pinakes.render import results_text
from pinakes.serve.cli import frame
from pinakes.serve.cli.build import Output, library_command
from pinakes.serve.requests.questions import SearchRequest


@library_command(
    "search", SearchRequest, arguments={"query": "QUESTION..."}, syncs=lambda library, request: request.corpora
)
def command(library: Library, request: SearchRequest) -> Output:
    """Find the passages that answer QUESTION, by words and by meaning.

    In the question, "a phrase" is required, -word is excluded, and path:, tag:, kind:, lang:, before:, after: are
    filters. Everything else is plain text; write -- before a question that begins with a dash. Exit code 1 when nothing
    is found.

    \b
    Example:
      pinakes search "how are files ignored?"
      pinakes search "path:docs/api rate limit -beta" --explain
      pinakes search "why do we retry?" --corpus all
    """
    found = library.search(request.record(library))
    text = results_text(found, explain=request.explain, marked=frame.has_faces())
    return Output(found, text, is_found=bool(found.hits))
