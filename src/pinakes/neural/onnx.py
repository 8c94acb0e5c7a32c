"""Models from a folder, run by onnxruntime on the processor: embedders and cross-encoders.

Texts enter; unit vectors leave, or one number a passage. Frameworks: onnxruntime, tokenizers. A folder's `model.onnx`
is run as it is, one text at a time, on as many threads as there are processors: no time goes to padding, and what comes
out for a text cannot depend on its company.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from msgspec import Struct

from pinakes.errors import ConfigError, ExtraMissing, ModelFailed
from pinakes.neural.model_files import model_files, model_name, read_settings, reranker_name
from pinakes.processors import processors

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

    from pinakes.ports import Vectors
    from pinakes.records import Traits

LONGEST = 256
"""Tokens read of a text: what these models were trained on; attention's cost grows by the square."""
MOST_CHARACTERS = 20_000
"""More is never read of a text: 256 tokens have less, unless somebody joined the longest words there are."""
QUESTION_CHARACTERS = 400
"""More of a question would leave no room for the passage."""
_SILENT = {"ORT_DISABLE_TELEMETRY": "1", "ORT_TELEMETRY_DISABLED": "1"}
"""The variable has had both names."""

_Result = TypeVar("_Result")


class OnnxEmbedder:
    """Keeps the promise `Embedder` with a model that lies in `folder`."""

    def __init__(self, folder: Path, traits: Traits) -> None:
        self.name = model_name(folder)
        self.traits = traits
        self._model = OnnxModel(folder)
        self.dimensions = self._model.config.width

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row per text, of length 1, or 0 where a text holds no word; values are exact in float16."""
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.array(self._model.for_each(self._encode, texts), dtype=np.float32)

    def _encode(self, text: str) -> Vectors:
        tokens = self._model.tokens(text)
        if not text.strip() or all(tokens.special_tokens_mask):  # some vocabularies have pieces for blanks
            return np.zeros(self.dimensions, dtype=np.float32)
        found = self._model.run(tokens)
        while found.ndim > 1:
            # A model as usually exported gives a vector for each token of the one text; ours has done this already.
            found = found[0] if len(found) == 1 or self._model.config.takes_first else found.mean(axis=0)
        vector = found.astype(np.float64)
        halves: NDArray[np.float16] = (vector / (np.sqrt(np.square(vector).sum()) or 1.0)).astype(np.float16)
        return halves.astype(np.float32)


class OnnxReranker:
    """Keeps the promise `Reranker` with a cross-encoder that lies in `folder`: it reads a question and a passage
    together and says how well they fit."""

    def __init__(self, folder: Path) -> None:
        self.name = reranker_name(folder)
        self._model = OnnxModel(folder)

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """One number per passage, greater for better answers."""
        if not passages:
            return []
        return self._model.for_each(partial(self._score, question[:QUESTION_CHARACTERS]), passages)

    def _score(self, question: str, passage: str) -> float:
        return score_from(self._model.run(self._model.tokens(question, passage)), self._model.folder)


def score_from(output: NDArray[np.floating], folder: Path) -> float:
    """What a cross-encoder's answers to one question and passage come to: the only one as it is, or the second of two
    less the first; raises `ModelFailed` for any other number of them."""
    answers = output.astype(np.float64).reshape(-1)
    if len(answers) not in (1, 2) or not np.isfinite(answers).all():
        raise ModelFailed(
            f"The model in {folder} gives {len(answers)} answers for a question and a passage.",
            "A reranker gives one, or two of which the second speaks for the passage.",
        )
    return float(answers[0] if len(answers) == 1 else answers[1] - answers[0])


class OnnxModel:
    """The model in a folder and its tokenizer. Both are opened when the first text is run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._weights = model_files(folder)[0]
        self.config = read_config(folder)

    def for_each(self, work: Callable[[str], _Result], texts: Sequence[str]) -> list[_Result]:
        """`work` on each text, on all processors, in the order given."""
        _ = self._tokenizer, self._session  # opened here, once, before threads could open them twice
        if len(texts) == 1 or processors() == 1:
            return [work(text) for text in texts]
        pool = ThreadPoolExecutor(processors())
        try:
            return list(pool.map(work, texts))
        finally:
            # Whoever interrupts this should not wait for the rest.
            pool.shutdown(cancel_futures=True)

    def tokens(self, text: str, second: str | None = None) -> Encoding:
        """A text, or a pair of texts, as tokens."""
        return self._tokenizer.encode(readable(text), None if second is None else readable(second))

    def run(self, tokens: Encoding) -> NDArray[np.floating]:
        """The first output of the model."""
        ids = np.array([tokens.ids], dtype=np.int64)
        types = np.array([tokens.type_ids], dtype=np.int64)
        inputs = {"ids": ids, "types": types, "input_ids": ids, "token_type_ids": types, "attention_mask": ids * 0 + 1}
        output: NDArray[np.floating] = self._session.run(
            None, {one.name: inputs[one.name] for one in self._session.get_inputs()}
        )[0]
        return output

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        try:
            from tokenizers import Tokenizer
        except ModuleNotFoundError as error:
            raise ExtraMissing(
                "Running a model needs tokenizers, which is not installed.", "Run: pip install pinakes"
            ) from error

        tokenizer = Tokenizer.from_file(str(self.folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(self.config.longest)
        return tokenizer

    @cached_property
    def _session(self) -> InferenceSession:
        return open_session(self._weights)


def open_session(model: Path) -> InferenceSession:
    """The model in a file, ready to run; raises `ExtraMissing` without onnxruntime and `ModelFailed` when that cannot
    be loaded, or when the file is no model, or one that this onnxruntime cannot run."""
    try:
        with _without_telemetry():
            import onnxruntime
            from onnxruntime.capi import onnxruntime_pybind11_state as refused
    except (ImportError, AttributeError, OSError, RuntimeError) as error:  # half of it, or made for another machine
        if isinstance(error, ModuleNotFoundError) and error.name == "onnxruntime":
            raise ExtraMissing(
                "Running a model needs onnxruntime, which is not installed.", "Run: pip install pinakes"
            ) from error
        raise ModelFailed(
            f"onnxruntime is installed and cannot be loaded: {error}.", "Run: pip install --force-reinstall onnxruntime"
        ) from error
    onnxruntime.disable_telemetry_events()  # where the system, and no variable, decides
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Waiting threads would otherwise burn the processor that other threads need.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    kinds = (refused.Fail, refused.InvalidArgument, refused.InvalidGraph, refused.InvalidProtobuf, refused.NoModel)
    try:
        return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except (*kinds, refused.NotImplemented, refused.RuntimeException) as error:
        raise ModelFailed(
            f"{model} cannot be run: {error}.", "Fetch the model again, or update onnxruntime."
        ) from error


@contextmanager
def _without_telemetry() -> Iterator[None]:
    """Load onnxruntime inside, or it writes a number for this machine and reports what runs to its makers.

    It reads these variables once, when it is loaded; they are gone again afterwards. No option of a session says the
    same, and `disable_telemetry_events` comes too late: the number and a database of events are on the disk by then.
    """
    before = {name: os.environ.get(name) for name in _SILENT}
    os.environ.update(_SILENT)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


class ModelConfig(Struct, frozen=True):
    """What the settings beside a model say about how it is run."""

    width: int
    """Numbers of a vector."""
    longest: int
    """Tokens of a text."""
    takes_first: bool
    """Whether a text's vector is that of its first token, not the mean of all."""


def read_config(folder: Path) -> ModelConfig:
    """The settings of the model in a folder; raises `ConfigError` when they make no sense."""
    try:
        return ModelConfig(
            width=whole_number(read_settings(folder / "config.json"), "hidden_size"),
            longest=min(LONGEST, whole_number(_more(folder, "sentence_bert_config.json"), "max_seq_length", LONGEST)),
            takes_first=_more(folder, "1_Pooling/config.json").get("pooling_mode_cls_token") is True,
        )
    except (KeyError, ValueError) as error:
        raise ConfigError(f"{folder / 'config.json'} lacks {error}.", "Fetch the model again.") from error


def readable(text: str) -> str:
    """As much of a text as is read, without surrogates, which no tokenizer takes."""
    return text[:MOST_CHARACTERS].encode("utf-8", "replace").decode()


def whole_number(settings: dict[str, object], key: str, otherwise: int | None = None) -> int:
    """A setting that must be a number of 1 or more; raises `KeyError` or `ValueError` naming it."""
    value = settings[key] if otherwise is None else settings.get(key, otherwise)
    if not isinstance(value, int) or value < 1:
        raise ValueError(key)
    return value


def _more(folder: Path, name: str) -> dict[str, object]:
    return read_settings(folder / name) if (folder / name).is_file() else {}
