"""What a job says besides its kind: written by whoever puts it in, and read as what a stranger may have written.

A `Task` enters; what it gives leaves, of the form that jobs of its kind have.
"""

from __future__ import annotations

from typing import Annotated, TypeVar

from msgspec import Meta, Struct, ValidationError, convert

from pinakes.errors import Unfit
from pinakes.jobs.queue import Task

Given = TypeVar("Given", bound=Struct)


class BatchToRead(Struct, frozen=True):
    """Documents to parse."""

    corpus: str
    commit: Annotated[str, Meta(pattern="^[0-9a-f]{40,64}$")]
    sites: str
    modules: str
    stamps: list[tuple[str, str, str]]
    """Path, version and format of each."""


class VectorsToMake(Struct, frozen=True):
    """The quick vectors of an index."""

    vectors: str
    """The corpus."""


class TextsToEmbed(Struct, frozen=True):
    """Documents whose chunks get vectors of a model that takes its time."""

    corpus: str
    model: str
    documents: list[int]
    """Their numbers."""


def given_to(task: Task, form: type[Given]) -> Given:
    """What a job gives; raises `Unfit` for one that says it otherwise, or not at all."""
    try:
        return convert(dict(task.given), form)
    except ValidationError as error:
        problem = f"The job {task.kind} of {task.library} does not say what is to be done: {error}."
        raise Unfit(problem, f"Run pinakes library sync {task.library}.") from error
