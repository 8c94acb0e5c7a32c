"""Who is asked, and how much may be said."""

from __future__ import annotations

from msgspec import Struct

PROVIDERS = ("anthropic", "openai")


class ConversationOptions(Struct, frozen=True):
    """Which language model is asked, and how much is sent to it. Only you decide this, never a project's file."""

    provider: str = "anthropic"
    """`anthropic`, or `openai` for OpenAI and every server that speaks like it: Ollama, vLLM, llama.cpp, OpenRouter."""
    model: str = ""
    """The name of the model, as the provider writes it. Without one there is no conversation."""
    endpoint: str = ""
    """The address of a server of your own or of another provider: `http://localhost:11434/v1`; empty for the usual."""
    key_variable: str = ""
    """The environment variable that holds the key; empty for `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`."""
    max_answer_tokens: int = 8192
    """The longest answer."""
    budget_tokens: int = 0
    """At most this many tokens of the map in a prompt; 0 for `map.budget_tokens`."""
    compact_at_tokens: int = 40_000
    """When this much was said, the model summarises the older part of it."""
    cache_target_tokens: int = 0
    """Tokens of a prompt that the provider caches at least; 0 for what is known of the model."""
    timeout_s: int = 300
    """Seconds without a sign of the provider after which Pinakes gives up."""
