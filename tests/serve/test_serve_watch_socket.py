"""Commands beside a watcher: they trust its word, and are never older than the folder for it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kits.trees import write_tree
from kits.waiting import until
from kits.watch import WatchProcess, watching
from pinakes.library import Library, open_library
from pinakes.serve.watch_socket import WatchSocket, is_kept_current

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of every change at once")

LISTED = """
import os, sys
root, listed = sys.argv[1], set()
def hear(event, arguments):
    if event == "os.scandir" and arguments:
        place = arguments[0]
        listed.add(os.readlink(f"/proc/self/fd/{place}") if isinstance(place, int) else os.path.realpath(place or "."))
sys.addaudithook(hear)
from pinakes.serve.cli import commands
try:
    commands.main(["search", "--root", root, "--json", *sys.argv[2:]], prog_name="pinakes", standalone_mode=False)
except SystemExit:
    pass
print(os.path.join(root, "guide") in listed, file=sys.stderr)
"""
"""Searches, and says whether a folder of documents was listed."""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = write_tree(tmp_path / "docs", {"a.md": "# A\n\nApples.\n", "guide/b.md": "# B\n\nPears.\n"})
    with open_library(root) as library:
        library.sync()
    return root


@pytest.fixture
def watcher(root: Path) -> Iterator[WatchProcess]:
    """A watcher that has begun: it says so before its socket is open, so one is waited for."""
    with watching(root) as process, open_library(root) as library:
        until_kept_current(library)
        yield process


def until_kept_current(library: Library) -> None:
    until(lambda: is_kept_current(library), "the word of a watcher")


def found(root: Path, question: str) -> set[str]:
    """What `pinakes search` finds."""
    command = [sys.executable, "-m", "pinakes", "search", "--root", str(root), "--json", question]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return {hit["path"] for hit in json.loads(done.stdout)["hits"]}


def lists_documents(root: Path, *words: str) -> bool:
    done = subprocess.run([sys.executable, "-c", LISTED, str(root), *words], capture_output=True, text=True, check=True)
    return done.stderr.splitlines()[-1] == "True"


def test_beside_a_watcher_no_folder_is_listed(root: Path) -> None:
    assert lists_documents(root, "pears")
    with watching(root), open_library(root) as library:
        until_kept_current(library)
        assert not lists_documents(root, "pears")
        assert lists_documents(root, "pears", "--corpus", "all")  # commits and memories are not watched so closely
    assert lists_documents(root, "pears")


def test_every_edit_before_the_question_is_in_the_answer(root: Path, watcher: WatchProcess) -> None:
    for number in range(5):
        write_tree(root, {f"guide/n{number}.md": f"# N\n\nQuinces{number}.\n"})
        assert found(root, f"quinces{number}") == {f"guide/n{number}.md"}
        (root / "guide" / f"n{number}.md").unlink()
        assert found(root, f"quinces{number}") == set()
    shutil.move(root / "guide", root / "manual")
    assert found(root, "pears") == {"manual/b.md"}


def test_in_process_not_one_edit_of_many_is_missed(root: Path, watcher: WatchProcess) -> None:
    believed = 0
    for number in range(200):
        (root / "a.md").write_text(f"# A\n\nApples {number}.\n")
        with open_library(root) as library:
            if is_kept_current(library):  # a busy machine may let it miss its turn
                assert f"Apples {number}." in library.read("a.md").text
                believed += 1
    assert believed


def test_a_watcher_that_was_killed_is_not_believed(root: Path, watcher: WatchProcess) -> None:
    watcher.end(signal.SIGKILL)
    write_tree(root, {"c.md": "# C\n\nCherries.\n"})
    assert found(root, "cherries") == {"c.md"}


def test_a_watcher_that_was_stopped_is_not_believed(root: Path, watcher: WatchProcess) -> None:
    watcher.running.send_signal(signal.SIGSTOP)
    write_tree(root, {"c.md": "# C\n\nCherries.\n"})
    assert found(root, "cherries") == {"c.md"}
    watcher.running.send_signal(signal.SIGCONT)
    write_tree(root, {"d.md": "# D\n\nDamsons.\n"})
    # The watcher may be writing what it missed; then an answer is from before that, and says so.
    until(lambda: found(root, "damsons") == {"d.md"}, "what was written since")


def test_other_settings_than_the_watchers_are_obeyed(root: Path, watcher: WatchProcess) -> None:
    assert found(root, "pears") == {"guide/b.md"}
    write_tree(root, {"pinakes.toml": '[sources]\nexclude = ["guide/**"]\n'})
    assert found(root, "pears") == set()


def test_an_index_that_was_removed_is_made_again(root: Path, watcher: WatchProcess) -> None:
    (root / ".pinakes").rename(root.parent / "gone")
    assert found(root, "pears") == {"guide/b.md"}


def test_of_two_watchers_the_other_one_is_asked_when_one_has_gone(root: Path, watcher: WatchProcess) -> None:
    with watching(root) as other, open_library(root) as library:
        assert watcher.end(signal.SIGTERM) == 0
        until_kept_current(library)
        assert other.end(signal.SIGTERM) == 0
        assert not is_kept_current(library)


def test_sockets_of_watchers_that_were_killed_are_removed_by_the_next_one(
    root: Path, watcher: WatchProcess, tmp_path: Path
) -> None:
    watcher.end(signal.SIGKILL)
    folder = tmp_path / "cache" / "pinakes" / "watchers"
    left = set(os.listdir(folder))
    assert len(left) == 1
    with watching(root) as process, open_library(root) as library:
        until_kept_current(library)
        assert not left & set(os.listdir(folder))
        process.end(signal.SIGTERM)
    assert not os.listdir(folder)


@pytest.mark.parametrize("said", [b"", b".", b".{", b'.{"generation": 9}', b".[]", b"." + b"9" * 20_000])
def test_what_is_no_word_is_not_believed(root: Path, tmp_path: Path, said: bytes) -> None:
    with open_library(root) as library, socket.socket(socket.AF_UNIX) as listener:
        real = WatchSocket(library, lambda: True)
        real.start()
        (name,) = os.listdir(tmp_path / "cache" / "pinakes" / "watchers")
        assert is_kept_current(library)
        real.close()
        place = os.open(tmp_path / "cache" / "pinakes" / "watchers", os.O_RDONLY)
        listener.bind(f"/proc/self/fd/{place}/{name}")
        os.close(place)
        listener.listen()
        answering = subprocess.Popen(
            [sys.executable, "-c", ANSWER, str(listener.fileno()), said.hex()], pass_fds=(listener.fileno(),)
        )
        assert not is_kept_current(library)
        answering.kill()
        answering.wait()


ANSWER = """
import socket, sys
with socket.socket(fileno=int(sys.argv[1])) as listener:
    connection, _ = listener.accept()
    connection.sendall(bytes.fromhex(sys.argv[2]))
    connection.close()
"""
"""Says something to whoever asks first."""


def test_a_folder_that_others_may_write_to_is_not_used(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "pinakes" / "watchers"
    folder.mkdir(0o777, parents=True)
    folder.chmod(0o777)
    with open_library(root) as library:
        real = WatchSocket(library, lambda: True)
        real.start()
        assert not os.listdir(folder)
        assert not is_kept_current(library)
        real.close()
