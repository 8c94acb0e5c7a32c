"""A server on this machine that speaks the protocols of Anthropic and OpenAI, and answers as a test wants.

`python -m kits.providers --answers FILE` runs it: each line of the file is an answer as a JSON object with the fields
of `ScriptedAnswer`, taken in order; one with `when` answers questions in which these words occur. The last is repeated.
"""

from __future__ import annotations

import argparse
import json
import select
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from kits.provider_protocols import ProviderCache, ProviderCounts, anthropic_events, error_body, openai_events, text_of

MODELS = ("claude-sonnet-5-5", "gpt-large", "qwen3")


@dataclass(frozen=True)
class ScriptedAnswer:
    """What is sent back to one request."""

    text: str = "All is well."
    piece: int = 7
    """Letters of each piece of the answer."""
    split: int = 0
    """Bytes of each write, wherever that cuts; 0 for one event each."""
    status: int = 200
    message: str = ""
    """Of an error."""
    kind: str = ""
    """The provider's word for the error; by its status when empty."""
    headers: tuple[tuple[str, str], ...] = ()
    stop: str = ""
    """Why the answer ends; the usual when empty."""
    has_usage: bool = True
    cut_after: int = -1
    """Events after which the connection is cut; -1 for never."""
    hold_after: int = -1
    """Events after which nothing more comes until the client leaves, or the server is released; -1 for never."""
    error_after: int = -1
    """Events after which an error comes within the stream, of `kind` and `message`."""
    pause_s: float = 0
    """Seconds between two events, for people who watch."""
    raw: str = ""
    """Sent as it is in place of a stream."""
    media: str = "text/event-stream"
    when: str = ""
    """Words of the question that it answers, out of turn and however often."""


@dataclass(frozen=True)
class AskedRequest:
    """What came in."""

    protocol: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def question(self) -> str:
        messages = self.body.get("messages") or [{"content": ""}]
        return text_of(messages[-1]["content"])

    @property
    def key(self) -> str:
        return self.headers.get("authorization", "").removeprefix("Bearer ") or self.headers.get("x-api-key", "")


