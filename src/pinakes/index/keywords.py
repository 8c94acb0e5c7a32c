"""Give every document its keywords, after its structure is already there to be used.

Keywords compare a section with the whole corpus, so the corpus's term counts are kept with the index and stay as they
are until a quarter of it has changed, by the number of sections or by documents that were read again: one edited file
re-does one document, not all of them.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, nullcontext

from pinakes.enrich import KeywordOptions, Statistics, WordTally, count, fingerprint, keywords
from pinakes.index.options import WORTHWHILE, ignore_progress
from pinakes.index.place import IndexPlace
from pinakes.index.plan import KEYWORDS, STATISTICS
from pinakes.index.reading import without_collecting
from pinakes.neural import embedder_name, load_embedder
from pinakes.ports import Progress, Store
from pinakes.processors import processors
from pinakes.records import Change, CorpusName, Counts, Document, Event, Phase, Ref

BATCH_SECTIONS = 20_000
"""Sections per transaction: documents can be made of little else."""

BATCH = 64
"""Documents per transaction: a second of work at most, so that stopping loses little."""

COUNTED_IN_A_HURRY = 4000
"""Sections that can be counted in half a second."""

UNCOUNTED = "uncounted"
"""Stands for the digest of a count that is still to be made."""

DRIFT = 0.25
"""Share of sections that may come or go, and of documents that may change, before the corpus is counted again."""

MADE = "keywords made"
"""The setting that says for how many documents keywords were made since the corpus was counted. It begins below zero,
by as many as there were: theirs are made with the count, or a little after it."""


def make_keywords(  # noqa: PLR0913 - what, where, and how, each by name
    store: Store,
    corpus: CorpusName,
    options: KeywordOptions,
    *,
    index: IndexPlace | None = None,
    progress: Progress,
    deadline: float | None = None,
    is_quiet: bool = False,
) -> None:
    """Make what is pending until nothing is, or until the deadline; it goes on from there the next time.

    With a deadline, a large corpus that was never counted is left for whoever has time: half a count is no count. With
    `is_quiet`, `progress` is called between any two documents, so that it can let others have their turn. Nobody else
    is kept from writing for longer than a batch. Of many documents they are made on all cores by processes that open
    the store in the place `index`; without one, and in a hurry, this one makes all of them.
    """
    is_hurried = deadline is not None

    def stop() -> bool:
        return deadline is not None and time.monotonic() > deadline

    if not options.enabled:
        _remember(store, KEYWORDS, "")
        return
    wanted = fingerprint(options, embedder_name(options.model))
    drift = 1.0 if is_hurried else DRIFT
    counts = store.counts(corpus)
    is_counted = _is_counted(store, wanted, counts, drift)
    if is_counted and not counts.pending_keywords:
        return
    if not is_counted and is_hurried and counts.sections > COUNTED_IN_A_HURRY:
        _remember(store, KEYWORDS, f"{wanted} 0 {UNCOUNTED}")
        return
    between = progress if is_quiet else ignore_progress
    team = index if counts.documents >= WORTHWHILE and processors() > 1 and not is_hurried else None
    with nullcontext() if is_quiet else without_collecting():
        if not is_counted:
            statistics = _count(store, corpus, team, between)
            made_from = f"{wanted} {statistics.sections} {statistics.digest}"
            begun = {STATISTICS: statistics.dumps(), KEYWORDS: made_from, MADE: str(-counts.documents)}
            store.write(Change(settings=begun))
        made_from, total = store.setting(KEYWORDS), store.counts(corpus).pending_keywords
        if not total or stop():
            return
        done = 0
        if team is not None and total >= WORTHWHILE:
            with closing(_made_by(team, store, corpus, options)) as made_parts:
                for done, last in made_parts:
                    between(Event(Phase.KEYWORDS, done, total))
                    progress(Event(Phase.KEYWORDS, done, total, last.path))
        statistics = Statistics.loads(store.setting(STATISTICS))
        embedder = load_embedder(options.model)
        while (pending := store.pending_keywords(corpus, BATCH)) and not stop():
            documents = _some(store, pending)
            made: list[tuple[tuple[str, ...], ...]] = []
            for some in [[one] for one in documents] if is_quiet else [documents]:
                between(Event(Phase.KEYWORDS, done + len(made), total))
                made.extend(keywords(some, statistics, embedder, options))
            if store.setting(KEYWORDS) != made_from:
                return  # another process has counted again
            words = {document.digest: words for document, words in zip(documents, made, strict=True)}
            store.write(Change(keywords=words, settings=_made(store, len(documents))))
            done += len(documents)
            progress(Event(Phase.KEYWORDS, done, total, documents[-1].ref.path))


def _some(store: Store, pending: Iterable[Ref]) -> list[Document]:
    """The first of the documents that wait, at least one and not more than memory is for."""
    documents: list[Document] = []
    sections = 0
    for ref in pending:
        if (found := store.document(ref)) is not None:
            documents.append(found)
            sections += len(found.sections)
        if sections > BATCH_SECTIONS:
            break
    return documents


def _made(store: Store, more: int) -> dict[str, str]:
    """The setting that counts for how many documents keywords were made."""
    return {MADE: str(int(store.setting(MADE) or 0) + more)}


def _is_counted(store: Store, wanted: str, counts: Counts, drift: float) -> bool:
    """Whether the corpus was counted for these options and still stands for the present one."""
    made_from = store.setting(KEYWORDS).split(" ")
    if len(made_from) != 3 or made_from[0] != wanted or made_from[2] == UNCOUNTED:
        return False
    counted = int(made_from[1])
    changed = max(int(store.setting(MADE) or 0) + counts.pending_keywords, 0)
    return abs(counts.sections - counted) <= drift * counted and changed <= drift * max(counts.documents, 1)


def _made_by(
    index: IndexPlace, store: Store, corpus: CorpusName, options: KeywordOptions
) -> Generator[tuple[int, Ref], None, None]:
    """Have workers make what is pending; gives how many documents are done, and the last of them."""
    from pinakes.index.store_jobs import keywords_in_parallel  # which takes long to load

    made_from, done = store.setting(KEYWORDS), 0
    with closing(keywords_in_parallel(index, store.pending_keywords(corpus, -1), options, made_from)) as made:
        for some, found in made:
            if store.setting(KEYWORDS) != made_from:
                return  # another process has counted again
            store.write(Change(keywords=dict(found), settings=_made(store, len(some))))
            done += len(some)
            yield done, some[-1]


def _count(store: Store, corpus: CorpusName, team: IndexPlace | None, between: Progress) -> Statistics:
    refs = [kept.stamp.ref for kept in store.files(corpus).values() if kept.digest]
    if team is None:
        return count(_documents(store, refs, between))
    from pinakes.index.store_jobs import count_in_parallel

    whole = WordTally()
    with closing(count_in_parallel(team, refs)) as parts:
        for part in parts:
            between(Event(Phase.KEYWORDS, 0, 0))
            whole.join(part)
    return whole.statistics()


def _documents(store: Store, refs: Iterable[Ref], between: Progress) -> Iterator[Document]:
    for ref in refs:
        if (document := store.document(ref)) is not None:
            between(Event(Phase.KEYWORDS, 0, 0))
            yield document


def _remember(store: Store, name: str, value: str) -> None:
    if store.setting(name) != value:
        store.write(Change(settings={name: value}))
