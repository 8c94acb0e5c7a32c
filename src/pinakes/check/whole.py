"""Everything that finders of one corpus find, in one list."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain

from pinakes.check.contradictions import Claims, contradictions
from pinakes.check.findings import Finding
from pinakes.check.links import broken_links, orphans
from pinakes.ports import Reader
from pinakes.records import CorpusName


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
