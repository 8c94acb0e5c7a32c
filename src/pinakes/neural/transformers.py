"""Models run by the package sentence-transformers: those that nothing lighter can run, since there is no `model.onnx`.

Texts enter; unit vectors leave, or one number a passage. Framework: sentence-transformers with torch, imported when the
first text is read. Nothing is downloaded and no code that comes with a model is run: a model is a folder, or lies in
the hub's cache on this machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pinakes.errors import ConfigError, ExtraMissing, ModelFailed
from pinakes.neural.model_files import needs_transformers
from pinakes.neural.onnx import LONGEST, QUESTION_CHARACTERS, readable, score_from

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sentence_transformers import SentenceTransformer
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from pinakes.ports import Vectors
    from pinakes.records import Traits

_RECIPE = "sentence-transformers-1"
_BATCH = 32
_WEIGHTS = (".safetensors", ".bin", ".json", ".txt", ".model")


class TransformersEmbedder:
    """Keeps the promise `Embedder`, but for the last bits: texts are padded to the longest of a batch."""

    def __init__(self, folder: Path, name: str, traits: Traits) -> None:
        self._folder = folder
        self.name = name
        self.traits = traits

    @cached_property
    def dimensions(self) -> int:
        """As many numbers as the model gives; loads it."""
        return int(self._rows(["documentation"]).shape[1])

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row per text, of length 1, or 0 where a text holds no word; values are exact in float16."""
        with_words = [row for row, text in enumerate(texts) if any(letter.isalnum() for letter in readable(text))]
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        if with_words:
            vectors[with_words] = self._rows([readable(texts[row]) for row in with_words])
        return vectors

    def _rows(self, texts: list[str]) -> Vectors:
        found = self._model.encode(texts, batch_size=_BATCH, show_progress_bar=False, convert_to_numpy=True)
        exact = np.asarray(found, dtype=np.float64)
        lengths = np.sqrt(np.square(exact).sum(axis=1, keepdims=True))
        halves: NDArray[np.float16] = (exact / np.where(lengths == 0.0, 1.0, lengths)).astype(np.float16)
        return halves.astype(np.float32)

    @cached_property
    def _model(self) -> SentenceTransformer:
        from sentence_transformers import SentenceTransformer

        with _loading(self._folder):
            _refuse_foreign_modules(self._folder)
            return SentenceTransformer(str(self._folder), local_files_only=True, trust_remote_code=False)


class TransformersReranker:
    """Keeps the promise `Reranker` with a cross-encoder that lies in `folder`."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self.name = name

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """One number per passage, greater for better answers."""
        import torch

        model, tokenizer = self._model
        asked = readable(question[:QUESTION_CHARACTERS])
        scores: list[float] = []
        for first in range(0, len(passages), _BATCH):
            some = [readable(passage) for passage in passages[first : first + _BATCH]]
            tokens = tokenizer(
                [asked] * len(some), some, padding=True, truncation=True, max_length=LONGEST, return_tensors="pt"
            )
            with torch.inference_mode():
                answers = model(**tokens).logits.float().numpy()
            scores += [score_from(row, self._folder) for row in answers]
        return scores

    @cached_property
    def _model(self) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        with _loading(self._folder):
            tokenizer = AutoTokenizer.from_pretrained(str(self._folder), local_files_only=True, trust_remote_code=False)
            model = AutoModelForSequenceClassification.from_pretrained(
                str(self._folder), local_files_only=True, trust_remote_code=False
            )
            return model.eval(), tokenizer


@contextmanager
def _loading(folder: Path) -> Iterator[None]:
    """Load a model inside; raises `ModelFailed` naming its folder for whatever the package says."""
    try:
        yield
    except (OSError, ValueError, LookupError, ImportError, RuntimeError) as error:
        raise ModelFailed(f"sentence-transformers cannot load {folder}: {error}.", "Fetch the model again.") from error


def _refuse_foreign_modules(folder: Path) -> None:
    """Raises `ValueError` when the model asks for classes of others: the package would import them from its folder."""
    if (folder / "modules.json").is_file():
        for module in json.loads((folder / "modules.json").read_bytes()):
            if not str(module["type"]).startswith("sentence_transformers."):
                raise ValueError(f"modules.json names {module['type']}, which is not part of sentence-transformers")


def require_transformers(model: str) -> None:
    """Raises `ExtraMissing` when nothing here could run `model`, whose weights are only in safetensors."""
    if find_spec("sentence_transformers") is None:
        raise ExtraMissing(
            f"{model} holds no model.onnx, and sentence-transformers, which would run its model.safetensors, is not"
            " installed.",
            "Run: pip install pinakes[sentence-transformers]; or convert the model once, in a checkout of Pinakes:"
            " python -m training export --transformer FOLDER --to FOLDER",
        )


def transformers_folder(place: str) -> Path:
    """Where a model called by a folder or a hub name lies on this machine; raises `ConfigError` when it does not, and
    `ExtraMissing` when nothing could run it."""
    if needs_transformers(Path(place).expanduser()):
        require_transformers(place)
    if find_spec("sentence_transformers") is None:
        raise ExtraMissing("sentence-transformers is not installed.", "Run: pip install pinakes[sentence-transformers]")
    folder = Path(place).expanduser()
    if (folder / "config.json").is_file() or (folder / "modules.json").is_file():
        return folder
    if place.count("/") <= 1 and find_spec("huggingface_hub") is not None:
        from huggingface_hub import try_to_load_from_cache
        from huggingface_hub.errors import HFValidationError

        try:
            kept = try_to_load_from_cache(place, "config.json")
        except HFValidationError:
            kept = None
        if isinstance(kept, str):
            return Path(kept).parent
    raise ConfigError(
        f"There is no model “{place}” on this machine.",
        f"Name its folder, or fetch it with: pinakes model add --from-hub {place}",
    )


def transformers_name(folder: Path) -> str:
    """The embedder's name, from the sizes and beginnings of the model's files."""
    digest = blake2b(_RECIPE.encode(), digest_size=8)
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in _WEIGHTS:
            digest.update(f"{path.relative_to(folder).as_posix()} {path.stat().st_size}\n".encode())
            with path.open("rb") as file:
                digest.update(file.read(4096))
                file.seek(path.stat().st_size // 2)
                digest.update(file.read(4096))
    return f"transformers-{digest.hexdigest()}"
