"""What plug-ins are written for: these records, and what is called with what.

A change that could break a plug-in gets a new number, and plug-ins with another number are refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

PROMISE = 1
"""The version of everything in this file."""


class FormatPlugin(Struct, frozen=True, kw_only=True):
    """A format of files that become documents."""

    promise: int
    """The version that the plug-in was written for."""
    endings: tuple[str, ...]
    """Of file names, in lower case and without the dot."""
    convert: str
    """Module and function, as ``my_package.convert:convert``. It is called with the bytes of a file, its name and an
    empty string, and gives a `MadeText`; it raises whatever it likes for a file that it cannot read. It runs in a
    process without network, files to write and programs, for 20 seconds at most. Where `mime_type` begins with
    ``text/``, the bytes are UTF-8, whatever the file was."""
    mime_type: str = "text/plain"
    is_prose: bool = True
    """Whether people write such files to be read."""
    is_linkable: bool = True
    """Whether readers come to them by links; without any they are orphans."""


class EmbedderPlugin(Struct, frozen=True, kw_only=True):
    """A model that compares meanings; its name in the settings is that of the entry point."""

    promise: int
    name: str
    """Names the weights and every setting that shapes the vectors: equal names give equal vectors."""
    dimensions: int
    encode: Callable[[Sequence[str]], Sequence[Sequence[float]]]
    """One row of numbers for each text; an array of numpy is one, too. They need not be of length 1."""
    dense_weight: float = 0.5
    """How much search relies on it beside words, from 0 to 1."""
    noise: float = 0.35
    """About what the cosine of two unrelated texts is."""


class PlainDocument(Struct, frozen=True):
    """A document as a finder sees it."""

    path: str
    title: str
    text: str
    """As it is indexed; lines are counted from 1."""
    format: str
    """Its format, as ``markdown``."""


class PlainFinding(Struct, frozen=True):
    """What a finder found."""

    path: str
    line: int
    message: str
    """What is wrong, as a sentence without its full stop."""
    suggestion: str = ""
    """What could stand there instead."""


class FinderPlugin(Struct, frozen=True, kw_only=True):
    """A check of the documents."""

    promise: int
    find: Callable[[Iterable[PlainDocument]], Iterable[PlainFinding]]
    """Called once for a check, with every document of the library, in no order that it may rely on."""
