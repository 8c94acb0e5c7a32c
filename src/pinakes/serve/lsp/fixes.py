"""Fixes of broken links: what was probably meant, ready to be put in their place."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types as lsp

from pinakes.check.links import link_finding
from pinakes.check.nearest import Nearest
from pinakes.graph.across import OtherCorpus
from pinakes.moves.written import places_of
from pinakes.records import Document, Edge, Outcome, Span
from pinakes.render import safe
from pinakes.serve.lsp.diagnostics import SOURCE
from pinakes.serve.lsp.view import EditorView

_MOST_CANDIDATES = 5


def fixes(
    view: EditorView, document: Document, span: Span, nearest: Nearest, diagnostics: Sequence[lsp.Diagnostic]
) -> list[lsp.CodeAction]:
    """The fixes of the broken links that a stretch of a document touches."""
    spans = view.spans(document)
    touched = tuple(
        link
        for link in document.links
        if (own := spans.get(link.ordinal)) is not None and own.start <= span.end and span.start <= own.end
    )
    found = []
    across = view.across(document.ref)
    for edge in view.edges(document, touched):
        suggestions = _suggestions(edge, nearest, across)
        where = view.range(document, spans[edge.link.ordinal])
        answered = [one for one in diagnostics if one.source == SOURCE and one.range == where]
        for suggestion in suggestions:
            edit = _edit(view, document, edge, suggestion)
            if edit is not None:
                found.append(
                    lsp.CodeAction(
                        title=f"Change the link to {safe(suggestion)}",
                        kind=lsp.CodeActionKind.QuickFix,
                        diagnostics=answered or None,
                        is_preferred=len(suggestions) == 1,
                        edit=lsp.WorkspaceEdit(changes={view.uri(document.ref): [edit]}),
                    )
                )
    return found


def _suggestions(edge: Edge, nearest: Nearest, across: OtherCorpus | None) -> list[str]:
    finding = link_finding(edge, nearest, across)
    if finding is None:
        return []
    if edge.outcome is Outcome.AMBIGUOUS:
        return [nearest.candidate(edge.link, edge.origin, (one,)) for one in edge.candidates[:_MOST_CANDIDATES]]
    return [finding.suggestion] if finding.suggestion else []


def _edit(view: EditorView, document: Document, edge: Edge, suggestion: str) -> lsp.TextEdit | None:
    for place in places_of(document, edge.link):
        written = place.written(suggestion)
        if written is not None:
            return lsp.TextEdit(view.range(document, place.span), written)
    return None
