"""What can be set about models."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NeuralOptions:
    """Which models compare meanings. Changing `model` makes the vectors anew; the old ones answer until then."""

    model: str = "auto"
    """The embedder: auto (static at once, and minilm in its place, in the background, where it is installed), static,
    minilm, a name given by ``pinakes model add``, or, in your own file, a folder, sentence-transformers:NAME or an
    endpoint such as http://127.0.0.1:11434/v1#NAME."""

    reranker: str = "none"
    """The cross-encoder of the profile thorough: none, a name given by ``pinakes model add`` or, in your own file, a
    folder."""
