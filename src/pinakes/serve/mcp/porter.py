"""The first answer, given before the SDK is loaded: loading takes a second, and a client waits for its handshake.

A line of the protocol enters, the answer to it leaves when it is a handshake without anything unusual; everything else
is left to the SDK. The SDK sees the same request later, and its own answer to it is dropped; a test keeps both equal.
"""

from __future__ import annotations

import json

from pinakes.serve.mcp.identity import HANDSHAKE_VERSIONS, handshake

LONGEST = 100_000
"""Bytes of a handshake; more than that is unusual."""


def first_answer(line: bytes) -> tuple[str | int, bytes] | None:
    """The id of the request and the answer to it, as a line; None when it is not for us."""
    if len(line) > LONGEST:
        return None
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        return None
    match request:
        case {
            "jsonrpc": "2.0",
            "id": str() | int() as asked,
            "method": "initialize",
            "params": {
                "protocolVersion": str() as wanted,
                "capabilities": dict(),
                "clientInfo": {"name": str(), "version": str()},
            },
        } if wanted in HANDSHAKE_VERSIONS and not isinstance(asked, bool):
            answer = {"jsonrpc": "2.0", "id": asked, "result": handshake(wanted)}
            return asked, json.dumps(answer, separators=(",", ":")).encode() + b"\n"
    return None
