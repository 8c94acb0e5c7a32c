"""`pinakes mcp` as a client meets it: how soon it answers, how long a search takes, what its tools cost.

Run with ``python -m benchmarks.serving_mcp ROOT [--store FOLDER] [--starts N] [--searches N]``. Settings come from the
environment, as always (``PINAKES_KEYWORDS_ENABLED=false``). The clock runs from before the process is started until the
answer's last byte has come through the pipe, so it holds everything a client waits for.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from pinakes.tokens import count_tokens

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}
_HEADING = re.compile(r"^\s*#+ ([^~\[←→]+)", re.MULTILINE)


class Client:
    """One process, asked one thing after another."""

    def __init__(self, words: Sequence[str]) -> None:
        self.started = time.perf_counter()
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self._count = 0

    def say(self, method: str, params: Mapping[str, object] | None = None, asked: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message if asked is None else {**message, "id": asked}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: Mapping[str, object] | None = None) -> tuple[dict[str, Any], bytes]:
        """The result of a request and the line it came in."""
        self._count += 1
        self.say(method, params, self._count)
        assert self.process.stdout is not None
        for line in self.process.stdout:
            heard = json.loads(line)
            if heard.get("id") == self._count:
                return heard["result"], line
        sys.exit("The server ended before it answered.")

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        result, _ = self.ask("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            sys.exit(f"{tool}: {result['content'][0]['text']}")
        return result

    @property
    def age_ms(self) -> float:
        return 1000 * (time.perf_counter() - self.started)


@contextmanager
def running(words: Sequence[str]) -> Iterator[Client]:
    client = Client(words)
    try:
        yield client
    finally:
        assert client.process.stdin is not None
        assert client.process.stdout is not None
        client.process.stdin.close()
        client.process.wait()
        client.process.stdout.close()


def starts(words: Sequence[str], count: int) -> Iterator[tuple[float, float, float]]:
    """For each start, the milliseconds until the handshake, the list of tools and a first search are answered."""
    for _ in range(count):
        with running(words) as client:
            client.ask("initialize", HELLO)
            hello = client.age_ms
            client.say("notifications/initialized")
            client.ask("tools/list")
            tools = client.age_ms
            client.call("search", query="how does it start?", anyway=True)
            yield hello, tools, client.age_ms


def searches(client: Client, count: int) -> Iterator[float]:
    """Milliseconds of each search, asked with the documents' own headings."""
    drawn = client.call("map", max_tokens=20_000)["content"][0]["text"]
    headings = [found.strip() for found in _HEADING.findall(drawn)] or ["start"]
    for number in range(count):
        question = headings[number * 7 % len(headings)]
        began = time.perf_counter()
        client.call("search", query=f"{question} {number % 5}")
        yield 1000 * (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--starts", type=int, default=7)
    parser.add_argument("--searches", type=int, default=300)
    given = parser.parse_args()
    words = [str(Path(sys.executable).parent / "pinakes"), "mcp", str(given.root)]
    words += ["--store", str(given.store)] if given.store else []

    times = list(starts(words, given.starts + 1))[1:]  # the first start warms the disk
    for name, column in zip(("handshake", "tools/list", "first search"), zip(*times, strict=True), strict=True):
        print(f"start to {name:<14}{median(column):8.0f} ms (worst {max(column):.0f})")
    for preset in ("few", "full"):
        with running([*words, "--preset", preset]) as client:
            client.ask("initialize", HELLO)
            client.say("notifications/initialized")
            _, line = client.ask("tools/list")
            print(f"tools/list, {preset:<12}{len(line):8,} bytes, {count_tokens(line.decode()):,} tokens")
    with running(words) as client:
        client.ask("initialize", HELLO)
        client.say("notifications/initialized")
        list(searches(client, 20))
        taken = sorted(searches(client, given.searches))
        cuts = quantiles(taken, n=100)
        print(
            f"search round trip     p50 {cuts[49]:.1f} ms, p95 {cuts[94]:.1f}, p99 {cuts[98]:.1f},"
            f" worst {taken[-1]:.1f}"
        )
        status = client.call("status")["content"][0]["text"].splitlines()
        print(f"library               {next(line for line in status if line.startswith('documents'))}")


if __name__ == "__main__":
    main()
