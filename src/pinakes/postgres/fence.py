"""A condition under which a thread may write: looked at in each of its transactions, before anything is changed.

A function that gets the connection of a transaction enters; whatever it raises undoes that transaction. What it locks
stays locked until the transaction ends, so that the condition holds for all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import psycopg

Fence: TypeAlias = "Callable[[psycopg.Connection[tuple[Any, ...]]], None]"
_FENCE: ContextVar[Fence | None] = ContextVar("fence", default=None)


@contextmanager
def fenced(fence: Fence) -> Iterator[None]:
    """Look at this condition in every transaction that this thread writes in meanwhile."""
    before = _FENCE.set(fence)
    try:
        yield
    finally:
        _FENCE.reset(before)


def look_at_fence(connection: psycopg.Connection[tuple[Any, ...]]) -> None:
    """Raise what the condition of this thread raises, if there is one."""
    fence = _FENCE.get()
    if fence is not None:
        fence(connection)
