"""An embedder behind an address: any server that speaks OpenAI's way of asking for embeddings (Ollama, TEI, vLLM).

In come texts, out come unit vectors; the work is done elsewhere, by `POST address/embeddings`. Texts are sent there, so
the address comes from the user and never from a project. No redirect is followed: the key is for one server.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from threading import Lock
from time import sleep
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np

from pinakes.errors import ConfigError, ModelFailed
from pinakes.neural.http_json import JsonClient, ServerAddress, ServerReply

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pinakes.ports import Vectors
    from pinakes.records import Traits

_RECIPE = "openai-1"
_BATCH = 32
"""Texts asked for at a time: the most that TEI takes unless it is told otherwise."""
_MOST_CHARACTERS = 8_000
"""More is never sent of a text; what a passage says stands at its beginning."""
_LEAST_CHARACTERS = 200
_TOO_LONG = frozenset({400, 413, 422})
"""What servers answer when a text is longer than the model reads, or a batch larger than they take."""
_PROBE = "documentation"


class EndpointEmbedder:
    """Keeps the promise `Embedder` as far as the server does: it may compute a text's vector a little differently in
    other company, and what lies behind a name there is the server's business."""

    def __init__(
        self,
        address: str,
        traits: Traits,
        *,
        key: str = "",
        timeout_s: float = 30.0,
        wait: Callable[[float], None] = sleep,
    ) -> None:
        self._server, self._model = _parts(address)
        self._asking = JsonClient(self._server, key, timeout_s, wait)
        self._lock = Lock()
        self.name = endpoint_name(address)
        self.traits = traits

    @cached_property
    def dimensions(self) -> int:
        """As many numbers as the server gives; asks it once."""
        return int(self._rows((_PROBE,)).shape[1])

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row per text, of length 1, or 0 where a text holds no word; raises `ModelFailed` when the server does not
        answer as it should."""
        readable = [text[:_MOST_CHARACTERS].encode("utf-8", "replace").decode() for text in texts]
        # Servers refuse empty texts, or invent something for them.
        asked = [row for row, text in enumerate(readable) if any(letter.isalnum() for letter in text)]
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for first in range(0, len(asked), _BATCH):
            some = asked[first : first + _BATCH]
            rows = self._rows(tuple(readable[row] for row in some))
            if rows.shape[1] != self.dimensions:
                raise self._wrong(f"{rows.shape[1]} numbers for a text and {self.dimensions} for another")
            vectors[some] = rows
        return vectors

    def _rows(self, texts: tuple[str, ...]) -> Vectors:
        """The server's vectors for a few texts, at length 1 and rounded to float16."""
        body = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        with self._lock:
            answer = self._asking.post("embeddings", json.dumps(body).encode(), is_patient=len(texts) > 1)
        if answer.status in _TOO_LONG and (len(texts) > 1 or len(texts[0]) > _LEAST_CHARACTERS):
            half = len(texts) // 2
            if half:
                return np.concatenate((self._rows(texts[:half]), self._rows(texts[half:])))
            return self._rows((texts[0][: len(texts[0]) // 2],))
        if answer.status != 200:
            raise self._refused(answer)
        found = self._read(answer.body, len(texts)).astype(np.float64)
        lengths = np.sqrt(np.square(found).sum(axis=1, keepdims=True))
        halves: NDArray[np.float16] = (found / np.where(lengths == 0.0, 1.0, lengths)).astype(np.float16)
        return halves.astype(np.float32)

    def _read(self, body: bytes, count: int) -> Vectors:
        try:
            listed = json.loads(body)["data"]
            listed = sorted(listed, key=lambda one: int(one["index"]))
            places = [int(one["index"]) for one in listed]
            rows = np.array([one["embedding"] for one in listed], dtype=np.float32)
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            raise self._wrong("something that is no list of embeddings") from error
        if places != list(range(count)) or rows.ndim != 2 or not rows.shape[1]:
            raise self._wrong(f"{len(places)} embeddings for {count} texts")
        if not np.isfinite(rows).all():
            raise self._wrong("numbers that are none")
        return rows

    def _wrong(self, what: str) -> ModelFailed:
        return ModelFailed(
            f"{self._server} answered with {what} when asked for embeddings by “{self._model}”.",
            "Check that the address is that of an OpenAI-compatible server and the model one for embeddings.",
        )

    def _refused(self, answer: ServerReply) -> ModelFailed:
        reason = f"{answer.status} {answer.error_text()}".rstrip(" .")
        return ModelFailed(
            f"{self._server} refused to embed with “{self._model}”: {reason}.",
            "Check its log, the model's name, and the environment variable that holds the key.",
        )


def endpoint_name(address: str) -> str:
    """The embedder's name: the address and the model, without asking anybody."""
    server, model = _parts(address)
    return f"http-{blake2b(f'{_RECIPE} {server} {model}'.encode(), digest_size=8).hexdigest()}"


def endpoint_key(variable: str, environment: Mapping[str, str]) -> str:
    """The key in an environment variable, if one was named; raises `ConfigError` when it is not set."""
    if not variable:
        return ""
    key = environment.get(variable, "").strip()
    if not key or not key.isascii() or not key.isprintable():
        raise ConfigError(f"The environment variable {variable} holds no key.", "Set it, or add the model without one.")
    return key


def _parts(address: str) -> tuple[ServerAddress, str]:
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if not parts.hostname or not parts.fragment or parts.query or parts.username or parts.password:
        raise ConfigError(
            f"“{address.partition('@')[2] or address}” does not name a server and a model.",
            "Write it like http://127.0.0.1:11434/v1#nomic-embed-text; a key goes into an environment variable.",
        )
    return ServerAddress(parts.scheme == "https", parts.hostname, port, parts.path.rstrip("/")), parts.fragment
