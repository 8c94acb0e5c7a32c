"""A cross-encoder: a BERT model that reads a question and a passage together and says how well they fit.

In come a question and passages, out comes one number a passage; frameworks: onnxruntime, tokenizers. As with the
embedder, `model.safetensors` is turned into a small model of our own and `model.onnx` is run as it is. One answer
(the usual kind) is taken as it comes; of two, the second is what speaks for the passage.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from pinakes.errors import ModelFailed
from pinakes.neural.bert import build_scorer
from pinakes.neural.inference import OnnxModel
from pinakes.neural.model_files import reranker_name

_QUESTION_CHARACTERS = 400
"""More of a question would leave no room for the passage."""


class CrossEncoder:
    """Keeps the promise `Reranker` with a model that lies in `folder`."""

    def __init__(self, folder: Path, built: Path | None = None) -> None:
        self.name = reranker_name(folder)
        self._model = OnnxModel(folder, built / f"{self.name}.model" if built else None, build_scorer)

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """One number per passage, greater for better answers."""
        if not passages:
            return []
        return self._model.for_each(partial(self._score, question[:_QUESTION_CHARACTERS]), passages)

    def _score(self, question: str, passage: str) -> float:
        answers = self._model.run(self._model.tokens(question, passage)).astype(np.float64).reshape(-1)
        if len(answers) not in (1, 2) or not np.isfinite(answers).all():
            raise ModelFailed(
                f"The model in {self._model.folder} gives {len(answers)} answers for a question and a passage.",
                "A reranker gives one, or two of which the second speaks for the passage.",
            )
        return float(answers[0] if len(answers) == 1 else answers[1] - answers[0])
