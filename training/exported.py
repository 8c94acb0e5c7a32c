"""A model as `export` wrote it, back to arrays by their usual names: what it computes with, in float.

Where the weights of before are gone, this is the model to compare the rounded one with: it has the same numbers, each
a byte times its scale, and rounds nothing on the way. Exported again it gives the same bytes and scales. What was lost
when the weights were rounded it cannot give back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from training.onnx_graph import arrays_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from training.bert import BertConfig

    Arrays = Mapping[str, NDArray[np.generic]]
    Weights = Mapping[str, NDArray[np.float32]]

_DENSE = {
    "told": "attention.output.dense",
    "wide": "intermediate.dense",
    "narrow": "output.dense",
}
_EVENED = ("wide", "narrow")
"""Their product has a name of its own, because more is done before their bias is added."""


_ON_TOP = {"pooled": "pooler.dense", "answers": "classifier"}
"""Of a cross-encoder."""


def exported_weights(model: bytes, shape: BertConfig) -> Weights:
    """The weights of an embedder or a cross-encoder; raises `KeyError` naming an array that is missing."""
    held = arrays_of(model)
    places = _floats(held["places"])
    empty = np.zeros((shape.first_place, shape.width), np.float32)
    found = {
        "embeddings.word_embeddings.weight": _words(held),
        "embeddings.position_embeddings.weight": np.concatenate([empty, places]),
        # An embedder has those of its only kind in its places.
        "embeddings.token_type_embeddings.weight": _floats(held.get("kinds", np.zeros((1, shape.width), np.float32))),
    }
    for product, dense in _ON_TOP.items():
        if f"{product}.weight" in held:
            found[f"{dense}.weight"] = _matrix(held, product)
            found[f"{dense}.bias"] = _floats(held[f"{product}.bias"])
    for layer in range(shape.layers):
        name = f"encoder.layer.{layer}"
        found |= _attention(held, name)
        for step, dense in _DENSE.items():
            product = f"{name}.{step}.product" if step in _EVENED else f"{name}.{step}"
            found[f"{name}.{dense}.weight"] = _matrix(held, product)
            found[f"{name}.{dense}.bias"] = _floats(held[f"{name}.{step}.bias"])
    return {**found, **{name: _floats(held[name]) for name in held if ".LayerNorm." in name}}


def _words(held: Arrays) -> NDArray[np.float32]:
    rows = _floats(held["words"])
    return rows * _floats(held["words.scales"]) if "words.scales" in held else rows


def _attention(held: Arrays, name: str) -> dict[str, NDArray[np.float32]]:
    """What was put side by side, apart again: all three, or the question alone and the other two in a last layer that
    looks at one token."""
    joined: list[tuple[str, tuple[str, ...]]] = [(f"{name}.projected", ("query", "key", "value"))]
    if f"{name}.asks.weight" in held:
        joined = [(f"{name}.asks", ("query",)), (f"{name}.projected", ("key", "value"))]
    found = {}
    for product, parts in joined:
        matrices = np.split(_matrix(held, product), len(parts))
        biases = np.split(_floats(held[f"{product}.bias"]), len(parts))
        for part, matrix, bias in zip(parts, matrices, biases, strict=True):
            found[f"{name}.attention.self.{part}.weight"] = matrix
            found[f"{name}.attention.self.{part}.bias"] = bias
    return found


def _matrix(held: Arrays, product: str) -> NDArray[np.float32]:
    matrix = _floats(held[f"{product}.weight"])
    scales = held.get(f"{product}.scales")
    return np.ascontiguousarray((matrix if scales is None else matrix * _floats(scales)).T)


def _floats(values: NDArray[np.generic]) -> NDArray[np.float32]:
    return values.astype(np.float32)
