"""Finds links that lead nowhere, to the wrong place or to several, and documents that no link leads to."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pinakes.cancelling import checked
from pinakes.check.across import across_finding
from pinakes.check.findings import Code, Finding
from pinakes.check.nearest import Nearest, with_fragment
from pinakes.check.site_pages import SitePages, by_rules_of
from pinakes.graph.across import OtherCorpus
from pinakes.graph.names import is_index
from pinakes.graph.targets import read_link
from pinakes.ports import Reader
from pinakes.records import CorpusName, Edge, LinkForm, Outcome
from pinakes.records.folder_notes import CONTEXT_FILE

_WRONG = (Outcome.MISSING, Outcome.BROKEN_ANCHOR, Outcome.AMBIGUOUS, Outcome.OUTSIDE)
_NOTES = (LinkForm.WIKILINK, LinkForm.EMBED)
_ADDRESSES = (LinkForm.LINK, LinkForm.HTML)
_NAMED_CANDIDATES = 3


def broken_links(reader: Reader, corpus: CorpusName) -> Iterator[Finding]:
    """Every link that was looked up in vain, each with what was probably meant."""
    nearest = Nearest(reader, corpus)
    for edge in checked(reader.edges(corpus, outcomes=_WRONG)):
        yield _finding(edge, nearest)
    if nearest.pages.sites:
        for edge in checked(reader.edges(corpus, outcomes=(Outcome.FOUND,))):
            yield from _judged_by_readers(edge, nearest.pages)


def link_finding(edge: Edge, nearest: Nearest, across: OtherCorpus | None) -> Finding | None:
    """What is wrong with one link, which may lead into the other corpus; None when nothing is. An editor asks so about
    links that are not saved yet."""
    found = across_finding(edge, across, nearest.fuzzy) if across is not None else None
    if found is not None:
        return found
    return _finding(edge, nearest) if edge.outcome in _WRONG else next(_judged_by_readers(edge, nearest.pages), None)


def _finding(edge: Edge, nearest: Nearest) -> Finding:
    code, message, suggestion = _describe(edge, nearest)
    return Finding(code, edge.origin, edge.link.line + 1, message, suggestion)


def _judged_by_readers(edge: Edge, pages: SitePages) -> Iterator[Finding]:
    """A link that leads to a section here, and not where it is read: by the anchor that GitHub gives the section, where
    the site that both are pages of has another; or by the site's, on a page that belongs to no site."""
    to, link = edge.to, edge.link
    if to is None or not to.anchor or link.form not in _ADDRESSES:
        return
    if (site := pages.judge(edge)) is not None:
        fragment = read_link(link)[2]
        if not fragment or pages.knows(to, fragment):
            return
        who, known = by_rules_of(site), pages.called(to, to.anchor)
    elif pages.is_of_its_site_only(edge):
        who, known = f"GitHub, where {edge.origin.path} is read,", to.anchor
    else:
        return
    message = f"“{link.target}”: {who} calls that section of {to.path} {known or 'nothing'}"
    yield Finding(Code.BROKEN_ANCHOR, edge.origin, link.line + 1, message, with_fragment(link, known) if known else "")


def _describe(edge: Edge, nearest: Nearest) -> tuple[Code, str, str]:
    link = edge.link
    target = f"“{link.target}”"
    if edge.outcome is Outcome.BROKEN_ANCHOR and edge.to is not None:
        suggestion = nearest.anchor(link, edge.to)
        site = nearest.pages.judge(edge)
        judged = f" by the rules of {by_rules_of(site)}" if site else ""
        return Code.BROKEN_ANCHOR, f"{target}: {edge.to.path} has no such section{judged}", suggestion
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


def orphans(reader: Reader, corpus: CorpusName, listed: Collection[str] = ()) -> Iterator[Finding]:
    """Documents that no other document links to, that no site lists, and that are not the README or index of their
    folder."""
    for outline in checked(reader.outlines(corpus)):
        if not outline.media.is_linkable or is_index(outline.ref.path) or outline.ref.path in listed:
            continue
        if outline.ref.path.rpartition("/")[2] == CONTEXT_FILE:  # a note, which search and the map show
            continue
        if not outline.cited and not any(outline.cited_sections):
            yield Finding(Code.ORPHAN, outline.ref, 1, "no other document links here")