@dataclass
class ProviderServer:
    """A running server."""

    port: int
    answers: list[ScriptedAnswer]
    key: str = ""
    """The only one that is taken; empty for any, or none."""
    asked: list[AskedRequest] = field(default_factory=list)
    left: threading.Event = field(default_factory=threading.Event)
    """Set when a client went away before its answer was whole."""
    heard: threading.Event = field(default_factory=threading.Event)
    """Set when a request came."""
    held: threading.Event = field(default_factory=threading.Event)
    """Set when an answer came to the place where it is held."""
    release: threading.Event = field(default_factory=threading.Event)
    cache: ProviderCache = field(default_factory=ProviderCache)
    lock: threading.Lock = field(default_factory=threading.Lock)
    scheme: str = "http"

    @property
    def anthropic(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    @property
    def openai(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}/v1"

    def address(self, provider: str) -> str:
        return self.openai if provider == "openai" else self.anthropic

    def next_answer(self, request: AskedRequest) -> ScriptedAnswer:
        for one in self.answers:
            if one.when and one.when in request.question:
                return one
        waiting = [one for one in self.answers if not one.when]
        if len(waiting) > 1:
            self.answers.remove(waiting[0])
        return waiting[0] if waiting else ScriptedAnswer()


class _ProviderRequest(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    provider: ProviderServer

    def do_GET(self) -> None:
        if self.path.split("?")[0] != "/v1/models" or any(one.status == 404 and one.raw for one in self._script()):
            return self._whole(404, b"{}")
        rows = [{"id": name, "object": "model", "type": "model", "display_name": name} for name in MODELS]
        listed = {"object": "list", "data": rows, "has_more": False, "first_id": MODELS[0], "last_id": MODELS[-1]}
        self._whole(200, json.dumps(listed).encode())

    def do_POST(self) -> None:
        try:
            self._answer()
        except (BrokenPipeError, ConnectionResetError):
            self._leave()

    def _answer(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        protocol = "openai" if self.path.endswith("/chat/completions") else "anthropic"
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = AskedRequest(protocol, self.path, headers, body)
        with self.provider.lock:
            self.provider.asked.append(request)
            self.provider.heard.set()
            answer = self.provider.next_answer(request)
        if self.provider.key and request.key != self.provider.key:
            return self._whole(401, error_body(protocol, 401, f"invalid key {request.key}"))
        if answer.status != 200:
            said = answer.raw.encode() or error_body(protocol, answer.status, answer.message, answer.kind)
            return self._whole(answer.status, said, answer.headers)
        with self.provider.lock:
            count = self.provider.cache.openai if protocol == "openai" else self.provider.cache.anthropic
            counts = count(body)
        self._stream(answer, list(_events(request, answer, counts)))

    def _script(self) -> Sequence[ScriptedAnswer]:
        return self.provider.answers

    def _whole(self, status: int, body: bytes, headers: Sequence[tuple[str, str]] = ()) -> None:
        self.send_response(status)
        for name, value in (("Content-Type", "application/json"), ("Content-Length", str(len(body))), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, answer: ScriptedAnswer, events: list[bytes]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", answer.media)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        places = {answer.cut_after, answer.hold_after}
        waiting = b""
        for number, event in enumerate([*events, b""]):
            if number in places:
                self._write(waiting, answer.split)
                waiting = b""
                if number == answer.cut_after or not self._hold():
                    self.close_connection = True
                    with suppress(OSError):
                        self.connection.shutdown(socket.SHUT_RDWR)
                    return
            waiting += event
            if answer.pause_s and number:
                self.provider.release.wait(answer.pause_s)
            if not answer.split:
                self._write(waiting, 0)
                waiting = b""
        self._write(waiting, answer.split)
        self.wfile.write(b"0\r\n\r\n")

    def _write(self, data: bytes, split: int) -> None:
        step = split or len(data) or 1
        for start in range(0, len(data), step):
            piece = data[start : start + step]
            self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")

    def _hold(self) -> bool:
        """Wait until the test releases the answer; False when the client left before."""
        self.provider.held.set()
        while not self.provider.release.is_set():
            ready, _, _ = select.select([self.connection], [], [], 0.02)
            # TLS cannot peek; nothing but an end is expected.
            flags = 0 if isinstance(self.connection, ssl.SSLSocket) else socket.MSG_PEEK
            if ready and not self.connection.recv(1, flags):
                self._leave()
                return False
        return True

    def _leave(self) -> None:
        self.close_connection = True
        self.provider.left.set()

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


class _QuietServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that leave in the middle are part of the tests."""


def _events(request: AskedRequest, answer: ScriptedAnswer, counts: ProviderCounts) -> Iterator[bytes]:
    if answer.raw:
        yield answer.raw.encode()
        return
    pieces = [answer.text[at : at + answer.piece] for at in range(0, len(answer.text), answer.piece)]
    if request.protocol == "openai":
        events = openai_events(request.body, pieces, counts, answer.stop, has_usage=answer.has_usage)
    else:
        model = request.body["model"]
        events = anthropic_events(model, pieces, counts, answer.stop, has_usage=answer.has_usage)
    for number, event in enumerate(events):
        if number == answer.error_after:
            said = error_body(request.protocol, 500, answer.message, answer.kind).decode()
            name = "event: error\n" if request.protocol == "anthropic" else ""
            yield f"{name}data: {said}\n\n".encode()
            return
        yield event


@contextmanager
def providing(
    answers: Sequence[ScriptedAnswer | str] = ("All is well.",),
    key: str = "",
    port: int = 0,
    certificate: Path | None = None,
) -> Iterator[ProviderServer]:
    """A server for as long as the block lasts. Answers are taken in order; the last is repeated. With a certificate,
    of `make_certificate`, it speaks TLS."""
    script = [ScriptedAnswer(one) if isinstance(one, str) else one for one in answers]

    class Handler(_ProviderRequest):
        provider = ProviderServer(0, script, key)

    server = _QuietServer(("127.0.0.1", port), Handler)
    Handler.provider.port = server.server_address[1]
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        Handler.provider.scheme = "https"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield Handler.provider
    finally:
        Handler.provider.release.set()
        server.shutdown()
        server.server_close()
        thread.join()


def make_certificate(folder: Path) -> Path:
    """A file with a key and a certificate for this machine that nobody vouches for."""
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem"]
    names = ["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command, *names], cwd=folder, check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_bytes((folder / "key.pem").read_bytes() + (folder / "cert.pem").read_bytes())
    return both


def read_answers(path: Path) -> list[ScriptedAnswer]:
    """The answers of a file, one JSON object a line."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [ScriptedAnswer(**{**row, "headers": tuple(map(tuple, row.get("headers", ())))}) for row in rows]


def main(arguments: Sequence[str], wait: Callable[[], object]) -> None:
    """Serve until `wait` returns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=Path, help="a file of answers; without one all is well")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--key", default="", help="the only key that is taken")
    given = parser.parse_args(arguments)
    answers = read_answers(given.answers) if given.answers else [ScriptedAnswer()]
    with providing(answers, given.key, given.port) as server:
        sys.stdout.write(f"anthropic {server.anthropic}\nopenai {server.openai}\n")
        sys.stdout.flush()
        wait()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main(sys.argv[1:], threading.Event().wait)
