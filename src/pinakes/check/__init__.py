"""Finds what is wrong with the documents.

A reader enters, findings leave: what is wrong, where, and what was probably meant. Each file holds one finder; a finder
only reads. `pinakes.check.report` prints findings for a terminal or for GitHub.
"""

from __future__ import annotations

from itertools import chain

from pinakes.check.contradictions import Claims, contradictions
from pinakes.check.drift import drift
from pinakes.check.findings import Code, Finding, Location, Severity
from pinakes.check.links import broken_links, orphans
from pinakes.ports import Reader
from pinakes.records import CorpusName

__all__ = ["Claims", "Code", "Finding", "Location", "Severity", "check", "drift"]


def check(reader: Reader, corpus: CorpusName, claims: Claims | None = None) -> tuple[Finding, ...]:
    """Everything the finders find, by path and line. `claims` spares reading what it knows from earlier checks."""
    found = (
        broken_links(reader, corpus),
        orphans(reader, corpus),
        contradictions(reader, corpus, claims or Claims()),
    )
    return tuple(sorted(chain.from_iterable(found), key=Finding.order))
