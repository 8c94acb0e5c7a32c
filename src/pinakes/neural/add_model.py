"""A model gets a name: its files are tried and copied into the user's data folder, or its address is remembered there.

A source and a name enter, a registered model leaves. Only files that a model consists of are taken from a folder or a
hub, so that nothing comes along that could be run or that speaks of other places.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from msgspec import to_builtins

from pinakes.errors import ConfigError, ExtraMissing, ModelFailed
from pinakes.neural.model_files import (
    MORE_SETTINGS,
    SETTINGS,
    TRANSFORMERS_FILES,
    WEIGHTS,
    model_files,
    needs_transformers,
)
from pinakes.neural.model_list import Model, describe, is_reranker
from pinakes.neural.registry import BUILT_IN, PLAIN_NAME, REGISTERED, TRAITS, models_folder, registered_model, traits
from pinakes.own_folder import OwnFolder

PACKAGES = dict.fromkeys(("docs", "minilm"), "onnxruntime>=1.19")
"""Models that come with Pinakes, and the package that runs them."""
_SPELLED = ("http://", "https://", "sentence-transformers:")


def is_spelling(source: str) -> bool:
    """Whether a source is remembered as it is written, and not copied."""
    return source.startswith(_SPELLED)


def name_from(source: str) -> str:
    """A name for a model nobody has named: the last part of what it is called elsewhere."""
    last = re.split(r"[/\\#:]", source.rstrip("/\\"))[-1]
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", last).strip("-_")[:64]
    return plain if PLAIN_NAME.match(plain) else f"m-{plain}"[:64].rstrip("-")


def add_folder(source: Path, name: str, called: str = "") -> Model:
    """Copy the model in `source` under `name`, when it works; raises like `load_embedder` when it does not.

    `called` is what an error calls the model when its user does not know the folder.
    """
    files = _files(source, called or str(source))
    with _new(name) as folder:
        for file in files:
            target = folder / file.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
        if (source / TRAITS).is_file():
            (folder / TRAITS).write_text(json.dumps(to_builtins(traits(source, ""))), encoding="utf-8")
        try_model(str(folder))
    return describe(name)


def add_spelling(model: str, name: str, key_variable: str, timeout_s: float) -> Model:
    """Remember an address, or a model of sentence-transformers, under `name`, when it works."""
    facts = {"model": model, "key_variable": key_variable, "timeout_s": timeout_s}
    with _new(name) as folder:
        (folder / REGISTERED).write_text(json.dumps(facts, indent=1), encoding="utf-8")
    try:
        try_model(name)
    except (ConfigError, ExtraMissing, ModelFailed):
        remove_model(name)
        raise
    return describe(name)


def add_from_hub(hub_name: str, name: str) -> Model:
    """Fetch a model's files from the hub, then as from a folder; raises `ExtraMissing` without the hub's package."""
    if find_spec("huggingface_hub") is None:
        raise ExtraMissing(
            "Fetching from a hub needs huggingface_hub, which is not installed.", "Run: pip install pinakes[hub]"
        )
    import huggingface_hub
    from huggingface_hub.errors import HFValidationError

    wanted = {*SETTINGS, *MORE_SETTINGS, *WEIGHTS, *TRANSFORMERS_FILES}
    with tempfile.TemporaryDirectory(prefix="pinakes-model-") as scratch:
        try:
            huggingface_hub.snapshot_download(hub_name, allow_patterns=sorted(wanted), local_dir=scratch)
        except (OSError, HFValidationError) as error:  # its errors of the network are OSErrors
            reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
            raise ModelFailed(
                f"{hub_name} cannot be fetched: {reason}.", "Check the name and the connection, or give a folder."
            ) from error
        return add_folder(Path(scratch), name, hub_name)


def remove_model(name: str) -> bool:
    """Forget a named model and delete its copy; says whether there was one."""
    found = registered_model(name)
    if found is not None:
        shutil.rmtree(found.folder)
    return found is not None


def try_model(model: str) -> None:
    """Run a model once; raises when it does not work."""
    from pinakes.neural import load_embedder, load_reranker

    if is_reranker(Path(model)):
        load_reranker(f"onnx:{model}").score("documentation", ["documentation"])
    else:
        load_embedder(model if not os.path.isdir(model) else f"onnx:{model}").encode(["documentation"])


def _files(source: Path, called: str) -> tuple[Path, ...]:
    """The files that a model consists of, for the engine that will run it."""
    if not needs_transformers(source):
        return model_files(source)
    from pinakes.neural.transformers import require_transformers

    require_transformers(called)
    return tuple(file for pattern in TRANSFORMERS_FILES for file in sorted(source.glob(pattern)))


@contextmanager
def _new(name: str) -> Iterator[Path]:
    """A folder to fill, which becomes the model's when the block ends well."""
    home = models_folder()
    if home is None:
        raise ConfigError("There is no folder for models.", "Set HOME or XDG_DATA_HOME.")
    if not PLAIN_NAME.match(name) or name in BUILT_IN or name == "none":
        raise ConfigError(f"“{name}” cannot be the name of a model.", "Give a name of letters and digits with --name.")
    target = home / name
    if target.exists():
        raise ConfigError(f"There is a model called “{name}” already.", f"Remove {target}, or choose another --name.")
    scratch = ""
    try:
        OwnFolder.of_user(home).make(parents=True)
        scratch = tempfile.mkdtemp(dir=home, prefix=".adding-")
        yield Path(scratch)
        for file in Path(scratch).rglob("*"):
            file.chmod(0o700 if file.is_dir() else 0o600)
        os.rename(scratch, target)
    except OSError as error:
        raise ConfigError(f"{target} cannot be written: {error.strerror or error}.", "Check the disk.") from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
