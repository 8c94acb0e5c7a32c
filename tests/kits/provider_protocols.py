"""What the two providers say on the wire, byte for byte as their documents describe it, and the caches they keep."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pinakes.tokens import count_tokens

LEAST_CACHED = 1024
STEP = 128
"""OpenAI counts what it found in its cache in such steps."""


@dataclass(frozen=True)
class ProviderCounts:
    """The tokens of one request."""

    fresh: int
    read: int
    written: int = 0

    @property
    def sent(self) -> int:
        return self.fresh + self.read + self.written


@dataclass
class ProviderCache:
    """What a provider remembers of earlier requests: the beginnings of prompts."""

    prefixes: set[str] = field(default_factory=set)
    prompts: list[str] = field(default_factory=list)

    def anthropic(self, body: dict[str, Any]) -> ProviderCounts:
        """Up to the last mark that an earlier request had at the same place, it is read; up to the last mark of all,
        written; too short a beginning is neither."""
        prefix, marks = "", []
        for text, is_marked in anthropic_stretches(body):
            prefix += text + "\0"
            if is_marked and count_tokens(prefix) >= LEAST_CACHED:
                marks.append(prefix)
        read = max((count_tokens(one) for one in marks if one in self.prefixes), default=0)
        last = max(map(count_tokens, marks), default=0)
        self.prefixes.update(marks)
        return ProviderCounts(count_tokens(prefix) - last, read, last - read)

    def openai(self, body: dict[str, Any]) -> ProviderCounts:
        """What this prompt has in common with an earlier one, from the beginning on."""
        prompt = "\0".join(f"{one['role']}\0{text_of(one['content'])}" for one in body["messages"])
        common = max((_common(prompt, earlier) for earlier in self.prompts), default=0)
        read = count_tokens(prompt[:common]) // STEP * STEP
        read = read if read >= LEAST_CACHED else 0
        self.prompts.append(prompt)
        return ProviderCounts(count_tokens(prompt) - read, read)


def anthropic_stretches(body: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """The texts of a request in their order, and whether a cache mark ends each."""
    system = body.get("system", [])
    for block in [{"text": system}] if isinstance(system, str) else system:
        yield block["text"], "cache_control" in block
    for message in body["messages"]:
        content = message["content"]
        for block in [{"text": content}] if isinstance(content, str) else content:
            yield f"{message['role']}\0{block['text']}", "cache_control" in block


def text_of(content: Any) -> str:
    """The text of a message, whether it is one or a list of parts."""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _common(one: str, other: str) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def _event(name: str, data: dict[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()


def anthropic_events(
    model: str, pieces: list[str], counts: ProviderCounts, stop: str = "", *, has_usage: bool = True
) -> Iterator[bytes]:
    """A stream of Anthropic's Messages."""
    usage = {
        "input_tokens": counts.fresh,
        "cache_creation_input_tokens": counts.written,
        "cache_read_input_tokens": counts.read,
        "output_tokens": 1,
    }
    message: dict[str, Any] = {"id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": []}
    message |= {"stop_reason": None, "stop_sequence": None, "usage": usage if has_usage else {}}
    yield _event("message_start", {"type": "message_start", "message": message})
    block = {"type": "text", "text": ""}
    yield _event("content_block_start", {"type": "content_block_start", "index": 0, "content_block": block})
    yield _event("ping", {"type": "ping"})
    for piece in pieces:
        delta = {"type": "text_delta", "text": piece}
        yield _event("content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta})
    yield _event("content_block_stop", {"type": "content_block_stop", "index": 0})
    ended = {"stop_reason": stop or "end_turn", "stop_sequence": None}
    answered = {"output_tokens": count_tokens("".join(pieces))} if has_usage else {}
    yield _event("message_delta", {"type": "message_delta", "delta": ended, "usage": answered})
    yield _event("message_stop", {"type": "message_stop"})


def openai_events(
    body: dict[str, Any], pieces: list[str], counts: ProviderCounts, stop: str = "", *, has_usage: bool = True
) -> Iterator[bytes]:
    """A stream of OpenAI's chat completions; usage comes last, and only when it was asked for."""

    def chunk(choices: list[dict[str, Any]], **more: object) -> bytes:
        head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
        return f"data: {json.dumps({**head, 'choices': choices, **more})}\n\n".encode()

    wants_usage = has_usage and (body.get("stream_options") or {}).get("include_usage")
    more = {"usage": None} if wants_usage else {}
    first = {"role": "assistant", "content": "", "refusal": None}
    yield chunk([{"index": 0, "delta": first, "finish_reason": None}], **more)
    for piece in pieces:
        yield chunk([{"index": 0, "delta": {"content": piece}, "finish_reason": None}], **more)
    yield chunk([{"index": 0, "delta": {}, "finish_reason": stop or "stop"}], **more)
    if wants_usage:
        answered = count_tokens("".join(pieces))
        usage = {"prompt_tokens": counts.sent, "completion_tokens": answered, "total_tokens": counts.sent + answered}
        yield chunk([], usage={**usage, "prompt_tokens_details": {"cached_tokens": counts.read}})
    yield b"data: [DONE]\n\n"


def error_body(protocol: str, status: int, message: str, kind: str = "") -> bytes:
    """An error as each provider writes it."""
    kinds = {400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error"}
    kinds |= {413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error"}
    kind = kind or kinds.get(status, "api_error")
    if protocol == "anthropic":
        found: dict[str, Any] = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
    else:
        found = {"error": {"message": message, "type": kind, "param": None, "code": kind}}
    return json.dumps(found).encode()
