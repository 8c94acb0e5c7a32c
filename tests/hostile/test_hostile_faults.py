"""Faults of the machine around: full disks, folders that may only be read, few descriptors, Ctrl-C, readers that go
away, poor terminals. Each gives one clear line, and what was there before is there after."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kits.hostile import (
    NOBODY,
    ORDINARY,
    Wish,
    command,
    environment,
    for_anyone,
    mapped,
    one_line,
    pinakes,
    pinakes_here,
    synced,
)
from kits.trees import write_tree

FEW = {f"{name}.md": f"# Heading {name}\n\nWords about {name} → and more.\n" for name in ("one", "two", "three")}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write_tree(tmp_path / "root", FEW)
    assert pinakes_here(root, "sync").code == 0
    return root


def mapped_here(root: Path) -> str:
    ran = pinakes_here(root, "map", "--no-sync", "--budget", "0")
    assert ran.code == 0, ran.both
    return ran.out


def headings(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if "# Heading" in line]


# The disk


def test_a_full_disk_is_named_and_the_index_stays_as_it_was(root: Path) -> None:
    before = mapped(root)
    write_tree(root, {f"new/{number}.md": f"# New {number}\n\n{'x' * 100_000}\n" for number in range(50)})
    ran = pinakes(root, "sync", wish=Wish(limits={"FSIZE": 2_000_000}))
    assert ran.code == 2
    assert "disk" in one_line(ran)
    assert mapped(root) == before
    assert len(synced(root)["read"]) == 50
    assert pinakes(root, "doctor").code == 0


def test_a_first_sync_onto_a_full_disk_leaves_something_that_can_be_finished(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {f"{number}.md": f"# Heading {number}\n\n{'x' * 100_000}\n" for number in range(30)})
    for limit in (20_000, 200_000, 1_000_000):
        ran = pinakes(root, "sync", wish=Wish(limits={"FSIZE": limit}))
        assert ran.code == 2
        assert one_line(ran)
    synced(root)
    assert len(headings(mapped(root))) == 30


def test_a_small_disk_that_fills_up(tmp_path: Path) -> None:
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)], capture_output=True)
    if mounted.returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        root = write_tree(tmp_path / "root", FEW)
        store = ["--store", str(place / "index")]
        assert pinakes(root, "sync", *store).code == 0
        before = pinakes(root, "map", "--no-sync", *store).out
        write_tree(root, {f"new/{number}.md": f"# New {number}\n\n{'x' * 100_000}\n" for number in range(30)})
        ran = pinakes(root, "sync", *store)
        assert ran.code == 2
        assert "disk is full" in one_line(ran)
        after = pinakes(root, "map", "--no-sync", *store)
        assert (after.code, after.out) == (0, before)
    finally:
        subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("is_closed", [True, False], ids=["everything", "the index only"])
def test_a_folder_that_may_only_be_read_is_answered_from(*, is_closed: bool) -> None:
    with for_anyone() as folder:
        root = write_tree(folder / "root", FEW)
        synced(root)
        before = mapped(root)
        for path in (root, *(root / ".pinakes").rglob("*"), root / ".pinakes"):
            if is_closed or ".pinakes" in path.parts:
                path.chmod(0o555 if path.is_dir() else 0o444)
        root.chmod(0o555 if is_closed else 0o777)
        other = Wish(user=NOBODY)

        asked = pinakes(root, "map", "--budget", "0", wish=other)
        assert (asked.code, headings(asked.out)) == (0, headings(before))
        assert "can only be read" in asked.error
        assert "# Heading two" in pinakes(root, "read", "two.md", wish=other).out
        written = pinakes(root, "sync", wish=other)
        assert written.code == 2
        assert "can only be read" in one_line(written)


def test_a_folder_without_an_index_that_may_only_be_read_says_so() -> None:
    with for_anyone() as folder:
        root = write_tree(folder / "root", FEW)
        root.chmod(0o555)
        ran = pinakes(root, "map", wish=Wish(user=NOBODY))
        assert ran.code == 2
        assert "--store" in one_line(ran)
        elsewhere = pinakes(root, "map", "--store", str(folder / "index"), wish=Wish(user=NOBODY))
        assert "# Heading one" in elsewhere.out


# The index


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "cut to half": lambda data: data[: len(data) // 2],
    "cut within the first page": lambda data: data[:100],
    "emptied": lambda data: b"",
    "overwritten": lambda data: b"\xa5" * len(data),
    "another beginning": lambda data: b"\x00" * 4096 + data[4096:],
    "a hole in the middle": lambda data: data[:8192] + b"\x00" * 16384 + data[24576:],
    "text": lambda data: b"hello\n",
}


@pytest.mark.parametrize("way", [*DAMAGE, "removed"])
@pytest.mark.parametrize("mend", ["sync", "search", "doctor", "rebuild"])
def test_a_damaged_index_is_noticed_and_made_again(root: Path, way: str, mend: str) -> None:
    before = mapped_here(root)
    database = root / ".pinakes" / "library.db"
    for log in (root / ".pinakes").glob("library.db-*"):
        log.unlink()
    if way == "removed":
        database.unlink()
    else:
        database.write_bytes(DAMAGE[way](database.read_bytes()))

    for arguments in (["map", "--no-sync"], ["status"], ["search", "two", "--no-sync"]):
        ran = pinakes_here(root, *arguments)
        assert ran.code == 2, ran.both
        assert "pinakes doctor --repair" in ran.error or "pinakes sync sets it aside" in ran.error
    examined = pinakes_here(root, "doctor")
    assert examined.code == 1
    assert "BAD index" in examined.out
    words = {"doctor": ["doctor", "--repair"], "rebuild": ["sync", "--rebuild"], "search": ["search", "two"]}
    mended = pinakes_here(root, *words.get(mend, ["sync"]))
    assert mended.code == 0, mended.both
    if mend in ("search", "doctor"):
        assert "found damaged and built anew" in mended.error
    if mend != "rebuild":
        assert "found damaged and built anew" in pinakes_here(root, "status").out
        told = pinakes_here(root, "search", "two").error
        assert ("found damaged and built anew" in told) == (mend == "sync"), "said once, with the next answer"
    assert mapped_here(root) == before


@pytest.mark.parametrize("name", ["seal.json", "writer.json", "write.lock", "maps", ".gitignore"])
@pytest.mark.parametrize("way", ["removed", "garbage"])
def test_whatever_else_is_lost_from_the_index_is_made_again(root: Path, name: str, way: str) -> None:
    before = mapped_here(root)
    place = root / ".pinakes" / name
    files = list(place.iterdir()) if place.is_dir() else [place]
    for file in files:
        file.unlink(missing_ok=True)
        if way == "garbage":
            file.write_bytes(b"\xff{garbage")
    assert pinakes_here(root, "sync").code == 0
    assert mapped_here(root) == before
    assert pinakes_here(root, "sync", "--rebuild").code == 0
    assert mapped_here(root) == before


def test_a_remembered_map_that_was_damaged_is_remembered_anew(root: Path) -> None:
    asked = ["map", "--json"]
    before = json.loads(pinakes_here(root, *asked).out)["hash"]
    (root / ".pinakes" / "maps" / f"{before}.json").write_bytes(b"\xff{garbage")
    assert "is stored" in one_line(pinakes_here(root, "map", "--since", before))
    assert json.loads(pinakes_here(root, *asked).out)["hash"] == before
    assert pinakes_here(root, "map", "--since", before).out == "nothing changed\n"


def test_an_index_from_the_future_is_left_alone(root: Path) -> None:
    database = root / ".pinakes" / "library.db"
    for log in (root / ".pinakes").glob("library.db-*"):
        log.unlink()
    data = bytearray(database.read_bytes())
    data[60:64] = (9999).to_bytes(4, "big")
    database.write_bytes(data)
    ran = pinakes_here(root, "map")
    assert ran.code == 2
    assert "Update Pinakes" in one_line(ran)
    assert database.read_bytes() == data


# Several at once


def test_two_syncs_at_once_both_end_well(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {f"{number}.md": f"# Heading {number}\n" for number in range(300)})
    both = [
        subprocess.Popen(
            command(ORDINARY, word),
            cwd=root,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for word in ("sync", "sync", "map")
    ]
    for process in both:
        _, error = process.communicate(timeout=100)
        assert process.returncode == 0, error
        assert "Traceback" not in error
    assert len(headings(mapped(root))) == 300
    assert pinakes(root, "doctor").code == 0


def test_forty_descriptors_are_enough(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path, {f"{'d/' * (number % 50)}{number}.md": f"# Heading {number}\n" for number in range(450)}
    )
    tight = Wish(limits={"NOFILE": 40})
    assert len(synced(root, wish=tight)["read"]) == 450
    assert len(headings(mapped(root, wish=tight))) == 450


# The one at the keyboard


@pytest.mark.parametrize("number", [50, 450], ids=["alone", "with workers"])
def test_ctrl_c_ends_a_sync_in_one_line_and_loses_nothing(tmp_path: Path, number: int) -> None:
    text = "Some words of a paragraph, [a link](0.md) and more words.\n\n" * 20
    root = write_tree(tmp_path, {f"{at}.md": f"# Heading {at}\n\n{text}" for at in range(number)})
    child, terminal = pty.fork()
    if not child:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # tests that run in the background of a shell inherit its deafness
        os.chdir(root)
        os.execvpe(sys.executable, command(ORDINARY, "sync"), environment())
    for path in (root / ".pinakes" / "library.db",):
        while not path.exists() and os.waitpid(child, os.WNOHANG) == (0, 0):
            os.sched_yield()
    os.write(terminal, b"\x03")
    shown = b""
    while piece := _read(terminal):
        shown += piece
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 130, shown.decode()
    assert b"Traceback" not in shown
    assert b"pinakes: Stopped." in shown
    assert pinakes_here(root, "sync").code == 0
    assert len(headings(mapped_here(root))) == number


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # how a terminal says that nobody is left on the other side
        return b""


def test_a_signal_to_end_leaves_the_index_whole(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {f"{at}.md": f"# Heading {at}\n" for at in range(100)})
    child = subprocess.Popen(command(ORDINARY, "sync"), cwd=root, env=environment(), stderr=subprocess.PIPE)
    while not (root / ".pinakes" / "library.db").exists() and child.poll() is None:
        os.sched_yield()
    child.send_signal(signal.SIGTERM)
    child.communicate()
    assert pinakes_here(root, "sync").code == 0
    assert len(headings(mapped_here(root))) == 100


@pytest.mark.parametrize("word", ["map", "check"])
def test_a_reader_that_goes_away_causes_no_complaint(root: Path, word: str) -> None:
    write_tree(root, {"long.md": "".join(f"# Heading {at}\n\n[a](gone-{at}.md)\n" for at in range(2000))})
    arguments = [word, *(["--budget", "0"] if word == "map" else [])]
    ours, theirs = os.pipe()
    os.close(ours)  # before anything is written, so that there is no race
    try:
        ran = subprocess.run(
            command(ORDINARY, *arguments), cwd=root, env=environment(), stdout=theirs, stderr=subprocess.PIPE
        )
    finally:
        os.close(theirs)
    assert (ran.returncode, ran.stderr) == (1, b"")


@pytest.mark.parametrize("how", [">&-", "2>&-", ">&- 2>&-", "> /dev/full", "<&-"])
def test_closed_and_full_streams_end_without_a_stack_trace(root: Path, how: str) -> None:
    ran = subprocess.run(
        ["sh", "-c", f'exec "$@" {how}', "sh", *command(ORDINARY, "map")],
        cwd=root,
        env=environment(),
        capture_output=True,
    )
    assert b"Traceback" not in ran.stderr
    assert b"Exception ignored" not in ran.stderr
    assert ran.returncode in ((2,) if "full" in how else (0, 1))


POOR: dict[str, dict[str, str | None]] = {
    "POSIX without coercion": {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    "ASCII, strictly": {"PYTHONIOENCODING": "ascii:strict"},
    "Latin-1": {"PYTHONIOENCODING": "latin-1"},
    "nothing at all": dict.fromkeys(("HOME", "PATH", "LC_ALL", "TERM", "TMPDIR", "USER", "LOGNAME")),
}


@pytest.mark.parametrize("name", POOR)
def test_a_poor_terminal_shows_everything_it_can(root: Path, name: str) -> None:
    write_tree(root, {"four.md": "# Heading → 字 😀\n\n[a](one.md) [b](nöwhere.md)\n"})
    wish = Wish(environment=POOR[name])
    assert "# Heading" in pinakes(root, "map", wish=wish).out
    refused = pinakes(root, "read", "→字😀", wish=wish)
    assert refused.code == 1
    assert one_line(refused)
    assert json.loads(pinakes(root, "read", "four.md", "--json", wish=wish).out)["title"] == "Heading → 字 😀"


def test_text_is_printed_byte_for_byte_in_every_locale(root: Path) -> None:
    text = "# Heading → 字 😀\r\n\ttab\x1b[31m\n"
    (root / "raw.md").write_bytes(text.encode())
    ascii = Wish(environment={"PYTHONIOENCODING": "ascii"}, may_steer=True)
    assert pinakes(root, "read", "raw.md", "--plain", wish=ascii).out == text


def test_a_folder_that_was_removed_under_our_feet_is_named(tmp_path: Path, root: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    ran = pinakes(root, "map", wish=Wish(gone=str(gone)))
    assert ran.code == 1
    assert "no longer exists" in one_line(ran)
    gone.mkdir()
    assert "# Heading one" in pinakes(root, "map", "--root", str(root), wish=Wish(gone=str(gone))).out
