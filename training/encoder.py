"""The transformer: tokens of texts to unit vectors, and models as plain weights that can be averaged."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import torch
import torch.nn.functional as F
from transformers import AutoModel, AutoTokenizer

Weights = Mapping[str, torch.Tensor]
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Tokens:
    """The base model's tokenizer."""

    def __init__(self, base: Path) -> None:
        self._tokenizer = AutoTokenizer.from_pretrained(str(base))
        self.numbers: Mapping[str, int] = self._tokenizer.get_vocab()

    def of(self, texts: Sequence[str], most: int) -> list[list[int]]:
        """Numbers of the pieces, the two special ones included."""
        found: list[list[int]] = self._tokenizer(list(texts), truncation=True, max_length=most)["input_ids"]
        return found


def load_model(base: Path, weights: Weights | None = None) -> torch.nn.Module:
    """The base model, or one of its shape with other weights."""
    model = AutoModel.from_pretrained(str(base), add_pooling_layer=False).float()
    if weights is not None:
        model.load_state_dict(weights)
    model.config.takes_first = takes_first(base)
    return model.to(DEVICE).eval()


def takes_first(base: Path) -> bool:
    """Whether a text's vector is that of its first token, not the mean of all."""
    pooling = base / "1_Pooling/config.json"
    return pooling.is_file() and json.loads(pooling.read_bytes()).get("pooling_mode_cls_token") is True


def weights_of(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """A copy of a model's weights."""
    return {name: value.detach().clone() for name, value in model.state_dict().items()}


def averaged(one: Weights, other: Weights, share: float) -> dict[str, torch.Tensor]:
    """`share` of the other's weights and the rest of the one's: a fine-tuned model forgets less when it meets its
    origin half way."""
    return {
        name: value.lerp(other[name].to(value), share) if value.is_floating_point() else value
        for name, value in one.items()
    }


def quick() -> AbstractContextManager[object]:
    """Half precision where the device is made for it."""
    context: AbstractContextManager[object] = torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=DEVICE == "cuda")
    return context


def forward(model: torch.nn.Module, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Unit vectors: the mean over the tokens of each text, or that of the first, as the base has it."""
    hidden = model(input_ids=ids, attention_mask=mask).last_hidden_state.float()
    if model.config.takes_first:
        return F.normalize(hidden[:, 0], dim=-1)
    return F.normalize((hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True), dim=-1)
