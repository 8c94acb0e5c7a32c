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

__all__ = ["embedder_name", "load_embedder", "open_vector_cache"]


def embedder_name(model: str = "static") -> str:
    """The name of the embedder called `model` without loading it; raises like `load_embedder`."""
    _known(model)
    from pinakes.neural.installed import static_name

    return static_name()


def load_embedder(model: str = "static") -> Embedder:
    """The embedder called `model`; raises `ExtraMissing` when the files it needs are not installed.

    Cheap: weights and vocabulary are read when the first text is encoded.
    """
    _known(model)
    from pinakes.neural.static import StaticEmbedder

    return StaticEmbedder()


def open_vector_cache(folder: Path) -> VectorCache:
    """Vectors made before, kept in `folder`; see `VectorCache`."""
    from pinakes.neural.cache import VectorCache

    return VectorCache(folder)


def _known(model: str) -> None:
    if model != "static":
        raise ConfigError(f"There is no embedder called “{model}”.", "The one that is there is “static”.")
