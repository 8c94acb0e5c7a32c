"""Trees made to lead their reader astray: names, links, pipes, other people's settings.

Nothing outside is read, nothing is run, and whatever can be read is read and can be asked for by its name.
"""

from __future__ import annotations

import os
import socket
import stat
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from kits.hostile import NOBODY, SECRET, Wish, for_anyone, mapped, no_secret_in, one_line, pinakes, pinakes_here, synced
from kits.trees import write_tree
from pinakes.errors import Unreadable
from pinakes.library import open_library
from pinakes.render import safe
from pinakes.sources import FolderSource

GOOD = {"good.md": "# A good heading\n", "inner/other.md": "# Another heading\n"}


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the root, with a secret under every name a trick could reach for."""
    secret = f"# {SECRET}\n"
    names = ("secret.md", "info/exclude", "pinakes.toml", ".gitignore", ".env", "HEAD", "a.md", "library.db")
    return write_tree(tmp_path / "outside", dict.fromkeys(names, secret))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "root", GOOD)


def everything(root: Path) -> str:
    """Whatever the commands that look at the whole library print."""
    asked = (["map", "--json", "--summary"], ["map", "--format", "svg"], ["status", "--files"], ["check"])
    runs = [pinakes_here(root, *arguments) for arguments in asked]
    assert all(ran.code in (0, 1) for ran in runs)
    return "".join(ran.both for ran in runs)


def test_links_lead_nowhere_but_to_what_is_shown_anyway(root: Path, outside: Path) -> None:
    links = {
        "out.md": "../outside/secret.md",
        "absolute.md": str(outside / "secret.md"),
        "folder": "../outside",
        "inner/up.md": "../../outside/secret.md",
        "inner/top": "/",
        "self": ".",
        "parent": "..",
        "round.md": "trip.md",
        "trip.md": "round.md",
        "through.md": "folder/secret.md",
        "zero.md": "/dev/zero",
        "input.md": "/dev/stdin",
        "environment.md": "/proc/self/environ",
        "hidden.md": ".hidden/secret.md",
        "dots.md": ".env",
        "nothing.md": "nothing-there.md",
        "fine.md": "good.md",
        ".gitignore": str(outside / ".gitignore"),
        ".pinakesignore": str(outside / ".gitignore"),
    }
    write_tree(root, {".hidden/secret.md": SECRET, ".env": SECRET, ".secret.md": SECRET, ".git/secret.md": SECRET})
    for name, target in links.items():
        (root / name).symlink_to(target)

    done = synced(root, wish=Wish(environment={SECRET.replace("-", "_"): SECRET}))
    assert done["read"] == ["fine.md", "good.md", "inner/other.md"]
    no_secret_in(root, everything(root))
    for name in ("out.md", "folder/secret.md", "inner/up.md", ".env", ".hidden/secret.md", "inner/top/etc/passwd"):
        assert pinakes_here(root, "read", name).code == 1
    for part in ("folder", "inner/top", "parent"):
        assert pinakes_here(root, "map", part).code == 1
    assert not (outside / ".pinakes").exists()


def test_pipes_sockets_and_devices_are_passed_over(root: Path) -> None:
    os.mkfifo(root / "pipe.md")
    os.mkfifo(root / ".gitignore")
    os.mkfifo(root / "inner" / ".pinakesignore")
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(root)  # a socket's path must be short
        try:
            server.bind("socket.md")
        finally:
            os.chdir(here)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        with suppress(PermissionError):
            os.mknod(root / "device.md", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    assert synced(root)["read"] == ["good.md", "inner/other.md"]
    assert "left_out pipe.md: it is a pipe, socket or device" in pinakes(root, "status", "--files").out


@pytest.mark.parametrize("swap", ["file", "folder"])
def test_a_link_swapped_in_between_looking_and_reading_is_not_followed(root: Path, outside: Path, swap: str) -> None:
    source = FolderSource(root)
    stamps = {stamp.ref.path: stamp for stamp in source.scan().stamps}
    if swap == "file":
        (root / "inner/other.md").unlink()
        (root / "inner/other.md").symlink_to(outside / "secret.md")
    else:
        (root / "inner").rename(root / "elsewhere")
        (outside / "other.md").write_text(SECRET)
        (root / "inner").symlink_to(outside)

    with pytest.raises(Unreadable, match="is a link to something outside the root"):
        source.read(stamps["inner/other.md"])
    assert source.read(stamps["good.md"]).data == b"# A good heading\n"


NAMES = (
    *("new\nline.md", "tab\t.md", "esc\x1b[31m.md", "bell\x07.md", "\u202egnp.md", "\u200b.md", "\u2028.md", "\x7f.md"),
    *("\x85.md", "\U000e0041.md", "#hash.md", "a#b.md", "per%cent.md", "100%25.md", "a:b.md", "a:12.md", "docs:x.md"),
    *("-rf.md", "--help.md", " lead.md", "trail .md", "q?.md", "star*.md", 'quote".md', "apostrophe'.md", "<x>.md"),
    *("back\\slash.md", "$(touch canary).md", "`touch canary`.md", ";touch canary.md", "Case.md", "case.md", "~.md"),
    *(
        "caf\u00e9.md",
        "cafe\u0301.md",
        "con.md",
        f"{'x' * 250}.md",
        "a|b.md",
        "a[b].md",
        "a(b).md",
        "[[x]].md",
        "{a}.md",
    ),
    *(
        "C:.md",
        "http:.md",
        "http:x.md",
        "%2e%2e.md",
        "&amp;.md",
        "\udcff\udcfe.md",
        "dir\udcff/in\udc80.md",
        "dir.md/x.md",
    ),
)


def test_every_name_is_shown_safely_and_found_again(root: Path) -> None:
    for name in NAMES:
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# Heading {NAMES.index(name)}\n\n[a](/good.md)\n")
    deep = "/".join(["deep"] * 200)
    (root / deep).mkdir(parents=True)
    (root / deep / "bottom.md").write_text("# Bottom\n")

    done = synced(root)
    assert (len(done["read"]), done["failed"]) == (len(NAMES) + 3, [])
    shown = mapped(root)
    for number in range(len(NAMES)):
        assert f"# Heading {number}" in shown
    everything(root)
    assert "# Bottom" in pinakes(root, "read", f"{deep}/bottom.md", "--no-sync").out
    assert sorted(os.listdir(root)) == sorted(
        {".pinakes", "deep", *(name.partition("/")[0] for name in (*NAMES, *GOOD))}
    )


def test_a_file_is_read_by_its_own_name_and_by_its_printed_one(root: Path) -> None:
    for name in NAMES:
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(f"# Heading {NAMES.index(name)}\n")
    with open_library(root) as library:
        library.sync()
        for name in NAMES:
            found = library.read(name)
            assert found.text == f"# Heading {NAMES.index(name)}\n"
            assert library.read(str(found.ref)) == found
            assert library.read(safe(str(found.ref))) == found
    assert "# Heading" in pinakes(root, "read", "--no-sync", "--", "--help.md").out


def canaries(tmp_path: Path, root: Path) -> dict[str, str]:
    """An environment in which starting git, a pager, an editor or a shell from the root leaves a trace."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("git", "sh", "bash", "less", "python", "python3"):
        tool = tools / name
        tool.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran-{name}\n")
        tool.chmod(0o755)
    for name in ("sitecustomize.py", "pinakes.py", "numpy.py", "yaml.py", "conftest.py", "json.py", "click.py"):
        (root / name).write_text(f"open({str(tmp_path / 'ran-module')!r}, 'w')\n")
    return {"PATH": str(tools), "PAGER": "touch ran-pager", "EDITOR": "touch ran-editor"}


