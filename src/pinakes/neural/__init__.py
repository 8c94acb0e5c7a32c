"""Text to numbers: the only room where model files are opened.

In come texts, out come unit vectors; nothing here knows what a document is. Nothing is ever downloaded unless
`pinakes model add` was told to.

An embedder is called by a name, by the folder its model lies in, or by an address:

    static     a table of word vectors of the package, which needs numpy alone
    docs       docs-embed, a sentence model of the package, run by onnxruntime; also called minilm
    auto       static, whose vectors those of docs replace in the background where it is installed
    a name     what `pinakes model add` was told to call so
    a folder   of a model (config.json, tokenizer.json, model.onnx), written with a slash, or as onnx:FOLDER; when
               it holds model.safetensors and no model.onnx, it needs the extra `sentence-transformers`
    sentence-transformers:NAME
               a folder or a model in the hub's cache; needs the extra `sentence-transformers`
    docs-rerank
               no embedder but the reranker of the package: words of a question against words of a passage
    a plug-in  of a package that is installed, by the name of its entry point
    http://127.0.0.1:11434/v1#NAME
               a model of a server that speaks OpenAI's protocol
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pinakes.errors import ConfigError
from pinakes.neural.model_files import model_name, static_name
from pinakes.neural.model_list import list_models
from pinakes.neural.model_spec import Engine, NeuralOptions, finer_model, model_spec
from pinakes.neural.registry import registered_models, traits

if TYPE_CHECKING:
    from pinakes.neural.cache import VectorCache
    from pinakes.ports import Embedder, Reranker

__all__ = [
    "NeuralOptions",
    "embedder_name",
    "finer_model",
    "list_models",
    "load_embedder",
    "load_reranker",
    "model_names",
    "open_vector_cache",
]


def embedder_name(model: str = "static") -> str:
    """The name of the embedder called `model` without loading it; raises like `load_embedder`."""
    what = model_spec(model)
    if what.engine is Engine.STATIC:
        return static_name()
    if what.engine is Engine.ONNX:
        return model_name(what.folder)
    if what.engine is Engine.PLUGIN:
        from pinakes.neural.plugged import name_of, plugged

        return name_of(plugged(what.place))
    if what.engine is Engine.WORDS:
        raise _no_embedder(model)
    if what.engine is Engine.ENDPOINT:
        from pinakes.neural.endpoint import endpoint_name

        return endpoint_name(what.place)
    from pinakes.neural.transformers import transformers_folder, transformers_name

    return transformers_name(transformers_folder(what.place))


def load_embedder(model: str = "static") -> Embedder:
    """The embedder called `model`; raises `ExtraMissing` when the files it needs are not installed.

    Cheap: weights and vocabulary are read when the first text is encoded.
    """
    what = model_spec(model)
    if what.engine is Engine.STATIC:
        from pinakes.neural.static import StaticEmbedder

        return StaticEmbedder()
    if what.engine is Engine.PLUGIN:
        from pinakes.neural.plugged import PluggedEmbedder

        return PluggedEmbedder(what.place)
    if what.engine is Engine.WORDS:
        raise _no_embedder(model)
    own = traits(what.beside, what.place)
    if what.engine is Engine.ONNX:
        from pinakes.neural.onnx import OnnxEmbedder

        return OnnxEmbedder(what.folder, own)
    if what.engine is Engine.ENDPOINT:
        from pinakes.neural.endpoint import EndpointEmbedder, endpoint_key

        if what.entry is None:
            return EndpointEmbedder(what.place, own)
        key = endpoint_key(what.entry.key_variable, os.environ)
        return EndpointEmbedder(what.place, own, key=key, timeout_s=what.entry.timeout_s)
    from pinakes.neural.transformers import TransformersEmbedder, transformers_folder, transformers_name

    folder = transformers_folder(what.place)
    return TransformersEmbedder(folder, transformers_name(folder), own)


def load_reranker(model: str) -> Reranker:
    """The reranker of the package, or the cross-encoder in a folder or under a name given by `pinakes model add`;
    raises like `load_embedder`."""
    what = model_spec(model)
    if what.engine is Engine.WORDS:
        from pinakes.neural.word_reader import WordReader

        return WordReader(load_embedder())
    if what.engine is Engine.ONNX:
        from pinakes.neural.onnx import OnnxReranker

        return OnnxReranker(what.folder)
    if what.engine is Engine.TRANSFORMERS:
        from pinakes.neural.transformers import TransformersReranker, transformers_folder, transformers_name

        folder = transformers_folder(what.place)
        return TransformersReranker(folder, transformers_name(folder))
    raise ConfigError(f"“{model}” is not a reranker.", "Name the folder of a cross-encoder.")


def _no_embedder(model: str) -> ConfigError:
    return ConfigError(f"“{model}” is a reranker.", f"Name it as neural.reranker: pinakes model use {model} --reranker")


def model_names() -> tuple[str, ...]:
    """The names of the models there may be: those that come with packages, and those the user has named."""
    return ("static", "docs", *(one.name for one in registered_models()))


def open_vector_cache(folder: Path) -> VectorCache:
    """Vectors made before, kept in `folder`; see `VectorCache`."""
    from pinakes.neural.cache import VectorCache

    return VectorCache(folder)
