"""Fixtures every room's tests may use."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings

from kits.trees import SHARED

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# A busy machine is no defect: examples have no deadline, as no other test has one.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


@pytest.fixture(autouse=True, scope="session")
def own_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The tests' own data folder: keys, tokens and logs of whoever runs the tests stay as they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(scope="session")
def laid_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small part of the shared data, unpacked once for all test workers."""
    tool = SHARED / "tools" / "unpack"
    if not tool.exists():
        pytest.skip("the shared data is not beside the project")
    folder = tmp_path_factory.getbasetemp().parent / "laid-out-data"
    with FileLock(f"{folder}.lock"):
        done = folder / "done"
        if not done.exists():
            subprocess.run(["bash", str(tool), str(folder), "small"], check=True, capture_output=True)
            done.touch()
    return folder


@pytest.fixture
def new_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of a user with nothing remembered and nothing set."""
    for variable in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture(scope="module")
def trap() -> Iterator[socket.socket]:
    """Where the browser is led when something asks for evil.invalid; nobody should ever come."""
    with socket.create_server(("127.0.0.1", 0)) as trap:
        trap.setblocking(False)  # noqa: FBT003 - the standard library's own call
        yield trap


@pytest.fixture(scope="module")
def browser(trap: socket.socket) -> Iterator[Browser]:
    """A real Chromium; tests that ask for it skip themselves where there is none."""
    from playwright.sync_api import expect, sync_playwright

    from kits.page import CHROMIUM, FLAGS

    expect.set_options(timeout=30_000)  # a guard against hanging; five seconds, as usual, are short on a busy machine
    led = f"--host-resolver-rules=MAP evil.invalid 127.0.0.1:{trap.getsockname()[1]}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS, led])
        yield browser
        browser.close()
