"""Weights as packages carry them, in whole numbers, to a folder as a model's makers publish it.

A file enters; config.json, tokenizer.json, model.safetensors and what else says how the model is run leave. Rounded
weights are a fine place to start training from. Three kinds of files are known:

    HMSEMB01   a container of one RoBERTa encoder: eight bytes, the header's length, a JSON header, the tokenizer, then
               arrays: bytes followed by a scale for each group of them, or floats
    ONNX       a BERT model as usually exported and rounded (`MatMulInteger`); needs the package `onnx`, and the files
               beside it
    ours       what `export` wrote, such as docs-embed of the package; `config.json` has to be beside it
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from training.bert import read_bert_config
from training.export import WEIGHTS, copy_settings, copy_traits
from training.exported import exported_weights
from training.onnx_graph import is_ours
from training.tensors import write_tensors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Weights = Mapping[str, NDArray[np.float32]]

_MAGIC = b"HMSEMB01"
_EMBEDDINGS = {"word_emb": "word_embeddings", "pos_emb": "position_embeddings", "type_emb": "token_type_embeddings"}
_STEPS = {
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "f1": "intermediate.dense",
    "f2": "output.dense",
    "fln": "output.LayerNorm",
}
_ENDS = {"w": "weight", "b": "bias"}
_MATMUL = re.compile(r"/(?:bert/)?(?P<place>.+)/MatMul(?:_quant)?\Z")
_BESIDE = ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "special_tokens_map.json")


def unpack(packed: Path, to: Path) -> None:
    """Write the model's folder."""
    to.mkdir(parents=True, exist_ok=True)
    data = packed.read_bytes()
    if is_ours(data):
        _ours(data, packed.parent, to)
        return
    weights, settings = _container(packed, to) if data.startswith(_MAGIC) else _onnx(packed, to)
    write_tensors(to / WEIGHTS, weights)
    (to / "config.json").write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")


def _ours(model: bytes, beside: Path, to: Path) -> None:
    write_tensors(to / WEIGHTS, exported_weights(model, read_bert_config(beside)))
    copy_settings(beside, to)
    copy_traits(beside, to)


def _container(packed: Path, to: Path) -> tuple[Weights, Mapping[str, object]]:
    data = packed.read_bytes()
    start = len(_MAGIC) + 8
    length = int.from_bytes(data[len(_MAGIC) : start], "little")
    header = json.loads(data[start : start + length])
    at = start + length + header["tokenizer_len"]
    (to / "tokenizer.json").write_bytes(data[start + length : at])
    found: dict[str, NDArray[np.float32]] = {}
    for one in header["tensors"]:
        found |= _named(one["name"], _array(data[at : at + one["len"]], one))
        at += one["len"]
    arch, meta = header["arch"], header["meta"]
    _write(to / "sentence_bert_config.json", {"max_seq_length": 256, "do_lower_case": False})
    is_first = meta["pooling"] == "cls"
    pooling = {"word_embedding_dimension": arch["hidden"], "pooling_mode_cls_token": is_first}
    _write(to / "1_Pooling/config.json", {**pooling, "pooling_mode_mean_tokens": not is_first})
    _write(to / "tokenizer_config.json", {"tokenizer_class": "RobertaTokenizerFast", "model_max_length": 512})
    settings = {
        "model_type": "roberta",
        "architectures": ["RobertaModel"],
        "hidden_size": arch["hidden"],
        "num_hidden_layers": arch["layers"],
        "num_attention_heads": arch["heads"],
        "intermediate_size": arch["intermediate"],
        "vocab_size": arch["vocab"],
        "max_position_embeddings": arch["max_positions"],
        "type_vocab_size": arch["type_vocab"],
        "layer_norm_eps": arch["layer_norm_eps"],
        "hidden_act": "gelu",
        "pad_token_id": arch["position_offset"] - 1,
        "bos_token_id": 0,
        "eos_token_id": 2,
    }
    return found, settings


