"""Finds links that lead nowhere, to the wrong place or to several, and documents that no link leads to."""

from __future__ import annotations

from collections.abc import Iterator

from pinakes.cancelling import checked
from pinakes.check.findings import Code, Finding
from pinakes.check.nearest import Nearest
from pinakes.graph.names import is_index
from pinakes.ports import Reader
from pinakes.records import CorpusName, Edge, LinkForm, Outcome

_WRONG = (Outcome.MISSING, Outcome.BROKEN_ANCHOR, Outcome.AMBIGUOUS, Outcome.OUTSIDE)
_NOTES = (LinkForm.WIKILINK, LinkForm.EMBED)
_NAMED_CANDIDATES = 3


def broken_links(reader: Reader, corpus: CorpusName) -> Iterator[Finding]:
    """Every link that was looked up in vain, each with what was probably meant."""
    nearest = Nearest(reader, corpus)
    for edge in checked(reader.edges(corpus, outcomes=_WRONG)):
        code, message, suggestion = _describe(edge, nearest)
        yield Finding(code, edge.origin, edge.link.line + 1, message, suggestion)


def _describe(edge: Edge, nearest: Nearest) -> tuple[Code, str, str]:
    link = edge.link
    target = f"“{link.target}”"
    if edge.outcome is Outcome.BROKEN_ANCHOR and edge.to is not None:
        suggestion = nearest.anchor(link, edge.to)
        return Code.BROKEN_ANCHOR, f"{target}: {edge.to.path} has no such section", suggestion
    if edge.outcome is Outcome.AMBIGUOUS:
        message = f"{target} could be {_listed(edge.candidates)}"
        return Code.AMBIGUOUS_LINK, message, nearest.candidate(link, edge.origin, edge.candidates)
    if edge.outcome is Outcome.OUTSIDE:
        return Code.OUTSIDE_LINK, f"{target} leads out of the root folder", ""
    if not link.target.strip():
        return Code.BROKEN_LINK, "the link has no target", ""
    suggestion = nearest.path(link, edge.origin)
    if link.form in _NOTES:
        return Code.LOOSE_WIKILINK, f"no document is called {target}", suggestion
    return Code.BROKEN_LINK, f"{target} does not exist", suggestion


def _listed(candidates: tuple[str, ...]) -> str:
    named = " or ".join(candidates[:_NAMED_CANDIDATES])
    more = len(candidates) - _NAMED_CANDIDATES
    return f"{named} or {more} more" if more > 0 else named


def orphans(reader: Reader, corpus: CorpusName) -> Iterator[Finding]:
    """Documents that no other document links to and that are not the README or index of their folder."""
    for outline in checked(reader.outlines(corpus)):
        if not outline.media.is_linkable or is_index(outline.ref.path):
            continue
        if not outline.cited and not any(outline.cited_sections):
            yield Finding(Code.ORPHAN, outline.ref, 1, "no other document links here")
