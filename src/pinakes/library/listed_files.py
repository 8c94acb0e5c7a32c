"""The files of a folder that may be shown, selected and changed: those that a source lists.

A library and a path enter; the path as it is listed, or its bytes, leave. Nothing that is ignored or hidden is listed,
and nothing outside of the root: a link is followed only to what is listed itself.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pinakes.errors import ConfigError, NotFound
from pinakes.records import DOCS
from pinakes.sources.inside import open_inside, read_at_most

if TYPE_CHECKING:
    from pinakes.library.library import Library

LARGEST = 1_000_000
"""Bytes of a file that can be shown or stand in a prompt."""


def is_hidden(path: str) -> bool:
    """Whether a file, or a folder above it, has a name that begins with a dot: many such files hold secrets."""
    return path.startswith(".") or "/." in path


def listed_path(library: Library, path: str) -> str:
    """A path as the source lists it, from the root; raises `NotFound` for everything else."""
    known = os.path.normpath(path.removeprefix("./")) if os.path.lexists(library.root / path) else path
    missing = NotFound(f"There is no file “{path}” here.", "pinakes status --files lists all files.")
    if "\0" in path or is_hidden(known):
        raise missing
    if all(stamp.ref.path != known for stamp in library.corpus(DOCS).source.scan([known]).stamps):
        raise missing
    return known


def listed_bytes(library: Library, path: str) -> bytes:
    """What stands in a listed file; raises `NotFound`, and `ConfigError` for one that is too large or no text."""
    known = listed_path(library, path)
    try:
        descriptor = open_inside(os.path.realpath(library.root), known)
        try:
            data = read_at_most(descriptor, LARGEST)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise NotFound(f"“{path}” cannot be read: {error.strerror}.", "Select another file.") from None
    if data is None or b"\0" in data:
        what = f"holds more than {LARGEST:,} bytes" if data is None else "is no text"
        raise ConfigError(f"“{path}” {what}.", "Select a file of text.")
    return data
