"""One process, traced: its routes are gone one after another, and their figures leave as JSON.

    python -m benchmarks.routes.doors DOOR FOLDER FILE

FOLDER holds documents that may be changed and indexed, FILE takes the figures. The program runs in the main thread as a
shell would start it, and a second thread is its client; only names that outlive a refactoring are used: `pinakes.open`,
`Library.search`, the commands, and what they answer.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from http.client import HTTPConnection
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

import pinakes
from benchmarks.routes.tracer import Trace, Tracer

QUESTION = "when does high water come"
STALE_S = 2.5
"""After so long without a look at the files, a door that does not watch them looks again."""
ROUNDS = 3
"""Warm routes are gone so often, and the shortest counts: another thread may run in the middle."""
_LONGEST_S = 60.0

Traces = dict[str, Trace]
Finish = Callable[[Traces], None]


def main(arguments: list[str]) -> int:
    """Trace what is named."""
    door, folder, file = arguments
    tracer = Tracer(Path(pinakes.__file__).parent)
    tracer.install()
    threading.excepthook = _end

    def finish(traces: Traces) -> None:
        told = {route: asdict(trace) for route, trace in traces.items()}
        Path(file).write_text(json.dumps(told), encoding="utf-8")

    _DOORS[door](tracer, Path(folder), finish)
    return 0


def _end(failure: threading.ExceptHookArgs) -> None:
    """A client that fails ends the process, which would serve for ever."""
    sys.excepthook(failure.exc_type, failure.exc_value or failure.exc_type(), failure.exc_traceback)
    os._exit(1)


def _library(tracer: Tracer, folder: Path, finish: Finish) -> None:
    """The package's own functions, without a door."""
    warm = folder.with_name(f"{folder.name}-warm")
    for path in folder.glob("*.*"):
        warm.mkdir(exist_ok=True)
        (warm / path.name).write_bytes(path.read_bytes())
    with pinakes.open(warm) as library:  # imports happen here
        library.sync()
        library.search(QUESTION)
    traces: Traces = {}
    tracer.begin()
    library = pinakes.open(folder)
    traces["open"] = tracer.end()
    refresh = getattr(library, "refresh", library.sync)
    tracer.begin()
    library.sync()
    traces["first sync"] = tracer.end()
    refresh()
    traces["refresh, nothing changed"] = _shortest(tracer, refresh)
    _edit(folder)
    tracer.begin()
    refresh()
    traces["refresh, one edit"] = tracer.end()
    library.search(QUESTION)
    traces["search, warm"] = _shortest(tracer, lambda: library.search(QUESTION))
    library.close()
    finish(traces)


def _command(tracer: Tracer, folder: Path, finish: Finish) -> None:
    """`pinakes search` twice: the first time, everything is imported and indexed."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    words = ("search", "--root", str(folder), QUESTION)
    _run(*words)
    tracer.settle()
    finish({"command line": _shortest(tracer, lambda: _run(*words))})


def _watched(tracer: Tracer, folder: Path, finish: Finish) -> None:
    """`pinakes serve`, which watches its files."""

    def client(port: int) -> None:
        traces: Traces = {}
        tracer.settle()
        traces["HTTP, watched, warm"] = _shortest(tracer, lambda: _get(port, _SEARCH))
        page = _page(folder)
        _get(port, page)
        tracer.settle()
        traces["page, watched, warm"] = _shortest(tracer, lambda: _get(port, page))
        tracer.settle()
        tracer.begin()
        _edit(folder)
        tracer.wait_for_sync()
        traces["edit seen by the watcher"] = tracer.end()
        finish(traces)

    _served(client, "serve", str(folder))


def _unwatched(tracer: Tracer, folder: Path, finish: Finish) -> None:
    """`pinakes serve --no-watch`, which looks at its files before it answers."""

    def client(port: int) -> None:
        page = _page(folder)
        _get(port, page)
        tracer.settle()
        traces = {"HTTP, unwatched, stale": _stale(tracer, lambda: _get(port, _SEARCH))}
        traces["page, unwatched, stale"] = _stale(tracer, lambda: _get(port, page))
        finish(traces)

    _served(client, "serve", str(folder), "--no-watch")


def _mcp(tracer: Tracer, folder: Path, finish: Finish) -> None:
    """`pinakes mcp --no-watch` on pipes."""
    theirs, ours = os.pipe()
    hears, says = os.pipe()
    os.dup2(theirs, 0)
    os.dup2(says, 1)
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    requests, answers = os.fdopen(ours, "w", buffering=1), os.fdopen(hears)

    def client() -> None:
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "routes", "version": "1"}}
        _say(requests, answers, "initialize", hello)
        requests.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n")
        call = {"name": "search", "arguments": {"query": QUESTION}}

        def ask() -> None:
            told = _say(requests, answers, "tools/call", call)
            if told["result"].get("isError"):
                raise ValueError(f"benchmarks: {told}")

        ask()
        tracer.settle()
        traces = {"MCP, stale": _stale(tracer, ask)}
        ask()
        traces["MCP, within 2 s"] = _shortest(tracer, ask)
        finish(traces)
        requests.close()

    threading.Thread(target=client, daemon=True).start()
    _run("mcp", str(folder), "--no-watch")


_DOORS: dict[str, Callable[[Tracer, Path, Finish], None]] = {
    "library": _library,
    "command": _command,
    "watched": _watched,
    "unwatched": _unwatched,
    "mcp": _mcp,
}
DOORS = tuple(_DOORS)
_SEARCH = f"/search?query={quote(QUESTION)}"


def _page(folder: Path) -> str:
    return f"/in/{quote(folder.name)}/search?q={quote(QUESTION)}"


def _shortest(tracer: Tracer, go: Callable[[], object]) -> Trace:
    traces = []
    for _ in range(ROUNDS):
        tracer.begin()
        go()
        traces.append(tracer.end())
    return min(traces, key=lambda trace: trace.functions)


def _stale(tracer: Tracer, go: Callable[[], object]) -> Trace:
    """The route when nobody has looked at the files for a while; the look may end after the answer."""
    time.sleep(STALE_S)
    tracer.begin()
    go()
    tracer.wait_for_sync()
    return tracer.end()


def _edit(folder: Path) -> None:
    with (folder / "tides.md").open("a", encoding="utf-8") as file:
        file.write("\nLow water is the best time for painting a hull.\n")


def _run(*words: str) -> None:
    """The program, as the shell calls it."""
    from pinakes.serve.cli import main as program

    sys.argv = ["pinakes", *words]
    with suppress(SystemExit):
        program()


def _served(client: Callable[[int], None], *words: str) -> None:
    os.environ["PINAKES_WORKERS"] = "1"  # this process is traced, and no other one
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def once_up() -> None:
        deadline = time.monotonic() + _LONGEST_S
        while True:
            try:
                _get(port, _SEARCH)
                break
            except (OSError, ValueError) as trouble:
                if time.monotonic() > deadline:
                    raise TimeoutError(f"the server does not answer: {trouble}") from None
                time.sleep(0.1)
        client(port)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=once_up, daemon=True).start()
    _run(*words, "--port", str(port))


def _get(port: int, path: str) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=_LONGEST_S)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise ValueError(f"{answer.status} {body[:300]!r}")
    finally:
        connection.close()


def _say(requests: IO[str], answers: IO[str], method: str, params: object) -> Any:
    requests.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n")
    while (told := json.loads(answers.readline())).get("id") != 1:
        pass
    return told


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
