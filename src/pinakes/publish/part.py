"""A part of a published folder: files that are made together, from inputs that can be named by a digest.

Whoever adds something to a published folder writes a function that gives parts, and names it in the list of writers in
`publish`. A part whose inputs are what they were, and whose files are all there, is not made again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b

from msgspec import Struct

from pinakes.render import Json

Facts = Mapping[str, Json]
"""What others need to know of a part without making it again; kept in the manifest."""


class PartFiles(Struct, frozen=True):
    """The files of a part, each a path below the folder and its bytes, in the order to write them in: whatever names
    others comes after them."""

    files: Sequence[tuple[str, bytes]]
    facts: Facts


class FolderPart(Struct, frozen=True):
    """Something that is published."""

    name: str
    """Unique; it stays the same from run to run."""
    inputs: str
    """Equal digests make equal files."""
    make: Callable[[], PartFiles]
    size: int = 0
    """Documents that are read for it, for showing progress."""


def digest_of(*inputs: object) -> str:
    """A digest of values that print the same in every process."""
    return blake2b(repr(inputs).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
