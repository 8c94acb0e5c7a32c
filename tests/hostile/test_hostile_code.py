"""Source code that was made to hurt: it costs its own file at most, and that is said by name."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kits.trees import write_tree
from pinakes.index.apart import end_idle_workers
from pinakes.index.sync import sync
from pinakes.own_folder import OwnFolder
from pinakes.records import CODE, Failure, Report
from pinakes.sources import FolderOptions, FolderSource
from pinakes.store import open_sqlite

pytest.importorskip("tree_sitter_java", reason="needs the extra code")

TESTS = Path(__file__).parents[1]
ENDINGS = ("py", "js", "ts", "tsx", "c", "cpp", "go", "rs", "java")


def indexed(root: Path, store: Path, options: FolderOptions | None = None) -> tuple[Report, list[str]]:
    """What a sync says, and the files that have an index."""
    kept = open_sqlite(OwnFolder(store))
    try:
        report = sync(FolderSource(root, options or FolderOptions(), CODE), kept)
        return report, sorted(path for path, file in kept.files(CODE).items() if file.digest)
    finally:
        kept.close()


@pytest.mark.parametrize("ending", ENDINGS)
def test_nested_brackets_are_read_or_fail_by_name(tmp_path: Path, ending: str) -> None:
    deep = "(" * 100_000
    write_tree(tmp_path / "code", {f"deep.{ending}": f"x = {deep}", "good.py": "def kept(): ...\n"})
    report, files = indexed(tmp_path / "code", tmp_path / "store")
    assert "good.py" in files
    assert {failure.ref.path for failure in report.failed} | set(files) == {f"deep.{ending}", "good.py"}


def test_bytes_that_are_no_text_are_read(tmp_path: Path) -> None:
    files: dict[str, bytes] = {f"bytes.{ending}": b"\xff\xfe\x80\0 f(\0) { \xc3\x28 }\n" * 50 for ending in ENDINGS}
    (tmp_path / "code").mkdir()
    for name, data in files.items():
        (tmp_path / "code" / name).write_bytes(data)
    report, found = indexed(tmp_path / "code", tmp_path / "store")
    assert not report.failed
    assert found == sorted(files)


def test_a_bundle_fails_by_its_size(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "bundle.js").write_bytes(b"function f(){return 1};" * 2_200_000)
    (tmp_path / "code" / "good.js").write_text("function kept() {}\n", encoding="utf-8")
    report, files = indexed(tmp_path / "code", tmp_path / "store", FolderOptions(max_file_bytes=1_000_000))
    assert [failure.ref.path for failure in report.failed] == ["bundle.js"]
    assert "holds more than 1,000,000 bytes" in report.failed[0].reason
    assert files == ["good.js"]


PROGRAM = """
import json, sys
from pathlib import Path
from pinakes.records import CODE, Media, ProgrammingLanguage, add_format
import pinakes.index.worker
import kits.bad_grammar
add_format(Media("bad", "kits.bad_grammar:parse_badly", ("bad",), code=ProgrammingLanguage("tree_sitter_python")))
"""
HURRY = """
hurried = "; from pinakes.index import worker; worker.LONGEST_S = 1; worker.serve(is_timed=True)"
pinakes.index.worker._SERVE_TIMED = "exec(" + repr(PROGRAM) + ")" + hurried
"""
MAIN = """
from pinakes.index.sync import sync
from pinakes.own_folder import OwnFolder
from pinakes.sources import FolderOptions, FolderSource
from pinakes.store import open_sqlite
store = open_sqlite(OwnFolder(Path(sys.argv[2])))
report = sync(FolderSource(Path(sys.argv[1]), FolderOptions(), CODE), store)
print(json.dumps([[one.ref.path, one.reason] for one in report.failed]))
print(json.dumps(sorted(path for path, file in store.files(CODE).items() if file.digest)))
store.close()
"""


def told_by(main: str, *words: str) -> list[str]:
    """The lines of a program that knows the bad grammar, as its workers do."""
    done = subprocess.run(
        [sys.executable, "-c", f"PROGRAM = {PROGRAM!r}\n{PROGRAM}{HURRY}{main}", *words],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


TYPED = """
from pinakes.errors import Unreadable
from pinakes.records import Ref
from pinakes.serve.lsp.buffers import Buffer
for text in (b"fine", b"crash", b"hang"):
    buffer = Buffer("file:///a.bad", 1, text, "utf-16")
    for _ in range(2):  # a text that failed is not tried again
        try:
            print(buffer.document(Ref(CODE, "a.bad")).title)
        except Unreadable as error:
            print(error.problem)
"""


def test_code_in_an_editor_that_hurts_its_grammar_costs_itself() -> None:
    pytest.importorskip("lsprotocol", reason="needs the extra lsp")
    assert told_by(TYPED) == [
        *2 * ["fine"],
        *2 * ["code:a.bad is not read: the grammar of bad crashed (SIGSEGV) on it."],
        *2 * ["code:a.bad is not read: the grammar of bad took longer than 10 s on it."],
    ]


def test_a_grammar_that_crashes_leaves_or_hangs_costs_its_file(tmp_path: Path) -> None:
    write_tree(
        tmp_path / "code",
        {"a.bad": "fine", "b.bad": "crash\n", "c.bad": "fine", "d.bad": "hang\n", "e.bad": "leave\n", "f.bad": "fine"},
    )
    failed, files = map(json.loads, told_by(MAIN, str(tmp_path / "code"), str(tmp_path / "store")))
    assert files == ["a.bad", "c.bad", "f.bad"]
    assert failed == [
        ["b.bad", "code:b.bad is not read: the grammar of bad crashed (SIGSEGV) on it."],
        ["d.bad", "code:d.bad is not read: the grammar of bad took longer than 10 s on it."],
        ["e.bad", "code:e.bad is not read: the grammar of bad crashed on it."],
    ]


def test_a_worker_that_is_killed_from_outside_costs_nothing(tmp_path: Path) -> None:
    write_tree(tmp_path / "code", {f"m{number}.py": f"def f{number}(): ...\n" for number in range(40)})
    end_idle_workers()
    store = open_sqlite(OwnFolder(tmp_path / "store"))
    source = FolderSource(tmp_path / "code", FolderOptions(), CODE)
    killed: list[int] = []

    def kill_once(event: object) -> None:
        if not killed and (children := _children()):
            killed.extend(children)
            os.kill(children[0], signal.SIGKILL)

    try:
        report = sync(source, store, progress=kill_once)
        assert killed
        assert len(report.put) == 40
        assert not any(isinstance(one, Failure) for one in report.failed)
    finally:
        store.close()


def _children() -> list[int]:
    tasks = Path("/proc/self/task")
    if not tasks.is_dir():
        pytest.skip("needs /proc")
    return [int(one) for task in tasks.iterdir() for one in (task / "children").read_text("ascii").split()]
