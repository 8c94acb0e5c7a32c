"""The vectors of a model that takes its time, made by several workers, some documents each.

A corpus enters; jobs leave (`embedding_tasks`), each of which makes the vectors of some documents (`embed_documents`).
They are kept by text for all libraries of the database; whoever then brings the index up to date finds them there.
"""

from __future__ import annotations

from contextlib import suppress

from msgspec import to_builtins

from pinakes.errors import PinakesError, Unfit
from pinakes.index import QUICK
from pinakes.jobs.queue import Lease, Task, put
from pinakes.library.corpus import Corpus
from pinakes.library.queued.given import TextsToEmbed, given_to
from pinakes.library.queued.reading import take_over
from pinakes.neural import embedder_name, finer_model, load_embedder
from pinakes.neural.model_spec import AUTO
from pinakes.ports import Progress
from pinakes.records import Event, Phase
from pinakes.records.jobs import JobKind

BATCH = 32
"""Documents of a job: some seconds' work for the model of the package."""
_PATIENCE_S = 600.0
"""How long somebody who makes the quick vectors of an index is waited for."""
_TEXTS = 16
"""Embedded at a time; after so many somebody may stop it."""


def embedding_tasks(library: str, corpus: Corpus) -> list[Task]:
    """Jobs for what has no vectors of the model that takes its time; none where few documents wait, or none can be
    made, which whoever completes the index is told."""
    model = slow_model(corpus)
    if not model or not corpus.is_indexed:
        return []
    known = corpus.place.vectors().file(embedder_name(model)).now.generation
    numbers = corpus.store.feed(known).changed
    if len(numbers) <= BATCH:
        return []
    return [
        Task(
            library,
            JobKind.EMBED,
            f"{corpus.name} {numbers[first]}",
            to_builtins(TextsToEmbed(corpus.name, model, list(numbers[first : first + BATCH]))),
        )
        for first in range(0, len(numbers), BATCH)
    ]


def prepare_index(lease: Lease, corpus: Corpus, *, is_shared: bool) -> None:
    """Make the words and the quick vectors of an index agree with it, so that whoever asks need not. With `is_shared`
    another worker, if one has time, makes the vectors while this one makes the words."""
    if is_shared:
        task = Task(lease.task.library, JobKind.READ, f"vectors of {corpus.name}", {"vectors": corpus.name})
        put(lease.database, [task])
        corpus.toolbox.prepare(corpus.store, with_vectors=False)
        take_over(lease.database, task, _PATIENCE_S)
    corpus.toolbox.prepare(corpus.store, with_vectors=True)


def make_quick_vectors(lease: Lease, corpus: Corpus) -> None:
    """Do the part of `prepare_index` that another worker may."""
    corpus.place.vectors().file(embedder_name(QUICK)).update(corpus.store, load_embedder(QUICK))
    lease.finish()


def embed_documents(lease: Lease, corpus: Corpus, progress: Progress) -> None:
    """Do a job of embedding: vectors that nobody has made are made and kept at once."""
    from pinakes.vectors.build import pages_of
    from pinakes.vectors.postgres.shared import SharedVectors

    given = given_to(lease.task, TextsToEmbed)
    if given.model != slow_model(corpus):  # which model texts are sent to is for this machine's user to say
        raise Unfit(
            "These vectors are of another model than the one that this worker uses.",
            "Give all workers of a database the same settings, and run pinakes library sync.",
        )
    embedder, shared = load_embedder(given.model), SharedVectors(lease.database)
    for done, page in enumerate(pages_of(corpus.store, given.documents)):
        for first in range(0, len(page.texts), _TEXTS):
            shared.rows(embedder, page.texts[first : first + _TEXTS])
            progress(Event(Phase.EMBEDDING, done, len(given.documents), page.path))
    lease.finish()


def slow_model(corpus: Corpus) -> str:
    """The model whose vectors take longer than somebody waits for an answer; empty where none can be had."""
    model = corpus.config.neural.model
    if model == QUICK:
        return ""
    with suppress(PinakesError):
        found = finer_model(AUTO) if model == AUTO else model
        return found if found and embedder_name(found) else ""
    return ""
