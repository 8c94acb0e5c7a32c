"""Which library is meant by a name, among those that are there for the present request, and what changed in one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from pinakes.access import GRANT
from pinakes.errors import NotFound

_MOST_NAMED = 40
"""Libraries that a sentence lists."""
_LONGEST = 255


class LibraryChange(Struct, frozen=True):
    """A library's documents are no longer what they were."""

    library: str
    generation: int
    paths: tuple[str, ...]
    """Documents that were put, changed or went; those of another corpus with its name in front."""


Listener = Callable[[LibraryChange], None]
"""Hears of every change, in the thread that made it; it must not wait."""


def ignore_note(note: str) -> None:
    """For those who ask for notes themselves."""


def seen_names(names: Iterable[str]) -> tuple[str, ...]:
    """Those that the present request may see; outside of one, all."""
    return tuple(filter(GRANT.get().sees, names))


def meant_name(name: str, names: Sequence[str]) -> str:
    """The name of the library that is meant, the first one for no name; raises `NotFound` for one that is not there."""
    if not names:
        raise NotFound("There is no library here for you.", "Ask whoever runs this server.")
    wanted = name or names[0]
    if wanted not in names:
        more = " and others" if len(names) > _MOST_NAMED else ""
        step = f"There are {', '.join(names[:_MOST_NAMED])}{more}."
        raise NotFound(f"There is no library “{name[:_LONGEST]}” here.", step)
    return wanted
