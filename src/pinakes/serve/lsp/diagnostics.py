"""What is wrong with an open document, marked in its text.

Links are understood as they stand in the editor; what `check` found otherwise (orphans, contradictions, drift) is taken
from the last check of the library and follows its lines while the text around them changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lsprotocol.types import Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, Range
from msgspec import Struct

from pinakes.check import Code, Finding, Severity
from pinakes.check.links import link_finding
from pinakes.check.nearest import Nearest
from pinakes.graph.across import OtherCorpus
from pinakes.ports import Reader
from pinakes.records import Document, Edge, Outcome, Ref, Span
from pinakes.render import safe
from pinakes.serve.lsp.positions import TextPositions
from pinakes.serve.lsp.view import EditorView

SOURCE = "pinakes"
MOST = 1000
"""Diagnostics of one document; nobody reads more."""
_OF_LINKS = (Code.BROKEN_LINK, Code.BROKEN_ANCHOR, Code.LOOSE_WIKILINK, Code.AMBIGUOUS_LINK, Code.OUTSIDE_LINK)
_SEVERITIES = {
    Severity.ERROR: DiagnosticSeverity.Error,
    Severity.WARNING: DiagnosticSeverity.Warning,
    Severity.NOTICE: DiagnosticSeverity.Information,
}


class LineFinding(Struct, frozen=True):
    """A finding about a line, with the text that the line had."""

    finding: Finding
    text: bytes


LastCheck = Mapping[Ref, tuple[LineFinding, ...]]
"""What the last check found besides broken links, by document."""
NOT_CHECKED: LastCheck = {}


def line_findings(findings: Iterable[Finding], reader: Reader) -> LastCheck:
    """What is not about a link, with the lines it is about. Both places of a contradiction are told."""
    found: dict[Ref, list[LineFinding]] = {}
    texts: dict[Ref, TextPositions | None] = {}
    for one in findings:
        if one.code in _OF_LINKS:
            continue
        ref = one.ref.document
        if ref not in texts:
            document = reader.document(ref)
            texts[ref] = None if document is None else TextPositions(document.source, "utf-8")
        lines = texts[ref]
        if lines is not None and one.line <= len(lines):
            span = lines.line(one.line - 1)
            found.setdefault(ref, []).append(LineFinding(one, lines.text[span.start : span.end]))
    return {ref: tuple(ones) for ref, ones in found.items()}


def diagnostics(view: EditorView, document: Document, nearest: Nearest | None, last: LastCheck) -> list[Diagnostic]:
    """Broken links of the document as it is in the editor, and what the last check said of its lines."""
    found = []
    spans = view.spans(document)
    positions = view.positions(document)
    across = view.across(document.ref)
    for edge in view.edges(document):
        finding = _finding(edge, nearest, across)
        if finding is not None:
            span = spans.get(edge.link.ordinal)
            where = positions.range(span) if span is not None else positions.line_range(edge.link.line)
            found.append(_diagnostic(finding, where, view))
    lines = _Lines(positions)
    for one in last.get(document.ref, ()):
        number = lines.find(one)
        if number >= 0:
            found.append(_diagnostic(one.finding, positions.line_range(number), view))
    return found[:MOST]


def _finding(edge: Edge, nearest: Nearest | None, across: OtherCorpus | None) -> Finding | None:
    if nearest is not None:
        return link_finding(edge, nearest, across)
    if edge.outcome is not Outcome.BROKEN_ANCHOR:  # without an index nothing else can be told
        return None
    message = f"“{edge.link.target}”: there is no such section"
    return Finding(Code.BROKEN_ANCHOR, edge.origin, edge.link.line + 1, message)


def _diagnostic(finding: Finding, where: Range, view: EditorView) -> Diagnostic:
    message = safe(finding.message)
    if finding.suggestion:
        message += f" (did you mean {safe(finding.suggestion)}?)"
    related = None
    if finding.other is not None:
        positions = TextPositions(b"", view.encoding)
        start = positions.position(0)
        start.line = finding.other.line - 1
        there = Location(view.uri(finding.other.ref), Range(start, start))
        related = [DiagnosticRelatedInformation(there, "the other place")]
    return Diagnostic(
        range=where,
        message=message,
        severity=_SEVERITIES[finding.severity],
        code=finding.code.value,
        source=SOURCE,
        related_information=related,
        data={"suggestion": finding.suggestion} if finding.suggestion else None,
    )


class _Lines:
    """Finds lines again after the text around them has changed."""

    def __init__(self, positions: TextPositions) -> None:
        self._positions = positions
        self._numbers: dict[bytes, list[int]] | None = None

    def find(self, one: LineFinding) -> int:
        """The number of the nearest line with the text of the finding's; -1 when there is none any more."""
        number = one.finding.line - 1
        if number < len(self._positions) and self._text(number) == one.text:
            return number
        if self._numbers is None:
            self._numbers = {}
            for at in range(len(self._positions)):
                self._numbers.setdefault(self._text(at), []).append(at)
        return min(self._numbers.get(one.text, ()), key=lambda at: abs(at - number), default=-1)

    def _text(self, number: int) -> bytes:
        span: Span = self._positions.line(number)
        return self._positions.text[span.start : span.end]
