"""A real server on this machine that answers like OpenAI's, or as wrongly as a test wants."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from pinakes.neural import load_embedder


@dataclass
class Heard:
    """One request."""

    path: str
    key: str
    texts: list[str]
    model: str


@dataclass
class Reply:
    """What is sent back; `promised` bytes are announced, which may be more than there are."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    promised: int | None = None


@dataclass
class Served:
    """A running server."""

    port: int
    heard: list[Heard] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1#words"


def honest(heard: Heard) -> Reply:
    """The static embedder's vectors, the last text first, as servers may."""
    rows = load_embedder("static").encode(heard.texts)
    data = [{"index": place, "embedding": row.tolist()} for place, row in enumerate(rows)]
    return Reply(json.dumps({"data": data[::-1]}).encode())


@contextmanager
def serving(answer: Callable[[Heard], Reply] = honest) -> Iterator[Served]:
    """A server for as long as the block lasts."""

    class Answering(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            heard = Heard(self.path, self.headers.get("Authorization", ""), asked["input"], asked["model"])
            served.heard.append(heard)
            reply = answer(heard)
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body) if reply.promised is None else reply.promised))
            self.end_headers()
            self.wfile.write(reply.body)
            if reply.promised is not None:
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    server.daemon_threads = True
    server.block_on_close = False
    served = Served(server.server_address[1])
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
