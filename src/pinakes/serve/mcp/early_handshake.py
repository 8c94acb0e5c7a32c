"""The first answer, given before the SDK is loaded: loading takes a second, and a client waits for its handshake.

A line of the protocol enters, the answer to it leaves when it is a handshake without anything unusual; everything else
is left to the SDK. The SDK sees the same request later, and its own answer to it is dropped; a test keeps both equal.
"""

from __future__ import annotations

import json

from pinakes.serve.mcp.identity import HANDSHAKE_VERSIONS, MODERN_VERSION, PREFIX, Data, discovery, handshake

LONGEST = 100_000
"""Bytes of a handshake; more than that is unusual."""


_VERSION, _CAPABILITIES, _CLIENT = (
    f"{PREFIX}{name}" for name in ("protocolVersion", "clientCapabilities", "clientInfo")
)


def first_answer(line: bytes) -> tuple[str | int, bytes] | None:
    """The id of the request and the answer to it, as a line; None when it is not for us."""
    if len(line) > LONGEST:
        return None
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        return None
    match request:
        case {"jsonrpc": "2.0", "id": str() | int() as asked, "method": str() as method, "params": dict() as params}:
            result = None if isinstance(asked, bool) else _result(method, params)
        case _:
            result = None
    if result is None:
        return None
    answer = {"jsonrpc": "2.0", "id": asked, "result": result}
    return asked, json.dumps(answer, separators=(",", ":")).encode() + b"\n"


def _result(method: str, params: dict[str, object]) -> Data | None:
    match method, params:
        case (
            "initialize",
            {
                "protocolVersion": str() as wanted,
                "capabilities": dict() as can,
                "clientInfo": {"name": str(), "version": str()},
            },
        ) if wanted in HANDSHAKE_VERSIONS and "_meta" not in params and _are_objects(can):
            return handshake(wanted)
        case "server/discover", {"_meta": dict() as meta} if len(params) == 1 and _is_usual(meta):
            return discovery()
    return None


def _is_usual(meta: dict[str, object]) -> bool:
    """Whether a request says which version it speaks, who asks, and nothing else."""
    if not set(meta) <= {_VERSION, _CAPABILITIES, _CLIENT} or meta.get(_VERSION) != MODERN_VERSION:
        return False
    client = meta.get(_CLIENT, {"name": "", "version": ""})
    match client:
        case {"name": str(), "version": str()}:
            can = meta.get(_CAPABILITIES)
            return isinstance(can, dict) and _are_objects(can)
    return False


def _are_objects(capabilities: dict[str, object]) -> bool:
    """Whether the SDK will take them, too: it must not refuse what was answered here."""
    return all(isinstance(one, dict) for one in capabilities.values())
