"""The vector cache: what is encoded, what is kept, what happens to a bad file."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import TYPE_CHECKING

import numpy as np
import pytest

from pinakes.neural import load_embedder, open_vector_cache
from pinakes.neural.cache import VectorCache
from pinakes.records import Traits

if TYPE_CHECKING:
    from pinakes.ports import Vectors

TEXTS = ("How to rotate tokens", "設定ファイル", "", "links and anchors", "How to rotate tokens")


class Spelling:
    """A small embedder that counts letters and remembers what it was asked."""

    dimensions = 26
    traits = Traits(0.5, 0.3)

    def __init__(self, name: str = "spelling") -> None:
        self.name = name
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        counts = [[text.count(chr(97 + letter)) for letter in range(26)] for text in texts]
        vectors = np.array(counts, dtype=np.float32).reshape(len(texts), 26)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / np.where(lengths == 0, 1, lengths)).astype(np.float32)


def test_kept_vectors_equal_fresh_ones_to_the_bit(tmp_path: Path) -> None:
    for embedder in (load_embedder(), Spelling()):
        fresh = embedder.encode(TEXTS)
        for _ in range(2):
            assert open_vector_cache(tmp_path).encode(embedder, TEXTS).tobytes() == fresh.tobytes()


def test_unchanged_text_is_never_embedded_twice(tmp_path: Path) -> None:
    embedder = Spelling()
    VectorCache(tmp_path).encode(embedder, TEXTS)
    assert embedder.asked == list(TEXTS[:4])
    VectorCache(tmp_path).encode(embedder, (*TEXTS, "new"))
    assert embedder.asked == [*TEXTS[:4], "new"]


def test_no_texts_give_no_rows(tmp_path: Path) -> None:
    assert VectorCache(tmp_path).encode(Spelling(), ()).shape == (0, 26)


def test_vectors_of_two_embedders_are_never_mixed(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path)
    cache.encode(Spelling("one"), TEXTS)
    other = Spelling("two")
    cache.encode(other, TEXTS)
    assert other.asked == list(TEXTS[:4])


@pytest.mark.parametrize("content", [b"not a database" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_set_aside_and_started_anew(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "vectors.sqlite").write_bytes(content)
    embedder = Spelling()
    cache = VectorCache(tmp_path)
    cache.encode(embedder, TEXTS)
    cache.encode(embedder, TEXTS)
    assert (tmp_path / "vectors.sqlite.damaged").read_bytes() == content
    assert embedder.asked == list(TEXTS[:4])
    assert cache.problem == ""


def test_pages_gone_bad_in_the_middle_cost_only_the_work(tmp_path: Path) -> None:
    embedder = Spelling()
    texts = [f"text {n}" for n in range(2000)]
    first = VectorCache(tmp_path)
    first.encode(embedder, texts)
    first.close()
    path = tmp_path / "vectors.sqlite"
    data = bytearray(path.read_bytes())
    data[4096 * 3 :] = b"\xa5" * (len(data) - 4096 * 3)
    path.write_bytes(data)
    cache = VectorCache(tmp_path)
    assert cache.encode(embedder, texts).tobytes() == embedder.encode(texts).tobytes()
    embedder.asked.clear()
    assert cache.encode(embedder, texts).tobytes() == embedder.encode(texts).tobytes()
    assert embedder.asked == texts
    assert (tmp_path / "vectors.sqlite.damaged").exists()


def test_a_foreign_database_is_set_aside_whole(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "vectors.sqlite") as foreign:
        foreign.execute("CREATE TABLE vectors (something_else)")
    foreign.close()
    assert VectorCache(tmp_path).encode(Spelling(), TEXTS).shape == (5, 26)
    with sqlite3.connect(tmp_path / "vectors.sqlite.damaged") as foreign:
        assert foreign.execute("SELECT something_else FROM vectors").fetchall() == []
    foreign.close()


def test_where_nothing_can_be_kept_texts_are_encoded_and_the_reason_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    cache = VectorCache(tmp_path / "file")
    assert cache.encode(Spelling(), TEXTS).tobytes() == Spelling().encode(TEXTS).tobytes()
    assert "cannot be used" in cache.problem


def test_a_kept_vector_of_the_wrong_length_is_made_again(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path)
    cache.encode(Spelling(), TEXTS)
    with sqlite3.connect(tmp_path / "vectors.sqlite") as connection:
        connection.execute("UPDATE vectors SET vector = x'00'")
    connection.close()
    embedder = Spelling()
    assert cache.encode(embedder, TEXTS).tobytes() == Spelling().encode(TEXTS).tobytes()
    cache.encode(embedder, TEXTS)
    assert embedder.asked == list(TEXTS[:4])


def test_pruning_forgets_what_was_longest_out_of_use(tmp_path: Path) -> None:
    embedder = Spelling()
    day = 86_400.0
    VectorCache(tmp_path, clock=lambda: day).encode(embedder, ("old", "cherished"))
    VectorCache(tmp_path, clock=lambda: 2 * day).encode(embedder, ("newer",))
    cache = VectorCache(tmp_path, clock=lambda: 3 * day)
    cache.encode(embedder, ("cherished",))
    assert cache.prune(keep_bytes=2 * 26 * 4) == 1
    embedder.asked.clear()
    cache.encode(embedder, ("newer", "cherished", "old"))
    assert embedder.asked == ["old"]
    assert cache.prune(keep_bytes=0) == 3
    assert cache.prune(keep_bytes=0) == 0


def test_a_pruned_file_is_smaller(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path)
    cache.encode(Spelling(), [f"text {n}" for n in range(3000)])
    cache.close()
    before = (tmp_path / "vectors.sqlite").stat().st_size
    cache.prune(keep_bytes=26_000)
    cache.close()
    assert (tmp_path / "vectors.sqlite").stat().st_size < before / 4


def test_the_file_is_for_its_owner_only_and_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "vectors.sqlite").symlink_to(tmp_path / "elsewhere.sqlite")
    for place in (tmp_path, tmp_path / "folder"):
        cache = VectorCache(place)
        cache.encode(Spelling(), ["a text"])
        cache.close()
        assert cache.problem == ""
        assert (place / "vectors.sqlite").stat().st_mode & 0o777 == 0o600


def test_threads_may_share_one_cache(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path)
    embedder = load_embedder()
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda n: cache.encode(embedder, [f"text {n % 5} of {n}"] * 3), range(20)))
    for n, answer in enumerate(answers):
        assert answer.tobytes() == embedder.encode([f"text {n % 5} of {n}"] * 3).tobytes()


def test_processes_may_share_one_folder(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib; from pinakes.neural import load_embedder, open_vector_cache;"
        "e = load_embedder(); c = open_vector_cache(pathlib.Path(sys.argv[1]));"
        "t = [f'text {n} {m}' for n in range(30) for m in range(20)];"
        "ok = all(c.encode(e, t[n:n+50]).tobytes() == e.encode(t[n:n+50]).tobytes() for n in range(0, 600, 50));"
        "sys.exit(c.problem or not ok)"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    for process in running:
        _, complaint = process.communicate()
        assert process.returncode == 0, complaint
    assert not (tmp_path / "vectors.sqlite.damaged").exists()


def test_a_file_that_another_is_just_making_is_no_damage(tmp_path: Path) -> None:
    embedder = Spelling()
    ready = Barrier(8)

    def first_use(folder: Path) -> str:
        cache = VectorCache(folder)
        ready.wait()
        cache.encode(embedder, ("text",))
        cache.close()
        return cache.problem

    with ThreadPoolExecutor(8) as pool:
        for n in range(50):
            assert list(pool.map(first_use, [tmp_path / str(n)] * 8)) == [""] * 8
    assert not list(tmp_path.rglob("*.damaged"))