def _array(data: bytes, described: Mapping[str, object]) -> NDArray[np.float32]:
    shape = described["shape"]
    assert isinstance(shape, list)
    if described["dtype"] == "f32":
        return np.frombuffer(data, np.float32).reshape(shape)
    count = int(np.prod(shape))
    numbers, scales = np.frombuffer(data[:count], np.int8), np.frombuffer(data[count:], np.float32)
    grouped: NDArray[np.float32] = numbers.reshape(len(scales), -1) * scales[:, None]
    return grouped.reshape(shape)


def _named(name: str, values: NDArray[np.float32]) -> Weights:
    """An array of the container under the names it goes by elsewhere."""
    if name in _EMBEDDINGS:
        return {f"embeddings.{_EMBEDDINGS[name]}.weight": values}
    place, step, end = ("", *name.split(".")) if name.startswith("emb_ln") else name.split(".")
    if not place:
        return {f"embeddings.LayerNorm.{_ENDS[end]}": values}
    layer = f"encoder.layer.{place.removeprefix('l')}"
    if step != "qkv":
        return {f"{layer}.{_STEPS[step]}.{_ENDS[end]}": values}
    parts = zip(("query", "key", "value"), np.split(values, 3), strict=True)
    return {f"{layer}.attention.self.{part}.{_ENDS[end]}": each for part, each in parts}


def _onnx(packed: Path, to: Path) -> tuple[Weights, Mapping[str, object]]:
    import onnx
    from onnx.numpy_helper import to_array

    graph = onnx.load(str(packed)).graph
    held = {one.name: to_array(one) for one in graph.initializer}
    found: dict[str, NDArray[np.float32]] = {}
    for name, values in held.items():
        if name.startswith(("bert.", "classifier.", "embeddings.", "encoder.", "pooler.")):
            plain, _, rounded = name.partition("_quantized")
            if name.endswith("_quantized"):
                found[plain] = _exact(held, plain)
            elif not rounded and not name.endswith(("_scale", "_zero_point")):
                found[name] = values.astype(np.float32)
    for name in found:
        if name.endswith(("pooler.dense.weight", "classifier.weight")) and f"{name}_quantized" in held:
            found[name] = np.ascontiguousarray(found[name].T)  # rounding turns these two
    top = "bert." if any(name.startswith("bert.") for name in found) else ""
    for node in graph.node:
        place = _MATMUL.match(node.name) if node.op_type in ("MatMul", "MatMulInteger") else None
        source = node.input[1].removesuffix("_quantized") if place else ""
        if place and (source in held or f"{source}_quantized" in held):
            matrix = _exact(held, source) if f"{source}_quantized" in held else held[source]
            name = place["place"].replace("/", ".")
            found[f"{'' if name == 'classifier' else top}{name}.weight"] = np.ascontiguousarray(matrix.T)
    for name in _BESIDE:
        if (packed.parent / name).is_file():
            (to / name).write_bytes((packed.parent / name).read_bytes())
    words, width = found[f"{top}embeddings.word_embeddings.weight"].shape
    layers = {name.split(".layer.")[1].split(".")[0] for name in found if ".layer." in name}
    settings = {
        "model_type": "bert",
        "architectures": ["BertForSequenceClassification" if "classifier.weight" in found else "BertModel"],
        "hidden_size": width,
        "num_hidden_layers": len(layers),
        "num_attention_heads": width // 32,
        "intermediate_size": len(found[f"{top}encoder.layer.0.intermediate.dense.bias"]),
        "vocab_size": words,
        "max_position_embeddings": len(found[f"{top}embeddings.position_embeddings.weight"]),
        "type_vocab_size": 2,
        "layer_norm_eps": 1e-12,
        "hidden_act": "gelu",
        "num_labels": 1,
        "id2label": {"0": "LABEL_0"},
    }
    return found, settings


def _exact(held: Mapping[str, NDArray[np.generic]], name: str) -> NDArray[np.float32]:
    zero = held[f"{name}_zero_point"].astype(np.float32)
    exact: NDArray[np.float32] = held[f"{name}_quantized"].astype(np.float32) - zero
    return exact * held[f"{name}_scale"].astype(np.float32)


def _write(path: Path, settings: Mapping[str, object]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")
