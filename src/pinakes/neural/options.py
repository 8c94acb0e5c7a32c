"""What can be set about models."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NeuralOptions:
    """Which models compare meanings. A new `model` makes new vectors; search uses the old ones until then."""

    model: str = "auto"
    """The embedder: auto (static at once; minilm replaces it in the background where it is installed), static,
    minilm, a name given by ``pinakes model add``, or, in your own file, a folder, sentence-transformers:NAME or an
    endpoint such as http://127.0.0.1:11434/v1#NAME."""

    reranker: str = "none"
    """The cross-encoder of the profile thorough: none, a name given by ``pinakes model add`` or, in your own file, a
    folder."""
