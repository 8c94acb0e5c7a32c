"""The better embedder: a BERT-family model from a folder, run by onnxruntime.

In come texts, out come unit vectors; frameworks: onnxruntime, tokenizers. Nothing is downloaded. A folder with
`model.safetensors` is turned into a small, fast model of our own (see `bert`), which is kept in a folder of built
models, if one is given, and made again when it is not there. A folder with `model.onnx` instead is run as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pinakes.neural.bert import build_model
from pinakes.neural.inference import OnnxModel
from pinakes.neural.model_files import model_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pinakes.ports import Vectors
    from pinakes.records import Traits


class OnnxEmbedder:
    """Keeps the promise `Embedder` with a model that lies in `folder`."""

    def __init__(self, folder: Path, built: Path | None, traits: Traits) -> None:
        self.name = model_name(folder)
        self.traits = traits
        self._model = OnnxModel(folder, built / f"{self.name}.model" if built else None, build_model)
        self.dimensions = self._model.config.width

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row per text, of length 1, or 0 where a text holds no word; values are exact in float16."""
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.array(self._model.for_each(self._encode, texts), dtype=np.float32)

    def _encode(self, text: str) -> Vectors:
        tokens = self._model.tokens(text)
        if all(tokens.special_tokens_mask):
            return np.zeros(self.dimensions, dtype=np.float32)
        found = self._model.run(tokens)
        while found.ndim > 1:
            # A model as exported gives a vector for each token of the one text; ours has done this already.
            found = found[0] if len(found) == 1 or self._model.config.takes_first else found.mean(axis=0)
        vector = found.astype(np.float64)
        halves: NDArray[np.float16] = (vector / (np.sqrt(np.square(vector).sum()) or 1.0)).astype(np.float16)
        return halves.astype(np.float32)
