"""Give every document its keywords, after its structure is already there to be used.

Keywords compare a section with the whole corpus, so the corpus's term counts are kept with the index and stay as they
are until a quarter of it has changed: one edited file re-does one document, not all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import takewhile

from pinakes.enrich import KeywordOptions, Statistics, count, fingerprint, keywords
from pinakes.errors import ExtraMissing
from pinakes.index.fingerprint import KEYWORDS, STATISTICS
from pinakes.neural import embedder_name, load_embedder
from pinakes.ports import Progress, Store
from pinakes.records import Change, Corpus, Document, Event, Phase

BATCH = 64
"""Documents per transaction: a second of work at most, so that stopping loses little."""

DRIFT = 0.25
"""Share by which the number of sections may change before the corpus is counted again."""


def make_keywords(
    store: Store,
    corpus: Corpus,
    options: KeywordOptions,
    *,
    progress: Progress,
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Make what is pending until nothing is, or until `stop` says so; it goes on from there the next time."""
    if not options.enabled:
        _remember(store, KEYWORDS, "")
        return
    with store.writing():
        name = _installed(options.model)
        wanted = fingerprint(options, name)
        if not _is_current(store, corpus, wanted):
            statistics = count(takewhile(lambda _: not stop(), _documents(store, corpus)))
            if stop():
                return  # counting half of a corpus is no count; the next sync starts over
            made_from = f"{wanted} {statistics.sections} {statistics.digest}"
            store.write(Change(settings={STATISTICS: statistics.dumps(), KEYWORDS: made_from}))
        total = store.counts(corpus).pending_keywords
        if not total or stop():
            return
        statistics = Statistics.loads(store.setting(STATISTICS))
        embedder = load_embedder(options.model) if name else None
        done = 0
        while (pending := store.pending_keywords(corpus, BATCH)) and not stop():
            documents = [found for ref in pending if (found := store.document(ref)) is not None]
            made = keywords(documents, statistics, embedder, options)
            store.write(
                Change(keywords={document.digest: words for document, words in zip(documents, made, strict=True)})
            )
            done += len(documents)
            progress(Event(Phase.KEYWORDS, done, total, pending[-1].path))


def _installed(model: str) -> str:
    """The embedder's name, or nothing: without one, keywords go by contrast alone, and `status` says so."""
    try:
        return embedder_name(model)
    except ExtraMissing:
        return ""


def _is_current(store: Store, corpus: Corpus, wanted: str) -> bool:
    """Whether the counted corpus still stands for the present one, and the options are those it was counted for."""
    made_from = store.setting(KEYWORDS).split(" ")
    if len(made_from) != 3 or made_from[0] != wanted:
        return False
    counted = int(made_from[1])
    return abs(store.counts(corpus).sections - counted) <= DRIFT * counted


def _documents(store: Store, corpus: Corpus) -> Iterator[Document]:
    for kept in store.kept(corpus).values():
        if kept.digest and (document := store.document(kept.stamp.ref)) is not None:
            yield document


def _remember(store: Store, name: str, value: str) -> None:
    if store.setting(name) != value:
        store.write(Change(settings={name: value}))
