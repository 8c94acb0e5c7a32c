"""The bundle for desktop clients: valid for its own tool, and started as a client starts it."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from release.distributions import project_version
from release.mcpb import bundle_tool, pack, write_sources
from release.tools import Failed, clean_environment, needed, run

from pinakes.serve.mcp.tools import PRESETS

pytestmark = pytest.mark.timeout(600)  # packages may have to be fetched first


@pytest.fixture(scope="module")
def sources(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundle") / "sources"
    write_sources(folder, wheel)
    return folder


@pytest.fixture(scope="module")
def has_tool() -> None:
    try:
        bundle_tool()
    except Failed as failed:
        pytest.skip(f"the tool of the format cannot be had: {str(failed).splitlines()[0]}")


@pytest.mark.usefixtures("has_tool")
def test_its_own_tool_calls_the_bundle_valid_and_packs_all_of_it(sources: Path, tmp_path: Path) -> None:
    bundle = pack(sources, tmp_path / "pinakes.mcpb")
    with zipfile.ZipFile(bundle) as packed:
        names = set(packed.namelist())
    wheel = next(file.name for file in sources.glob("*.whl"))
    assert names == {"manifest.json", "pyproject.toml", "server.py", "icon.png", "LICENSE", wheel}


@pytest.mark.usefixtures("has_tool")
def test_its_own_tool_refuses_a_manifest_that_lacks_something(sources: Path, tmp_path: Path) -> None:
    manifest = json.loads((sources / "manifest.json").read_text(encoding="utf-8"))
    del manifest["server"]["entry_point"]
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(Failed, match="entry_point"):
        run(bundle_tool(), "validate", tmp_path / "manifest.json")


def test_a_client_starts_it_on_the_folders_that_its_user_chose(sources: Path, tmp_path: Path) -> None:
    manifest = json.loads((sources / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["version"] == project_version()
    folders = [tmp_path / "harbour", tmp_path / "two words"]
    for folder in folders:
        folder.mkdir()
        (folder / "a.md").write_text(f"# {folder.name}\n\nLamps are lit at dusk.\n", encoding="utf-8")
    server = manifest["server"]["mcp_config"]
    values = {"${__dirname}": [str(sources)], "${user_config.folders}": [str(folder) for folder in folders]}
    words = [word for argument in server["args"] for word in values.get(argument, [argument])]
    assert server["command"] == "uv"
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {
            "jsonrpc": "2.0",
            "id": 3,
            "method": "tools/call",
            "params": {"name": "search", "arguments": {"query": "lamps"}},
        },
    ]
    # The cache and the index of packages are those of whoever runs the tests; all else is a new user's.
    cache = {"UV_CACHE_DIR": run(needed("uv"), "cache", "dir").strip(), "UV_PYTHON": sys.executable}
    with subprocess.Popen(
        [str(needed("uv")), *words],
        cwd=tmp_path,
        env={**clean_environment(tmp_path / "home"), **cache},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as client:
        assert client.stdin is not None and client.stdout is not None
        client.stdin.write("".join(json.dumps(one) + "\n" for one in asked))
        client.stdin.flush()
        answers = {}
        for line in client.stdout:
            answer = json.loads(line)
            answers[answer.get("id")] = answer
            if 3 in answers:
                break
        client.stdin.close()
    assert [tool["name"] for tool in answers[2]["result"]["tools"]] == list(PRESETS["few"])
    assert [tool["name"] for tool in manifest["tools"]] == list(PRESETS["few"])
    text = answers[3]["result"]["content"][0]["text"]
    assert "Lamps are lit at dusk." in text and "two words" in text and "harbour" in text
