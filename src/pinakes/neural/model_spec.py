"""What a model is called in the settings becomes which engine runs it and where its parts lie. Loads no numerics.

A spelling enters, a `ModelSpec` leaves; whether the model works is found out by loading it.
"""

from __future__ import annotations

import importlib.util
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from pinakes.errors import ConfigError, ExtraMissing
from pinakes.neural.model_files import STATIC, docs_folder, needs_transformers
from pinakes.neural.registry import RegisteredModel, registered_model
from pinakes.plugins import PluginGroup, plugin_named

AUTO = "auto"
FINER = "docs"
RERANK = "docs-rerank"
FORMER = "minilm"
"""What it was called before; it stands for the one that took its place."""
_ONNX = "onnx:"
_TRANSFORMERS = "sentence-transformers:"
_SCHEMES = ("http://", "https://")


class NeuralOptions(Struct, frozen=True):
    """Which models compare meanings. A new `model` makes new vectors; search uses the old ones until then."""

    model: str = "auto"
    """The embedder: auto (static at once; docs replaces it in the background where it is installed), static,
    docs, a name given by ``pinakes model add``, or, in your own file, a folder, sentence-transformers:NAME or an
    endpoint such as http://127.0.0.1:11434/v1#NAME."""

    reranker: str = "docs-rerank"
    """What reads the first hits of the profile thorough again: docs-rerank, none, a cross-encoder's name given by
    ``pinakes model add`` or, in your own file, its folder."""


class Engine(StrEnum):
    """What runs a model."""

    STATIC = "static"
    ONNX = "onnx"
    TRANSFORMERS = "sentence-transformers"
    ENDPOINT = "endpoint"
    PLUGIN = "plugin"
    WORDS = "words"
    """Of a reranker: a table of word vectors and a few weights."""


class ModelSpec(Struct, frozen=True):
    """A model as called for."""

    engine: Engine
    place: str = ""
    """Its folder, its name or its address; empty for the one that needs none."""
    entry: RegisteredModel | None = None
    """What the user has said about it, when it was called by a name of theirs."""

    @property
    def folder(self) -> Path:
        return Path(self.place)

    @property
    def beside(self) -> Path | None:
        """The folder in which `pinakes.json` may lie."""
        if self.entry is not None:
            return self.entry.folder
        if self.engine is Engine.STATIC:
            return STATIC
        return self.folder if self.engine in (Engine.ONNX, Engine.TRANSFORMERS) else None


def model_spec(model: str) -> ModelSpec:
    """Which model `model` means; raises `ConfigError` for a name that nobody gave."""
    if model in ("static", AUTO):  # the first vectors of every index; see `finer_model`
        return ModelSpec(Engine.STATIC)
    if model in (FINER, FORMER):
        return ModelSpec(Engine.ONNX, str(docs_folder()))
    if model == RERANK:
        return ModelSpec(Engine.WORDS)
    entry = registered_model(model)
    return _spelled(entry.model if entry else model, entry)


def _spelled(model: str, entry: RegisteredModel | None) -> ModelSpec:
    if model.startswith(_SCHEMES):
        return ModelSpec(Engine.ENDPOINT, model, entry)
    if model.startswith(_TRANSFORMERS):
        return ModelSpec(Engine.TRANSFORMERS, model.removeprefix(_TRANSFORMERS), entry)
    if model.startswith(_ONNX) or "/" in model or "\\" in model:
        folder = Path(model.removeprefix(_ONNX)).expanduser()
        return ModelSpec(Engine.TRANSFORMERS if needs_transformers(folder) else Engine.ONNX, str(folder), entry)
    if plugin_named(PluginGroup.EMBEDDERS, model) is not None:
        return ModelSpec(Engine.PLUGIN, model, entry)
    raise ConfigError(
        f"There is no embedder called “{model}”.",
        "pinakes model list shows all embedders; a folder is written with a slash, such as ./models/mine.",
    )


def finer_model(model: str) -> str:
    """The model whose vectors take the place of those of `model` in the background; nothing for most.

    Raises `ExtraMissing` when there would be one, were it installed.
    """
    if model != AUTO:
        return ""
    docs_folder()
    if importlib.util.find_spec("onnxruntime") is None:
        raise ExtraMissing("onnxruntime is not installed.", "Run: pip install pinakes")
    return FINER
