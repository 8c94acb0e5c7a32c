"""A real web server on loopback that answers as a test tells it to, and remembers what was asked of it."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

Answer = Callable[[BaseHTTPRequestHandler], object]


@dataclass
class Web:
    """A server and what became of it."""

    port: int
    host: str
    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    """Paths of all requests."""
    heads: list[Mapping[str, str]] = field(default_factory=list)
    """Their headers."""
    ending: threading.Event = field(default_factory=threading.Event)
    """Set when the server is to end, for answers that would never end by themselves."""

    def url(self, path: str = "/") -> str:
        return f"http://{self.host}:{self.port}{path}"

    def page(self, path: str, body: bytes | str, media: str = "text/markdown", **headers: str) -> str:
        """Serve this from now on; returns where."""
        data = body if isinstance(body, bytes) else body.encode()
        self.answers[path] = lambda handler: send(handler, data, media, headers)
        return self.url(path)

    def redirect(self, path: str, to: str, status: int = 302) -> str:
        self.answers[path] = lambda handler: send(handler, b"", "", {"Location": to}, status)
        return self.url(path)


def send(
    handler: BaseHTTPRequestHandler, data: bytes, media: str, headers: Mapping[str, str], status: int = 200
) -> None:
    """A plain answer."""
    handler.send_response(status)
    if media:
        handler.send_header("Content-Type", media)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    for name, value in {"Content-Length": str(len(data)), **named}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(data)


def self_signed(folder: Path, name: str) -> ssl.SSLContext:
    """A certificate for a name such as ``DNS:page.example`` that nobody else vouches for; skips without openssl."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not here")
    key, certificate = folder / "key.pem", folder / "cert.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=nobody"),
            *("-addext", f"subjectAltName={name}", "-keyout", str(key), "-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


@contextmanager
def web(host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> Iterator[Web]:
    """A server for the time of a block."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.asked.append(self.path)
            served.heads.append(dict(self.headers.items()))
            try:
                if answer := served.answers.get(self.path):
                    answer(self)
                else:
                    send(self, b"gone", "text/plain", {}, 404)
            except OSError:
                self.close_connection = True  # whoever asked has heard enough

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """Whoever asked went away in the middle, as tests do."""

    server = Server((host, 0), Handler)
    server.daemon_threads = True
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    served = Web(server.server_port, host)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield served
    finally:
        served.ending.set()
        server.shutdown()
        server.server_close()
        thread.join()
