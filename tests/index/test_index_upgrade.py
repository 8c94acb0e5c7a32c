"""Static vectors at once, and a finer model's in their place: with the real models, on few documents."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import pinakes
from kits.trees import write_tree
from pinakes.errors import ExtraMissing
from pinakes.index.vector_folders import EmbeddingProgress, VectorFolders
from pinakes.library import Library
from pinakes.neural import embedder_name, finer_model
from pinakes.own_folder import OwnFolder
from pinakes.records import Event, Query, Upgrade
from pinakes.vectors.stepwise import STEP

pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
try:
    FINER = embedder_name(finer_model("auto"))
except ExtraMissing:
    pytest.skip("the finer model's weights are not there", allow_module_level=True)

STATIC = embedder_name("static")
PAGES = {f"page{n}.md": f"# Page {n}\n\nTide {n}.\n" for n in range(6)}
QUESTIONS = ("high water at sea", "tide 4", "page")


pytestmark = pytest.mark.usefixtures("new_user")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "project", PAGES)


@pytest.fixture
def library(root: Path) -> Iterator[Library]:
    with pinakes.open(root) as opened:
        opened.sync()
        yield opened


def answers(library: Library) -> list[object]:
    """Everything that is said, but for how long it took."""
    found = [library.search(Query(question)) for question in QUESTIONS]
    return [(one.hits, one.missing, one.evidence) for one in found]


def waited(library: Library) -> None:
    library.corpus().toolbox.meanings.wait()


def progress(library: Library) -> tuple[int, int]:
    found = library.models.upgrade_state()
    assert found is not None
    return found.done, found.total


def test_the_default_is_static_at_once_and_the_finer_model_later(library: Library, root: Path, tmp_path: Path) -> None:
    assert library.config.neural.model == "auto"
    assert library.status().embedder == STATIC
    with pinakes.open(root, {"neural.model": "static", "store": tmp_path / "static"}) as static:
        static.sync()
        assert answers(library) == answers(static)
    assert library.models.upgrade_state() == Upgrade("docs", 0, 6)


def test_when_all_is_upgraded_answers_are_those_of_the_finer_model_alone(
    library: Library, root: Path, tmp_path: Path
) -> None:
    assert library.models.upgrade() == Upgrade("docs", 6, 6)
    assert library.status().embedder == FINER
    with pinakes.open(root, {"neural.model": "docs", "store": tmp_path / "finer"}) as finer:
        finer.sync()
        assert answers(library) == answers(finer)


def test_a_changed_document_is_static_at_once_and_finer_later(library: Library, root: Path) -> None:
    library.models.upgrade()
    write_tree(root, {"page3.md": "# Lighthouse\n\nIts lamp turns all night.\n"})
    library.refresh()
    first = library.search("lamp").hits[0]
    assert first.ref.path == "page3.md"
    assert progress(library) == (5, 6)
    assert library.status().embedder == f"{STATIC} and {FINER}"
    library.models.embed_in_background()
    waited(library)
    assert progress(library) == (6, 6)


def test_a_deleted_document_is_gone_though_nobody_touched_the_finer_vectors(library: Library, root: Path) -> None:
    library.models.upgrade()
    (root / "page4.md").unlink()
    library.refresh()
    assert {hit.ref.path for hit in library.search("tide").hits} == set(PAGES) - {"page4.md"}
    assert progress(library) == (5, 5)


def test_the_most_linked_section_comes_first(root: Path) -> None:
    many = {f"more{n}.md": f"# More {n}\n\nRope {n}. [The chart](chart.md)\n" for n in range(STEP)}
    write_tree(root, {**many, "chart.md": "# Chart\n\nDepths.\n"})
    seen: list[Event] = []
    with pinakes.open(root) as library:
        library.sync()
        library.models.upgrade(progress=seen.append)
    assert seen[0].path == "chart.md"
    assert [event.done for event in seen] == sorted({event.done for event in seen})
    assert seen[-1].done == seen[-1].total == STEP + 7


def test_whoever_is_killed_loses_a_step_at_most_and_goes_on(root: Path, tmp_path: Path) -> None:
    write_tree(root, {f"more{n}.md": f"# More {n}\n\nRope {n}.\n" for n in range(3 * STEP)})
    # Nothing may be remembered but in the files themselves.
    environment = {**os.environ, "XDG_CACHE_HOME": os.devnull}
    command = [sys.executable, "-c", KILLED, str(root), str(2 * STEP)]
    killed = subprocess.run(command, env=environment, check=False)
    assert killed.returncode == -signal.SIGKILL
    with pinakes.open(root) as library:
        kept, total = progress(library)
        assert kept >= STEP
        seen: list[Event] = []
        library.models.upgrade(progress=seen.append)
        assert seen[0].done > kept
        assert progress(library) == (total, total)


KILLED = """
import os, signal, sys
import pinakes
def heed(event):
    if event.phase == "embedding" and event.done > int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
with pinakes.open(sys.argv[1]) as library:
    library.sync()
    library.models.upgrade(progress=heed)
