"""The sections of a document as an editor shows them: an outline, and stretches to fold."""

from __future__ import annotations

from lsprotocol import types as lsp
from lsprotocol.types import DocumentSymbol, FoldingRange, FoldingRangeKind

from pinakes.records import BlockKind, Document, Span, SymbolKind
from pinakes.serve.lsp.positions import TextPositions
from pinakes.serve.lsp.view import heading_line

_MOST_FOLDS = 5000
"""Editors themselves stop at as many."""
KINDS = {
    SymbolKind.CLASS: lsp.SymbolKind.Class,
    SymbolKind.FUNCTION: lsp.SymbolKind.Function,
    SymbolKind.METHOD: lsp.SymbolKind.Method,
    SymbolKind.VARIABLE: lsp.SymbolKind.Variable,
    SymbolKind.PROPERTY: lsp.SymbolKind.Property,
}
"""Of symbols of code; headings are strings, as editors show them elsewhere."""
_FOLDED_BLOCKS = (BlockKind.CODE, BlockKind.TABLE, BlockKind.HTML)


def document_symbols(document: Document, positions: TextPositions) -> list[DocumentSymbol]:
    """The headings of a document, each with those below it."""
    found: list[DocumentSymbol] = []
    made: dict[int, list[DocumentSymbol]] = {0: found}
    for position, section in enumerate(document.sections):
        if position == 0:
            continue
        children: list[DocumentSymbol] = []
        symbol = DocumentSymbol(
            name=section.title.strip() or section.anchor or "–",  # clients refuse an empty name
            kind=KINDS[section.symbol.kind] if section.symbol is not None else lsp.SymbolKind.String,
            range=positions.range(_without_blank_end(document.source, section.span)),
            selection_range=positions.range(heading_line(document, position)),
            children=children,
        )
        made[position] = children
        made[section.parent].append(symbol)
    return found


def folding_ranges(document: Document, positions: TextPositions) -> list[FoldingRange]:
    """Sections, blocks of code, tables and the frontmatter, where they take more than a line."""
    spans = [(section.span, FoldingRangeKind.Region) for section in document.sections[1:]]
    spans += [(block.span, FoldingRangeKind.Region) for block in document.blocks if block.kind in _FOLDED_BLOCKS]
    if document.source[: document.body].strip():
        spans.append((Span(0, document.body), FoldingRangeKind.Comment))
    found = []
    for span, kind in sorted(spans):
        whole = _without_blank_end(document.source, span)
        first, last = positions.line_at(whole.start), positions.line_at(max(whole.end - 1, whole.start))
        if last > first:
            found.append(FoldingRange(first, last, kind=kind))
    return found[:_MOST_FOLDS]


def _without_blank_end(source: bytes, span: Span) -> Span:
    end = span.end
    while end > span.start and source[end - 1] in b" \t\r\n":
        end -= 1
    return Span(span.start, end)
