"""The files for a cluster: linted as far as that can be, and what they start and ask for is there."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from release.tools import needed, run, tool

from kits.house import HOME
from pinakes.config.settings import keys
from pinakes.serve.cli import find_command
from pinakes.serve.cli.serve import PORT

CLUSTER = HOME / "deploy" / "cluster"
COMPOSE = yaml.safe_load((CLUSTER / "compose.yaml").read_text(encoding="utf-8"))
KUBERNETES = [*yaml.safe_load_all((CLUSTER / "kubernetes.yaml").read_text(encoding="utf-8"))]


def pods() -> Iterator[Mapping[str, Any]]:
    """What is to run in Kubernetes, but for the databases."""
    for one in KUBERNETES:
        if "template" in one.get("spec", {}):
            yield one["spec"]["template"]["spec"]


def containers() -> Iterator[Mapping[str, Any]]:
    for pod in pods():
        yield from pod["containers"]


def commands() -> Iterator[Sequence[str]]:
    """Every command of Pinakes that the files start."""
    yield from (one["command"] for one in containers())
    yield from (one["command"] for one in COMPOSE["services"].values() if one.get("image") == "pinakes")


def test_what_is_started_is_a_command_with_these_options() -> None:
    seen = set()
    for program, name, *words in commands():
        assert program == "pinakes"
        options = {option for one in find_command(name).params for option in one.opts}
        assert {word for word in words if word.startswith("--")} <= options
        seen.add(name)
    assert seen == {"migrate", "serve", "worker"}


def test_variables_are_settings() -> None:
    known = {key.variable for key in keys().values()} | {"PINAKES_WORKERS"}
    given = {one["name"] for container in containers() for one in container["env"]}
    given |= {name for one in COMPOSE["services"].values() for name in one.get("environment", ())}
    assert {name for name in given if name.startswith("PINAKES_")} <= known
    assert {"PINAKES_STORE_URL", "PINAKES_STORE_READ_URLS"} <= given


def test_probes_and_ports_are_those_of_the_server() -> None:
    (server,) = [one for one in containers() if one["command"][1] == "serve"]
    assert server["ports"] == [{"name": "http", "containerPort": PORT}]
    assert [server[name]["httpGet"]["path"] for name in ("startupProbe", "livenessProbe", "readinessProbe")] == [
        "/health", "/health", "/ready"]  # fmt: skip
    routes = (HOME / "docs" / "serve.md").read_text(encoding="utf-8")
    assert "| `GET /health` |" in routes and "| `GET /ready` |" in routes
    assert f"server {PORT}" in (CLUSTER / "Caddyfile").read_text(encoding="utf-8")
    assert COMPOSE["services"]["balancer"]["ports"] == [f"127.0.0.1:{PORT}:{PORT}"]


def test_nothing_runs_with_more_rights_than_it_needs() -> None:
    for pod in pods():
        assert pod["securityContext"]["runAsNonRoot"] and not pod["automountServiceAccountToken"]
    for one in containers():
        rights = one["securityContext"]
        assert rights["readOnlyRootFilesystem"] and not rights["allowPrivilegeEscalation"]
        assert rights["capabilities"] == {"drop": ["ALL"]} and one["resources"]["limits"]["memory"]
    for name, one in COMPOSE["services"].items():
        assert "no-new-privileges:true" in one["security_opt"], name
        assert "ports" not in one or name == "balancer"


def test_what_selects_selects_something() -> None:
    labels = [one["spec"]["template"]["metadata"]["labels"] for one in KUBERNETES if "template" in one.get("spec", {})]
    for one in KUBERNETES:
        chosen = one["spec"].get("selector") or one["spec"].get("podSelector")
        if chosen:
            assert any((chosen.get("matchLabels") or chosen).items() <= kept.items() for kept in labels), one["kind"]


def test_files_that_are_mounted_are_there_and_can_be_read_by_a_shell() -> None:
    volumes = [volume for one in COMPOSE["services"].values() for volume in one.get("volumes", ())]
    sources = [Path(volume["source"]) for volume in volumes if volume["type"] == "bind"]
    assert len(sources) == 3
    for source in sources:
        assert (CLUSTER / source).is_file()
        if source.suffix == ".sh":
            subprocess.run([shutil.which("bash") or "sh", "-n", str(CLUSTER / source)], check=True)


def test_the_compose_file_has_the_published_shape(tmp_path: Path) -> None:
    if tool("check-jsonschema", "check-jsonschema") is None:
        pytest.skip("check-jsonschema is not installed: pip install '.[dist]'")
    checker = needed("check-jsonschema", "check-jsonschema")
    run(checker, "--builtin-schema", "vendor.compose-spec", CLUSTER / "compose.yaml")


def test_passwords_stand_in_no_file() -> None:
    for file in CLUSTER.iterdir():
        text = file.read_text(encoding="utf-8")
        for found in re.findall(r"postgresql://[^\s\"]+", text):
            assert re.match(r"postgresql://\S+:\$[{(]", found), (file.name, found)
