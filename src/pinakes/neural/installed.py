"""Where the static embedder's files are, and what to call what they give. Opens no table and loads no numerics."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path

from pinakes.errors import ExtraMissing

_PACKAGE = "wordllama"
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_RECIPE = "words-log-1"
"""Changes with every change to how vectors are made."""


def static_files() -> tuple[Path, Path]:
    """The table and its vocabulary; raises `ExtraMissing` when they are not installed."""
    found = importlib.util.find_spec(_PACKAGE)
    for folder in (found.submodule_search_locations or ()) if found else ():
        weights, tokenizer = Path(folder, _WEIGHTS), Path(folder, _TOKENIZER)
        if weights.is_file() and tokenizer.is_file():
            return weights, tokenizer
    raise ExtraMissing("The static embedder's weights are not installed.", f"Run: pip install {_PACKAGE}")


def _fingerprint(*paths: Path) -> str:
    """Names files by their size and some pages of them: enough to tell releases apart, in a millisecond."""
    digest = hashlib.blake2b(_RECIPE.encode(), digest_size=8)
    for path in paths:
        size = path.stat().st_size
        digest.update(b"%d" % size)
        with path.open("rb") as file:
            for part in range(16):
                file.seek(size * part // 16)
                digest.update(file.read(4096))
    return digest.hexdigest()


def static_name() -> str:
    """The embedder's name: equal names give equal vectors."""
    return f"static-{_fingerprint(*static_files())}"
