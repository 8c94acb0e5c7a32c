"""How large a part of a prompt must be before its provider caches it.

A model enters, tokens leave: what the provider documents, and a tenth more, since our counts are estimates. Below it a
cache mark is spent for nothing, and nobody says so.
"""

from __future__ import annotations

from pinakes.context import CACHE_TARGET

_LEAST = (
    ("claude-opus-5", 512),
    ("claude-fable-5", 512),
    ("claude-mythos-5", 512),
    ("claude-opus-4-7", 4096),
    ("claude-opus-4-6", 4096),
    ("claude-opus-4-5", 4096),
    ("claude-haiku-4", 4096),
    ("claude-3-5-haiku", 2048),
    ("claude-3-haiku", 2048),
)
"""Where it is not 1,024: by how the name begins; the first match counts. Sources differ about Opus 4.7 (2,048 or
4,096): the larger one is right in both cases."""


def cache_target(model: str) -> int:
    """Tokens that a cached tier holds at least for this model; 1,024 and a tenth for all that are not known."""
    name = model.rpartition("/")[2].replace(".", "-").lower()
    for beginning, least in _LEAST:
        if name.startswith(beginning):
            return -(-least * 11 // 10)
    return CACHE_TARGET
