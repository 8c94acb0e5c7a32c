"""Finds what is wrong with the documents.

A reader enters, findings leave: what is wrong, where, and what was probably meant. Each file holds one finder; a finder
only reads. `pinakes.check.report` prints findings for a terminal or for GitHub.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pinakes.check.contradictions import contradictions
from pinakes.check.drift import drift
from pinakes.check.findings import Code, Finding, Location, Severity
from pinakes.check.links import broken_links, orphans
from pinakes.ports import Reader
from pinakes.records import CorpusName

__all__ = ["FINDERS", "Code", "Finding", "Location", "Severity", "check", "drift"]

FINDERS: tuple[Callable[[Reader, CorpusName], Iterator[Finding]], ...] = (broken_links, orphans, contradictions)


def check(reader: Reader, corpus: CorpusName) -> tuple[Finding, ...]:
    """Everything the finders find, by path and line."""
    return tuple(sorted((finding for finder in FINDERS for finding in finder(reader, corpus)), key=Finding.order))
