"""Look up the links that wait for it, until none does."""

from __future__ import annotations

from pinakes.graph import NameTable, resolve_pending
from pinakes.ports import Progress, Store
from pinakes.records import Change, CorpusName, Event, Phase

MANY = 20_000
"""From this many waiting links on, one table of all names is cheaper than asking for each key."""

BATCH = 50_000


def link(store: Store, corpus: CorpusName, progress: Progress) -> None:
    """Resolve every pending link of the corpus."""
    pending = store.pending_links(corpus, BATCH)
    # Counting walks over all documents, which a few links are not worth.
    total = len(pending) if len(pending) < MANY else store.counts(corpus).pending_links
    table = NameTable.of(store, corpus) if total >= MANY else None
    done = 0
    while pending:
        store.write(Change(edges=resolve_pending(store, corpus, pending, table)))
        done += len(pending)
        progress(Event(Phase.LINKING, done, total))
        pending = store.pending_links(corpus, BATCH)
