"""Commits that answer a question, or the newest ones: the same search as for documents, and what only commits need."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from pinakes.errors import ExtraMissing, NotFound
from pinakes.library.corpus import Corpus
from pinakes.passages import commits_named
from pinakes.ports import Reader
from pinakes.records import HISTORY, ChunkId, Query, QuestionKind, Results
from pinakes.search import check_dates
from pinakes.words import parse_question

_HASH = re.compile(r"[0-9a-fA-F]{7,64}")


def history(corpus: Corpus, query: Query, root: Path) -> Results:
    """Commits for a question, best first; for a hash that commit; for no question the newest that pass the filters.

    Raises `NotFound` where there is no repository, and `ExtraMissing` where git is needed and cannot be run.
    """
    if not corpus.is_indexed:
        raise _nothing_here(corpus, root)
    store = corpus.index
    troubles = [one for one in store.failures(HISTORY) if one.ref.path == "." or one.ref.path.endswith(".git")]
    if not store.counts(HISTORY).documents:
        if troubles:
            raise ExtraMissing(troubles[0].reason, troubles[0].next_step)
        if not corpus.source.exists:
            raise _nothing_here(corpus, root)
    found = _answer(corpus, store, query)
    missing = tuple(f"part of the history: {trouble.reason} {trouble.next_step}".strip() for trouble in troubles)
    return replace(found, missing=found.missing + missing)


def _answer(corpus: Corpus, store: Reader, query: Query) -> Results:
    text = query.text.strip()
    check_dates(query.where)
    if not text:
        return _results(query, store, store.newest(query.where.within_corpus(), query.limit))
    if _HASH.fullmatch(text) and (named := commits_named(store, text)):
        return _results(query, store, [store.places([ref])[ref] for ref in named[: query.limit]])
    found = corpus.search(query)
    if found.hits or not 0 < 2 * len(found.unknown) <= len(parse_question(text).terms):
        return found
    # Commits are written in other words than they are asked for: “introduced” is in no message, what was is in some.
    unknown = "|".join(map(re.escape, found.unknown))
    rest = re.sub(rf"(?<!\w)(?:{unknown})(?!\w)", "", text, flags=re.IGNORECASE)
    again = corpus.search(replace(query, text=rest)) if rest.strip() and rest != text else found
    return replace(again, query=query, unknown=found.unknown) if again.hits else found


def _results(query: Query, store: Reader, chunks: Sequence[ChunkId]) -> Results:
    slices = store.slices(chunks)
    hits = tuple(slices[one].hit(0.0, (), (), ()) for one in chunks if one in slices)
    return Results(query, QuestionKind.NAVIGATIONAL, hits, ())


def _nothing_here(corpus: Corpus, root: Path) -> NotFound:
    if not corpus.config.history.enabled:
        return NotFound("History is switched off.", "enabled = true under [history] in pinakes.toml switches it on.")
    return NotFound(f"There is no git repository in {root}.", "Name a folder that is in one with --root.")
