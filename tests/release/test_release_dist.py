"""What people install: a wheel in an environment of its own, without the repository."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
from release.distributions import (
    Environment,
    check_metadata,
    project_version,
    release_notes,
    write_sbom,
    write_sums,
)
from release.first_minute import DOCUMENTS, play, served, serving, session
from release.tools import Failed, clean_environment, needed, run

from kits.house import HOME
from release import distributions

pytestmark = pytest.mark.timeout(600)  # packages may have to be fetched first


def test_the_first_minute_of_the_readme_prints_what_it_says(installed: Environment, tmp_path: Path) -> None:
    assert [command.split()[:2] for command in play(installed, tmp_path)] == [
        ["pinakes", word] for word in ("map", "search", "read", "check", "serve")
    ]


def test_a_difference_between_the_readme_and_the_program_is_found(
    installed: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = tmp_path / "project"
    shutil.copytree(DOCUMENTS, changed / "examples" / "tidebook", ignore=shutil.ignore_patterns(".pinakes"))
    text = (HOME / "README.md").read_text(encoding="utf-8")
    (changed / "README.md").write_text(text.replace("[readme]", "[overview]"), encoding="utf-8")
    monkeypatch.setattr("release.first_minute.PROJECT", changed)
    with pytest.raises(Failed, match=r"README\.md says"):
        play(installed, tmp_path)


def test_make_run_shows_the_documentation_and_serves_it(installed: Environment, tmp_path: Path) -> None:
    """The recipe in a copy of what it needs, with the installed Pinakes where it would install one."""
    (tmp_path / "docs").mkdir()
    for name in ("Makefile", "pyproject.toml", "docs/map.md", "docs/sync.md", "docs/configuration.md"):
        shutil.copy(HOME / name, tmp_path / name)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "bin").symlink_to(installed.programs)
    for name in ("pip", "installed"):
        (tmp_path / ".venv" / name).touch()
    env = clean_environment(tmp_path / "home")
    with serving(["make", "run", "ARGS=--port 0"], tmp_path, env) as address, urlopen(f"{address}health") as health:
        assert json.load(health) == {"status": "ok"}


def test_an_installed_pinakes_serves_a_folder_to_browsers_and_to_agents(installed: Environment, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# Lamps\n\nA wick is trimmed each morning.\n", encoding="utf-8")
    with served(installed, tmp_path, "notes") as address:
        with urlopen(f"{address}in/notes/search?query=wick") as page:
            assert "<mark>wick</mark>" in page.read().decode()
        with urlopen(f"{address}status") as status:
            assert json.load(status)["counts"]["documents"] == 1
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}) + "\n"
    command = [str(installed.pinakes), "mcp", "notes"]
    env = clean_environment(tmp_path / "home", [installed.programs])
    told = subprocess.run(
        command, input=asked, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=True
    )
    answer = json.loads(told.stdout.splitlines()[0])["result"]
    assert answer["serverInfo"] == {**answer["serverInfo"], "name": "pinakes", "version": project_version()}


def test_the_better_model_answers_in_the_default_install(installed: Environment, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Lamps\n\nA wick is trimmed each morning.\n", encoding="utf-8")
    env = {**clean_environment(tmp_path / "home", [installed.programs]), "PINAKES_NEURAL_MODEL": "docs"}
    run(installed.pinakes, "sync", "--wait", "--root", tmp_path, cwd=tmp_path, env=env)
    status = json.loads(run(installed.pinakes, "status", "--json", "--root", tmp_path, cwd=tmp_path, env=env))
    assert status["embedder"].startswith("onnx-")
    assert status["counts"]["documents"] == 1


def test_it_runs_without_being_installed(wheel: Path, tmp_path: Path) -> None:
    told = run(needed("uvx", "uv"), "--quiet", "--from", wheel, "pinakes", "--version", cwd=tmp_path)
    assert told.split()[-1] == project_version()


def test_a_package_index_would_take_the_wheel(wheel: Path) -> None:
    check_metadata([wheel])


def test_the_version_stands_in_one_place(installed: Environment) -> None:
    assert run(installed.pinakes, "--version").split()[-1] == project_version()
    told = [
        file
        for file in subprocess.run(["git", "ls-files", "-z", "src", "release", "deploy"], cwd=HOME, capture_output=True)
        .stdout.decode()
        .split("\0")
        if file.endswith((".py", ".json", ".toml", ".yaml", ".service"))
        and f'"{project_version()}"' in (HOME / file).read_text(encoding="utf-8", errors="replace")
    ]
    assert told == []


def test_the_list_of_materials_names_every_package_of_the_install(installed: Environment, tmp_path: Path) -> None:
    count = write_sbom(installed, tmp_path / "pinakes.cdx.json", is_checked=False)
    document = json.loads((tmp_path / "pinakes.cdx.json").read_text(encoding="utf-8"))
    listed = {one["name"].lower().replace("_", "-"): one["version"] for one in document["components"]}
    frozen = json.loads(
        run(
            installed.python,
            "-c",
            "import importlib.metadata as m, json; print(json.dumps([d.name for d in m.distributions()]))",
        )
    )
    there = {name.lower().replace("_", "-") for name in frozen} - {"pinakes", "pip", "setuptools"}
    assert document["bomFormat"] == "CycloneDX"
    assert document["metadata"]["component"]["name"] == "pinakes"
    assert there == set(listed) - {"pinakes"}
    assert count >= len(there)


def test_the_hashes_are_those_of_the_files(tmp_path: Path) -> None:
    (tmp_path / "a.whl").write_bytes(b"one")
    (tmp_path / "b.tar.gz").write_bytes(b"two")
    sums = write_sums(tmp_path)
    write_sums(tmp_path)  # the list does not list itself
    assert [line.split("  ")[1] for line in sums.read_text().splitlines()] == ["a.whl", "b.tar.gz"]
    if shutil.which("sha256sum"):
        run("sha256sum", "--check", sums.name, cwd=tmp_path)
        (tmp_path / "a.whl").write_bytes(b"other")
        with pytest.raises(Failed, match=r"a\.whl"):
            run("sha256sum", "--check", sums.name, cwd=tmp_path)


def test_the_notes_of_a_release_are_its_section_of_the_changelog(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "# Changelog\n\n## Unreleased\n\n- later\n\n## 1.2.0 (2026-01-02)\n\n- now\n\n## 1.1.0\n\n- before\n"
    (tmp_path / "CHANGELOG.md").write_text(text, encoding="utf-8")
    monkeypatch.setattr(distributions, "PROJECT", tmp_path)
    assert release_notes("1.2.0") == "- now\n"
    with pytest.raises(Failed, match="no section"):
        release_notes("1.3.0")


def test_a_tag_that_is_not_the_version_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "release", "tag", "v99.0.0"], cwd=HOME, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert f"v{project_version()}" in done.stderr


def test_the_session_of_the_readme_is_read_whole() -> None:
    commands = [command for command, _ in session((HOME / "README.md").read_text(encoding="utf-8"))]
    assert [command.split()[1] for command in commands] == ["map", "search", "read", "check"]
