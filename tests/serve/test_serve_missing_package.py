"""A model is selected whose package is not installed: a sentence with the next step, whatever is asked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from kits.trees import write_tree

MODELS = ("onnxruntime", "tokenizers", "sentence_transformers")
SERVERS = ("anyio", "fastapi", "h11", "mcp", "mcp_types", "pydantic", "pydantic_core", "starlette", "uvicorn")
BLOCKED = "import sys\nfor name in {}:\n    sys.modules[name] = None\n"
TOLD = (("sync",), ("search", "zebra"), ("status",), ("doctor",))
QUIET = (("map",), ("check",), ("remember", "A note."), ("recall", "note"), ("model", "list"), ("sync", "--rebuild"))


def run(root: Path, model: str, *words: str, blocked: tuple[str, ...] = MODELS) -> subprocess.CompletedProcess[str]:
    """A command in a process that cannot import what models need; no words of the library were ever embedded."""
    write_tree(root.parent / "blocked", {"sitecustomize.py": BLOCKED.format(blocked)})
    path = os.pathsep.join(filter(None, (str(root.parent / "blocked"), os.environ.get("PYTHONPATH", ""))))
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pinakes",
            *words,
            *([] if words[0] in ("model", "serve", "mcp") else ["--root", str(root)]),
        ],
        env={**os.environ, "PYTHONPATH": path, "PINAKES_NEURAL_MODEL": model},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("model", ["docs", "sentence-transformers:some/model"])
def test_a_missing_package_is_a_sentence_in_every_command(model: str, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {"a.md": f"# Zebra {uuid4()}\n\nA quokka {uuid4()}.\n", "pinakes.toml": ""})
    for words in (*TOLD, *QUIET):
        ran = run(root, model, *words)
        assert "Traceback" not in ran.stdout + ran.stderr, (words, ran)
        assert ran.returncode in (0, 1), (words, ran)
        if words in TOLD:
            assert "not installed" in ran.stdout + ran.stderr, (words, ran)
            assert "pip install pinakes" in ran.stdout + ran.stderr, (words, ran)


def test_everything_but_servers_works_without_their_packages_and_they_say_what_is_missing(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {"a.md": f"# Zebra {uuid4()}\n\nA quokka.\n", "pinakes.toml": ""})
    working: tuple[tuple[str, ...], ...] = (("sync",), ("search", "zebra"), ("map",))
    for words in working:
        ran = run(root, "static", *words, blocked=MODELS + SERVERS)
        assert (ran.returncode, "Traceback" in ran.stderr) == (0, False), (words, ran)
    serving: tuple[tuple[str, ...], ...] = (("serve", str(root)), ("serve", "--published", str(root)))
    for words in serving:
        ran = run(root, "static", *words, blocked=MODELS + SERVERS)
        assert ran.returncode == 2, (words, ran)
        assert "not installed" in ran.stderr, (words, ran)
        assert "pip install pinakes" in ran.stderr, (words, ran)
