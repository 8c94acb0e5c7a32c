"""Which models are there? Spellings and names enter, one `Model` each leaves; nothing is loaded and nobody is asked."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from pinakes.errors import ConfigError, ExtraMissing, PinakesError
from pinakes.neural.model_files import (
    READER,
    model_files,
    model_name,
    read_settings,
    reader_name,
    reranker_name,
    static_files,
    static_name,
)
from pinakes.neural.model_spec import AUTO, FINER, RERANK, Engine, ModelSpec, model_spec
from pinakes.neural.registry import registered_models

_STATIC_DIMENSIONS = 256


class Model(Struct, frozen=True):
    """One model as a list shows it."""

    name: str
    """What it is called in the settings."""
    engine: str
    place: str
    """Its folder, its address or its name elsewhere."""
    is_selected: bool
    problem: str = ""
    """Why it cannot be used, and what to do; empty for one that is ready as far as can be seen without trying it."""
    is_reranker: bool = False
    embedder: str = ""
    """The name its vectors go by."""
    dimensions: int = 0
    """0 when only the model itself could tell."""
    size_bytes: int = 0


def list_models(selected: str, reranker: str = "none") -> tuple[Model, ...]:
    """Those in the bare install, those the user has named, and the selected ones even if they are neither."""
    names = [AUTO, "static", FINER, RERANK, *(one.name for one in registered_models())]
    names += [one for one in (selected, reranker) if one not in names and one != "none"]
    return tuple(_model(name, is_selected=name in (selected, reranker)) for name in names)


def is_reranker(folder: Path) -> bool:
    """Whether the folder's settings speak of a model with a classifier on top."""
    if not (folder / "config.json").is_file():
        return False
    kinds = read_settings(folder / "config.json").get("architectures")
    return isinstance(kinds, list) and any("ForSequenceClassification" in str(kind) for kind in kinds)


def describe(name: str) -> Model:
    """One model, by its name."""
    return _model(name, is_selected=False)


def _model(name: str, *, is_selected: bool) -> Model:
    if name == AUTO:
        return Model(name, "static", f"static, then {FINER}", is_selected)
    found = Model(name, "static" if name == "static" else "onnx", "", is_selected)
    try:
        what = model_spec(name)
        found = replace(found, engine=what.engine.value, place=what.place)
        return _described(found, what)
    except PinakesError as error:
        return replace(found, problem=str(error))


def _described(model: Model, what: ModelSpec) -> Model:
    """The model with what its files say; raises `PinakesError` when it cannot be used."""
    if what.engine is Engine.STATIC:
        return replace(model, embedder=static_name(), dimensions=_STATIC_DIMENSIONS, size_bytes=_size(static_files()))
    if what.engine is Engine.WORDS:
        return replace(model, is_reranker=True, embedder=reader_name(), size_bytes=_size((READER, *static_files())))
    if what.engine is Engine.ONNX:
        model = replace(model, size_bytes=_size(model_files(what.folder)))
        if find_spec("onnxruntime") is None:
            raise ExtraMissing("onnxruntime is not installed.", "Run: pip install pinakes")
        if is_reranker(what.folder):
            return replace(model, is_reranker=True, embedder=reranker_name(what.folder))
        return replace(model, embedder=model_name(what.folder), dimensions=_width(what.folder))
    from pinakes.neural import embedder_name

    if what.engine in (Engine.ENDPOINT, Engine.PLUGIN):
        return replace(model, embedder=embedder_name(model.name))
    from pinakes.neural.transformers import transformers_folder

    folder = transformers_folder(what.place)
    files = tuple(file for file in folder.rglob("*") if file.is_file())
    named = embedder_name(model.name)
    return replace(model, is_reranker=is_reranker(folder), embedder=named, size_bytes=_size(files))


def _size(files: tuple[Path, ...]) -> int:
    return sum(file.stat().st_size for file in files)


def _width(folder: Path) -> int:
    width = read_settings(folder / "config.json").get("hidden_size")
    if not isinstance(width, int):
        raise ConfigError(f"{folder / 'config.json'} lacks 'hidden_size'.", "Fetch the model again.")
    return width
