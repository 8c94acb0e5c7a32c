"""One wheel and one environment with it, for all tests of what people install."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from filelock import FileLock
from release.distributions import Environment, build, install_quickly
from release.tools import Failed, run, tool


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree, built once for all test workers."""
    uv = tool("uv")
    if uv is None:
        pytest.skip("uv is not installed: pip install '.[dist]'")
    own = tmp_path_factory.getbasetemp()
    # Workers share the folder above their own; without workers that is the folder of all runs there ever were.
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "wheel-of-tests"
    with FileLock(f"{folder}.lock"):
        if not (folder / "done").exists():
            _skip_without_packages(uv, folder.with_name("packages-probe"))
            build(folder, ("wheel",))
            (folder / "done").touch()
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def installed(wheel: Path) -> Environment:
    """A fresh environment with that wheel and nothing else that the project did not ask for."""
    folder = wheel.parent / "environment"
    with FileLock(f"{folder}.lock"):
        if not (folder / "done").exists():
            install_quickly(wheel, folder)
            (folder / "done").touch()
    return Environment(folder)


def _skip_without_packages(uv: Path, scratch: Path) -> None:
    """The backend that builds the wheel is small and needed anyway, so it tells whether packages can be had."""
    try:
        run(uv, "pip", "install", "--quiet", "--target", scratch, "hatchling", patience_s=60)
    except Failed as failed:
        pytest.skip(f"packages cannot be reached from here: {str(failed).splitlines()[-1]}")
