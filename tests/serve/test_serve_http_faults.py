"""What may go wrong below a server that runs: it says what is wrong, answers what it can, and goes on."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kits.http import PAGES, Answer, Comparisons, Server, serving
from kits.powerless import POWERLESS, nowhere_to_index
from kits.trees import write_tree
from kits.waiting import until

ROUNDS = 10
QUESTIONS = ("/search?query=tides", "/map", "/read?address=README.md", "/links?address=README.md", "/status", "/files")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "docs", PAGES)


def limited(what: str) -> tuple[str, ...]:
    return ("sh", "-c", f'ulimit {what}; exec "$@"', "sh")


def indexed(root: Path) -> Path:
    with serving(root) as server:
        assert server.get("/search", query="tides").status == 200
    return root


def asked(server: Server) -> Iterator[tuple[str, Answer]]:
    """Each question's answer, which must come and may say that it cannot be given, but not that we failed."""
    for path in QUESTIONS:
        answer = server.get(path)
        assert answer.status == 200 or answer.status == 503 or 400 <= answer.status < 500, (path, answer.body)
        if answer.status != 200:
            assert answer.media == "application/problem+json"
            assert answer.json["next_step"], answer.json
        yield path, answer


def write_in_vain(server: Server, root: Path, files: dict[str, str]) -> None:
    """Change files, and ask all the while until the server has tried to compare."""
    with contextlib.closing(Comparisons(server)) as comparisons, ThreadPoolExecutor(1) as waiting:
        write_tree(root, files)
        ended = waiting.submit(comparisons.until_ended)
        while not ended.done():
            list(asked(server))
        ended.result()


def write(server: Server, root: Path, path: str, text: str) -> None:
    """Write a document, and ask all the while until the server has it."""
    write_tree(root, {path: text})
    until(lambda: list(asked(server)) and server.get("/read", address=path).status == 200, f"{path} is indexed")


def test_a_full_disk_leaves_the_last_index_to_answer_from(root: Path) -> None:
    indexed(root)
    size = (root / ".pinakes" / "library.db").stat().st_size
    with serving(root, prelude=limited(f"-f {size // 512 + 40}")) as server:  # in blocks of 512 bytes
        write_in_vain(
            server, root, {f"new/{number}.md": f"# New {number}\n\n{'x ' * 50_000}\n" for number in range(20)}
        )
        assert all(answer.status == 200 for _, answer in asked(server))
        shutil.rmtree(root / "new")
        write(server, root, "small.md", "# Small\n\nThere is room for this.\n")
        assert server.get("/search", query="tides").json["hits"]


def test_a_disk_that_is_full_from_the_start_is_named(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", {f"{number}.md": f"# Heading\n\n{'x ' * 50_000}\n" for number in range(20)})
    with serving(root, prelude=limited("-f 100")) as server:
        answers = dict(asked(server))
        assert {path: one.status for path, one in answers.items()} == dict.fromkeys(QUESTIONS, 503)
        assert "disk" in answers["/map"].json["detail"]
        assert server.get("/health").status == 200
        assert server.get("/in/docs/search").status in (200, 503)


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="setpriv is not installed")
def test_an_index_that_may_only_be_read_is_answered_from(root: Path) -> None:
    indexed(root)
    for path in (*(root / ".pinakes").rglob("*"), root / ".pinakes"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        with serving(root, prelude=POWERLESS) as server:
            write_tree(root, {"new.md": "# New\n"})
            for _ in range(ROUNDS):  # nothing is compared, so there is nothing to wait for
                assert all(answer.status == 200 for _, answer in asked(server))
            assert server.get("/status").json["is_read_only"]
    finally:
        for path in (root / ".pinakes", *(root / ".pinakes").rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="setpriv is not installed")
def test_a_folder_where_no_index_can_be_made_is_named(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with nowhere_to_index(root, tmp_path, monkeypatch), serving(root, prelude=POWERLESS) as server:
        answers = dict(asked(server))
        assert {one.status for one in answers.values()} == {503}
        assert "indexes" in answers["/map"].json["detail"]
        assert server.get("/health").status == 200


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="setpriv is not installed")
def test_a_document_that_may_no_longer_be_read_keeps_its_last_version_and_is_named(root: Path) -> None:
    with serving(root, prelude=POWERLESS) as server:
        assert server.get("/read", address="guide/tides.md").status == 200
        (root / "guide" / "tides.md").chmod(0)
        os.utime(root / "guide" / "tides.md", (1, 1))
        write(server, root, "other.md", "# Other\n")
        assert server.get("/read", address="guide/tides.md").status == 200
        assert [one["ref"] for one in server.get("/status").json["failures"]] == ["docs:guide/tides.md"]


def test_forty_descriptors_are_enough_and_whoever_takes_them_all_only_delays_others(root: Path) -> None:
    with serving(root, prelude=limited("-n 40")) as server:
        assert server.get("/search", query="tides").status == 200
        with contextlib.ExitStack() as stack:
            for _ in range(60):
                stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=5))
        until(lambda: is_answered(server), "the server accepts connections again")
        list(asked(server))


