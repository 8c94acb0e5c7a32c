"""A BERT or RoBERTa encoder's weights to a model that onnxruntime runs fast on a processor.

Arrays by their usual names and the encoder's measures enter, the bytes of an ONNX model leave: word numbers of one text
in, one vector out. Weights become bytes with a scale of their own per output (and per word in the table of words),
which makes the model a quarter as large and twice as fast. Its vectors have a cosine of .996 with the exact ones on
average; what that costs in search is in docs/models.md.

Activations are rounded as they come, over the whole of a text, which is why a model takes one text at a time: company
would change the vector.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from pinakes.errors import ConfigError
from pinakes.neural.model_files import read_settings
from pinakes.neural.onnx import read_config, whole_number
from training.onnx_graph import MICROSOFT, Graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

Weights: TypeAlias = "Mapping[str, NDArray[np.floating]]"
"""Arrays by their names."""

_TOP = 63
"""Weights have seven bits. Processors without VNNI add two products in sixteen bits, which eight would overflow; the
eighth bit is worth .001 of cosine."""
_ROW_TOP = 127
"""Rows of the table of words are not multiplied with activations and have all eight."""
_SMALLEST = 1e-12
"""Stands in for the largest number of a token that has none."""
_KINDS = ("bert", "roberta")
_PROJECTIONS = ("query", "key", "value")


@dataclass(frozen=True, slots=True)
class BertConfig:
    """What the numbers in a model's `config.json` say."""

    layers: int
    heads: int
    width: int
    longest: int
    """Tokens of a text."""
    epsilon: float
    takes_first: bool
    """Whether a text's vector is that of its first token, not the mean of all."""
    first_place: int = 0
    """The row of the first token in the table of places: RoBERTa's begins behind those of its padding."""


def read_bert_config(folder: Path) -> BertConfig:
    """The measures of the model in a folder; raises `ConfigError` when its settings make no sense or are not BERT's."""
    settings = read_settings(folder / "config.json")
    kind = settings.get("model_type", "bert")
    if kind not in _KINDS:
        raise ConfigError(
            f"{folder} holds a model of the kind “{kind}”; only {' and '.join(f'“{one}”' for one in _KINDS)} can be"
            " converted.",
            "Give a folder with model.onnx instead.",
        )
    shared = read_config(folder)
    try:
        return BertConfig(
            layers=whole_number(settings, "num_hidden_layers"),
            heads=whole_number(settings, "num_attention_heads"),
            width=shared.width,
            longest=shared.longest,
            epsilon=float(str(settings.get("layer_norm_eps", 1e-12))),
            takes_first=shared.takes_first,
            first_place=whole_number(settings, "pad_token_id", 1) + 1 if kind == "roberta" else 0,
        )
    except (KeyError, ValueError) as error:
        raise ConfigError(f"{folder / 'config.json'} lacks {error}.", "Fetch the model again.") from error


def build_model(weights: Weights, shape: BertConfig, *, is_exact: bool = False) -> bytes:
    """The model as a file; raises `KeyError` naming a weight that is missing. An exact one keeps its weights as they
    are, four times as large, to compare with."""
    bert = replace(_Bert.of(weights, shape), is_exact=is_exact)
    tokens = bert.encoder(bert.words(shape), shape, only_first=shape.takes_first)
    if shape.takes_first:
        bert.graph.node("Squeeze", (tokens, bert.graph.array("middle", np.array([1]))), ("vector",))
    else:
        bert.graph.node("ReduceMean", (tokens,), ("vector",), settings={"axes": (1,), "keepdims": 0})
    return bert.graph.model({"ids": ("int64", 2)}, {"vector": ("float32", 2)})


def build_scorer(weights: Weights, shape: BertConfig) -> bytes:
    """A model with a classifier on top, as a file: word numbers and their kinds (0 in the first of two texts, 1 in the
    second) in, the classifier's answers out; raises `KeyError` naming a weight that is missing."""
    bert = _Bert.of(weights, shape)
    tokens = bert.encoder(bert.words(shape, "types"), shape, only_first=True)
    graph = bert.graph
    first = graph.node("Squeeze", (tokens, graph.array("middle", np.array([1]))), ("first.token",))
    pooled = graph.node("Tanh", (bert.exactly_times(first, "pooled", "pooler.dense"),), ("pooled.bent",))
    bert.exactly_times(pooled, "answers", "classifier")
    return graph.model({"ids": ("int64", 2), "types": ("int64", 2)}, {"answers": ("float32", 2)})


