"""Anthropic's models, by Anthropic's own client package.

A prompt enters, the pieces of the answer leave. Cache marks come from `for_anthropic`. The package is imported when
somebody asks: it takes half a second.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from pinakes.context import for_anthropic
from pinakes.conversation.answer_stream import OpenRequest
from pinakes.conversation.asking import NO_KEY, AnswerSize, ask_patiently, encodable, estimate, number
from pinakes.conversation.client_model import MOST_NAMES, ClientModel, ClientPackage, ErrorTypes
from pinakes.conversation.failures import broken_off, failure, refused_to_say
from pinakes.records.conversation import AnswerEnd, AnswerPiece, AnswerText, ModelPrompt, Usage

if TYPE_CHECKING:
    from anthropic import Anthropic

_COUNTS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")


class AnthropicModel(ClientModel):
    """A model at Anthropic, or at a server that speaks like it."""

    def _package(self) -> ClientPackage:
        import anthropic

        return ClientPackage(anthropic, anthropic.AnthropicError)

    def _connect(self, package: ClientPackage, http: Any) -> AbstractContextManager[Anthropic]:
        client: Anthropic = package.module.Anthropic(
            api_key=self._endpoint.key or NO_KEY,
            base_url=self._endpoint.address,
            max_retries=0,
            open_telemetry=False,  # it would put documents into traces
            http_client=http,
        )
        return client

    def _send(self, client: Anthropic, prompt: ModelPrompt, request: OpenRequest, errors: ErrorTypes) -> Any:
        body: dict[str, Any] = encodable(for_anthropic(prompt))
        body |= {"model": self.name, "max_tokens": self._options.max_answer_tokens}
        return ask_patiently(request, lambda: client.messages.create(**body, stream=True), errors)

    def _listed(self, client: Anthropic) -> Iterable[Any]:
        return client.models.list(limit=MOST_NAMES).data

    def _read(self, events: Iterator[Any], prompt: ModelPrompt) -> Iterator[AnswerPiece]:
        size = AnswerSize(self._endpoint)
        counts: dict[str, int] = {}
        stop = ""
        is_known = False
        for event in events:
            kind = getattr(event, "type", None)
            if kind == "message_start":
                is_known = True
                _take(counts, getattr(getattr(event, "message", None), "usage", None))
            elif kind == "content_block_delta":
                text = getattr(getattr(event, "delta", None), "text", None)
                if isinstance(text, str) and text:
                    is_known = True
                    size.add(text)
                    yield AnswerText(text)
            elif kind == "message_delta":
                _take(counts, getattr(event, "usage", None))
                stop = getattr(getattr(event, "delta", None), "stop_reason", None) or stop
            elif kind == "message_stop":
                break
        else:
            if not is_known:
                raise failure(ValueError("there was no message in it"), self._endpoint)
            raise broken_off(self._endpoint)
        if stop == "refusal":
            raise refused_to_say(self._endpoint)
        is_whole = stop not in ("max_tokens", "model_context_window_exceeded")
        yield AnswerEnd(_usage(counts) or estimate(prompt, size), is_whole)


def _take(counts: dict[str, int], usage: object) -> None:
    """Counts of a stream are totals up to the event that has them."""
    for name in _COUNTS:
        found = number(usage, name)
        if found is not None:
            counts[name] = found


def _usage(counts: dict[str, int]) -> Usage | None:
    if "input_tokens" not in counts:
        return None
    fresh, read, written, answered = (counts.get(name, 0) for name in _COUNTS)
    cached = read if "cache_read_input_tokens" in counts else None
    return Usage(fresh + read + written, cached, written, answered)
