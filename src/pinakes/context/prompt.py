"""A prompt as providers want it.

A layout, what was said and the question enter; a `ModelPrompt` leaves, and from that the request of Anthropic, with a
cache mark at the end of each cached tier, or of OpenAI and all who speak like it, which caches by the order alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from pinakes.records.context import ContextLayout, Tier
from pinakes.records.conversation import ChatMessage, ModelPrompt, PromptPart

_CACHED = (Tier.L0, Tier.L1, Tier.L2, Tier.L3)
"""Anthropic takes four marks."""
REMINDER = "Write each change as a block: path, FIND with the exact text, what shall stand instead, END."
"""Stands behind each question: what a prompt says at its beginning is forgotten in a long one."""


def assemble(system: str, layout: ContextLayout, said: Sequence[ChatMessage] = (), question: str = "") -> ModelPrompt:
    """The prompt of one request. The system text is cached along with the tier behind it."""
    tiers = [PromptPart(tier.name, layout.text(tier), is_cached=True) for tier in _CACHED]
    active = PromptPart(Tier.ACTIVE.name.lower(), layout.text(Tier.ACTIVE), is_cached=False)
    parts = [PromptPart("system", system, is_cached=False), *tiers, active]
    asked = f"{question}\n\n{REMINDER}" if question else ""
    return ModelPrompt(tuple(part for part in parts if part.text), tuple(said), asked)


def for_anthropic(prompt: ModelPrompt) -> dict[str, object]:
    """The fields `system` and `messages` of a request to Anthropic."""
    system: list[dict[str, object]] = []
    for part in prompt.parts:
        mark = {"cache_control": {"type": "ephemeral"}} if part.is_cached else {}
        system.append({"type": "text", "text": part.text, **mark})
    return {"system": system, "messages": _messages(prompt)}


def for_openai(prompt: ModelPrompt) -> dict[str, object]:
    """The field `messages` of a request to OpenAI: what is settled in one message, what is active in a second."""
    settled = "\n\n".join(part.text for part in prompt.parts if part.is_cached or part.name == "system")
    active = [part.text for part in prompt.parts if not part.is_cached and part.name != "system"]
    system = [{"role": "system", "content": text} for text in (settled, *active) if text]
    return {"messages": [*system, *_messages(prompt)]}


def _messages(prompt: ModelPrompt) -> list[dict[str, object]]:
    said: list[dict[str, object]] = [{"role": one.role, "content": one.text} for one in prompt.said]
    return [*said, {"role": "user", "content": prompt.question}] if prompt.question else said
