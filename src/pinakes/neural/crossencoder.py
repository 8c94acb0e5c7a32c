"""A cross-encoder: a BERT model that reads a question and a passage together and says how well they fit.

In come a question and passages, out comes one number a passage; frameworks: onnxruntime, tokenizers. As with the
embedder, `model.safetensors` is turned into a small model of our own and `model.onnx` is run as it is. One answer
(the usual kind) is taken as it comes; of two, the second is what speaks for the passage.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pinakes.errors import ModelFailed
from pinakes.neural.bert import build_scorer
from pinakes.neural.inference import for_each, open_model, open_tokenizer, read_config, readable
from pinakes.neural.installed import model_files, reranker_name
from pinakes.neural.safetensors import read_tensors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

_QUESTION_CHARACTERS = 400
"""More of a question would leave no room for the passage."""


class CrossEncoder:
    """Keeps the promise `Reranker` with a model that lies in `folder`."""

    def __init__(self, folder: Path, built: Path | None = None) -> None:
        self._weights = model_files(folder)[0]
        self.name = reranker_name(folder)
        self._folder = folder
        self._built = built
        self._shape = read_config(folder)

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """One number per passage, greater for better answers."""
        if not passages:
            return []
        asked = readable(question[:_QUESTION_CHARACTERS])
        return for_each(partial(self._score, self._tokenizer, self._session, asked), passages)

    def _score(self, tokenizer: Tokenizer, session: InferenceSession, question: str, passage: str) -> float:
        pair = tokenizer.encode(question, readable(passage))
        ids = np.array([pair.ids], dtype=np.int64)
        types = np.array([pair.type_ids], dtype=np.int64)
        given = {"ids": ids, "types": types, "input_ids": ids, "token_type_ids": types, "attention_mask": ids * 0 + 1}
        (found, *_) = session.run(None, {one.name: given[one.name] for one in session.get_inputs()})
        answers = np.asarray(found, dtype=np.float64).reshape(-1)
        if len(answers) not in (1, 2) or not np.isfinite(answers).all():
            raise ModelFailed(
                f"The model in {self._folder} gives {len(answers)} answers for a question and a passage.",
                "A reranker gives one, or two of which the second speaks for the passage.",
            )
        return float(answers[0] if len(answers) == 1 else answers[1] - answers[0])

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return open_tokenizer(self._folder, self._shape.longest)

    @cached_property
    def _session(self) -> InferenceSession:
        kept = self._built / f"{self.name}.model" if self._built else None
        return open_model(self._weights, kept, lambda: build_scorer(read_tensors(self._weights), self._shape))
