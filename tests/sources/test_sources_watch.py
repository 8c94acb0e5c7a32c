"""When to look again, and where."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kits.trees import write_tree
from kits.watch import DEADLINE_S, Injected
from pinakes.sources import FolderOptions
from pinakes.sources.options import WatchOptions
from pinakes.sources.watch.notices import EVERYTHING, MOST, NOTHING, Batch, CannotWatch, ChangedPaths, Notices, union_of
from pinakes.sources.watch.other_systems import WatchfilesNotices
from pinakes.sources.watch.polling import kind_of
from pinakes.sources.watch.scope import FolderScope, RefScope, WatchScope
from pinakes.sources.watch.watcher import Watcher, system_notices

QUICK = WatchOptions(quiet_ms=20, longest_ms=200, reconcile_interval=0)
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")


def test_a_batch_is_due_when_it_was_quiet_or_when_it_took_long() -> None:
    batch = Batch(quiet_s=0.5, longest_s=5.0)
    assert batch.due() is None
    batch.add(frozenset({"a.md"}), 10.0)
    assert batch.due() == 10.5
    batch.add(frozenset({"b.md"}), 10.4)
    assert batch.due() == 10.9
    for moment in range(11, 16):
        batch.add(frozenset({"a.md"}), moment)
    assert batch.due() == 15.0
    assert batch.take() == frozenset({"a.md", "b.md"})
    assert batch.due() is None
    assert batch.take() == NOTHING


def test_too_many_paths_are_everything() -> None:
    batch = Batch(quiet_s=0.5, longest_s=5.0)
    batch.add(frozenset(map(str, range(MOST))), 1.0)
    batch.add(frozenset({"one more"}), 2.0)
    batch.add(frozenset({"and more"}), 2.0)
    assert batch.take() is EVERYTHING
    batch.add(frozenset({"a.md"}), 3.0)
    assert batch.take() == frozenset({"a.md"})


class Taken:
    """A watcher, and what was taken from it each time it said so."""

    def __init__(
        self,
        scope: WatchScope,
        options: WatchOptions = QUICK,
        notices: Callable[[WatchScope], Notices] = system_notices,
    ) -> None:
        self.batches: list[ChangedPaths] = []
        self._more = threading.Condition()
        self.watcher = Watcher(scope, options, self._due, notices=notices)
        self.watcher.start()
        self.until(lambda: EVERYTHING in self.batches, "the first look")

    def _due(self) -> None:
        told = self.watcher.take()
        with self._more:
            self.batches.append(told)
            self._more.notify_all()

    @property
    def paths(self) -> ChangedPaths:
        """All that was taken since the first look or since an answer was `forgotten`."""
        told = NOTHING
        for one in self.batches:
            told = union_of(told, one)
        return told

    def forget(self) -> None:
        self.batches.clear()

    def until(self, holds: Callable[[], bool], what: str) -> None:
        with self._more:
            assert self._more.wait_for(holds, DEADLINE_S), f"not within {DEADLINE_S:.0f} s: {what}; {self.batches}"

    def until_told(self, *paths: str) -> None:
        self.until(lambda: self.paths is not None and set(paths) <= self.paths, f"told of {paths}")

    def close(self) -> None:
        self.watcher.end()
        assert self.watcher.has_ended(DEADLINE_S)


class Opened:
    """A maker of injected notices that remembers what it made."""

    def __init__(self) -> None:
        self.notices: Injected | None = None

    def __call__(self, scope: WatchScope) -> Injected:
        self.notices = Injected(scope)
        return self.notices


@pytest.fixture
def injected(tmp_path: Path) -> Iterator[tuple[Taken, Injected]]:
    opened = Opened()
    taken = Taken(FolderScope(tmp_path, FolderOptions()), notices=opened)
    assert opened.notices is not None
    taken.forget()
    yield taken, opened.notices
    taken.close()


def test_lost_events_mean_everything(injected: tuple[Taken, Injected]) -> None:
    taken, notices = injected
    notices.say(frozenset({"a.md"}))
    notices.say(EVERYTHING)
    taken.until(lambda: EVERYTHING in taken.batches, "everything")


def test_what_could_not_be_looked_at_is_told_again(injected: tuple[Taken, Injected]) -> None:
    taken, _ = injected
    taken.watcher.again(frozenset({"a.md"}))
    taken.until_told("a.md")


def test_what_waits_can_be_taken_before_it_is_due(tmp_path: Path) -> None:
    opened = Opened()
    slow = WatchOptions(quiet_ms=3_600_000, longest_ms=3_600_000)
    watcher = Watcher(FolderScope(tmp_path, FolderOptions()), slow, lambda: None, notices=opened)
    watcher.start()
    while not watcher.is_exact:
        assert watcher.has_ended(0.001) is False
    assert watcher.take() is EVERYTHING
    assert not watcher.is_waiting()
    assert opened.notices is not None
    opened.notices.say(frozenset({"a.md"}))
    assert watcher.is_waiting()
    assert watcher.take() == frozenset({"a.md"})
    assert watcher.take() == NOTHING
    watcher.end()
    assert watcher.has_ended(DEADLINE_S)


def test_a_watch_that_fails_later_is_polled_and_says_so(tmp_path: Path) -> None:
    opened = Opened()
    options = WatchOptions(quiet_ms=5, longest_ms=5, poll_s=0)
    taken = Taken(FolderScope(tmp_path, FolderOptions()), options, opened)
    assert taken.watcher.note == ""
    assert opened.notices is not None
    opened.notices.fail("The limit of watched folders is reached.")
    taken.until(lambda: len(taken.batches) > 3, "polling")
    assert taken.watcher.note == (
        "The limit of watched folders is reached. The folder is compared every 0 seconds instead."
    )
    assert not taken.watcher.is_exact
    taken.close()


def test_a_folder_that_cannot_be_watched_is_polled_from_the_start(tmp_path: Path) -> None:
    def refuse(scope: WatchScope) -> Notices:
        raise CannotWatch("It is on a network file system.")

    taken = Taken(FolderScope(tmp_path, FolderOptions()), WatchOptions(quiet_ms=5, longest_ms=5, poll_s=0), refuse)
    taken.until(lambda: len(taken.batches) > 3, "polling")
    assert taken.watcher.note.startswith("It is on a network file system. The folder is compared every")
    taken.close()


def test_everything_is_looked_at_from_time_to_time(tmp_path: Path) -> None:
    often = WatchOptions(quiet_ms=5, longest_ms=5, reconcile_interval=1)
    taken = Taken(FolderScope(tmp_path, FolderOptions()), often, Opened())
    taken.until(lambda: taken.batches.count(EVERYTHING) >= 2, "the reconciliation")
    taken.close()


ENGINES = [pytest.param(system_notices, id="system"), pytest.param(WatchfilesNotices, id="watchfiles")]


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_tells_of_saves_folders_and_deletions(
    tmp_path: Path, engine: Callable[[WatchScope], Notices]
) -> None:
    root = write_tree(tmp_path / "root", {"a.md": "x", "sub/b.md": "x", ".gitignore": "build/\n", "build/x.md": "x"})
    taken = Taken(FolderScope(root, FolderOptions()), notices=engine)
    write_tree(root, {"build/y.md": "x", "node_modules/z/y.md": "x"})
    for number in range(1000):  # until the first is told: an engine may take a while to begin
        taken.forget()
        write_tree(root, {"a.md": f"{number}", "sub/b.md": f"{number}"})
        if not threading.Event().wait(0.01) and any(told for told in taken.batches if told):
            break
    taken.until_told("a.md", "sub/b.md")
    write_tree(root, {"new/deep/c.md": "x"})
    taken.until(lambda: taken.paths is None or "new" in {path.split("/")[0] for path in taken.paths}, "the new folder")
    taken.forget()
    (root / "a.md").unlink()
    shutil.rmtree(root / "sub")
    taken.until_told("a.md", "sub")
    assert taken.paths is not None
    assert not any(path.startswith(("build", "node_modules", ".pinakes")) for path in taken.paths)
    taken.close()


@linux_only
def test_the_limit_of_watches_is_told_and_named(tmp_path: Path) -> None:
    write_tree(tmp_path, {f"d{number}/a.md": "x" for number in range(5)})
    code = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from pinakes.sources import FolderOptions\n"
        "from pinakes.sources.watch import inotify\n"
        "from pinakes.sources.watch.notices import CannotWatch\n"
        "from pinakes.sources.watch.scope import FolderScope\n"
        "from pinakes.sources.watch.watcher import system_notices\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))\n"
        "held = []\n"
        "try:\n"
        "    while True: held.append(inotify.Inotify())\n"
        "except CannotWatch as problem:\n"
        "    print(problem)\n"
        "try:\n"
        "    system_notices(FolderScope(Path(sys.argv[1]), FolderOptions()))\n"
        "except CannotWatch as problem:\n"
        "    print('refused')\n"
    )
    ran = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    first, second = ran.stdout.splitlines()
    assert "limit of watchers (fs.inotify.max_user_instances) or of open files is reached" in first
    assert second == "refused"


@linux_only
def test_a_real_overflow_means_everything_and_watching_goes_on(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {"a.md": "x"})
    notices = system_notices(FolderScope(root, FolderOptions()))
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    for number in range(most // 2 + 10):
        (root / f"f{number % 2}.md").touch()
        (root / f"f{number % 2}.md").unlink()
    assert notices.drain() is EVERYTHING
    assert notices.drain() == NOTHING
    write_tree(root, {"b.md": "x"})
    assert notices.drain() == frozenset({"b.md"})
    notices.close()


@linux_only
def test_nothing_that_happened_before_is_missing_from_what_is_drained(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {"a.md": "x", "sub/deep/b.md": "x"})
    notices = system_notices(FolderScope(root, FolderOptions()))
    assert notices.is_exact
    for number in range(200):
        write_tree(root, {f"n{number}.md": "x"})
        assert notices.drain() == frozenset({f"n{number}.md"})
        (root / "sub").rename(root / f"sub{number}")
        assert notices.drain() == frozenset({"sub", f"sub{number}"})
        write_tree(root, {f"sub{number}/deep/b.md": f"{number}"})
        assert notices.drain() == frozenset({f"sub{number}/deep/b.md"})
        (root / f"sub{number}").rename(root / "sub")
        assert notices.drain() == frozenset({"sub", f"sub{number}"})
    notices.close()


@linux_only
def test_links_to_folders_outside_are_not_watched(tmp_path: Path) -> None:
    write_tree(tmp_path / "outside", {"x.md": "x"})
    root = write_tree(tmp_path / "root", {"a.md": "x"})
    (root / "out").symlink_to(tmp_path / "outside")
    notices = system_notices(FolderScope(root, FolderOptions()))
    write_tree(tmp_path / "outside", {"y.md": "x"})
    assert notices.drain() == NOTHING
    notices.close()


@linux_only
def test_an_ignore_file_above_the_root_means_everything(tmp_path: Path) -> None:
    write_tree(tmp_path, {".git/HEAD": "x", ".gitignore": "", "docs/a.md": "x"})
    notices = system_notices(FolderScope(tmp_path / "docs", FolderOptions()))
    write_tree(tmp_path, {"other.md": "x"})
    assert notices.drain() == NOTHING
    write_tree(tmp_path, {".gitignore": "*.txt\n"})
    assert notices.drain() is EVERYTHING
    notices.close()


@linux_only
def test_branches_and_tags_are_told_and_the_rest_of_git_is_not(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "gc.auto=0"]
        subprocess.run(["git", *who, *words], cwd=tmp_path / "repo", check=True, capture_output=True)

    (tmp_path / "repo").mkdir()
    git("init", "-q", "-b", "main")
    write_tree(tmp_path / "repo", {"a.md": "x"})
    git("add", ".")
    git("commit", "-qm", "one")
    notices = system_notices(RefScope(lambda: [tmp_path / "repo/.git"]))
    write_tree(tmp_path / "repo", {"b.md": "x"})
    git("add", ".")
    git("status")
    assert notices.drain() == NOTHING
    for words in (
        ("commit", "-qm", "two"),
        ("branch", "feature/deep/er"),
        ("tag", "v1"),
        ("checkout", "-q", "feature/deep/er"),
        ("commit", "-q", "--allow-empty", "-m", "three"),
        ("pack-refs", "--all"),
        ("branch", "-D", "main"),
    ):
        git(*words)
        assert notices.drain() is EVERYTHING, words
    notices.close()


def test_the_file_system_of_a_folder_is_known(tmp_path: Path) -> None:
    assert bool(kind_of(os.path.realpath(tmp_path))) is (sys.platform == "linux")
    if sys.platform == "linux":
        assert kind_of("/proc") == "proc"
