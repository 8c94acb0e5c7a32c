"""A store that is closed, or whose index is removed, while somebody is at work with it."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kits.store import copied, entry, put
from pinakes.errors import NotFound, StoreError
from pinakes.own_folder import OwnFolder
from pinakes.records import DOCS
from pinakes.store import damage, open_sqlite

CLOSE = """
import sys
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

from pinakes.errors import StoreError
from pinakes.own_folder import OwnFolder
from pinakes.records import DOCS
from pinakes.store import open_sqlite
from kits.store import entry, put

def write(store, begun):
    with suppress(StoreError):
        for number in range(1000):
            store.write(put(entry(f"{number}.md")))
            store.counts(DOCS)
            begun.set()

for turn in range(60):
    store, begun = open_sqlite(OwnFolder(Path(sys.argv[1]))), Event()
    writing = Thread(target=write, args=(store, begun))
    writing.start()
    begun.wait()
    store.close()
    writing.join()
"""


def test_a_store_may_be_closed_while_another_thread_writes(tmp_path: Path) -> None:
    # In a process of its own: SQLite does not survive being closed in the middle of a statement.
    subprocess.run([sys.executable, "-c", CLOSE, str(tmp_path)], cwd=Path(__file__).parents[1], check=True, timeout=60)
    assert damage(OwnFolder(tmp_path)) == ""


def test_an_index_that_is_removed_while_it_is_used_is_an_error_that_says_so(tmp_path: Path) -> None:
    made, folder = tmp_path / "made", tmp_path / "index"
    store = open_sqlite(OwnFolder(made))
    store.write(put(*(entry(f"{number}.md") for number in range(20))))
    store.close()
    luck, met = random.Random(7), []

    def remove(after_s: float) -> None:
        threading.Event().wait(after_s)
        shutil.rmtree(folder, ignore_errors=True)

    with ThreadPoolExecutor() as pool:
        for number in range(100):
            copied(made, folder)
            removing = pool.submit(remove, luck.uniform(0, 0.004))
            try:
                store = open_sqlite(OwnFolder(folder))
                try:
                    store.counts(DOCS)
                    store.write(put(entry(f"{number}.md")))
                finally:
                    store.close()
            except (StoreError, NotFound) as error:
                met.append(error)
            removing.result()
    assert met


def test_an_index_that_is_removed_with_all_around_it_is_an_error_that_says_so(tmp_path: Path) -> None:
    root = tmp_path / "docs"
    root.mkdir()
    store = open_sqlite(OwnFolder.below(root, root / ".pinakes"))
    store.write(put(entry("a.md")))
    shutil.rmtree(root)
    with pytest.raises(StoreError, match="The index"):
        store.setting("anything")
    store.close()
    assert not root.exists()
