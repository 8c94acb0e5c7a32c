"""The bundle for desktop clients: one file that somebody opens, and whose folders they choose.

The wheel enters; a `.mcpb` file leaves, packed and validated by the format's own tool. The client makes a Python
environment for it with uv, so one bundle serves every system. It is not signed: whoever hands it out signs it with
`mcpb sign`.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import tomllib
from pathlib import Path

from pinakes.serve.mcp.tools import PRESETS, TOOLS
from release.distributions import build, project_version
from release.tools import PROJECT, Failed, run

SOURCES = PROJECT / "release" / "bundle"
_NODE = PROJECT / ".node" / "bundle"
_NPM = ("--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock", "--fetch-retries=1", "--loglevel=error")
_PYPROJECT = """\
# Made by `make mcpb`. The client installs this with uv.
[project]
name = "pinakes-bundle"
version = "{version}"
requires-python = "{python}"
dependencies = ["pinakes"]

[tool.uv]
package = false

[tool.uv.sources]
pinakes = {{ path = "{wheel}" }}
"""


def bundle_tool() -> Path:
    """The format's own tool, fetched by npm once; raises `Failed` where that cannot be done."""
    program = _NODE / "node_modules" / ".bin" / "mcpb"
    wanted = (SOURCES / "package.json").read_text(encoding="utf-8")
    mark = _NODE / "package.json"
    if program.exists() and mark.read_text(encoding="utf-8") == wanted:
        return program
    npm = shutil.which("npm")
    if npm is None:
        raise Failed("npm is not installed; it brings the tool that packs the bundle.")
    _NODE.mkdir(parents=True, exist_ok=True)
    mark.write_text(wanted, encoding="utf-8")
    run(npm, "install", *_NPM, cwd=_NODE)
    return program


def write_sources(folder: Path, wheel: Path) -> Path:
    """Lay out what is packed; returns the manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("server.py", "icon.png"):
        shutil.copyfile(SOURCES / name, folder / name)
    shutil.copyfile(PROJECT / "LICENSE", folder / "LICENSE")
    shutil.copyfile(wheel, folder / wheel.name)
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version, python = project["version"], project["requires-python"]
    text = _PYPROJECT.format(version=version, python=python, wheel=wheel.name)
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    manifest = json.loads((SOURCES / "manifest.json").read_text(encoding="utf-8"))
    manifest |= {"version": version, "description": project["description"], "keywords": project["keywords"]}
    manifest["tools"] = [{"name": name, "description": TOOLS[name].about} for name in PRESETS["few"]]
    place = folder / "manifest.json"
    place.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    return place


def pack(folder: Path, to: Path) -> Path:
    """Validate a folder that was laid out, and pack it."""
    program = bundle_tool()
    run(program, "validate", folder / "manifest.json")
    run(program, "pack", folder, to)
    return to


def make_bundle(out: Path) -> Path:
    """Build the wheel and the bundle around it."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        (wheel,) = build(Path(scratch, "wheel"), ("wheel",))
        folder = Path(scratch, "bundle")
        write_sources(folder, wheel)
        return pack(folder, out / f"pinakes-{project_version()}.mcpb")
