"""A browser is opened, and nothing that lies among the documents."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kits.trees import write_tree
from pinakes.serve.open_browser import open_browser

ADDRESS = "http://127.0.0.1:1/work#ticket=x"
BROWSERS = ("xdg-open", "x-www-browser", "www-browser", "firefox", "google-chrome", "w3m", "lynx", "gio", "open")


def programs(folder: Path, told: Path, *names: str) -> Path:
    """Programs that write down what they were called with."""
    write_tree(folder, {name: f'#!/bin/sh\necho "$PWD $1" >> {told}\n' for name in names})
    for name in names:
        (folder / name).chmod(0o755)
    return folder


def test_the_browser_of_the_user_gets_the_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tmp_path / "told"
    monkeypatch.setenv("BROWSER", f"{programs(tmp_path, told, 'mine')}/mine %s")
    assert open_browser(ADDRESS, [tmp_path / "docs"])
    assert told.read_text() == f"/ {ADDRESS}\n"


def test_programs_among_the_documents_are_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tmp_path / "told"
    root = programs(tmp_path / "docs", told, *BROWSERS)
    programs(root / "bin", told, *BROWSERS)
    write_tree(root, {"webbrowser.py": f"open({str(told)!r}, 'a').close()\n"})
    monkeypatch.chdir(root)
    monkeypatch.delenv("BROWSER", raising=False)
    monkeypatch.setenv("DISPLAY", ":99")
    monkeypatch.setenv("PATH", os.pathsep.join((".", "", str(root / "bin"), "bin", str(tmp_path / "empty"))))
    monkeypatch.setenv("PYTHONPATH", ".")
    assert not open_browser(ADDRESS, [root])
    assert not told.exists()
