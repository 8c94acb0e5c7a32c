"""Ends work that nobody waits for any more.

A thread cannot be stopped. So a server makes a `Caller` for each call and runs the call with it; when whoever asked has
gone, or has waited long enough, the server says so. Long loops go through `checked`, which then raises `CallerGone`.
Where no server runs the call, nothing is ever raised.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import TypeVar

T = TypeVar("T")


class CallerGone(Exception):
    """Nobody waits for the result. It is no `PinakesError`: there is nobody to tell, and nothing may take its place."""


class Caller:
    """Whoever waits for the result of one call."""

    def __init__(self) -> None:
        self._gone = threading.Event()

    def leave(self) -> None:
        """Nobody waits any more; may be called from any thread."""
        self._gone.set()

    def run(self, call: Callable[[], T]) -> Callable[[], T]:
        """The call as a thread is to make it: with all that is set here, and for this caller."""
        context = copy_context()
        context.run(_CALLER.set, self)
        return lambda: context.run(call)

    def check(self) -> None:
        """Raise `CallerGone` when nobody waits any more."""
        if self._gone.is_set():
            raise CallerGone


_CALLER: ContextVar[Caller | None] = ContextVar("caller", default=None)


def checked(items: Iterable[T]) -> Iterator[T]:
    """Hands the items on; before each, work that nobody waits for ends with `CallerGone`."""
    caller = _CALLER.get()
    return iter(items) if caller is None else _until_gone(items, caller)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """For what must not be left half done: inside, no `checked` raises."""
    token = _CALLER.set(None)
    try:
        yield
    finally:
        _CALLER.reset(token)


def _until_gone(items: Iterable[T], caller: Caller) -> Iterator[T]:
    for item in items:
        caller.check()
        yield item
