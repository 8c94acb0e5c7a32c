"""Text to numbers: the only room where model files are opened.

In come texts, out come unit vectors; nothing here knows what a document is. Nothing is ever downloaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pinakes.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from pinakes.neural.cache import VectorCache
    from pinakes.ports import Embedder

__all__ = ["load_embedder", "open_vector_cache"]


def load_embedder(name: str = "static") -> Embedder:
    """The embedder called `name`; raises `ExtraMissing` when the files it needs are not installed.

    Cheap: weights and vocabulary are read when the first text is encoded.
    """
    if name != "static":
        raise ConfigError(f"There is no embedder called “{name}”.", "The one that is there is “static”.")
    from pinakes.neural.static import StaticEmbedder

    return StaticEmbedder()


def open_vector_cache(folder: Path) -> VectorCache:
    """Vectors made before, kept in `folder`; see `VectorCache`."""
    from pinakes.neural.cache import VectorCache

    return VectorCache(folder)
