"""What the clients of both packages share: asking a busy server again, reading loosely, counting where none counts."""

from __future__ import annotations

from collections.abc import Callable
from json import dumps
from typing import Any, TypeVar

from pinakes.conversation.answer_stream import OpenRequest, ended
from pinakes.conversation.endpoints import ModelEndpoint
from pinakes.conversation.failures import status_of, wanted_wait
from pinakes.conversation.sessions import MOST_LINE
from pinakes.errors import ConversationError
from pinakes.records.conversation import ModelPrompt, Usage
from pinakes.tokens import count_tokens

T = TypeVar("T")

NO_KEY = "none"
"""Sent where no key is needed: without one the packages look for other credentials of the user's."""
_MOST_TOKENS = 10**12
"""A server may send any number, of thousands of digits."""
_TRIES = 3
_LONGEST_WAIT_S = 8.0
"""A server that wants to be left alone for longer is reported, with the time: people decide what to do meanwhile."""
_FIRST_WAIT_S = 0.5
_MOST_BYTES = MOST_LINE - 100_000
"""Of an answer, as a session keeps it: what is longer would be lost."""


def ask_patiently(request: OpenRequest, send: Callable[[], T], errors: tuple[type[Exception], ...]) -> T:
    """Send a request, and again after a short wait where the server is busy or the connection failed. The packages can
    do that themselves, but sleep through a request that is ended meanwhile."""
    for number in range(_TRIES):
        try:
            return send()
        except errors as error:
            status = status_of(error)
            is_passing = status in (408, 409, 429) or status >= 500 if status else "Connect" in type(error).__name__
            asked_for = wanted_wait(error)
            seconds = _FIRST_WAIT_S * 2**number if asked_for is None else asked_for
            if not is_passing or number == _TRIES - 1 or seconds > _LONGEST_WAIT_S:
                raise
            if request.wait(seconds):
                raise ended() from None
    raise AssertionError("the last attempt returns or raises")


def encodable(value: Any) -> Any:
    """A request without halves of letters, which no UTF-8 can carry."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {key: encodable(one) for key, one in value.items()}
    return [encodable(one) for one in value] if isinstance(value, list) else value


class AnswerSize:
    """How long an answer has become; raises `ConversationError` where a server does not come to an end."""

    def __init__(self, endpoint: ModelEndpoint) -> None:
        self._endpoint = endpoint
        self._bytes = 0
        self.tokens = 0

    def add(self, text: str) -> None:
        self._bytes += len(dumps(text))
        self.tokens += count_tokens(text)
        if self._bytes > _MOST_BYTES:
            raise ConversationError(
                f"{self._endpoint.host} answers without an end.", "Lower work.max_answer_tokens, or use another model."
            )


def estimate(prompt: ModelPrompt, size: AnswerSize) -> Usage:
    """Counts of ours, where the provider sends none."""
    return Usage(count_tokens(prompt.text()), None, 0, size.tokens, is_estimate=True)


def number(record: object, name: str) -> int | None:
    """A count in what a server sent; None when there is none that can be."""
    found = getattr(record, name, None)
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < _MOST_TOKENS else None
