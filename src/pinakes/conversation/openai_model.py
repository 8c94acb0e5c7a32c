"""Models of OpenAI and of every server that speaks like it, by OpenAI's own client package.

A prompt enters, the pieces of the answer leave. There are no cache marks: what a prompt has in common with the one
before, from its beginning on, is cached by the provider. Servers know different dialects: what one does not know of a
request is left out or written otherwise when it says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from pinakes.context import for_openai
from pinakes.conversation.answer_stream import OpenRequest
from pinakes.conversation.asking import NO_KEY, AnswerSize, ask_patiently, encodable, estimate, number
from pinakes.conversation.client_model import ClientModel, ClientPackage, ErrorTypes
from pinakes.conversation.failures import broken_off, failure, quoted, refused_to_say, status_of
from pinakes.records.conversation import AnswerEnd, AnswerPiece, AnswerText, ModelPrompt, Usage

if TYPE_CHECKING:
    from openai import OpenAI

_NEW_LIMIT, _OLD_LIMIT = "max_completion_tokens", "max_tokens"


class OpenAiModel(ClientModel):
    """A model at OpenAI, or at a server that speaks like it."""

    def _package(self) -> ClientPackage:
        import openai

        return ClientPackage(openai, openai.OpenAIError)

    def _connect(self, package: ClientPackage, http: Any) -> AbstractContextManager[OpenAI]:
        client: OpenAI = package.module.OpenAI(
            api_key=self._endpoint.key or NO_KEY, base_url=self._endpoint.address, max_retries=0, http_client=http
        )
        return client

    def _body(self, prompt: ModelPrompt) -> dict[str, Any]:
        messages: list[dict[str, Any]] = []
        for one in encodable(for_openai(prompt)["messages"]):
            # Templates of many open models refuse a second system message.
            if messages and one["role"] == "system":
                messages[-1]["content"] += "\n\n" + one["content"]
            else:
                messages.append(one)
        limit = _NEW_LIMIT if self._endpoint.is_usual else _OLD_LIMIT
        return {
            "model": self.name,
            "messages": messages,
            "stream": True,
            "stream_options": {"include_usage": True},
            limit: self._options.max_answer_tokens,
        }

    def _send(self, client: OpenAI, prompt: ModelPrompt, request: OpenRequest, errors: ErrorTypes) -> Any:
        create: Callable[..., Any] = client.chat.completions.create
        body = self._body(prompt)
        for _ in range(3):
            try:
                return ask_patiently(request, lambda: create(**body), errors)
            except errors as error:
                said = quoted(error, self._endpoint)
                if status_of(error) not in (400, 422) or not _in_other_words(body, said):
                    raise
        return ask_patiently(request, lambda: create(**body), errors)

    def _listed(self, client: OpenAI) -> Iterable[Any]:
        return client.models.list().data

    def _read(self, chunks: Iterator[Any], prompt: ModelPrompt) -> Iterator[AnswerPiece]:
        size = AnswerSize(self._endpoint)
        usage: Usage | None = None
        stop = ""
        is_known = False
        for chunk in chunks:
            usage = _usage(getattr(chunk, "usage", None)) or usage
            choices = getattr(chunk, "choices", None)
            for choice in choices[:1] if isinstance(choices, list) else ():
                is_known = True
                stop = getattr(choice, "finish_reason", None) or stop
                delta = getattr(choice, "delta", None)
                text = getattr(delta, "content", None) or getattr(delta, "refusal", None)
                if isinstance(text, str) and text:
                    size.add(text)
                    yield AnswerText(text)
        if not is_known:
            raise failure(ValueError("there was no message in it"), self._endpoint)
        if not stop:
            raise broken_off(self._endpoint)
        if stop == "content_filter":
            raise refused_to_say(self._endpoint)
        yield AnswerEnd(usage or estimate(prompt, size), stop != "length")


def _in_other_words(body: dict[str, Any], said: str) -> bool:
    """Change what a server says it does not know; returns whether anything was changed."""
    if "stream_options" in said:
        return body.pop("stream_options", None) is not None
    for old, new in ((_OLD_LIMIT, _NEW_LIMIT), (_NEW_LIMIT, _OLD_LIMIT)):
        if old in body and _NEW_LIMIT in said:
            body[new] = body.pop(old)
            return True
    return False


def _usage(usage: object) -> Usage | None:
    sent = number(usage, "prompt_tokens")
    if sent is None:
        return None
    cached = number(getattr(usage, "prompt_tokens_details", None), "cached_tokens")
    return Usage(sent, cached, 0, number(usage, "completion_tokens") or 0)
