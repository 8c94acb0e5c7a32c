"""Documents nothing leads to."""

from __future__ import annotations

from collections.abc import Iterator

from pinakes.check.findings import Code, Finding
from pinakes.graph import is_index
from pinakes.ports import Reader
from pinakes.records import CorpusName


def orphans(reader: Reader, corpus: CorpusName) -> Iterator[Finding]:
    """Documents that no other document links to and that are not the README or index of their folder."""
    for outline in reader.outlines(corpus):
        if not outline.media.is_linkable or is_index(outline.ref.path):
            continue
        if not outline.cited and not any(outline.cited_sections):
            yield Finding(Code.ORPHAN, outline.ref, 1, "no other document links here")
