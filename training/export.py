"""Weights in float to a model folder that Pinakes opens, such as the one in the package.

The weights enter as a BERT model's folder or as the parts that `run` writes; a folder leaves, which may be the same:

    model.onnx                      of whole numbers, by `training.bert`: an embedder's, or a cross-encoder's where
                                    config.json names a model “ForSequenceClassification”
    config.json, tokenizer.json, sentence_bert_config.json, 1_Pooling/config.json, LICENSE, NOTICE
                                    those of the base that are there

The same weights give the same bytes. Needs neither torch nor onnxruntime.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from pinakes.errors import ConfigError
from pinakes.neural.model_files import MORE_SETTINGS, SETTINGS
from pinakes.neural.model_list import is_reranker
from pinakes.neural.registry import TRAITS
from training.bert import build_model, build_scorer, read_bert_config
from training.tensors import read_tensors

WEIGHTS = "model.safetensors"
PARTS = "transformer.*"
_NOTICES = ("LICENSE", "NOTICE")


def export(transformer: Path, base: Path, to: Path, *, is_exact: bool = False) -> int:
    """Write the folder; returns the size of its weights. `base` holds the settings when `transformer` is of parts.
    An exact embedder has its weights in float, to compare with. Raises `ConfigError` for what is no BERT model."""
    shape = read_bert_config(base)
    with tempfile.TemporaryDirectory(prefix="pinakes-export-") as scratch:
        weights = _joined(transformer, Path(scratch))
        try:
            tensors = read_tensors(weights)
            if is_reranker(base):
                model = build_scorer(tensors, shape)
            else:
                model = build_model(tensors, shape, is_exact=is_exact)
        except (ValueError, LookupError) as error:
            raise ConfigError(f"{weights} is not a BERT encoder: {error}.", "Fetch the model again.") from error
    to.mkdir(parents=True, exist_ok=True)
    copy_settings(base, to)
    if transformer == base:
        copy_traits(base, to)
    (to / "model.onnx").write_bytes(model)
    return len(model)


def copy_settings(base: Path, to: Path) -> None:
    """All of a model's folder but its weights. A notice that is there stays, because it says what was changed."""
    for name in (*SETTINGS, *MORE_SETTINGS, *_NOTICES):
        if (base / name).is_file() and not (name in _NOTICES and (to / name).exists()):
            (to / name).parent.mkdir(exist_ok=True)
            (to / name).write_bytes((base / name).read_bytes())


def copy_traits(model: Path, to: Path) -> None:
    """How far search may rely on a model, where that was found: it holds for the same weights in another form."""
    if (model / TRAITS).is_file() and model != to:
        (to / TRAITS).write_bytes((model / TRAITS).read_bytes())


def _joined(transformer: Path, scratch: Path) -> Path:
    """One file of weights."""
    if (transformer / WEIGHTS).is_file():
        return transformer / WEIGHTS
    parts = sorted(transformer.glob(PARTS), key=lambda part: int(part.suffix[1:]))
    if not parts:
        raise SystemExit(f"{transformer} holds neither {WEIGHTS} nor {PARTS}.")
    (scratch / WEIGHTS).write_bytes(b"".join(part.read_bytes() for part in parts))
    return scratch / WEIGHTS
