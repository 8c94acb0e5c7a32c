"""Libraries from git: mirrored, asked without a working tree, brought up to date, removed, and never obeyed."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from kits.git import Repo, needs_git
from pinakes import open as open_library
from pinakes.check import Code
from pinakes.errors import ConfigError, NotFound, Unreadable
from pinakes.library.git_libraries import GitLibraries
from pinakes.serve.cli import commands
from pinakes.user_folders import data_path

pytestmark = needs_git


@pytest.fixture(autouse=True)
def data_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "theirs")
    made.commit("one", {"docs/a.md": "# Tides\n\nHigh water twice a day. [out](../b.md)\n", "b.md": "# B\n"})
    made.git("tag", "v1")
    made.commit("two", {"docs/a.md": "# Tides\n\nHigh water comes late.\n"})
    return made


def _read(name: str, address: str, revision: str = "") -> str:
    with GitLibraries().opened(name, revision) as library:
        return library.read(address).text


def test_a_library_is_asked_as_it_was_fetched_until_it_is_synced(repo: Repo) -> None:
    libraries = GitLibraries()
    made = libraries.add("tides", str(repo.folder), path="docs")
    assert made.commit == repo.head()
    assert libraries.list() == (made,)
    assert "late" in _read("tides", "a.md")
    assert "twice" in _read("tides", "a.md", "v1")
    with libraries.opened("tides") as library:
        assert [hit.ref.path for hit in library.search("high water").hits] == ["a.md"]
    latest = repo.commit("three", {"docs/a.md": "# Tides\n\nNow.\n"})
    assert "late" in _read("tides", "a.md")
    assert libraries.sync("tides").commit == latest
    assert "Now" in _read("tides", "a.md")


def test_a_part_of_a_repository_is_compared_with_its_history(repo: Repo) -> None:
    repo.commit(
        "three", {"docs/a.md": "# Tides\n\nCall `turn_the_tide` first.\n", "docs/t.sh": "turn_the_tide() { :; }\n"}
    )
    repo.commit("four", {"docs/t.sh": "ebb() { :; }\n"})
    libraries = GitLibraries()
    libraries.add("tides", str(repo.folder), path="docs")
    with libraries.opened("tides") as library, open_library(repo.folder / "docs") as present:
        present.sync()
        assert [one.code for one in library.check()].count(Code.DRIFT) == 1
        assert library.check() == present.check()


def test_branches_that_are_rewritten_or_gone_are_so_after_a_sync(repo: Repo) -> None:
    repo.git("branch", "side")
    libraries = GitLibraries()
    libraries.add("tides", f"file://{repo.folder}")
    assert "late" in _read("tides", "docs/a.md", "side")
    repo.git("branch", "-D", "side")
    repo.git("reset", "-q", "--hard", "v1")
    assert libraries.sync("tides").commit == repo.head("v1")
    with pytest.raises(NotFound, match="no revision"):
        _read("tides", "docs/a.md", "side")


def test_a_repository_that_is_gone_is_told_and_what_was_fetched_goes_on_being_asked(repo: Repo) -> None:
    libraries = GitLibraries()
    libraries.add("tides", str(repo.folder))
    repo.folder.rename(repo.folder.with_name("moved"))
    with pytest.raises(Unreadable, match="could not be fetched"):
        libraries.sync("tides")
    assert "late" in _read("tides", "docs/a.md")


def test_a_mirror_that_git_cannot_read_is_told_without_a_word_of_it(repo: Repo) -> None:
    libraries = GitLibraries()
    libraries.add("tides", str(repo.folder))
    place = data_path("libraries")
    assert place is not None
    (place / "tides" / "mirror" / "packed-refs").write_text("xyzzy-7c1f-plugh in a file of somebody\n")
    with pytest.raises(Unreadable, match="mirror of the repository is damaged") as told:
        libraries.sync("tides")
    assert "xyzzy" not in str(told.value)


def test_what_git_quotes_from_a_folder_is_not_repeated(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("xyzzy-7c1f-plugh\n")
    (repo.folder / ".git" / "packed-refs").unlink(missing_ok=True)
    (repo.folder / ".git" / "packed-refs").symlink_to(tmp_path / "secret")
    with pytest.raises(Unreadable, match="git cannot read it") as told:
        GitLibraries().add("tides", str(repo.folder))
    assert "xyzzy" not in str(told.value)


def test_what_cannot_be_added_leaves_nothing_behind(repo: Repo, tmp_path: Path) -> None:
    libraries = GitLibraries()
    (tmp_path / "empty").mkdir()
    for address in ("ssh://host/x", "ext::sh -c date", "https://ada:secret@host/x", "--upload-pack=date", "/nowhere"):
        with pytest.raises(ConfigError, match="no repository"):
            libraries.add("tides", address)
    with pytest.raises(Unreadable):
        libraries.add("tides", str(tmp_path / "empty"))
    for ref, path in (("v9", ""), ("", "none"), ("--help", "")):
        with pytest.raises(NotFound):
            libraries.add("tides", str(repo.folder), ref, path)
    for name, path in (("../x", ""), ("Tides", ""), ("tides", "../docs"), ("tides", "docs/./a")):
        with pytest.raises(ConfigError):
            libraries.add(name, str(repo.folder), path=path)
    assert libraries.list() == ()
    place = data_path("libraries")
    assert place is not None
    assert list(place.iterdir()) == []


def test_nothing_of_the_repository_is_run_or_obeyed(repo: Repo, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    for hook in ("post-checkout", "reference-transaction", "pre-receive", "post-update"):
        (repo.folder / ".git" / "hooks" / hook).write_text(f"#!/bin/sh\ntouch {ran}\n")
        (repo.folder / ".git" / "hooks" / hook).chmod(0o755)
    repo.git("config", "uploadpack.packObjectsHook", f"touch {ran};")
    repo.git("config", "core.fsmonitor", f"touch {ran}")
    ran.unlink(missing_ok=True)
    repo.git("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "commit", "-q", "--allow-empty", "-m", "x")
    ran.unlink(missing_ok=True)
    GitLibraries().add("tides", str(repo.folder))
    assert not ran.exists()
    (repo.folder / "pinakes.toml").write_text('[sources]\nexclude = ["docs/"]\n')
    repo.git("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "add", "-A")
    repo.git("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "commit", "-q", "-m", "settings")
    GitLibraries().sync("tides")
    assert "late" in _read("tides", "docs/a.md")


def test_the_terminal_adds_asks_and_removes(repo: Repo) -> None:
    def run(*words: str, code: int = 0) -> str:
        done = CliRunner().invoke(commands, words)
        assert done.exit_code == code, done.output
        return done.output

    run("library", "add", "tides", "--git", str(repo.folder), "--ref", "v1")
    assert run("library", "list").startswith(f"tides  {repo.folder}  v1 {repo.head('v1')[:12]}")
    assert "twice" in run("search", "high water", "--library", "tides")
    assert "late" in run("read", "docs/a.md", "--plain", "--library", "tides", "--at", "main")
    assert "# Tides" in run("map", "docs", "--library", "tides")
    assert "b.md" in run("links", "docs/a.md", "--library", "tides")
    assert "no library “none”" in run("map", "--library", "none", code=1)
    assert "Give one of them" in run("map", "--library", "tides", "--root", ".", code=2)
    run("library", "remove", "tides")
    assert "There are no libraries" in run("library")
