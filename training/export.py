"""Fine-tuned weights to the model folder that is in the package.

Weights in float enter, as a model's folder or as the parts that `run` writes; a folder that Pinakes opens leaves:

    model.onnx                      of whole numbers, by `pinakes.neural.bert`
    config.json, tokenizer.json, sentence_bert_config.json, 1_Pooling/config.json      those of the base
    LICENSE, NOTICE                 those of the package, when they are not there yet

The same weights give the same bytes. Needs neither torch nor onnxruntime.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from pinakes.neural.bert import build_model
from pinakes.neural.inference import read_config
from pinakes.neural.model_files import MINILM, MORE_SETTINGS, SETTINGS
from pinakes.neural.safetensors import read_tensors

WEIGHTS = "model.safetensors"
PARTS = "transformer.*"
_NOTICES = ("LICENSE", "NOTICE")


def export(transformer: Path, base: Path, to: Path, *, is_exact: bool = False) -> int:
    """Write the folder; returns the size of its weights. `base` holds the settings when `transformer` is of parts.
    An exact model has its weights in float, to compare with."""
    with tempfile.TemporaryDirectory(prefix="pinakes-export-") as scratch:
        weights = _joined(transformer, Path(scratch))
        model = build_model(read_tensors(weights), read_config(base), is_exact=is_exact)
    to.mkdir(parents=True, exist_ok=True)
    for name in (*SETTINGS, *MORE_SETTINGS):
        (to / name).parent.mkdir(exist_ok=True)
        (to / name).write_bytes((base / name).read_bytes())
    for name in _NOTICES:
        if not (to / name).exists():
            shutil.copyfile(MINILM / name, to / name)
    (to / "model.onnx").write_bytes(model)
    return len(model)


def _joined(transformer: Path, scratch: Path) -> Path:
    """One file of weights."""
    if (transformer / WEIGHTS).is_file():
        return transformer / WEIGHTS
    parts = sorted(transformer.glob(PARTS), key=lambda part: int(part.suffix[1:]))
    if not parts:
        raise SystemExit(f"{transformer} holds neither {WEIGHTS} nor {PARTS}.")
    (scratch / WEIGHTS).write_bytes(b"".join(part.read_bytes() for part in parts))
    return scratch / WEIGHTS
