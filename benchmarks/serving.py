"""How a server holds up: many clients at once, for a while, over real sockets.

    python -m benchmarks.serving FOLDER [--clients 50] [--seconds 60] [--pause 0.5] [--store S] [--touch]
                                 [--workers N] [--searches] [--bars]

A folder enters, a table leaves: answers a second, p50, p99 and the longest wait, errors, the server's processor time
for an answer (which tells more than waits do on a machine that is busy with other things), and how much its memory grew
over the second half. Clients are threads of another process, each with a connection of its own that it keeps; they ask
for searches mostly (with `--searches` for nothing else), and for sections, links and maps in between. With `--touch` a
file changes every second. Time and memory are those of all processes of the server; a page that several of them share
counts once.

With `--bars` three loads come one after the other on two workers, and a table says what they are held to: 8 clients
that never pause and only search; 50 clients beside edits; and the same while the better model replaces the quick one.
"""

from __future__ import annotations

import argparse
import compileall
import json
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from multiprocessing.connection import Connection
from pathlib import Path
from urllib.parse import urlencode

import pinakes
from benchmarks.speed_bars import SpeedBar, table
from benchmarks.table import machine

CALLERS, CROWD = 8, 50
LEAST_RATE = 220.0
"""Searches a second that two workers give eight callers."""
MOST_P99_MS = 250.0
"""Of fifty clients beside edits."""
MIX = ("search",) * 16 + ("read",) * 2 + ("links", "map")
"""What one in so many requests asks for."""


def start(folder: Path, options: argparse.Namespace) -> tuple[subprocess.Popen[str], int]:
    """A server of the folder on a free port, started and indexed."""
    store = ["--store", options.store] if options.store else []
    environment = {**os.environ, **dict(pair.split("=", 1) for pair in options.environment)}
    workers = ["--workers", str(options.workers)] if options.workers else []
    command = [sys.executable, "-m", "pinakes", "serve", str(folder), "--port", "0", *store, *workers]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stderr is not None
    line = process.stderr.readline()
    found = re.search(r":(\d+)/", line)
    if not found:
        raise SystemExit(line + process.stderr.read())
    return process, int(found[1])


def ask(connection: HTTPConnection, port: int, path: str, **parameters: object) -> tuple[int, bytes]:
    connection.request("GET", f"{path}?{urlencode(parameters)}", headers={"Host": f"127.0.0.1:{port}"})
    response = connection.getresponse()
    return response.status, response.read()