def is_answered(server: Server) -> bool:
    with contextlib.suppress(OSError):
        assert server.get("/search", query="tides").json["hits"]
        return True
    return False


DAMAGE: dict[str, Callable[[Path], object]] = {
    "cut": lambda file: os.truncate(file, file.stat().st_size // 2),
    "overwritten": lambda file: file.write_bytes(b"\xa5" * file.stat().st_size),
    "removed": lambda file: file.unlink(),
    "replaced": lambda file: file.with_suffix(".new").write_text("hello") and file.with_suffix(".new").replace(file),
}


@pytest.mark.parametrize("way", DAMAGE)
def test_an_index_damaged_while_serving_is_named_or_made_again_and_never_answers_wrongly(root: Path, way: str) -> None:
    with serving(root) as server:
        assert server.get("/search", query="tides").json["hits"]
        DAMAGE[way](root / ".pinakes" / "library.db")
        write(server, root, "new.md", "# New heading\n")
        for path, answer in asked(server):
            if not path.startswith("/status"):
                assert answer.status == 503 or b"tides" in answer.body.lower(), (path, answer.body)
        mended(server)
    with serving(root) as server:
        mended(server)


def mended(server: Server) -> None:
    """Ask until the right answer comes."""
    right = b"docs:guide/tides.md#tides"
    until(lambda: right in server.get("/search", query="tides").body, "tides are found")


def test_every_other_file_of_the_index_may_vanish_while_serving(root: Path) -> None:
    with serving(root) as server:
        assert server.get("/search", query="tides").json["hits"]
        for file in (root / ".pinakes").rglob("*"):
            if file.is_file() and not file.name.startswith("library.db"):
                file.unlink()
        write(server, root, "new.md", "# New heading about tides\n")
        assert all(answer.status == 200 for _, answer in asked(server))
        assert server.get("/search", query="tides").json["hits"]


@pytest.mark.parametrize("years", [-10, 10])
def test_files_from_another_decade_are_read_like_any_other(root: Path, years: int) -> None:
    then = time.time() + years * 365 * 86_400
    with serving(root) as server:
        assert server.get("/search", query="tides").json["hits"]
        write_tree(root, {"guide/tides.md": "# Ebb\n\nLow water.\n"})
        os.utime(root / "guide" / "tides.md", (then, then))
        until(lambda: "Ebb" in server.get("/read", address="guide/tides.md").json["text"], "the change is noticed")


def test_another_process_that_writes_for_long_delays_nobody(root: Path) -> None:
    indexed(root)
    lock = root / ".pinakes" / "write.lock"
    with contextlib.closing(sqlite3.connect(lock, isolation_level=None)) as other, serving(root) as server:
        assert server.get("/search", query="tides").status == 200
        other.execute("begin exclusive")
        write_in_vain(server, root, {"new.md": "# New\n"})
        assert all(answer.status == 200 for _, answer in asked(server))
