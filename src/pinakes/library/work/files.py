"""The files of a workspace: all that are listed, and what each is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from msgspec import Struct

from pinakes.library.listed_files import is_hidden
from pinakes.records import DOCS, Layout, code_media_of, media_of

if TYPE_CHECKING:
    from pinakes.library.library import Library

_IMAGES = ("png", "jpg", "jpeg", "gif", "webp", "bmp", "ico", "avif")


class WorkFile(Struct, frozen=True):
    """A file in the list."""

    path: str
    size: int
    kind: str
    """document, drawing, code, image or other."""


def work_files(library: Library, *, is_indexed: bool) -> tuple[WorkFile, ...]:
    """All files that are listed, by path: from the index where it is complete, else from the folder itself."""
    return tuple(
        WorkFile(path, _size(library, path), kind_of(path)) for path in listed_paths(library, is_indexed=is_indexed)
    )


def listed_paths(library: Library, *, is_indexed: bool) -> list[str]:
    """The paths of all files that are listed and not hidden."""
    docs = library.corpus(DOCS)
    known = docs.store.files(DOCS) if is_indexed else (stamp.ref.path for stamp in docs.source.scan().stamps)
    return sorted(path for path in known if not is_hidden(path))


def _size(library: Library, path: str) -> int:
    try:
        return os.lstat(library.root / path).st_size
    except (OSError, ValueError):
        return 0


def kind_of(path: str) -> str:
    """What a file is, by its name alone."""
    name = path.rpartition("/")[2]
    media = media_of(name)
    if media.layout is Layout.DRAWING:
        return "drawing"
    if media.is_document:
        return "document"
    if code_media_of(name).is_document:
        return "code"
    return "image" if name.rpartition(".")[2].lower() in _IMAGES else "other"


def mime_type_of(path: str) -> str:
    """The MIME type of a file of text, by its name alone."""
    name = path.rpartition("/")[2]
    return (media_of(name) if media_of(name).is_document else code_media_of(name)).mime_type