@dataclass(frozen=True)
class Load:
    """What the clients do, and what they saw."""

    port: int
    refs: list[str]
    until: float
    pause_s: float
    mix: tuple[str, ...] = MIX
    waits: list[tuple[str, float]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def client(load: Load, seed: int) -> None:
    """One client: asks, reads the answer, looks at it for a while, asks again."""
    port, waits, errors = load.port, load.waits, load.errors
    dice = random.Random(seed)
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    time.sleep(dice.uniform(0, 2 * load.pause_s))
    while time.monotonic() < load.until:
        address = dice.choice(load.refs)
        words = re.sub(r"[^a-z]+", " ", address.lower()).split()
        kind = dice.choice(load.mix)
        asked: dict[str, object] = {"address": address}
        if kind == "search":
            asked = {"query": " ".join(dice.sample(words, min(3, len(words)))) or "docs", "limit": 10}
        elif kind == "map":
            asked = {"under": address.partition("#")[0], "budget": 1000, "format": "text"}
        started = time.perf_counter()
        try:
            status, body = ask(connection, port, f"/{kind}", **asked)
            if status != 200:
                errors.append(f"{status} {kind} {asked}: {body[:200]!r}")
        except (OSError, HTTPException) as error:
            errors.append(f"{type(error).__name__} {kind}")
            connection.close()
        waits.append((kind, time.perf_counter() - started))
        time.sleep(dice.uniform(0, 2 * load.pause_s))
    connection.close()


def crowd(port: int, options: argparse.Namespace, refs: list[str], told: Connection) -> None:
    """All clients, in a process of their own, so that they do not take the server's turn at the interpreter."""
    mix = ("search",) if options.searches else MIX
    load = Load(port, refs, time.monotonic() + options.seconds, options.pause, mix)
    threads = [threading.Thread(target=client, args=(load, number)) for number in range(options.clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told.send((load.waits, load.errors))


def processes(process: subprocess.Popen[str]) -> list[int]:
    """The server and those that it started."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    return [process.pid, *map(int, children.split())]


def resident(process: subprocess.Popen[str]) -> int:
    texts = [Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in processes(process)]
    return sum(int(found[1]) for text in texts if (found := re.search(r"^Pss: +(\d+) kB", text, re.M))) * 1024


def processor_s(process: subprocess.Popen[str]) -> float:
    """Seconds of processor time that the server has used so far."""
    ticks = 0
    for pid in processes(process):
        ticks += sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def by_kind(waits: list[tuple[str, float]]) -> dict[str, list[float]]:
    """How long the answers to each kind of question took, sorted; all of them first."""
    kinds = {"all": sorted(took for _, took in waits)}
    return kinds | {kind: sorted(took for one, took in waits if one == kind) for kind in dict.fromkeys(MIX)}


def spread(times: list[float]) -> str:
    if not times:
        return "none asked"
    shares = (times[int(len(times) * share)] for share in (0.5, 0.95, 0.99))
    return ", ".join(f"{1000 * took:.0f} ms" for took in (*shares, times[-1]))


@dataclass(frozen=True)
class Served:
    """What became of a load."""

    passages: int
    waits: list[tuple[str, float]]
    errors: list[str]
    processor_s: float
    memory: list[int]
    """Bytes, second by second."""


def measure(folder: Path, options: argparse.Namespace) -> Served:
    process, port = start(folder, options)
    try:
        connection = HTTPConnection("127.0.0.1", port, timeout=600)
        while (found := ask(connection, port, "/search", query="warm up", anyway=1))[0] != 200:
            print(found[1][:200].decode(), file=sys.stderr)
        status = json.loads(ask(connection, port, "/status")[1])
        files = [one["path"] for one in json.loads(ask(connection, port, "/files")[1]) if one["state"] == "indexed"]
        refs = random.Random(7).sample(files, min(2000, len(files)))
        connection.close()
        hearing, told = multiprocessing.Pipe(duplex=False)
        clients = multiprocessing.Process(target=crowd, args=(port, options, refs, told), daemon=True)
        clients.start()
        memory = []
        used = processor_s(process)
        started = time.monotonic()
        while time.monotonic() - started < options.seconds:
            time.sleep(1)
            memory.append(resident(process))
            if options.touch:
                (folder / "touched-by-benchmark.md").write_text(f"# Touched\n\nAt {time.time()}.\n", encoding="utf-8")
        waits, errors = hearing.recv()
        used = processor_s(process) - used
        clients.join()
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(10)
        if options.touch:
            (folder / "touched-by-benchmark.md").unlink(missing_ok=True)
    return Served(status["passages"], waits, errors, used, memory)


def report(served: Served, options: argparse.Namespace) -> None:
    """Print a table of what became of a load."""
    waits, errors, memory = served.waits, served.errors, served.memory
    half = memory[len(memory) // 2]
    rows = [
        ("passages", f"{served.passages:,}"),
        ("clients", str(options.clients)),
        ("answers", f"{len(waits):,} ({len(waits) / options.seconds:.0f} a second)"),
        *[(f"{name}: p50, p95, p99, longest", spread(times)) for name, times in by_kind(waits).items() if times],
        ("processor time for an answer", f"{1000 * served.processor_s / max(1, len(waits)):.1f} ms"),
        ("errors", str(len(errors))),
        ("memory at half", f"{half / 1e6:.0f} MB"),
        ("growth over the second half", f"{100 * (memory[-1] - half) / half:+.1f} %"),
    ]
    print("| what | figure |\n|---|---:|")
    for name, figure in rows:
        print(f"| {name} | {figure} |")
    for error in errors[:5]:
        print(error)


def bars(folder: Path, options: argparse.Namespace) -> Iterator[SpeedBar]:
    """Each of the three loads, and what it is held to."""
    with tempfile.TemporaryDirectory(prefix="pinakes-serving-") as kept:
        # What was embedded for another library would make the upgrade shorter than it is.
        static, upgrading = f"XDG_CACHE_HOME={kept}/cache", "PINAKES_NEURAL_MODEL=auto"
        options.store = options.store or f"{kept}/index"
        command = [sys.executable, "-m", "pinakes", "sync", "--wait", "--root", str(folder), "--store", options.store]
        environment = {**os.environ, "XDG_CACHE_HOME": f"{kept}/cache", "PINAKES_NEURAL_MODEL": "static"}
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
        options.workers = options.workers or 2
        quiet = [static, "PINAKES_NEURAL_MODEL=static"]
        name = f"{CALLERS} callers, searches a second"
        served = _load(folder, options, name, clients=CALLERS, pause=0.0, touch=False, searches=True, environment=quiet)
        yield SpeedBar(name, "", LEAST_RATE, len(served.waits) / options.seconds, is_least=True)
        for name, models in (("beside edits", quiet), ("beside edits and the upgrade", [static, upgrading])):
            crowd = f"{CROWD} clients {name}"
            served = _load(
                folder, options, crowd, clients=CROWD, pause=0.5, touch=True, searches=False, environment=models
            )
            p99 = by_kind(served.waits)["all"][int(0.99 * len(served.waits))]
            yield SpeedBar(f"{crowd}, p99", "ms", MOST_P99_MS, 1000 * p99)
            yield SpeedBar(f"{crowd}, errors", "", 1.0, len(served.errors))


def _load(folder: Path, options: argparse.Namespace, name: str, **changes: object) -> Served:
    for key, value in changes.items():
        setattr(options, key, value)
    print(f"\n{name}\n")
    served = measure(folder, options)
    report(served, options)
    return served


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pause", type=float, default=0.5, help="seconds a client looks at an answer, on average")
    parser.add_argument("--store", help="where the index is kept")
    parser.add_argument("--touch", action="store_true", help="change a file of the folder every second")
    parser.add_argument("--workers", type=int, help="processes that answer")
    parser.add_argument("--searches", action="store_true", help="ask for nothing but searches")
    parser.add_argument("--bars", action="store_true", help="the three loads that serving is held to, on two workers")
    parser.add_argument("--set", dest="environment", action="append", default=[], help="for the server: KEY=VALUE")
    options = parser.parse_args()
    compileall.compile_dir(Path(pinakes.__file__).parent, quiet=1)
    print(f"{machine()}\n")
    if options.bars:
        print("\n".join(table([*bars(options.folder, options)])))
    else:
        report(measure(options.folder, options), options)


if __name__ == "__main__":
    main()
