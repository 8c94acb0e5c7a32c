"""The better embedder: a BERT-family model from a folder, run by onnxruntime.

In come texts, out come unit vectors; frameworks: onnxruntime, tokenizers. Nothing is downloaded. A folder with
`model.safetensors` is turned into a small, fast model of our own (see `bert`), which is kept in a folder of built
models, if one is given, and made again when it is not there. A folder with `model.onnx` instead is run as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pinakes.neural.bert import build_model
from pinakes.neural.inference import for_each, open_model, open_tokenizer, read_config, readable
from pinakes.neural.installed import model_files, model_name
from pinakes.neural.safetensors import read_tensors

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

    from pinakes.ports import Vectors
    from pinakes.records import Traits


class OnnxEmbedder:
    """Keeps the promise `Embedder` with a model that lies in `folder`."""

    def __init__(self, folder: Path, built: Path | None, traits: Traits) -> None:
        self._weights = model_files(folder)[0]
        self.name = model_name(folder)
        self.traits = traits
        self._folder = folder
        self._built = built
        self._shape = read_config(folder)
        self.dimensions = self._shape.width

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row per text, of length 1, or 0 where a text holds no word; values are exact in float16."""
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        # Both are made here, once, before threads could make them twice.
        return np.array(for_each(partial(self._encode, self._tokenizer, self._session), texts), dtype=np.float32)

    def _encode(self, tokenizer: Tokenizer, session: InferenceSession, text: str) -> Vectors:
        tokens = tokenizer.encode(readable(text))
        if all(tokens.special_tokens_mask):
            return np.zeros(self.dimensions, dtype=np.float32)
        ids = np.array([tokens.ids], dtype=np.int64)
        given = {"ids": ids, "input_ids": ids, "attention_mask": ids * 0 + 1, "token_type_ids": ids * 0}
        (found, *_) = session.run(None, {one.name: given[one.name] for one in session.get_inputs()})
        while found.ndim > 1:
            # A model as exported gives a vector for each token of the one text; ours has done this already.
            found = found[0] if len(found) == 1 or self._shape.takes_first else found.mean(axis=0)
        vector = found.astype(np.float64)
        halves: NDArray[np.float16] = (vector / (np.sqrt(np.square(vector).sum()) or 1.0)).astype(np.float16)
        return halves.astype(np.float32)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return open_tokenizer(self._folder, self._shape.longest)

    @cached_property
    def _session(self) -> InferenceSession:
        kept = self._built / f"{self.name}.model" if self._built else None
        return open_model(self._weights, kept, lambda: build_model(read_tensors(self._weights), self._shape))
