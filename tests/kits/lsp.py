"""An editor for `pinakes lsp`: a real process on real pipes, whose messages must be those of the protocol."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from lsprotocol import converters
from lsprotocol import types as lsp

from kits.waiting import HANG_S

CONVERTER = converters.get_converter()
Heard = Callable[[list[dict[str, Any]]], object]
"""Whether the diagnostics of a document are those that a test waits for."""
CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {"definition": {}, "rename": {"prepareSupport": True}},
    "workspace": {
        "workspaceEdit": {"documentChanges": True, "resourceOperations": ["rename"]},
        "fileOperations": {"willRename": True},
    },
}


def anything(found: list[dict[str, Any]]) -> bool:
    return True


def something(found: list[dict[str, Any]]) -> bool:
    return bool(found)


def nothing(found: list[dict[str, Any]]) -> bool:
    return not found


def framed(body: bytes) -> bytes:
    """A message with its head."""
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


class EditorClient:
    """One process and what is said to it."""

    def __init__(self, process: subprocess.Popen[bytes], encoding: str = "utf-16") -> None:
        self.process = process
        assert process.stdin is not None
        assert process.stdout is not None
        self.stdin, self.stdout = process.stdin, process.stdout
        self.encoding = encoding
        self.logged: list[str] = []
        self.texts: dict[str, str] = {}
        """The open documents."""
        self.versions: dict[str, int] = {}
        self._published: dict[str, list[dict[str, Any]]] = {}
        """The last diagnostics of each document since something was told to the server."""
        self._asked = 0

    def raw(self, data: bytes) -> None:
        self.stdin.write(data)
        self.stdin.flush()

    def say(self, message: object) -> None:
        self.raw(framed(json.dumps(message).encode()))

    def notify(self, method: str, params: object) -> None:
        self._published.clear()
        self.say({"jsonrpc": "2.0", "method": method, "params": params})

    def hear(self) -> dict[str, Any]:
        """The next message, which must be one."""
        length = 0
        while (line := self.stdout.readline().strip()) or not length:
            assert line, "the server has ended"
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        heard: dict[str, Any] = json.loads(self.stdout.read(length))
        if heard.get("method") == lsp.WINDOW_LOG_MESSAGE:
            self.logged.append(heard["params"]["message"])
        if heard.get("method") == lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS:
            params = heard["params"]
            if params.get("version") == self.versions.get(params["uri"]):
                self._published[params["uri"]] = params["diagnostics"]
        if "method" in heard:
            CONVERTER.structure(heard, lsp.METHOD_TO_TYPES[heard["method"]][0])
        return heard

    def answer(self, method: str, params: object) -> dict[str, Any]:
        """The whole answer to a request; what else comes before it is let go."""
        self._asked += 1
        self.say({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params})
        while (heard := self.hear()).get("id") != self._asked or "method" in heard:
            pass
        return heard

    def ask(self, method: str, params: object) -> Any:
        """The result of a request, which must be one of the protocol's."""
        heard = self.answer(method, params)
        assert "error" not in heard, heard
        CONVERTER.structure(heard, lsp.METHOD_TO_TYPES[method][1] or object)
        return heard.get("result")

    def greet(self, *folders: Path, capabilities: Mapping[str, object] | None = None) -> dict[str, Any]:
        listed = [{"uri": folder.as_uri(), "name": folder.name} for folder in folders]
        sent = {**CAPABILITIES, **(capabilities or {}), "general": {"positionEncodings": [self.encoding]}}
        params = {"processId": None, "rootUri": None, "workspaceFolders": listed, "capabilities": sent}
        result: dict[str, Any] = self.ask(lsp.INITIALIZE, params)
        self.notify(lsp.INITIALIZED, {})
        return result

    def open(self, file: Path, text: str | None = None) -> str:
        """Open a document, with the text of its file or another one."""
        uri = file.as_uri()
        self.open_text(uri, file.read_bytes().decode() if text is None else text)
        return uri

    def open_text(self, uri: str, text: str) -> None:
        """Open a document that may have no file."""
        self.texts[uri], self.versions[uri] = text, 1
        item = {"uri": uri, "languageId": "markdown", "version": 1, "text": text}
        self.notify(lsp.TEXT_DOCUMENT_DID_OPEN, {"textDocument": item})

    def close(self, uri: str) -> None:
        del self.versions[uri]
        self.notify(lsp.TEXT_DOCUMENT_DID_CLOSE, {"textDocument": {"uri": uri}})

    def change(self, uri: str, text: str) -> None:
        """Replace the whole text."""
        self.texts[uri] = text
        self.edit(uri, [{"text": text}])

    def edit(self, uri: str, changes: list[dict[str, object]]) -> None:
        """Send changes as they are."""
        self.versions[uri] += 1
        document = {"uri": uri, "version": self.versions[uri]}
        self.notify(lsp.TEXT_DOCUMENT_DID_CHANGE, {"textDocument": document, "contentChanges": changes})

    def save(self, uri: str, file: Path) -> None:
        file.write_bytes(self.texts[uri].encode())
        self.notify(lsp.TEXT_DOCUMENT_DID_SAVE, {"textDocument": {"uri": uri}})

    def diagnostics(self, uri: str, are_these: Heard = anything) -> list[dict[str, Any]]:
        """The diagnostics of a document since something was last told, once they are those waited for."""
        while uri not in self._published or not are_these(self._published[uri]):
            self.hear()
        return self._published[uri]

    def position(self, uri: str, needle: str, behind: int = 0) -> dict[str, int]:
        """Where a piece of an open document begins, so many letters later, in the units of the conversation."""
        text = self.texts[uri]
        before = text[: text.index(needle) + behind].replace("\r\n", "\n")
        line = before.rpartition("\n")[2]
        width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[self.encoding]
        codec = self.encoding if width == 1 else f"{self.encoding}-le"
        return {"line": before.count("\n"), "character": len(line.encode(codec)) // width}

    def at(self, uri: str, needle: str, behind: int = 0, **more: object) -> dict[str, object]:
        """The parameters of a request about a place."""
        return {"textDocument": {"uri": uri}, "position": self.position(uri, needle, behind), **more}

    def covered(self, uri: str, where: Mapping[str, Any]) -> str:
        """The text of a range of an open document."""
        lines = self.texts[uri].replace("\r\n", "\n").split("\n")
        (first, start), (last, end) = ((where[edge]["line"], where[edge]["character"]) for edge in ("start", "end"))
        if first == last:
            return self._cut(lines[first], start, end)
        between = lines[first + 1 : last]
        return "\n".join([self._cut(lines[first], start, None), *between, self._cut(lines[last], 0, end)])

    def _cut(self, line: str, start: int, end: int | None) -> str:
        width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[self.encoding]
        codec = self.encoding if width == 1 else f"{self.encoding}-le"
        data = line.encode(codec)
        return data[start * width : None if end is None else end * width].decode(codec)

    def end(self) -> int:
        """Shut down as an editor does; the exit code."""
        self.ask(lsp.SHUTDOWN, None)
        self.notify(lsp.EXIT, None)
        return self.process.wait(HANG_S)


@contextmanager
def editing(*arguments: str, encoding: str = "utf-16", cwd: Path | None = None) -> Iterator[EditorClient]:
    """A running `pinakes lsp`, killed at the end if it is still there."""
    command: Sequence[str] = [sys.executable, "-m", "pinakes", "lsp", *arguments]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=os.environ, cwd=cwd
    )
    try:
        yield EditorClient(process, encoding)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()
