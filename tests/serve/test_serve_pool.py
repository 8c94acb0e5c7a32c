"""Work that nobody waits for any more ends, and leaves nothing half done."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from kits.http import serving
from kits.trees import write_tree
from kits.waiting import HANG_S
from pinakes.cancelling import CallerGone, checked, uninterrupted
from pinakes.library import Library, open_library
from pinakes.records.memory import Revision
from pinakes.serve.pool import Lane, Overloaded, Pool

LINKS = " ".join(f"[[note {number}]]" for number in range(9_000))
"""A text of nothing but links, nearly as long as a client may send."""
WRITERS: dict[str, Callable[[Library], object]] = {
    "remember": lambda library: library.memories.remember(LINKS, "Many"),
    "update": lambda library: library.memories.update("kept", Revision(text=LINKS)),
    "append": lambda library: library.memories.append("kept", LINKS),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write_tree(tmp_path / "docs", {"a.md": "# Cranes\n\nThey lift.\n"})
    with open_library(root) as library:
        library.memories.remember("As it was.", "Kept")
    return root


def notes(root: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in (root / ".memories").glob("*.md")}


@pytest.mark.parametrize("writer", WRITERS)
def test_a_write_whose_caller_has_gone_ends_and_writes_nothing(root: Path, writer: str) -> None:
    before = notes(root)
    has_begun = threading.Event()

    async def leave_early() -> None:
        pool = Pool()

        def write() -> object:
            has_begun.set()
            return WRITERS[writer](library)

        waiting = asyncio.ensure_future(pool.run(write))
        await asyncio.to_thread(has_begun.wait, HANG_S)
        waiting.cancel()
        async with asyncio.timeout(HANG_S):
            while not pool.is_idle:
                await asyncio.sleep(0.01)

    with open_library(root) as library:
        asyncio.run(leave_early())
    assert notes(root) == before


def test_an_answer_that_takes_too_long_is_refused_and_its_thread_ends() -> None:
    rounds: list[int] = []

    def work() -> None:
        for number in checked(iter(int, 1)):  # zeros without end
            rounds.append(number)

    async def ask() -> None:
        pool = Pool()
        with pytest.raises(Overloaded):
            await pool.run(work, deadline_s=0.01)
        async with asyncio.timeout(HANG_S):
            while not pool.is_idle:
                await asyncio.sleep(0.01)

    asyncio.run(ask())


def test_what_must_not_be_left_half_done_is_not_interrupted() -> None:
    done: list[int] = []

    async def ask() -> None:
        pool, goes_on = Pool(), threading.Event()

        def work() -> None:
            with pytest.raises(CallerGone):
                goes_on.wait(HANG_S)
                with uninterrupted():
                    done.extend(checked(range(5)))
                done.extend(checked(range(100)))

        waiting = asyncio.ensure_future(pool.run(work))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        goes_on.set()
        async with asyncio.timeout(HANG_S):
            while not pool.is_idle:
                await asyncio.sleep(0.01)

    asyncio.run(ask())
    assert done == [0, 1, 2, 3, 4]


def test_slow_servers_elsewhere_do_not_hold_up_an_answer() -> None:
    async def ask() -> str:
        pool, goes_on = Pool(), threading.Event()
        fetches = [asyncio.ensure_future(pool.run(lambda: goes_on.wait(HANG_S), Lane.NETWORK)) for _ in range(20)]
        async with asyncio.timeout(HANG_S):
            answer = await pool.run(lambda: "All is well.", Lane.ANSWER)
            assert not any(one.done() for one in fetches)
            goes_on.set()
            await asyncio.gather(*fetches)
        return answer

    assert asyncio.run(ask()) == "All is well."


def test_a_client_that_hangs_up_takes_its_request_along(root: Path) -> None:
    before = notes(root)
    body = json.dumps({"text": LINKS, "title": "Many"}).encode()
    with serving(root, options=("--no-token",)) as server:
        assert server.get("/search", query="crane").status == 200  # it is indexed
        for _ in range(8):
            with socket.create_connection(("127.0.0.1", server.port)) as connection:
                head = f"POST /remember HTTP/1.1\r\nHost: {server.authority}\r\nContent-Type: application/json\r\n"
                connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        # Four threads answer, one request after the other: when this one is answered, most of the others have ended.
        assert server.post("/remember", {"text": "Short.", "title": "Short"}).status == 200
    assert sorted(set(notes(root)) - set(before)) == ["short.md"]
