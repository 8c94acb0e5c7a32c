"""What the models of both client packages share: one request, whose troubles become sentences.

A prompt enters, the pieces of the answer leave. What a package is called, what a request to it looks like and how its
events are read is told by the model of each provider.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any

from msgspec import Struct

from pinakes.conversation.answer_stream import OpenAnswer, OpenRequest
from pinakes.conversation.cache_targets import cache_target
from pinakes.conversation.endpoints import ModelEndpoint
from pinakes.conversation.failures import broken_off, failure, no_such_model, unusable
from pinakes.conversation.options import ConversationOptions
from pinakes.records.conversation import AnswerPiece, ModelPrompt

MOST_NAMES = 100
"""Models that are named where the wanted one is not there."""

ErrorTypes = tuple[type[Exception], ...]


class ClientPackage(Struct, frozen=True):
    """A provider's package, imported."""

    module: Any
    error: type[Exception]
    """What all of its own errors are."""


class ClientModel(ABC):
    """A model that is asked by the package of its provider."""

    def __init__(self, endpoint: ModelEndpoint, options: ConversationOptions) -> None:
        self._endpoint = endpoint
        self._options = options

    @property
    def name(self) -> str:
        return self._endpoint.model

    @property
    def cache_target(self) -> int:
        return self._options.cache_target_tokens or cache_target(self._endpoint.model)

    def answer(self, prompt: ModelPrompt) -> OpenAnswer:
        """Ask; see `ChatModel`."""
        return OpenAnswer(lambda request: self._pieces(prompt, request))

    @abstractmethod
    def _package(self) -> ClientPackage:
        """The package; raises `ImportError` and whatever else its import does."""

    @abstractmethod
    def _connect(self, package: ClientPackage, http: Any) -> AbstractContextManager[Any]:
        """A client of the package that uses this HTTP client, and does not try again by itself."""

    @abstractmethod
    def _send(self, client: Any, prompt: ModelPrompt, request: OpenRequest, errors: ErrorTypes) -> Any:
        """The stream of events that answers a prompt."""

    @abstractmethod
    def _read(self, events: Iterator[Any], prompt: ModelPrompt) -> Iterator[AnswerPiece]:
        """The pieces of the answer in these events."""

    @abstractmethod
    def _listed(self, client: Any) -> Iterable[Any]:
        """The models that a server lists, as its package has them."""

    def _pieces(self, prompt: ModelPrompt, request: OpenRequest) -> Generator[AnswerPiece, None, None]:
        try:
            import httpx2

            package = self._package()
            module = package.module
            http = module.DefaultHttpxClient(**request.client_options(self._options.timeout_s))
        except (ImportError, OSError, ValueError, TypeError) as error:
            raise unusable(error, self._endpoint) from None
        lost = (httpx2.HTTPError, httpx2.StreamError, module.APIConnectionError)
        errors = (package.error, *lost, httpx2.InvalidURL, ValueError, TypeError, AttributeError, RecursionError)
        has_begun = False
        try:
            with self._connect(package, http) as client:
                try:
                    stream = self._send(client, prompt, request, errors)
                except module.NotFoundError:
                    raise no_such_model(self._endpoint, self._offered(client, errors)) from None
                with stream:
                    has_begun = True
                    yield from self._read(iter(stream), prompt)
        except lost as error:
            if has_begun:
                raise broken_off(self._endpoint) from None
            raise failure(error, self._endpoint, self._options.timeout_s) from None
        except errors as error:
            raise failure(error, self._endpoint, self._options.timeout_s) from None

    def _offered(self, client: Any, errors: ErrorTypes) -> tuple[str, ...]:
        """The names of the models that a server lists; none where it does not."""
        try:
            return tuple(islice((one.id for one in self._listed(client) if isinstance(one.id, str)), MOST_NAMES))
        except errors:
            return ()
