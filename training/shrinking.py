"""A cross-encoder with fewer layers and fewer word pieces: where a small one begins.

The folder of a BERT with a classifier enters, and texts; a folder of the same kind leaves. It keeps the first layers,
the pieces that the texts have most of, and every letter, so that other words are spelled with smaller pieces.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Tokenizer

from pinakes.neural.word_pieces import CONTINUES
from training.tensors import read_tensors, write_tensors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[np.floating]]

_LAYER = re.compile(r"encoder\.layer\.(\d+)\.")
_WORDS, _PLACES = "embeddings.word_embeddings.weight", "embeddings.position_embeddings.weight"


def shrink(folder: Path, texts: Iterable[str], to: Path, *, layers: int, pieces: int, longest: int) -> None:
    """Write the smaller model; it reads `longest` pieces of a question and a passage together."""
    described = json.loads((folder / "tokenizer.json").read_bytes())
    known = described["model"]["vocab"]
    special = {one["content"] for one in described["added_tokens"]}
    kept = _kept(known, _counted(folder, texts), special, pieces)
    numbers = {piece: number for number, piece in enumerate(kept)}
    described["model"]["vocab"] = numbers
    for one in described["added_tokens"]:
        one["id"] = numbers[one["content"]]
    described["post_processor"] = _pairs(numbers)
    described |= {"truncation": None, "padding": None}
    to.mkdir(parents=True, exist_ok=True)
    (to / "tokenizer.json").write_text(json.dumps(described, ensure_ascii=False, separators=(",", ":")))
    _write(to / "tokenizer_config.json", {"tokenizer_class": "BertTokenizer", "model_max_length": longest})
    _write(to / "sentence_bert_config.json", {"max_seq_length": longest})
    settings = json.loads((folder / "config.json").read_bytes())
    sizes = {"vocab_size": len(kept), "num_hidden_layers": layers, "max_position_embeddings": longest}
    _write(to / "config.json", settings | sizes)
    rows = np.array([known[piece] for piece in kept])
    write_tensors(to / "model.safetensors", _smaller(read_tensors(folder / "model.safetensors"), rows, layers, longest))


def _pairs(numbers: Mapping[str, int]) -> Mapping[str, object]:
    """How a question and a passage are put together."""

    def special(token: str, kind: int) -> Mapping[str, object]:
        return {"SpecialToken": {"id": token, "type_id": kind}}

    texts = [{"Sequence": {"id": name, "type_id": kind}} for kind, name in enumerate("AB")]
    single = [special("[CLS]", 0), texts[0], special("[SEP]", 0)]
    ends = {one: {"id": one, "ids": [numbers[one]], "tokens": [one]} for one in ("[CLS]", "[SEP]")}
    pair = [*single, texts[1], special("[SEP]", 1)]
    return {"type": "TemplateProcessing", "single": single, "pair": pair, "special_tokens": ends}


def _counted(folder: Path, texts: Iterable[str]) -> Counter[int]:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    counted: Counter[int] = Counter()
    left = iter(texts)
    while some := list(islice(left, 1000)):
        for found in tokenizer.encode_batch(some):
            counted.update(found.ids)
    return counted


def _kept(known: Mapping[str, int], counted: Counter[int], special: set[str], most: int) -> list[str]:
    """The pieces that stay, in the order they had; letters before words, so that anything can be spelled."""
    order = sorted(
        known,
        key=lambda piece: (
            piece not in special,
            not (len(piece.removeprefix(CONTINUES)) == 1 and piece.isascii()),
            -counted[known[piece]],
            known[piece],
        ),
    )
    return sorted(order[:most], key=lambda piece: known[piece])


def _smaller(weights: Arrays, rows: NDArray[np.integer], layers: int, longest: int) -> Arrays:
    found = {}
    for name, values in weights.items():
        layer = _LAYER.search(name)
        if layer is None or int(layer[1]) < layers:
            kept = values[rows] if name.endswith(_WORDS) else values
            found[name] = np.ascontiguousarray(kept[:longest] if name.endswith(_PLACES) else kept)
    return found


def _write(path: Path, settings: Mapping[str, object]) -> None:
    path.write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")
