"""Running a model by onnxruntime on the processor, one text on one thread each.

A model's folder or bytes enter, an open session and its tokenizer leave; what comes out of a session is for others to
understand. One text at a time, on as many threads as there are processors: no time goes to padding, and what comes out
for a text cannot depend on its company.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pinakes.atomic import replace_file
from pinakes.errors import ConfigError, ExtraMissing, ModelFailed
from pinakes.neural.bert import BertConfig
from pinakes.neural.installed import model_files, read_settings
from pinakes.processors import processors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

LONGEST = 256
"""Tokens read of a text: what these models were trained on; attention's cost grows by the square."""
MOST_CHARACTERS = 20_000
"""More is never read of a text: 256 tokens have less, unless somebody joined the longest words there are."""
_SUM_BYTES = 4
_SILENT = {"ORT_DISABLE_TELEMETRY": "1", "ORT_TELEMETRY_DISABLED": "1"}
"""The variable has had both names."""

_Given = TypeVar("_Given")
_Made = TypeVar("_Made")


def for_each(work: Callable[[_Given], _Made], given: Sequence[_Given]) -> list[_Made]:
    """`work` on each, on all processors, in the order given. Long ones first keeps both busy to the end."""
    if len(given) == 1 or processors() == 1:
        return [work(one) for one in given]
    pool = ThreadPoolExecutor(processors())
    try:
        return list(pool.map(work, given))
    finally:
        # Whoever interrupts this should not wait for the rest.
        pool.shutdown(cancel_futures=True)


def open_session(model: str | bytes) -> InferenceSession:
    """A model, from its file or its bytes, ready to run; raises `ExtraMissing` without onnxruntime and `ModelFailed`
    when that cannot be loaded, or when it is no model, or one that this onnxruntime cannot run."""
    # Read once, when onnxruntime is loaded: else it keeps a number of this machine and reports what runs to its makers.
    os.environ.update(_SILENT)
    try:
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


def open_tokenizer(folder: Path, longest: int) -> Tokenizer:
    """The tokenizer of a model's folder, cutting texts at `longest` tokens."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(longest)
    return tokenizer


def readable(text: str) -> str:
    """As much of a text as is read, without what no tokenizer takes."""
    return text[:MOST_CHARACTERS].encode("utf-8", "replace").decode()


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


def open_model(weights: Path, kept: Path | None, build: Callable[[], bytes]) -> InferenceSession:
    """A model ready to run: as exported when that is what `weights` holds, else of our own making."""
    return open_session(str(weights) if weights.suffix == ".onnx" else built_model(kept, weights, build))


def built_model(kept: Path | None, weights: Path, build: Callable[[], bytes]) -> bytes:
    """A model of our own making, from the file `kept` when that is there and whole; else built, and kept there."""
    if kept is not None and (model := _read(kept)) is not None:
        return model
    try:
        model = build()
    except (ValueError, LookupError) as error:
        raise ConfigError(
            f"{weights} is not a BERT encoder: {error}.", "Give a folder with model.onnx instead."
        ) from error
    if kept is not None:
        with suppress(OSError):  # it can be made again, a second later than otherwise
            _keep(kept, model)
    return model


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
    replace_file(path, zlib.crc32(model).to_bytes(_SUM_BYTES, "little") + model)