"""


def test_two_at_once_share_the_work(root: Path) -> None:
    with pinakes.open(root) as one, pinakes.open(root) as other:
        one.sync()
        one.models.embed_in_background()
        other.models.embed_in_background()
        waited(one)
        waited(other)
        assert progress(one) == progress(other) == (6, 6)


def test_without_onnxruntime_auto_is_static_and_status_says_what_to_install(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BARE, str(root)], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [STATIC, "onnxruntime is not installed. Run: pip install pinakes", "()"]


BARE = """
import importlib.util, sys
import pinakes
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "onnxruntime" else found(name, *rest)
with pinakes.open(sys.argv[1]) as library:
    library.sync()
    state = library.status()
    print(state.embedder)
    print(state.upgrade.problem)
    print(library.search("tide").missing)
"""


def test_commits_and_static_alone_are_never_upgraded(root: Path) -> None:
    with pinakes.open(root, {"neural.model": "static"}) as library:
        library.sync()
        assert library.models.upgrade() is None
        assert library.models.upgrade_state() is None
    with pinakes.open(root) as library:
        assert library.corpus("history").toolbox.meanings.upgraded() is None


@pytest.mark.parametrize("take", ["the folder", "the header"])
def test_what_took_the_place_of_finer_vectors_is_thrown_away(library: Library, take: str) -> None:
    library.models.upgrade()
    before = answers(library)
    folder = library.config.store / "vectors" / FINER
    if take == "the folder":
        shutil.rmtree(folder)
        folder.write_text("not vectors")
    else:
        (folder / "vectors.json").unlink()
        (folder / "vectors.json").mkdir()
    assert {hit.ref.path for hit in library.search("tide").hits} == set(PAGES)
    assert library.models.upgrade() == Upgrade("docs", 6, 6)
    assert answers(library) == before


def test_doctor_examines_the_finer_vectors_and_the_model_and_repairs_them(library: Library) -> None:
    library.models.upgrade()
    before = answers(library)
    models = [one.finding for one in library.doctor() if one.topic == "embedder"]
    assert [finding.partition(",")[0] for finding in models] == [STATIC, FINER]
    matrix = library.config.store / "vectors" / FINER / "1.matrix"
    matrix.write_bytes(bytes(matrix.stat().st_size))
    found = [one for one in library.doctor() if not one.is_sound]
    assert [(one.topic, FINER in one.finding, one.next_step) for one in found] == [
        ("vectors", True, "pinakes doctor --repair makes it again.")
    ]
    assert len(library.mend()) == 1
    assert all(one.is_sound for one in library.doctor())
    assert progress(library) == (6, 6)
    assert answers(library) == before


def test_all_corpora_count_but_commits(library: Library, root: Path) -> None:
    library.models.upgrade()
    library.memories.remember("The zebra is striped.", "Zebra")
    library.memories.recall("zebra")
    assert progress(library) == (6, 7)
    library.models.upgrade()
    assert progress(library) == (7, 7)


@pytest.mark.parametrize("broken", ["raise ImportError('half of it')\n", "raise RuntimeError('no such CPU')\n", ""])
def test_a_finer_model_that_cannot_be_run_leaves_the_answer_to_static(
    library: Library, root: Path, broken: str
) -> None:
    static = [hit.ref.path for hit in library.search(QUESTIONS[0]).hits]
    library.models.upgrade()
    shadow = write_tree(root.parent / "shadow", {"onnxruntime/__init__.py": broken})
    done = subprocess.run(
        [sys.executable, "-c", BROKEN, str(root), str(shadow), QUESTIONS[0]],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    paths, told = done.stdout.splitlines()
    assert paths.split() == static
    assert told.startswith("meaning by docs: onnxruntime is installed and cannot be loaded: ")


BROKEN = """
import sys
sys.path.insert(0, sys.argv[2])
import pinakes
with pinakes.open(sys.argv[1]) as library:
    found = library.search(sys.argv[3])
    print(*(hit.ref.path for hit in found.hits))
    print(*found.missing)
"""


def test_a_problem_that_cannot_be_written_down_is_told_all_the_same(library: Library) -> None:
    library.search("tide")
    folder = library.config.store / "vectors" / FINER
    folder.mkdir()
    (folder / "making.json").mkdir()
    kept = VectorFolders(OwnFolder(folder.parent, 2))
    kept.note(FINER, EmbeddingProgress(problem="No room."))
    assert kept.read_progress(FINER) == EmbeddingProgress(problem="No room.")
    kept.clear_progress(FINER)
    assert kept.read_progress(FINER) == EmbeddingProgress()


def test_closing_does_not_wait_for_the_end(root: Path) -> None:
    write_tree(root, {f"more{n}.md": f"# More {n}\n\nRope {n}.\n" for n in range(20 * STEP)})
    with pinakes.open(root) as library:
        library.sync()
        library.search("tide")
        library.models.embed_in_background()
    with pinakes.open(root) as library:
        done, total = progress(library)
        assert done < total
