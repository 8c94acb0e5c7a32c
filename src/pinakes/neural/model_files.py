"""Where the embedders' files are, and what to call what they give. Opens no table and loads no numerics."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pinakes.errors import ConfigError, ExtraMissing

_MODELS = Path(__file__).parent / "models"
STATIC = _MODELS / "docs-static"
"""The folder of the table that comes with Pinakes."""
_RECIPE = "words-log-2"
"""Changes with every change to how vectors are made."""

EMBED = _MODELS / "docs-embed"
"""The folder of the sentence model that comes with Pinakes."""
_MODEL_RECIPE = "bert-7-bit-4"
_RERANKER_RECIPE = "bert-pair-7-bit-3"

READER = _MODELS / "docs-rerank" / "weights.json"
"""The weights of the reranker that comes with Pinakes; the rest of it is the table of the static embedder."""
_READER_RECIPE = "word-reader-1"
WEIGHTS = ("model.onnx", "onnx/model.onnx")
"""Where a model that onnxruntime runs may lie in its folder, the preferred first."""
SETTINGS = ("config.json", "tokenizer.json")
MORE_SETTINGS = ("sentence_bert_config.json", "1_Pooling/config.json")
_SAFETENSORS = "model.safetensors"
TRANSFORMERS_FILES = (
    *(_SAFETENSORS, "config.json", "modules.json", "sentence_bert_config.json", "config_sentence_transformers.json"),
    *("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt"),
    *("[0-9]_*/config.json", f"[0-9]_*/{_SAFETENSORS}"),
)
"""What sentence-transformers reads of a model's folder, as patterns; nothing among it can be run."""


class StaticFiles(NamedTuple):
    """What the static embedder consists of."""

    rows: Path
    scales: Path
    pieces: Path


def static_files(folder: Path = STATIC) -> StaticFiles:
    """The table and its pieces; raises `ExtraMissing` when they are not there."""
    found = StaticFiles(folder / "rows.npy", folder / "scales.npy", folder / "pieces.txt")
    for file in found:
        if not file.is_file():
            raise ExtraMissing(f"A part of the static embedder is missing: {file}.", "Install Pinakes again.")
    return found


def docs_folder() -> Path:
    """The folder of the sentence model that comes with Pinakes; raises `ExtraMissing` when its weights do not."""
    if not (EMBED / "model.onnx").is_file():
        raise ExtraMissing(f"The weights of docs are missing from {EMBED}.", "Install Pinakes again.")
    return EMBED


def model_files(folder: Path) -> tuple[Path, ...]:
    """The files of a model that onnxruntime runs, weights first; raises `ConfigError` when `folder` holds none."""
    weights = _onnx_file(folder)
    missing = [name for name in SETTINGS if not (folder / name).is_file()]
    if weights is None or missing:
        lacking = WEIGHTS[0] if weights is None else missing[0]
        raise ConfigError(
            f"{folder} holds no model: there is no {lacking}.",
            "A model's folder holds config.json, tokenizer.json and model.onnx (or model.safetensors).",
        )
    more = [folder / name for name in MORE_SETTINGS if (folder / name).is_file()]
    return weights, *(folder / name for name in SETTINGS), *more


def needs_transformers(folder: Path) -> bool:
    """Whether the folder holds weights that only sentence-transformers can run."""
    return _onnx_file(folder) is None and (folder / _SAFETENSORS).is_file()


def _onnx_file(folder: Path) -> Path | None:
    return next((folder / name for name in WEIGHTS if (folder / name).is_file()), None)


@cache
def static_name(folder: Path = STATIC) -> str:
    """The embedder's name: equal names give equal vectors."""
    return f"static-{_fingerprint(_RECIPE, *static_files(folder))}"


def model_name(folder: Path) -> str:
    """The name of the embedder made from a model's folder."""
    return f"onnx-{_fingerprint(_MODEL_RECIPE, *model_files(folder))}"


def reranker_name(folder: Path) -> str:
    """The name of the reranker made from a model's folder."""
    return f"cross-{_fingerprint(_RERANKER_RECIPE, *model_files(folder))}"


@cache
def reader_name() -> str:
    """The name of the reranker that comes with Pinakes."""
    return f"words-{_fingerprint(_READER_RECIPE, READER, *static_files())}"


def read_settings(path: Path) -> dict[str, object]:
    """A model's JSON file of settings; raises `ConfigError` when it is not one."""
    try:
        settings = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}.", "Fetch the model again.") from error
    if not isinstance(settings, dict):
        raise ConfigError(f"{path} holds no settings.", "Fetch the model again.")
    return settings


def _fingerprint(recipe: str, *paths: Path) -> str:
    """Names files by their size and some pages of them: enough to tell releases apart, in a millisecond."""
    digest = hashlib.blake2b(recipe.encode(), digest_size=8)
    for path in paths:
        size = path.stat().st_size
        digest.update(b"%d" % size)
        with path.open("rb") as file:
            for part in range(16):
                file.seek(size * part // 16)
                digest.update(file.read(4096))
    return digest.hexdigest()
