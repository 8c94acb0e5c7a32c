"""The commands for added documents, as they are typed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kits.hostile import Wish, environment, pinakes, pinakes_here
from kits.trees import write_tree
from kits.web import Web, web


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_tree(tmp_path, {"handbook/release.md": "# How we release\n\nOn Tuesdays.\n"})
    return write_tree(tmp_path / "root", {"a.md": "# Harbour\n", "pinakes.toml": ""})


@pytest.fixture
def server() -> Iterator[Web]:
    with web() as served:
        yield served


def test_a_document_s_life(root: Path) -> None:
    made = json.loads(pinakes_here(root, "add", "../handbook/release.md", "--project", "handbook", "--json").out)
    identity, source = made["document"]["id"], str(root.parent / "handbook" / "release.md")
    line = f"{identity} [handbook]  How we release  {source}"
    assert made["ref"] == f"added:handbook/{identity}.md"
    again = pinakes_here(root, "add", source, "--project", "handbook")
    assert (again.code, again.out) == (0, f"unchanged: {line}\n")
    assert pinakes_here(root, "list").out == f"handbook\n  {identity}  How we release  {source}\n"
    assert json.loads(pinakes_here(root, "list", "--json").out) == [made["document"]]
    assert pinakes(root, "get", identity[:5], "--plain").out == "# How we release\n\nOn Tuesdays.\n"
    assert pinakes_here(root, "get", source).out.startswith(f"{line}\nadded ")
    assert json.loads(pinakes_here(root, "get", identity, "--json").out)["document"] == made["document"]
    hits = json.loads(pinakes_here(root, "search", "Tuesdays", "--project", "handbook", "--json").out)["hits"]
    assert [(hit["title"], hit["origin"], hit["match"]) for hit in hits] == [("How we release", source, "both")]
    shown = pinakes_here(root, "search", "Tuesdays", "--project", "handbook").out
    assert shown.endswith(f"  How we release\n     On Tuesdays.\n     from {source}\n")
    assert pinakes_here(root, "updates").out == f"unchanged   {identity}  {source}\n"
    Path(source).write_text("# How we release\n\nOn Mondays.\n")
    assert pinakes_here(root, "updates", "--project", "handbook").out == f"changed     {identity}  {source}\n"
    applied = json.loads(pinakes_here(root, "updates", "--apply", "--json").out)
    assert [(one["state"], one["is_applied"]) for one in applied] == [("changed", True)]
    assert pinakes_here(root, "search", "Mondays", "--project", "handbook").code == 0
    assert pinakes_here(root, "drop", identity).out == f"dropped: {line}\n"
    assert pinakes_here(root, "search", "Mondays", "--project", "handbook").code == 1
    assert pinakes_here(root, "list").code == 1


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("add", ""), 2, "Nothing was given."),
        (("add", "."), 2, ". is a folder."),
        (("add", "nowhere.md"), 1, "There is no file nowhere.md."),
        (("add", "http://127.0.0.1:9/"), 2, "127.0.0.1 is no public address."),
        (("add", "file:///etc/passwd"), 2, "is neither http nor https."),
        (("add", "a.md", "--project", "Our Handbook"), 2, "Try our-handbook."),
        (("add", "a.md", "--type", "pdf"), 2, "type: “pdf” is unknown. Choose one of"),
        (("get", "ffff"), 1, "There is no added document “ffff”. pinakes list shows all added documents."),
        (("drop", "ffff"), 1, "There is no added document"),
        (("drop",), 2, "Missing argument"),
        (("list", "--project", "none"), 1, "There is no project “none”."),
        (("updates", "--project", "none"), 1, "There is no project “none”."),
        (("search", "x", "--project", "none"), 1, "There is no project “none”."),
    ],
)
def test_what_does_not_work_says_why_and_what_to_do(
    arguments: tuple[str, ...], code: int, said: str, root: Path
) -> None:
    ran = pinakes_here(root, *arguments)
    assert (ran.code, ran.out) == (code, "")
    assert said in ran.error


def test_standard_input_is_added(root: Path) -> None:
    def pipe(data: bytes, *more: str) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "pinakes", "add", "-", *more]
        return subprocess.run(command, input=data, capture_output=True, cwd=root, env=environment(), check=False)

    assert pipe(b"# From a pipe\n").stdout.startswith(b"added: ")
    assert pipe(b"words", "--title", "Mine", "--type", "txt").stdout.endswith(b"[default]  Mine\n")
    empty = pipe(b"")
    assert (empty.returncode, empty.stdout) == (2, b"")
    assert b"The text is empty." in empty.stderr
    assert pipe(b"\0\1\2").returncode == 2
    assert pinakes_here(root, "list").out.count("\n") == 3


def test_names_that_steer_a_terminal_are_shown_harmless(root: Path, server: Web) -> None:
    evil = "\x1b]0;owned\x07\u202e"
    (root / f"{evil}.md").write_text(f"# Title {evil}\n")
    assert pinakes(root, "add", f"{evil}.md").code == 0
    assert pinakes(root, "list").code == 0
    assert pinakes(root, "get", f"{evil}.md").code == 0
    assert pinakes(root, "search", "title", "--project", "default").code == 0
    assert pinakes(root, "add", f"http://exa{evil}mple/").code == 2


def test_a_private_host_is_allowed_by_the_user_and_by_no_project(root: Path, server: Web) -> None:
    url = server.page("/guide.md", "# Guide\n")
    (root / "pinakes.toml").write_text('[added]\nallow = ["127.0.0.1"]\n')
    refused = pinakes_here(root, "add", url)
    assert (refused.code, server.asked) == (2, [])
    (root / "pinakes.toml").write_text("")
    allowed = environment() | {"PINAKES_ADDED_ALLOW": "127.0.0.1"}
    command = [sys.executable, "-m", "pinakes", "add", url]
    ran = subprocess.run(command, capture_output=True, cwd=root, env=allowed, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.decode().endswith(f"[default]  Guide  {url}\n")


def test_a_disk_without_room_leaves_the_old_document(root: Path) -> None:
    source = root.parent / "handbook" / "release.md"
    before = json.loads(pinakes_here(root, "add", str(source), "--json").out)["document"]
    source.write_text("# Another\n\n" + "words\n" * 20_000)
    full = pinakes(root, "add", str(source), wish=Wish(limits={"FSIZE": 40_000}))
    assert (full.code, full.out) == (2, "")
    assert "Added documents cannot be written" in full.error
    assert json.loads(pinakes_here(root, "list", "--json").out) == [before]
    assert pinakes(root, "get", before["id"], "--plain").out == "# How we release\n\nOn Tuesdays.\n"
    assert pinakes(root, "add", str(source)).out.startswith("updated: ")
