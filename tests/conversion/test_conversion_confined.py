"""What a converter may not do, whoever asks it to: it reads its input and answers."""

from __future__ import annotations

import os
import platform
import signal
import socket
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from kits import converters
from pinakes.conversion import ConversionLimits, convert, end_idle_converters
from pinakes.errors import Unfit

TESTS = Path(__file__).parents[1]


needs_old_calls = pytest.mark.skipif(
    platform.machine() != "x86_64" or not Path("/proc/sys/abi/vsyscall32").exists(),
    reason="the kernel has no table for programs of 32 bits",
)


@pytest.fixture(autouse=True)
def converters_are_found(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    end_idle_converters()
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    yield
    end_idle_converters()


def run(name: str, data: bytes = b"", seconds: float = 20.0) -> str:
    return convert(f"kits.converters:{name}", data, "a.file", limits=ConversionLimits(seconds)).text


@pytest.mark.parametrize("name", ["connect", "resolve", "start_program", "write_file", "remove_file", "kill_parent"])
def test_a_converter_reaches_nothing(name: str, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("kept")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        said = run(name, f"{kept}\n{server.getsockname()[1]}\n{os.getpid()}".encode())
        with pytest.raises(BlockingIOError):
            server.accept()
    assert said.startswith("refused"), said
    assert kept.read_text() == "kept"


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's filter is one of Linux")
@pytest.mark.parametrize(
    "name",
    [
        "connect_by_hand",
        "start_by_hand",
        "remove_by_hand",
        "empty_by_hand",
        "empty_without_writing_by_hand",
        "make_by_hand",
        "make_folder_by_hand",
        "open_rights_by_hand",
        "kill_parent_by_hand",
        "begin_process_by_hand",
        "begin_process_by_number",
        "bound_parent_by_hand",
        "type_by_hand",
        "have_parent_signalled_by_hand",
        "share_memory_by_hand",
        "leave_namespace_by_hand",
        pytest.param("empty_by_the_other_table", marks=needs_old_calls),
    ],
)
def test_the_kernel_refuses_what_python_does_not_see(name: str, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("kept")
    before = kept.stat()
    assert run(name, str(kept).encode()) == "refused: 1"
    assert (kept.read_text(), kept.stat().st_mode) == ("kept", before.st_mode)
    assert list(tmp_path.iterdir()) == [kept]


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's filter is one of Linux")
def test_the_kernel_lets_it_read(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("kept")
    assert run("read_by_hand", str(kept).encode()) == "done"


def test_a_converter_has_threads() -> None:
    assert run("begin_thread") == "done"


def test_too_much_time_and_memory_cost_the_file_alone() -> None:
    with pytest.raises(Unfit, match=r"a\.file takes too long to read: more than 0\.5 s\."):
        run("compute_for_ever", seconds=0.5)
    with pytest.raises(Unfit, match=r"a\.file takes too much memory"):
        run("take_memory")
    assert run("echo", b"next") == "next"


def test_a_crash_and_an_answer_that_is_none_are_sentences() -> None:
    for name in ("crash", "answer_nonsense"):
        with pytest.raises(Unfit, match=r"a\.file cannot be read: its converter crashed on it\."):
            run(name)
    with pytest.raises(Unfit, match=r"a\.file cannot be read: KeyError: 'odd'\."):
        run("raise_something")
    assert run("echo", b"next") == "next"


def test_an_answer_without_end_is_not_kept() -> None:
    tracemalloc.start()
    try:
        with pytest.raises(Unfit, match=r"its converter crashed on it\."):
            run("answer_too_much")
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()


def test_one_process_converts_one_file_after_the_other_and_is_started_anew_when_it_was_ended() -> None:
    end_idle_converters()  # the one kept may have become large, and end after its next file
    first, second = run("process_id"), run("process_id")
    assert first == second != str(os.getpid())
    os.kill(int(first), signal.SIGTERM)
    assert run("process_id") not in ("", first)


def test_the_helpers_of_this_test_do_what_they_say_where_nothing_is_confined(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("kept")
    assert converters.remove_file(str(kept).encode(), "", "").text == "done"
    assert not kept.exists()
    assert subprocess.run([sys.executable, "-c", ""], check=False).returncode == 0
