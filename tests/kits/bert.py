"""A small BERT with random weights: its files, and what it computes written out in numpy."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import erf
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from training.export import export

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

WIDTH, WIDE, HEADS, LAYERS = 32, 64, 4, 2
WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "how", "to", "rotate", "access", "tokens", "tide", "harbour", "##s", "in")


def random_weights(seed: int = 5) -> dict[str, Array]:
    rng = np.random.default_rng(seed)

    def some(*shape: int) -> Array:
        return rng.normal(0, 0.3, shape).astype(np.float32)

    weights = {
        "embeddings.word_embeddings.weight": some(len(WORDS), WIDTH),
        "embeddings.position_embeddings.weight": some(300, WIDTH),
        "embeddings.token_type_embeddings.weight": some(2, WIDTH),
    }
    shapes = {"attention.output.dense": (WIDTH, WIDTH), "intermediate.dense": (WIDE, WIDTH)}
    shapes |= {"output.dense": (WIDTH, WIDE)} | {
        f"attention.self.{x}": (WIDTH, WIDTH) for x in ("query", "key", "value")
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        for name, shape in shapes.items():
            weights[f"encoder.layer.{layer}.{name}.weight"] = some(*shape)
            weights[f"encoder.layer.{layer}.{name}.bias"] = some(shape[0])
        norms += [f"encoder.layer.{layer}.{name}" for name in ("attention.output.LayerNorm", "output.LayerNorm")]
    for name in norms:
        weights[f"{name}.weight"], weights[f"{name}.bias"] = 1 + some(WIDTH), some(WIDTH)
    return weights


def write_model(folder: Path, weights: dict[str, Array] | None = None, **settings: object) -> Path:
    """A folder with `model.onnx`, as `python -m training export` makes it."""
    folder.mkdir(exist_ok=True)
    write_settings(folder, **settings)
    write_safetensors(folder / "model.safetensors", weights or random_weights())
    export(folder, folder, folder)
    (folder / "model.safetensors").unlink()
    return folder


def scorer_weights(labels: int = 1) -> dict[str, Array]:
    """The weights of a cross-encoder that gives so many answers."""
    rng = np.random.default_rng(11)
    weights = {f"bert.{name}": values for name, values in random_weights().items()}
    for name, shape in (("bert.pooler.dense", (WIDTH, WIDTH)), ("classifier", (labels, WIDTH))):
        weights[f"{name}.weight"] = rng.normal(0, 0.3, shape).astype(np.float32)
        weights[f"{name}.bias"] = rng.normal(0, 0.3, shape[0]).astype(np.float32)
    return weights


def write_safetensors(path: Path, weights: dict[str, Array]) -> None:
    header, data = {}, b""
    for name, values in weights.items():
        start = len(data)
        data += values.tobytes()
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [start, len(data)]}
    written = json.dumps(header).encode()
    path.write_bytes(len(written).to_bytes(8, "little") + written + data)


def write_settings(folder: Path, **changed: object) -> None:
    sizes = {"num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "hidden_size": WIDTH, "model_type": "bert"}
    sizes |= {"vocab_size": len(WORDS), "max_position_embeddings": 300, "intermediate_size": WIDE}
    (folder / "config.json").write_text(json.dumps({**sizes, **changed}))
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    ends = {"[CLS]": 2, "[SEP]": 3}
    tokenizer = {
        "version": "1.0",
        "added_tokens": [
            {"id": number, "content": word, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
            | {"special": True}
            for word, number in ends.items()
        ],
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "lowercase": True}
        | {"strip_accents": None},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "cls": ["[CLS]", 2], "sep": ["[SEP]", 3]},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "vocab": vocabulary}
        | {"max_input_chars_per_word": 100},
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))


def plain_bert(weights: dict[str, Array], ids: list[int], kinds: Sequence[int] = ()) -> Array:
    """The encoder, word for word; one vector a token. Without `kinds` all tokens are of the first."""

    def norm(x: Array, name: str) -> Array:
        spread = np.sqrt(x.var(axis=-1, keepdims=True) + 1e-12)
        even: Array = (x - x.mean(axis=-1, keepdims=True)) / spread
        return even * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def dense(x: Array, name: str) -> Array:
        made: Array = x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
        return made

    x = weights["embeddings.word_embeddings.weight"][ids] + weights["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm(x + weights["embeddings.token_type_embeddings.weight"][list(kinds or [0])], "embeddings.LayerNorm")
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        q, k, v = (dense(x, f"{name}.attention.self.{part}") for part in ("query", "key", "value"))
        seen = np.zeros_like(x)
        for head in range(HEADS):
            part = slice(head * WIDTH // HEADS, (head + 1) * WIDTH // HEADS)
            close = np.exp(q[:, part] @ k[:, part].T / np.sqrt(WIDTH / HEADS))
            seen[:, part] = close / close.sum(axis=1, keepdims=True) @ v[:, part]
        x = norm(x + dense(seen, f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm")
        wide = dense(x, f"{name}.intermediate.dense")
        wide = wide * (1 + np.vectorize(erf)(wide / np.sqrt(2))).astype(np.float32) / 2
        x = norm(x + dense(wide, f"{name}.output.dense"), f"{name}.output.LayerNorm")
    return x


def numbers(text: str) -> list[int]:
    known = {word: number for number, word in enumerate(WORDS)}
    return [2, *(known.get(word, 1) for word in text.lower().split()[:254]), 3]


def plain_answers(labels: int, question: str, passage: str) -> list[float]:
    """What the cross-encoder of `scorer_weights` says, word for word."""
    weights = {name.removeprefix("bert."): values for name, values in scorer_weights(labels).items()}
    first, second = numbers(question), numbers(passage)[1:]
    second = [*second[: 256 - len(first) - 1], 3] if len(first) + len(second) > 256 else second
    kinds = [0] * len(first) + [1] * len(second)
    token = plain_bert(weights, first + second, kinds)[0]
    pooled = np.tanh(token @ weights["pooler.dense.weight"].T + weights["pooler.dense.bias"])
    answers: list[float] = (pooled @ weights["classifier.weight"].T + weights["classifier.bias"]).tolist()
    return answers
