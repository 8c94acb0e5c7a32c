"""`pinakes mcp install`: one entry is added, everything else stays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from kits.trees import write_tree
from pinakes.errors import ConfigError, PinakesError
from pinakes.serve.mcp.clients import FileSyntax
from pinakes.serve.mcp.install import CLIENTS, install, place, remove

WORDS = ("/usr/bin/pinakes", "mcp", "/home/me/docs")


def run(where: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    home = {"HOME": str(where / "home"), "XDG_CONFIG_HOME": "", "CODEX_HOME": ""}
    return subprocess.run(
        [sys.executable, "-m", "pinakes", "mcp", "install", *arguments],
        cwd=where,
        env={**os.environ, **home},
        capture_output=True,
        text=True,
    )


def servers(client: str, file: Path) -> dict[str, Any]:
    """What a client reads in its file, by the syntax that its documentation names."""
    text, key = file.read_text(encoding="utf-8"), CLIENTS[client].key
    match CLIENTS[client].syntax:
        case FileSyntax.TOML:
            return dict(tomllib.loads(text).get(key, {}))
        case FileSyntax.YAML:
            return {server.pop("name"): server for server in yaml.safe_load(text)[key]}
        case _:
            return dict(json.loads(text)[key])


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_is_told_of_this_installation_and_the_folder(tmp_path: Path, client: str) -> None:
    root = write_tree(tmp_path / "project", {".git/HEAD": "", "docs/a.md": "# A\n"})
    done = run(root, client, "docs", "--preset", "full")
    assert done.returncode == 0
    file = place(client, root, {"HOME": str(root / "home")})
    server = servers(client, file)["pinakes"]
    assert server["args"][-4:] == ["mcp", str(root / "docs"), "--preset", "full"]
    assert os.path.isabs(server["command"])
    again = run(root, client, "docs", "--preset", "full")
    assert "has this entry already" in again.stdout
    removed = run(root, client, "--remove")
    assert removed.returncode == 0 and "has no such entry any more" in removed.stdout
    assert servers(client, file) == {} if file.is_file() else client in ("codex", "continue")
    assert "has no such entry" in run(root, client, "--remove").stdout


def test_every_client_has_the_file_that_its_documentation_names(tmp_path: Path) -> None:
    home = {"HOME": "/home/me"}
    assert {client: place(client, Path("/project"), home, "linux").as_posix() for client in CLIENTS} == {
        "claude-code": "/project/.mcp.json",
        "claude-desktop": "/home/me/.config/Claude/claude_desktop_config.json",
        "cursor": "/project/.cursor/mcp.json",
        "vscode": "/project/.vscode/mcp.json",
        "codex": "/home/me/.codex/config.toml",
        "windsurf": "/home/me/.codeium/windsurf/mcp_config.json",
        "zed": "/home/me/.config/zed/settings.json",
        "gemini": "/project/.gemini/settings.json",
        "continue": "/project/.continue/mcpServers/pinakes.yaml",
        "cline": "/home/me/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    }
    assert place("zed", tmp_path, home, "darwin").as_posix() == "/home/me/.config/zed/settings.json"
    assert place("zed", tmp_path, {"APPDATA": "/data", **home}, "win32").as_posix() == "/data/Zed/settings.json"
    assert place("codex", tmp_path, {"CODEX_HOME": "/codex", **home}).as_posix() == "/codex/config.toml"


ZED = """// Zed settings
{
  "theme": "One Dark", // dark
  /* servers */
  "context_servers": {
    "other": { "command": "x", "args": ["//no comment", "/* none */"] },
  },
  "vim_mode": true,
}
"""


def test_comments_and_last_commas_stay_where_a_client_allows_them(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text(ZED)
    assert install("zed", file, WORDS)
    assert file.read_text() == ZED.replace(
        '/* none */"] },',
        """/* none */"] },
    "pinakes": {
      "command": "/usr/bin/pinakes",
      "args": [
        "mcp",
        "/home/me/docs"
      ]
    },""",
    )
    assert not install("zed", file, WORDS)
    assert install("zed", file, (*WORDS, "--preset", "full"))
    assert '"full"' in file.read_text() and "// dark" in file.read_text()
    assert remove("zed", file)
    assert file.read_text() == ZED


@pytest.mark.parametrize(
    "before",
    [
        "{}",
        "{ // empty\n}",
        '{"a": 1}',
        '{\n\t"a": 1,\n}\n',
        '{"context_servers": {}}',
        '{"context_servers": {"pinakes": 1}, "b": "}"}',
        '{"context_servers": {"pinakes": {}, "other": {}}}',
        '{"context_servers": {"other": {}, "pinakes": {},}} // end',
    ],
)
def test_any_way_of_writing_commented_json_takes_the_entry_and_gives_it_back(tmp_path: Path, before: str) -> None:
    file = tmp_path / "settings.json"
    file.write_text(before)
    assert install("zed", file, WORDS)
    assert f'"{WORDS[0]}"' in file.read_text()
    assert not install("zed", file, WORDS)
    assert remove("zed", file)
    assert not remove("zed", file)
    assert "pinakes" not in file.read_text()
    assert ("// " in before) == ("// " in file.read_text())


CODEX = """# my settings
model = "o9"

[mcp_servers.other]
command = "x" # keep

[mcp_servers.pinakes]
command = "old"

[mcp_servers.pinakes.env]
A = "1"

[tui]
theme = "dark"
"""


def test_a_table_of_toml_is_replaced_and_every_other_line_stays(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(CODEX)
    assert install("codex", file, WORDS)
    assert not install("codex", file, WORDS)
    kept = CODEX.replace('[mcp_servers.pinakes]\ncommand = "old"\n\n[mcp_servers.pinakes.env]\nA = "1"\n\n', "")
    added = f'\n[mcp_servers.pinakes]\ncommand = "{WORDS[0]}"\nargs = ["mcp", "/home/me/docs"]\n'
    assert file.read_text() == kept + added
    assert remove("codex", file)
    assert file.read_text().rstrip() == kept.rstrip()


@pytest.mark.parametrize(
    ("client", "text"),
    [
        ("codex", 'mcp_servers = { pinakes = { command = "x" } }'),
        ("codex", "mcp_servers = 3"),
        ("codex", "= broken"),
        ("zed", '{"context_servers": {"pinakes": 1, "pinakes": 2}}'),
        ("zed", '{"context_servers": 3} /* not closed'),
        ("zed", "{" + '"' * 30_001),
        ("continue", "mcpServers:\n  - name: other\n    command: x\n"),
        ("continue", "a: [b"),
        ("continue", "- a"),
    ],
)
def test_a_text_that_would_lose_something_is_not_touched(tmp_path: Path, client: str, text: str) -> None:
    file = tmp_path / Path(CLIENTS[client].of_project or "file")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    with pytest.raises(ConfigError, match=r"file|pinakes\.yaml") as raised:
        install(client, file, WORDS)
    assert "--print" in raised.value.next_step
    assert file.read_text() == text


def test_instructions_name_tools_that_there_are(tmp_path: Path) -> None:
    from pinakes.serve.mcp.tools import PRESETS

    words = [sys.executable, "-m", "pinakes", "mcp", "instructions"]
    text = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    skill = subprocess.run([*words, "--skill"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    named = {word for word in PRESETS["full"] if f"`{word}`" in text}
    assert {"map", "search", "read", "links", "history", "recall", "remember", "check"} <= named
    head = yaml.safe_load(skill.split("---\n")[1])
    assert (head["name"], skill.endswith(text)) == ("pinakes", True)
    assert 20 < len(head["description"]) < 1024


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