@dataclass(frozen=True, slots=True)
class _Bert:
    graph: Graph
    weights: Weights
    epsilon: float
    is_exact: bool = False

    @classmethod
    def of(cls, weights: Weights, shape: BertConfig) -> _Bert:
        return cls(
            Graph(),
            {name.removeprefix("bert.").removeprefix("roberta."): values for name, values in weights.items()},
            shape.epsilon,
        )

    def encoder(self, tokens: str, shape: BertConfig, *, only_first: bool) -> str:
        """All layers. With `only_first` the last one is computed for the first token alone, which takes a sixth of the
        time; the others are still looked at."""
        cuts = self.graph.array("cuts", np.full(3, shape.width, dtype=np.int64))
        for layer in range(shape.layers - only_first):
            tokens = self.layer(tokens, f"encoder.layer.{layer}", shape.heads, cuts)
        if only_first:
            tokens = self.last(tokens, f"encoder.layer.{shape.layers - 1}", shape)
        return tokens

    def words(self, shape: BertConfig, types: str = "") -> str:
        """Word numbers to the vectors the first layer takes. Without `types` all words are of the first kind."""
        graph = self.graph
        rows = self._rows(self._get("embeddings.word_embeddings.weight"))
        places = self._get("embeddings.position_embeddings.weight")
        places = places[shape.first_place : shape.first_place + shape.longest]
        kinds = self._get("embeddings.token_type_embeddings.weight")
        if not types:
            places = places + kinds[0]
        count = graph.node("Shape", ("ids",), ("count",), settings={"start": 1, "end": 2})
        zero = graph.array("zero", np.zeros(1, dtype=np.int64))
        place = graph.node("Slice", (graph.array("places", places), zero, count, zero), ("place",))
        summed = graph.node("Add", (rows, place), ("summed",))
        if types:
            kind = graph.node("Gather", (graph.array("kinds", kinds), types), ("kind",))
            summed = graph.node("Add", (summed, kind), ("summed.kinds",))
        scale, shift = self._pair("embeddings.LayerNorm")
        settings = {"epsilon": self.epsilon, "axis": -1}
        return graph.node("LayerNormalization", (summed, scale, shift), ("tokens",), settings=settings)

    def _rows(self, table: NDArray[np.float32]) -> str:
        """The rows of the words."""
        graph = self.graph
        if self.is_exact:
            return graph.node("Gather", (graph.array("words", table), "ids"), ("words.vectors",))
        scales = _scales(table, axis=1, top=_ROW_TOP)
        rows = graph.node("Gather", (graph.array("words", _rounded(table, scales)), "ids"), ("words.bytes",))
        rows = graph.node("Cast", (rows,), ("words.float",), settings={"to": 1})
        sizes = graph.node("Gather", (graph.array("words.scales", scales), "ids"), ("words.sizes",))
        return graph.node("Mul", (rows, sizes), ("words.vectors",))

    def layer(self, tokens: str, name: str, heads: int, cuts: str) -> str:
        """Attention, then the two dense steps; each is added to what it was made from."""
        graph = self.graph
        sources = [f"{name}.attention.self.{one}" for one in _PROJECTIONS]
        joined = self._times(tokens, f"{name}.projected", *sources)
        parts = tuple(f"{name}.{one}" for one in _PROJECTIONS)
        graph.node("Split", (joined, cuts), parts, settings={"axis": -1})
        return self._behind(tokens, name, parts, heads)

    def last(self, tokens: str, name: str, shape: BertConfig) -> str:
        """A layer of which only what it makes of the first token is wanted."""
        graph = self.graph
        first = graph.node("Gather", (tokens, graph.array("head", np.array([0]))), ("first",), settings={"axis": 1})
        asks = self._times(first, f"{name}.asks", f"{name}.attention.self.query")
        sources = [f"{name}.attention.self.{one}" for one in _PROJECTIONS[1:]]
        joined = self._times(tokens, f"{name}.projected", *sources)
        parts = tuple(f"{name}.{one}" for one in _PROJECTIONS[1:])
        cuts = graph.array("cuts.last", np.full(2, shape.width, dtype=np.int64))
        graph.node("Split", (joined, cuts), parts, settings={"axis": -1})
        return self._behind(first, name, (asks, *parts), shape.heads)

    def _behind(self, tokens: str, name: str, parts: Sequence[str], heads: int) -> str:
        """What follows the projections."""
        graph = self.graph
        seen = graph.node("MultiHeadAttention", parts, (f"{name}.seen",), MICROSOFT, {"num_heads": heads})
        seen = self._times(seen, f"{name}.told", f"{name}.attention.output.dense")
        tokens = self._added(seen, tokens, f"{name}.attention.output.LayerNorm")
        wide = self._evenly_times(tokens, f"{name}.wide", f"{name}.intermediate.dense")
        wide = graph.node("Gelu", (wide,), (f"{name}.bent",), MICROSOFT)
        narrow = self._evenly_times(wide, f"{name}.narrow", f"{name}.output.dense")
        return self._added(narrow, tokens, f"{name}.output.LayerNorm")

    def _times(self, tokens: str, output: str, *sources: str) -> str:
        """Tokens times the weights of `sources` side by side, plus their biases."""
        bias = self.graph.array(f"{output}.bias", np.concatenate([self._get(f"{one}.bias") for one in sources]))
        return self._product(tokens, output, sources, bias)

    def _evenly_times(self, tokens: str, output: str, source: str) -> str:
        """Like `_times`, with every token first divided by its largest number and multiplied by it afterwards: a few
        tokens have huge numbers here, which would make the rounding of all others coarse."""
        graph = self.graph
        sizes = graph.node("Abs", (tokens,), (f"{output}.sizes",))
        top = graph.node("ReduceMax", (sizes,), (f"{output}.largest",), settings={"axes": (-1,), "keepdims": 1})
        smallest = graph.array(f"{output}.smallest", np.array(_SMALLEST, dtype=np.float32))
        top = graph.node("Max", (top, smallest), (f"{output}.top",))
        even = graph.node("Div", (tokens, top), (f"{output}.even",))
        product = self._product(even, f"{output}.product", (source,), "")
        grown = graph.node("Mul", (product, top), (f"{output}.grown",))
        return graph.node("Add", (grown, graph.array(f"{output}.bias", self._get(f"{source}.bias"))), (output,))

    def _product(self, tokens: str, output: str, sources: Sequence[str], bias: str) -> str:
        graph = self.graph
        matrix = np.concatenate([self._get(f"{one}.weight") for one in sources]).T
        if self.is_exact:
            weight = graph.array(f"{output}.weight", np.ascontiguousarray(matrix))
            product = graph.node("MatMul", (tokens, weight), (f"{output}.plain" if bias else output,))
            return graph.node("Add", (product, bias), (output,)) if bias else product
        scales = _scales(matrix, axis=0, top=_TOP)
        rounded, sizes = f"{output}.weight", f"{output}.scales"
        inputs = (tokens, graph.array(rounded, _rounded(matrix, scales)), graph.array(sizes, scales[0]), "", bias)
        return graph.node("DynamicQuantizeMatMul", inputs if bias else inputs[:3], (output,), MICROSOFT)

    def exactly_times(self, tokens: str, output: str, source: str) -> str:
        """Tokens times weights as they are, plus their biases."""
        graph = self.graph
        matrix = graph.array(f"{output}.weight", np.ascontiguousarray(self._get(f"{source}.weight").T))
        product = graph.node("MatMul", (tokens, matrix), (f"{output}.product",))
        return graph.node("Add", (product, graph.array(f"{output}.bias", self._get(f"{source}.bias"))), (output,))

    def _added(self, tokens: str, to: str, name: str) -> str:
        # In two steps: the operator that does both takes three times as long, a sixth of all the time there is.
        summed = self.graph.node("Add", (tokens, to), (f"{name}.sum",))
        settings = {"epsilon": self.epsilon, "axis": -1}
        return self.graph.node("LayerNormalization", (summed, *self._pair(name)), (name,), settings=settings)

    def _pair(self, name: str) -> tuple[str, str]:
        scale, shift = f"{name}.weight", f"{name}.bias"
        return self.graph.array(scale, self._get(scale)), self.graph.array(shift, self._get(shift))

    def _get(self, name: str) -> NDArray[np.float32]:
        return self.weights[name].astype(np.float32, copy=False)


def _scales(matrix: NDArray[np.float32], axis: int, top: int) -> NDArray[np.float32]:
    scales: NDArray[np.float32] = np.abs(matrix).max(axis=axis, keepdims=True) / np.float32(top)
    scales[scales == 0.0] = 1.0
    return scales


def _rounded(matrix: NDArray[np.float32], scales: NDArray[np.float32]) -> NDArray[np.int8]:
    rounded: NDArray[np.int8] = np.rint(matrix / scales).astype(np.int8)
    return rounded
