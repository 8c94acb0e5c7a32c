"""How much of a corpus is indexed while its index is being built, by whichever process."""

from __future__ import annotations

from pinakes.index.plan import BUILDING, READING
from pinakes.ports import Store
from pinakes.records import CorpusName


def share_indexed(store: Store, corpus: CorpusName) -> tuple[int, int] | None:
    """While an index is being built, how many documents it has and how many there will be, 0 while that is not known;
    None once it is whole."""
    # Not its generation: keywords of the index that it replaces may be written to one that no sync has begun to fill.
    expected = store.setting(BUILDING) if store.setting(READING) else "unknown"
    if not expected:
        return None
    return store.counts(corpus).documents, int(expected) if expected.isdecimal() else 0


def share_text(store: Store, corpus: CorpusName) -> str:
    """`share_indexed` in words; nothing once the index is whole."""
    share = share_indexed(store, corpus)
    if share is None:
        return ""
    documents, expected = share
    of = f" of {max(documents, expected):,}" if expected else ""
    return f"{documents:,}{of} documents are indexed so far"
