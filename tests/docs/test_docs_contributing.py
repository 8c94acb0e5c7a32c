"""The guide for contributors shows the house as it is built."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[2]
GUIDE = (HERE / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_arrows_are_those_that_the_build_enforces() -> None:
    contract = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ][0]
    assert " ▶ ".join(contract["layers"]) in GUIDE


@pytest.mark.parametrize("word", re.findall(r"(?m)^make (\w+)", GUIDE))
def test_every_command_it_names_is_a_target(word: str) -> None:
    assert re.search(rf"(?m)^{word}:", (HERE / "Makefile").read_text(encoding="utf-8"))


def test_the_build_machine_s_script_is_sound_and_may_be_run() -> None:
    script = HERE / ".ci" / "run"
    assert script.stat().st_mode & 0o111
    subprocess.run(["bash", "-n", str(script)], check=True)