def test_nothing_in_a_repository_is_run(tmp_path: Path, root: Path, outside: Path) -> None:
    touch = f"touch {tmp_path}/ran-config"
    settings = "".join(
        f"[{part}]\n\t{key} = {touch}\n"
        for part, key in (
            *(
                ("core", "fsmonitor"),
                ("core", "pager"),
                ("core", "editor"),
                ("core", "sshCommand"),
                ("alias", "ls-files"),
            ),
            *(('filter "x"', "clean"), ('filter "x"', "smudge"), ('diff "x"', "textconv"), ("init", "templateDir")),
        )
    )
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    with (root / ".git/config").open("a") as config:
        config.write(f"{settings}[core]\n\texcludesFile = {outside}/.gitignore\n\thooksPath = {root}/hooks\n")
    write_tree(root, {".gitattributes": "*.md filter=x diff=x\n", "hooks/post-index-change": f"#!/bin/sh\n{touch}\n"})
    (root / "hooks/post-index-change").chmod(0o755)
    write_tree(root, {f"many/{number}.md": f"# Page {number}\n" for number in range(450)})  # enough for workers

    done = synced(root, wish=Wish(environment={**canaries(tmp_path, root), "SHELL": "/bin/false"}))
    assert len(done["read"]) == 452
    no_secret_in(root, everything(root))
    assert [path.name for path in tmp_path.rglob("ran-*")] == []


@pytest.mark.parametrize(
    "pointer",
    [
        pytest.param("gitdir: ../outside\n", id="to a folder that looks like a repository"),
        pytest.param("gitdir: repo\n", id="to one inside that passes it on"),
        pytest.param(None, id="as a link"),
    ],
)
def test_a_git_pointer_brings_nothing_in_from_outside(root: Path, outside: Path, pointer: str | None) -> None:
    write_tree(root, {"repo/HEAD": "ref: x", "repo/commondir": "../../outside\n", f"# {SECRET}": "", "a.md": "# A\n"})
    (outside / "info/exclude").write_text(f"a.md\n{SECRET}*\n")
    if pointer is None:
        (root / ".git").symlink_to(outside)
    else:
        (root / ".git").write_text(pointer)

    assert "a.md" in synced(root)["read"]
    told = pinakes_here(root, "status", "--files").out
    assert "info/exclude" not in told


