"""Finds what is wrong with the documents.

A reader enters, findings leave: what is wrong, where, and what was probably meant. Each file holds one finder; a finder
only reads. `pinakes.check.report` prints findings for a terminal or for GitHub.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain

from pinakes.check.across import broken_across
from pinakes.check.contradictions import Claims, contradictions
from pinakes.check.drift import drift
from pinakes.check.findings import WEB_CODES, Code, Finding, Location, Severity
from pinakes.check.links import broken_links, orphans
from pinakes.check.options import CheckOptions, WebCheck
from pinakes.check.plugged import plugged_findings
from pinakes.check.symbol_drift import CodeSide
from pinakes.check.undocumented import undocumented
from pinakes.ports import Reader
from pinakes.records import CorpusName

__all__ = [
    "WEB_CODES",
    "CheckOptions",
    "Claims",
    "Code",
    "CodeSide",
    "Finding",
    "Location",
    "Severity",
    "WebCheck",
    "broken_across",
    "check",
    "drift",
    "plugged_findings",
    "undocumented",
]


def check(
    reader: Reader, corpus: CorpusName, claims: Claims | None = None, listed: Collection[str] = ()
) -> tuple[Finding, ...]:
    """Everything the finders find, by path and line. `claims` spares reading what it knows from earlier checks;
    `listed` are documents that a site shows without a link."""
    found = (
        broken_links(reader, corpus),
        orphans(reader, corpus, listed),
        contradictions(reader, corpus, claims or Claims()),
    )
    return tuple(sorted(chain.from_iterable(found), key=Finding.order))
