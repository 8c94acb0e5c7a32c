"""`pinakes mcp install`: one entry is added, everything else stays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kits.trees import write_tree
from pinakes.errors import ConfigError, PinakesError
from pinakes.serve.mcp.install import CLIENTS, install, place

WORDS = ("/usr/bin/pinakes", "mcp", "/home/me/docs")


def run(where: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    home = {"HOME": str(where / "home"), "XDG_CONFIG_HOME": ""}
    return subprocess.run(
        [sys.executable, "-m", "pinakes", "mcp", "install", *arguments],
        cwd=where,
        env={**os.environ, **home},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_is_told_of_this_installation_and_the_folder(tmp_path: Path, client: str) -> None:
    root = write_tree(tmp_path / "project", {".git/HEAD": "", "docs/a.md": "# A\n"})
    done = run(root, client, "docs", "--preset", "full")
    assert done.returncode == 0
    file = place(client, root, {"HOME": str(root / "home")})
    server = json.loads(file.read_text())[CLIENTS[client].key]["pinakes"]
    assert server["args"][-4:] == ["mcp", str(root / "docs"), "--preset", "full"]
    assert os.path.isabs(server["command"])
    again = run(root, client, "docs", "--preset", "full")
    assert "has this entry already" in again.stdout
    removed = run(root, client, "--remove")
    assert removed.returncode == 0 and "has no such entry any more" in removed.stdout
    assert json.loads(file.read_text())[CLIENTS[client].key] == {}


def test_print_writes_nothing(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {".git/HEAD": "", "a.md": "# A\n"})
    before = sorted(root.rglob("*"))
    done = run(root, "vscode", "--print")
    assert json.loads(done.stdout)["servers"]["pinakes"]["type"] == "stdio"
    assert ".vscode/mcp.json" in done.stderr
    assert sorted(root.rglob("*")) == before


def test_what_is_in_the_file_stays(tmp_path: Path) -> None:
    file = tmp_path / ".mcp.json"
    known = {"z": [1, {"ü": None}], "mcpServers": {"other": {"command": "x"}, "pinakes": {"command": "old"}}, "a": 1}
    file.write_text(json.dumps(known, ensure_ascii=False), encoding="utf-8")
    file.chmod(0o640)
    assert install("claude-code", file, WORDS)
    now = json.loads(file.read_text(encoding="utf-8"))
    assert list(now) == ["z", "mcpServers", "a"]
    assert now["mcpServers"]["other"] == {"command": "x"}
    assert now["mcpServers"]["pinakes"]["args"] == ["mcp", "/home/me/docs"]
    assert (now["z"], now["a"]) == (known["z"], 1)
    assert file.stat().st_mode & 0o777 == 0o640
    assert [one.name for one in tmp_path.iterdir()] == [".mcp.json"]


@pytest.mark.parametrize(
    "text", ["{// a comment\n}", "[]", '{"mcpServers": []}', "{", '"x"', "\x00", "[" * 100_000, b"\xff\xff"]
)
def test_a_file_that_cannot_be_kept_is_not_touched(tmp_path: Path, text: str | bytes) -> None:
    file = tmp_path / ".mcp.json"
    data = text.encode() if isinstance(text, str) else text
    file.write_bytes(data)
    with pytest.raises(ConfigError, match="--print"):
        install("claude-code", file, WORDS)
    assert file.read_bytes() == data


def test_a_linked_file_stays_a_link(tmp_path: Path) -> None:
    real = write_tree(tmp_path, {"real.json": ""}) / "real.json"
    (tmp_path / ".mcp.json").symlink_to(real)
    assert install("cursor", tmp_path / ".mcp.json", WORDS)
    assert (tmp_path / ".mcp.json").is_symlink()
    assert "pinakes" in real.read_text()


def test_a_hard_link_of_the_users_is_not_to_be_removed(tmp_path: Path) -> None:
    file = write_tree(tmp_path, {"Claude/claude_desktop_config.json": "{}"}) / "Claude" / "claude_desktop_config.json"
    os.link(file, tmp_path / "other")
    with pytest.raises(ConfigError, match="is a hard link") as raised:
        install("claude-desktop", file, WORDS)
    assert "--print" in raised.value.next_step
    assert file.read_text() == "{}"


def test_every_platform_has_its_place(tmp_path: Path) -> None:
    home = {"HOME": "/home/me", "APPDATA": "/appdata"}
    places = [place("claude-desktop", tmp_path, home, platform).as_posix() for platform in ("linux", "darwin", "win32")]
    assert places == [
        "/home/me/.config/Claude/claude_desktop_config.json",
        "/home/me/Library/Application Support/Claude/claude_desktop_config.json",
        "/appdata/Claude/claude_desktop_config.json",
    ]
    assert place("windsurf", tmp_path, home, "darwin").as_posix() == "/home/me/.codeium/windsurf/mcp_config.json"


@pytest.mark.parametrize(
    "arguments", [["--help"], ["search", "--help"], ["mcp", "--help"], ["mcp", "install", "--help"]]
)
def test_help_loads_nothing_of_the_protocol(arguments: list[str]) -> None:
    code = (
        "import sys\nfrom pinakes.serve.cli import commands\n"
        f"commands.main({arguments!r}, standalone_mode=False)\n"
        "sys.stderr.write(' '.join(sorted({'mcp', 'mcp_types', 'pydantic', 'anyio', 'starlette'} & set(sys.modules))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""


@pytest.mark.parametrize("client", ["claude-code", "cursor", "vscode"])
@pytest.mark.parametrize("linked", ["the file", "its folder", "nothing yet"])
def test_a_link_that_a_project_brought_along_is_not_followed(tmp_path: Path, client: str, linked: str) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    project.mkdir()
    outside.mkdir()
    file = place(client, project, {})
    (outside / file.name).write_text('{"secret": 1}')
    if linked == "its folder" and file.parent != project:
        file.parent.symlink_to(outside)
    else:
        file.parent.mkdir(exist_ok=True)
        file.symlink_to(outside / ("none.json" if linked == "nothing yet" else file.name))
    with pytest.raises(PinakesError, match="is a link"):
        install(client, file, ["pinakes", "mcp"])
    assert [path.name for path in outside.iterdir()] == [file.name]
    assert (outside / file.name).read_text() == '{"secret": 1}'
