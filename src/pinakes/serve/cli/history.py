"""`pinakes history`: commits that answer a question, or the newest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pinakes.library import Library
from pinakes.records import HISTORY, CorpusName, Results
from pinakes.render import results_text
from pinakes.serve.cli import frame
from pinakes.serve.cli.build import Output, library_command
from pinakes.serve.requests.questions import HistoryRequest


def _commits(library: Library, request: HistoryRequest) -> Sequence[CorpusName] | None:
    """The commits, where there are any or could be."""
    commits = library.corpus(HISTORY)
    return (HISTORY,) if commits.is_indexed or commits.source.exists else None


@library_command("history", HistoryRequest, arguments={"query": "[QUESTION]..."}, syncs=_commits)
def command(library: Library, request: HistoryRequest) -> Output:
    """Find the commits that answer QUESTION; without one, show the newest. Exit code 1 when there are none.

    If QUESTION is a hash or its beginning, show that commit. pinakes read history:HASH prints the whole commit.

    \b
    Example:
      pinakes history "why was the cache removed?" --file "src/**"
      pinakes history --author Ada --after 2026-01-01
    """
    found = request.ask(library)
    text = results_text(_titled(found), explain=request.explain, marked=frame.has_faces())
    return Output(found, text, is_found=bool(found.hits))


def _titled(found: Results) -> Results:
    """A hash says nothing to people, so each hit is headed by the commit's day and subject."""
    hits = [replace(hit, trail=(f"{hit.modified[:10]} {hit.title}", *hit.trail)) for hit in found.hits]
    return replace(found, hits=tuple(hits))
