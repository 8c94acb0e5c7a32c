"""Packages with plug-ins, as they lie where they are installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from kits.trees import write_tree

SUBTITLES = """
from pinakes.plugins import FormatPlugin, MadeText

FORMAT = FormatPlugin(promise=1, endings=("srt",), convert="subtitles_plugin:convert")

def convert(data, name, base):
    text = data.decode()
    if "odd" in text:
        raise KeyError("an odd line")
    lines = [one for one in text.splitlines() if one and "-->" not in one and not one.isdigit()]
    return MadeText("# Talk\\n\\n" + "\\n".join(lines), places=((0, "t=0"),))
"""
MODEL = """
from pinakes.plugins import EmbedderPlugin

def encode(texts):
    if any("explode" in text for text in texts):
        raise ValueError("no such text")
    return [[1.0 + text.count("harbour"), 2.0 * text.count("fog"), 0.5] for text in texts]

EMBEDDER = EmbedderPlugin(promise=1, name="house-2", dimensions=3, encode=encode)
"""
RULES = """
from pinakes.plugins import FinderPlugin, PlainFinding

def find(documents):
    for document in documents:
        for number, line in enumerate(document.text.splitlines(), 1):
            if "TODO" in line:
                yield PlainFinding(document.path, number, "somebody has to finish this")
            if "EXPLODE" in line:
                raise RuntimeError("a finder broke")

FINDER = FinderPlugin(promise=1, find=find)
"""


def package(folder: Path, name: str, code: str, entries: str, version: str = "1.0") -> Path:
    """Put a package into a folder of installed packages."""
    installed = folder / "site-packages"
    write_tree(
        installed,
        {
            f"{name}.py": code,
            f"{name}-{version}.dist-info/METADATA": f"Name: {name}\nVersion: {version}\n",
            f"{name}-{version}.dist-info/entry_points.txt": entries,
        },
    )
    return installed


def with_plugins(folder: Path) -> Path:
    """A folder of installed packages with one plug-in of each kind."""
    package(folder, "subtitles_plugin", SUBTITLES, "[pinakes.formats]\nsubtitles = subtitles_plugin:FORMAT\n")
    package(folder, "house_model", MODEL, "[pinakes.embedders]\nhouse = house_model:EMBEDDER\n", "2.1")
    return package(folder, "house_rules", RULES, "[pinakes.finders]\ntodo = house_rules:FINDER\n")


def run(installed: Path | None, cwd: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command of Pinakes beside these packages."""
    path = {"PYTHONPATH": str(installed)} if installed else {}
    return subprocess.run(
        [sys.executable, "-m", "pinakes", *words],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **path},
        check=False,
    )
