"""Running a model by onnxruntime on the processor, one text on one thread each.

A model's folder and texts enter, arrays leave; what they mean is not known here. One text at a time, on as many threads
as there are processors: no time goes to padding, and what comes out for a text cannot depend on its company.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from pinakes.atomic import replace_file
from pinakes.errors import ConfigError, ExtraMissing, ModelFailed
from pinakes.neural.bert import BertConfig, Weights
from pinakes.neural.model_files import model_files, read_settings
from pinakes.neural.safetensors import read_tensors
from pinakes.processors import processors

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

LONGEST = 256
"""Tokens read of a text: what these models were trained on; attention's cost grows by the square."""
MOST_CHARACTERS = 20_000
"""More is never read of a text: 256 tokens have less, unless somebody joined the longest words there are."""
_SUM_BYTES = 4
_SILENT = {"ORT_DISABLE_TELEMETRY": "1", "ORT_TELEMETRY_DISABLED": "1"}
"""The variable has had both names."""

_Result = TypeVar("_Result")


class OnnxModel:
    """The model in a folder and its tokenizer. Both are opened when the first text is run.

    ``model.onnx`` is run as it is. From ``model.safetensors`` a smaller model is built, which takes a second, and kept
    as the file `kept`.
    """

    def __init__(self, folder: Path, kept: Path | None, build: Callable[[Weights, BertConfig], bytes]) -> None:
        self.folder = folder
        self.config = read_config(folder)
        self._weights = model_files(folder)[0]
        self._kept = kept
        self._build = build

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
        return self._tokenizer.encode(_readable(text), None if second is None else _readable(second))

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
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self.folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(self.config.longest)
        return tokenizer

    @cached_property
    def _session(self) -> InferenceSession:
        return open_session(str(self._weights) if self._weights.suffix == ".onnx" else self._built())

    def _built(self) -> bytes:
        """The model built from the weights; the kept one when that is there and whole."""
        if self._kept is not None and (model := _read(self._kept)) is not None:
            return model
        try:
            model = self._build(read_tensors(self._weights), self.config)
        except (ValueError, LookupError) as error:
            raise ConfigError(
                f"{self._weights} is not a BERT encoder: {error}.", "Give a folder with model.onnx instead."
            ) from error
        if self._kept is not None:
            with suppress(OSError):  # it can be built again, a second later than otherwise
                self._kept.parent.mkdir(parents=True, exist_ok=True)
                replace_file(self._kept, zlib.crc32(model).to_bytes(_SUM_BYTES, "little") + model)
        return model


def open_session(model: str | bytes) -> InferenceSession:
    """A model, from its file or its bytes, ready to run; raises `ExtraMissing` without onnxruntime and `ModelFailed`
    when that cannot be loaded, or when it is no model, or one that this onnxruntime cannot run."""
    try:
        with _without_telemetry():
            import onnxruntime
            from onnxruntime.capi import onnxruntime_pybind11_state as refused
    except (ImportError, AttributeError, OSError, RuntimeError) as error:  # half of it, or made for another machine
        if isinstance(error, ModuleNotFoundError) and error.name == "onnxruntime":
            raise ExtraMissing(
                "Running a model needs onnxruntime, which is not installed.", "Run: pip install pinakes[onnx]"
            ) from error
        raise ModelFailed(
            f"onnxruntime is installed and cannot be loaded: {error}.",
            "Run: pip install --force-reinstall onnxruntime",
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
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except (*kinds, refused.NotImplemented, refused.RuntimeException) as error:
        what = model if isinstance(model, str) else "A model made from weights"
        raise ModelFailed(f"{what} cannot be run: {error}.", "Fetch the model again, or update onnxruntime.") from error


@contextmanager
def _without_telemetry() -> Iterator[None]:
    """Load onnxruntime inside, or it writes a number for this machine and reports what runs to its makers.

    It reads these variables once, when it is loaded, and has no other setting; they are gone again afterwards.
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


def read_config(folder: Path) -> BertConfig:
    """A model's measures; raises `ConfigError` when its settings make no sense or nothing here can run it."""
    settings = read_settings(folder / "config.json")
    is_own = not model_files(folder)[0].name.endswith(".onnx")
    if is_own and settings.get("model_type", "bert") != "bert":
        raise ConfigError(
            f"{folder} holds a model of the kind “{settings.get('model_type')}”; only “bert” is understood.",
            "Give a folder with model.onnx instead.",
        )
    try:
        return BertConfig(
            layers=_whole(settings, "num_hidden_layers"),
            heads=_whole(settings, "num_attention_heads"),
            width=_whole(settings, "hidden_size"),
            longest=min(LONGEST, _whole(_more(folder, "sentence_bert_config.json"), "max_seq_length", LONGEST)),
            epsilon=float(str(settings.get("layer_norm_eps", 1e-12))),
            takes_first=_more(folder, "1_Pooling/config.json").get("pooling_mode_cls_token") is True,
        )
    except (KeyError, ValueError) as error:
        raise ConfigError(f"{folder / 'config.json'} lacks {error}.", "Fetch the model again.") from error


def _readable(text: str) -> str:
    """As much of a text as is read, without surrogates, which no tokenizer takes."""
    return text[:MOST_CHARACTERS].encode("utf-8", "replace").decode()


def _whole(settings: dict[str, object], key: str, otherwise: int | None = None) -> int:
    value = settings[key] if otherwise is None else settings.get(key, otherwise)
    if not isinstance(value, int) or value < 1:
        raise ValueError(key)
    return value


def _more(folder: Path, name: str) -> dict[str, object]:
    return read_settings(folder / name) if (folder / name).is_file() else {}


def _read(path: Path) -> bytes | None:
    """A model that was kept; None when it is not there or not what was written."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    model = data[_SUM_BYTES:]
    return model if model and zlib.crc32(model) == int.from_bytes(data[:_SUM_BYTES], "little") else None
