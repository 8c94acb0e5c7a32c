"""What a link leads to, shown beside the cursor: the first lines of its target, or what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Callable

from lsprotocol.types import Hover, MarkupContent, MarkupKind

from pinakes.check import Finding
from pinakes.records import Document, Edge, Layout, Outcome, Ref, Span
from pinakes.render import safe
from pinakes.serve.lsp.links import edge_at, heading_at, incoming, link_at
from pinakes.serve.lsp.view import EditorView, heading_line

_MOST_LINES = 12
_MOST_LETTERS = 1200
FindingOf = Callable[[Edge], Finding | None]
"""What is wrong with a link."""


def hover(view: EditorView, document: Document, offset: int, finding_of: FindingOf, kind: MarkupKind) -> Hover | None:
    """For a link, or a symbol that a document names, its target; for a heading or definition, how many links lead
    here; None for anything else."""
    pointed = edge_at(view, document, offset)
    if pointed is not None:
        edge, span = pointed
        text = _target(view, edge, finding_of, kind)
    elif link_at(view, document, offset) is not None:
        return None
    else:
        position = heading_at(document, offset)
        text = _cited(view, document, position) if position else ""
        span = heading_line(document, position)
    return Hover(MarkupContent(kind, text), view.range(document, span)) if text else None


def _target(view: EditorView, edge: Edge, finding_of: FindingOf, kind: MarkupKind) -> str:
    finding = finding_of(edge)
    if finding is not None:
        wrong = f"{safe(finding.message)}."
        return f"{wrong} Did you mean {safe(finding.suggestion)}?" if finding.suggestion else wrong
    if edge.outcome is not Outcome.FOUND or edge.to is None:
        return ""
    document = view.document(edge.to)
    name = safe(f"{edge.to.label}#{edge.to.anchor}" if edge.to.anchor else edge.to.label)
    if document is None or document.stamp.media.layout is Layout.DRAWING:
        return name
    beginning = _beginning(document, edge.to)
    if document.stamp.media.code is not None and kind is MarkupKind.Markdown:
        beginning = _fenced(beginning, document.stamp.media.name)
    return f"{beginning}\n\n— {name}"


def _fenced(text: str, language: str) -> str:
    """Source code as a block of Markdown, between marks that are longer than those in the text."""
    mark = "`" * max([3, *(len(run) + 1 for run in re.findall(r"`+", text))])
    return f"{mark}{language}\n{text}\n{mark}"


def _beginning(document: Document, ref: Ref) -> str:
    """The first lines of a section, or of a document behind its frontmatter."""
    section = next((one for one in document.sections if one.anchor == ref.anchor), document.sections[0])
    start = max(section.span.start, document.body)
    text = safe(document.text(Span(start, section.span.end)), keep="\n\t")
    lines = text.strip().split("\n")
    shown = "\n".join(lines[:_MOST_LINES])
    is_cut = len(lines) > _MOST_LINES or len(shown) > _MOST_LETTERS
    shown = shown[:_MOST_LETTERS].rstrip()
    if document.stamp.media.code is not None:
        return shown + ("\n…" if is_cut else "")
    fences = sum(line.lstrip().startswith("```") for line in shown.split("\n"))
    return shown + ("\n```" if fences % 2 else "") + ("\n\n…" if is_cut else "")


def _cited(view: EditorView, document: Document, position: int) -> str:
    count = sum(1 for _ in incoming(view, document.section_ref(position)))
    if position == 1:
        count += sum(1 for _ in incoming(view, document.ref))
    links = "No link leads" if not count else "1 link leads" if count == 1 else f"{count:,} links lead"
    return f"{links} here: `{document.ref.path}#{safe(document.sections[position].anchor)}`"
