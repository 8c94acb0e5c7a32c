"""The better embedder: a BERT-family model from a folder, run by onnxruntime.

In come texts, out come unit vectors; frameworks: onnxruntime, tokenizers. Nothing is downloaded. A folder with
`model.safetensors` is turned into a small, fast model of our own (see `bert`), which is kept in a folder of built
models, if one is given, and made again when it is not there. A folder with `model.onnx` instead is run as it is.

One text at a time, on as many threads as there are processors: no time goes to padding, and a text's vector cannot
depend on what it is encoded together with.
"""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pinakes.errors import ConfigError, ExtraMissing
from pinakes.neural.bert import Shape, build_model
from pinakes.neural.installed import model_files, model_name, read_settings
from pinakes.neural.registered import Traits
from pinakes.neural.tensors import read_tensors

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

    from pinakes.ports import Vectors

_LONGEST = 256
"""Tokens read of a text: what these models were trained on; attention's cost grows by the square."""
_MOST_CHARACTERS = 20_000
"""More is never read of a text: 256 tokens have less, unless somebody joined the longest words there are."""
_SUM_BYTES = 4


class OnnxEmbedder:
    """Keeps the promise `Embedder` with a model that lies in `folder`."""

    def __init__(self, folder: Path, built: Path | None, traits: Traits) -> None:
        self.dense_weight = traits.dense_weight
        self.noise = traits.noise
        self._weights = model_files(folder)[0]
        self.name = model_name(folder)
        self._folder = folder
        self._built = built
        self._shape = _shape(folder)
        self.dimensions = self._shape.width

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row per text, of length 1, or 0 where a text holds no word; values are exact in float16."""
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        # Both are made here, once, before threads could make them twice.
        encode = partial(self._encode, self._tokenizer, self._session)
        if len(texts) == 1 or _processors() == 1:
            return np.array([encode(text) for text in texts], dtype=np.float32)
        pool = ThreadPoolExecutor(_processors())
        try:
            return np.array(list(pool.map(encode, texts)), dtype=np.float32)
        finally:
            # Whoever interrupts this should not wait for the rest.
            pool.shutdown(cancel_futures=True)

    def _encode(self, tokenizer: Tokenizer, session: InferenceSession, text: str) -> Vectors:
        readable = text[:_MOST_CHARACTERS].encode("utf-8", "replace").decode()
        tokens = tokenizer.encode(readable)
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
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(self._shape.longest)
        return tokenizer

    @cached_property
    def _session(self) -> InferenceSession:
        try:
            import onnxruntime
        except ImportError as error:
            raise ExtraMissing(
                "Running a model needs onnxruntime, which is not installed.", "Run: pip install pinakes[onnx]"
            ) from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Waiting threads would otherwise burn the processor that other threads need.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        model = str(self._weights) if self._weights.suffix == ".onnx" else self._model()
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def _model(self) -> bytes:
        """The model of our own making, from the folder of built ones when it is there and whole."""
        kept = self._built / f"{self.name}.model" if self._built else None
        if kept is not None and (model := _read(kept)) is not None:
            return model
        try:
            model = build_model(read_tensors(self._weights), self._shape)
        except (ValueError, LookupError) as error:
            raise ConfigError(
                f"{self._weights} is not a BERT encoder: {error}.", "Give a folder with model.onnx instead."
            ) from error
        if kept is not None:
            with suppress(OSError):  # it can be made again, a second later than otherwise
                _keep(kept, model)
        return model


def _shape(folder: Path) -> Shape:
    settings = read_settings(folder / "config.json")
    is_own = not model_files(folder)[0].name.endswith(".onnx")
    if is_own and settings.get("model_type", "bert") != "bert":
        raise ConfigError(
            f"{folder} holds a model of the kind “{settings.get('model_type')}”; only “bert” is understood.",
            "Give a folder with model.onnx instead.",
        )
    try:
        return Shape(
            layers=_whole(settings, "num_hidden_layers"),
            heads=_whole(settings, "num_attention_heads"),
            width=_whole(settings, "hidden_size"),
            longest=min(_LONGEST, _whole(_more(folder, "sentence_bert_config.json"), "max_seq_length", _LONGEST)),
            epsilon=float(str(settings.get("layer_norm_eps", 1e-12))),
            takes_first=_more(folder, "1_Pooling/config.json").get("pooling_mode_cls_token") is True,
        )
    except (KeyError, ValueError) as error:
        raise ConfigError(f"{folder / 'config.json'} lacks {error}.", "Fetch the model again.") from error


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


def _keep(path: Path, model: bytes) -> None:
    """Written beside and moved into place, so that nobody finds half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(zlib.crc32(model).to_bytes(_SUM_BYTES, "little") + model)
    os.replace(file.name, path)


def _processors() -> int:
    """Those this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