HOSTILE_SETTINGS = {
    "store outside": 'store = "../elsewhere"\n',
    "absolute store": 'store = "/tmp/elsewhere"\n',
    "store at home": 'store = "~/elsewhere"\n',
    "store in git": 'store = ".git/x"\n',
    "include outside": '[sources]\ninclude = ["../outside/*"]\n',
    "model by path": '[keywords]\nmodel = "../outside/model"\n',
    "model by address": '[keywords]\nmodel = "https://example.org/model"\n',
    "unknown key": '[run]\ncommand = "touch canary"\n',
    "escape": '"\\u001b[31m" = 1\n',
    "deep": "a = " + "[" * 5000,
    "dotted": "a." * 20_000 + "b = 1\n",
    "long": "# " + "x" * 300_000,
    "number": "[map]\nbudget_tokens = " + "9" * 5000 + "\n",
    "workers": "[sync]\nworkers = 100000\n",
    "bytes": "\x00\x01\x02",
    "wrong kinds": '[sources]\nexclude = "a"\n',
}


@pytest.mark.parametrize("name", HOSTILE_SETTINGS)
def test_settings_that_reach_too_far_are_refused_in_one_line(root: Path, outside: Path, name: str) -> None:
    (root / "pinakes.toml").write_text(HOSTILE_SETTINGS[name])
    ran = pinakes(root, "sync", wish=Wish(cpu_s=4))
    assert ran.code == 2
    assert "pinakes.toml" in one_line(ran)
    assert sorted(path.name for path in root.parent.iterdir()) == ["outside", "root"]


def test_settings_that_are_a_link_out_of_the_root_are_not_read(root: Path, outside: Path) -> None:
    (root / "pinakes.toml").symlink_to(outside / "pinakes.toml")
    ran = pinakes(root, "sync")
    assert ran.code == 2
    assert SECRET not in ran.both


@pytest.mark.parametrize("name", ["maps", "maps/x.json", "writer.json", "library.db"])
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_an_index_brought_along_never_writes_elsewhere(root: Path, outside: Path, name: str, kind: str) -> None:
    place = root / ".pinakes" / name
    place.parent.mkdir(parents=True)
    if kind == "link":
        place.symlink_to(outside if name == "maps" else outside / "secret.md")
    else:
        os.mkfifo(place)
    before = sorted((path.name, path.is_file() and path.read_bytes()) for path in outside.rglob("*"))

    ran = pinakes(root, "sync", "--rebuild")
    assert ran.code == 2
    assert name in one_line(ran)
    assert sorted((path.name, path.is_file() and path.read_bytes()) for path in outside.rglob("*")) == before


@pytest.fixture
def closed() -> Iterator[Path]:
    """A root with a file and a folder that nobody may read."""
    with for_anyone() as folder:
        root = write_tree(folder / "root", {**GOOD, "shut.md": SECRET, "vault/in.md": SECRET, "blind/in.md": "# In\n"})
        root.chmod(0o777)
        (root / "shut.md").chmod(0)
        (root / "vault").chmod(0)
        (root / "blind").chmod(0o444)  # may be listed, not entered
        yield root


def test_files_and_folders_that_may_not_be_read_are_named_and_the_rest_is_there(closed: Path) -> None:
    other = Wish(user=NOBODY)
    done = synced(closed, wish=other)
    assert (done["read"], done["failed"]) == (["good.md", "inner/other.md"], ["blind/in.md", "shut.md", "vault"])
    told = pinakes(closed, "sync", wish=other).out
    assert "failed: shut.md: could not be read: Permission denied. Allow reading it" in told
    assert "A good heading" in mapped(closed, wish=other)


def test_what_can_no_longer_be_read_keeps_its_last_good_version(closed: Path) -> None:
    other = Wish(user=NOBODY)
    (closed / "vault").chmod(0o755)
    (closed / "vault/in.md").write_text("# In the vault\n")
    assert "vault/in.md" in synced(closed, wish=other)["read"]
    (closed / "vault").chmod(0)
    synced(closed, wish=other)
    assert "In the vault" in mapped(closed, wish=other)
    (closed / "vault").chmod(0o755)
    (closed / "vault/in.md").unlink()
    synced(closed, wish=other)
    assert "In the vault" not in mapped(closed, wish=other)


def test_a_folder_of_ten_thousand_files_is_taken_in(tmp_path: Path) -> None:
    for number in range(10_000):
        (tmp_path / f"{number:05}.md").write_text(f"# Page {number}\n\n[next]({(number + 1) % 10_000:05}.md)\n")
    ran = pinakes(tmp_path, "sync", wish=Wish(environment={"PINAKES_KEYWORDS_ENABLED": "false"}))
    assert ran.out.startswith("10,000 documents read")
    assert pinakes(tmp_path, "check", "--no-sync").out == "nothing found\n"
