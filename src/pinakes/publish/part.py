"""A part of a published folder: files that are made together, from inputs that can be named by a digest.

Whoever adds something to a published folder writes a function that gives parts, and names it in the list of writers in
`publish`. A part whose inputs are what they were, and whose files are all there, is not made again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Protocol

from msgspec import Struct

from pinakes.ports import Reader
from pinakes.render import Json

Facts = Mapping[str, Json]
"""What others need to know of a part without making it again; kept in the manifest."""
SCRIPTS = "scripts"
"""The fact of a page that names the scripts it needs, and the part that holds them."""


class PartFiles(Struct, frozen=True):
    """The files of a part, each a path below the folder and its bytes, in the order to write them in: whatever names
    others comes after them."""

    files: Sequence[tuple[str, bytes]]
    facts: Facts


Together = Callable[[Sequence[str]], Iterator[PartFiles]]
"""Names of parts enter, what they hold leaves, in that order."""


class FolderPart(Struct, frozen=True):
    """Something that is published."""

    name: str
    """Unique; it stays the same from run to run."""
    inputs: str
    """Equal digests make equal files."""
    make: Callable[[], PartFiles]
    size: int = 0
    """Documents that are read for it, for showing progress."""
    together: Together | None = None
    """Makes many such parts at once, where that is quicker; parts with the same one follow each other."""


class PartsJob(Protocol):
    """What a process that works for us does; it is sent there, so it is a record."""

    def begin(self) -> Callable[[Sequence[str]], Iterator[PartFiles]]:
        """Open what is needed; the function makes what belongs to each name, in that order."""
        ...

    def size(self, outcome: PartFiles) -> int:
        """About how much memory it takes, in bytes."""
        ...


class Workers(Protocol):
    """Processes that work for us."""

    @property
    def open_reader(self) -> Callable[[], Reader]:
        """Opens the index of the library in such a process."""
        ...

    def work(self, job: PartsJob, names: Sequence[str]) -> Iterator[PartFiles]:
        """What the job makes of each name, in that order."""
        ...


def held_texts(facts: Facts, name: str) -> list[str]:
    """A fact that is a list of texts."""
    held = facts.get(name)
    return [one for one in held if isinstance(one, str)] if isinstance(held, list) else []


def digest_of(*inputs: object) -> str:
    """A digest of values that print the same in every process."""
    return blake2b(repr(inputs).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
