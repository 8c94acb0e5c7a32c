"""Which passages mean the same? Vectors of chunks in memory-mapped files.

A store's chunks and an embedder enter, sections by cosine leave. Derived: the files can be thrown away at any time and
are made again from the store. What a document says about itself besides its text, and how words match, is not known
here; neither is where vectors come from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pinakes.own_folder import OwnFolder
    from pinakes.vectors.build import EmbeddingCache, PagesOf
    from pinakes.vectors.file import VectorFile

__all__ = ["copy_vectors", "damaged_vectors", "last_published", "open_vectors"]


def open_vectors(folder: OwnFolder, cache: EmbeddingCache | None = None, pages_of: PagesOf | None = None) -> VectorFile:
    """The vectors kept in `folder`, which need not be there yet; `cache` remembers texts embedded before, `pages_of`
    reads and embeds many documents faster than one process does."""
    from pinakes.vectors.file import VectorFile

    return VectorFile(folder, cache, pages_of)


def last_published(folder: OwnFolder) -> int:
    """When the vectors in `folder` last changed, in nanoseconds; 0 when there are none."""
    from pinakes.vectors.layout import HEADER

    try:
        facts = folder.facts(HEADER)
    except OSError:
        return 0
    return facts.st_mtime_ns if facts else 0


def damaged_vectors(folder: OwnFolder) -> str:
    """What is wrong with the vectors in `folder`, after reading every byte of them; empty when nothing is."""
    from pinakes.vectors.layout import damage

    return damage(folder)


def copy_vectors(source: OwnFolder, target: OwnFolder) -> None:
    """Put a copy of the vectors in `source` into `target`, which has none, for a copy of the same store. Nothing is
    copied that is damaged, or being replaced: it will be made anew."""
    from pinakes.vectors.layout import copy

    copy(source, target)
