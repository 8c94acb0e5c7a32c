"""An editor that says anything, without a process: bytes are framed, taken and answered in this one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from kits.trees import write_tree

if TYPE_CHECKING:
    from pinakes.serve.lsp.server import Conversation

_ENDS = ("exit", "shutdown")
_DOCUMENTS = {"pinakes.toml": "", "a.md": "# A\n\n[b](b.md#b) [x](gone.md) [[b]]\n", "b.md": "# B\n\n## C\n"}
_WAIT_S = 20.0


class EditorTalk:
    """One conversation over a few documents, which lasts as long as the process."""

    def __init__(self, root: Path) -> None:
        from pinakes.serve.lsp.server import Conversation

        self._root = write_tree(root, _DOCUMENTS)
        self._heard: list[dict[str, object]] = []
        self._loop = asyncio.new_event_loop()
        self._last = 0
        self._conversation: Conversation = self._loop.run_until_complete(self._begun(Conversation))

    def hear(self, data: bytes) -> None:
        """The same bodies come of any pieces; each is taken. A line that names a method and its parameters, with ROOT
        for the folder, is a request that gets one answer."""
        from pinakes.serve.lsp.framing import bodies

        whole = list(bodies(_in_pieces(data, len(data) or 1)))
        assert whole == list(bodies(_in_pieces(data, 1))) == list(bodies(_in_pieces(data, 7)))
        method, _, parameters = data.replace(b"ROOT", self._root.as_uri().encode()).partition(b" ")
        bodies_of_ours = [body for body in whole if body is not None]
        self._loop.run_until_complete(self._take(bodies_of_ours, method.decode("utf-8", "replace"), parameters))

    async def _begun(self, kind: Callable[..., Conversation]) -> Conversation:
        conversation = kind((self._root,), {}, self._write)
        folders = [{"uri": self._root.as_uri(), "name": "a"}]
        parameters: dict[str, object] = {
            "processId": None,
            "rootUri": None,
            "workspaceFolders": folders,
            "capabilities": {},
        }
        conversation.take({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": parameters})
        await self._answer(0)
        conversation.take({"jsonrpc": "2.0", "method": "initialized", "params": {}})
        return conversation

    async def _take(self, messages: list[bytes], method: str, parameters: bytes) -> None:
        for body in messages:
            self._say(body)
        try:
            asked = json.loads(parameters)
        except (ValueError, RecursionError):
            return
        if method in _ENDS:
            return
        self._last += 1
        self._heard.clear()
        number = f"request {self._last}"
        if self._conversation.take({"jsonrpc": "2.0", "id": number, "method": method, "params": asked}):
            await self._answer(number)

    def _say(self, body: bytes) -> None:
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            return
        if not (isinstance(message, dict) and message.get("method") in _ENDS):
            self._conversation.take(message)

    async def _answer(self, number: object) -> None:
        until = asyncio.get_running_loop().time() + _WAIT_S
        while not (found := [one for one in self._heard if one.get("id") == number and "method" not in one]):
            assert asyncio.get_running_loop().time() < until, f"{number} got no answer"
            await asyncio.sleep(0.001)
        assert len(found) == 1

    def _write(self, data: bytes) -> None:
        self._heard.append(json.loads(data.partition(b"\r\n\r\n")[2]))


def _in_pieces(data: bytes, size: int) -> Callable[[], bytes]:
    pieces = iter([data[at : at + size] for at in range(0, len(data), size)])
    return lambda: next(pieces, b"")
