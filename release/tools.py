"""Programs that packages of the extra `dist` bring: where they lie, and one way to run them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]


class Failed(Exception):
    """A step did not work out; what it printed is the reason."""


def tool(name: str, package: str = "") -> Path | None:
    """A program as its package installed it, beside this Python or in another environment on its path; None where it
    is missing."""
    try:
        listed = files(package or name) or ()
    except PackageNotFoundError:
        listed = ()
    for file in listed:
        if file.name in (name, f"{name}.exe"):
            return Path(str(file.locate())).resolve()
    found = shutil.which(name)
    return Path(found) if found else None


def needed(name: str, package: str = "") -> Path:
    """That program; raises `Failed` where it is missing."""
    found = tool(name, package)
    if found is None:
        raise Failed(f"{name} is not installed. Run: pip install '.[dist]'")
    return found


def run(
    *command: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None, patience_s: float = 600
) -> str:
    """What a program printed; raises `Failed` with its words when it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words,
        cwd=cwd,
        env=dict(env) if env is not None else None,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=patience_s,
        check=False,
    )
    if done.returncode:
        raise Failed(f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def clean_environment(home: Path, path: Sequence[Path] = ()) -> dict[str, str]:
    """The environment of somebody new: a home of their own, nothing set of Python and Pinakes, `path` in front."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "PINAKES_", "XDG_", "VIRTUAL_ENV"))
    }
    here = str(Path(sys.executable).parent)
    rest = [folder for folder in kept.get("PATH", "").split(os.pathsep) if folder != here]
    return {**kept, "HOME": str(home), "PATH": os.pathsep.join([*map(str, path), *rest])}
