"""The action for GitHub: its steps run here by bash, as its description says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema.validators import validator_for
from release.distributions import Environment
from release.tools import clean_environment, needed, run, tool

from kits.house import HOME
from kits.trees import write_tree

pytestmark = pytest.mark.timeout(600)  # packages may have to be fetched first

ACTION: dict[str, Any] = yaml.safe_load((HOME / "action.yml").read_text(encoding="utf-8"))
DOCUMENTS = {
    "README.md": "# A\n\n[b](docs/b.md) and [nothing](gone.md)\n",
    "docs/b.md": "# B\n\n[a](../README.md)\n",
    "docs/lost.md": "# Lost\n",
}


def step(installed: Environment | None, workspace: Path, name: str, **inputs: str) -> tuple[int, str, dict[str, str]]:
    """Run one step as GitHub does: its exit code, what it printed, its outputs. `installed` is what the step before it
    has made."""
    given = {one: row.get("default", "") for one, row in ACTION["inputs"].items()} | inputs
    (found,) = (one for one in ACTION["runs"]["steps"] if one["id"] == name)
    temporary = workspace.parent / "runner"
    temporary.mkdir(exist_ok=True)
    if installed is not None and not (temporary / "pinakes").exists():
        (temporary / "pinakes").symlink_to(installed.folder)
    output = temporary / "output"
    output.write_text("")
    values = {f"inputs.{one}": value for one, value in given.items()}
    values |= {"github.action_path": str(HOME if installed else workspace.parent / "no action")}
    env = {name: re.sub(r"\$\{\{ (\S+) \}\}", lambda m: values[m[1]], text) for name, text in found["env"].items()}
    runner = {"RUNNER_TEMP": str(temporary), "GITHUB_OUTPUT": str(output), "GITHUB_WORKSPACE": str(workspace)}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", found["run"]],
        cwd=workspace,
        env={**clean_environment(workspace.parent / "home"), **runner, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
    return done.returncode, done.stdout, outputs


def test_errors_are_annotations_and_a_report_and_fail_the_step(installed: Environment, tmp_path: Path) -> None:
    workspace = write_tree(tmp_path / "work", DOCUMENTS)
    code, printed, outputs = step(installed, workspace, "check")
    assert code == 1, printed
    assert "::error file=README.md,line=3,title=broken-link::" in printed
    assert "::warning file=docs/lost.md,line=1,title=orphan::" in printed
    assert outputs == {"sarif": "pinakes.sarif", "errors": "1"}
    results = json.loads((workspace / "pinakes.sarif").read_text())["runs"][0]["results"]
    assert [one["ruleId"] for one in results] == ["broken-link", "orphan"]


def test_inputs_become_options(installed: Environment, tmp_path: Path) -> None:
    workspace = write_tree(tmp_path / "work", DOCUMENTS)
    code, printed, outputs = step(installed, workspace, "check", part="docs", external="true", exclude="a\n\nb c\n")
    assert (code, outputs["errors"]) == (0, "0"), printed
    code, printed, outputs = step(installed, workspace, "check", only="orphan", strict="true", sarif="report.json")
    assert (code, outputs) == (1, {"sarif": "report.json", "errors": "0"})
    assert "broken-link" not in printed


def test_words_of_an_input_are_never_a_command(installed: Environment, tmp_path: Path) -> None:
    workspace = write_tree(tmp_path / "work", DOCUMENTS)
    hostile = "$(touch made); touch made #\n`touch made`"
    inputs = dict.fromkeys(("part", "only", "exclude", "sarif"), hostile)
    assert step(installed, workspace, "check", external="true", **inputs)[0] != 0
    assert not (workspace / "made").exists()
    assert all("${{" not in one["run"] for one in ACTION["runs"]["steps"])


def test_modules_of_the_checked_folder_are_not_run(tmp_path: Path) -> None:
    planted = "open(__file__ + '.ran', 'w')\n"
    names = ("venv.py", "pip/__init__.py", "pip/__main__.py", "ensurepip.py", "logging.py", "sitecustomize.py")
    workspace = write_tree(tmp_path / "work", {**DOCUMENTS, **dict.fromkeys(names, planted)})
    code, printed, _ = step(None, workspace, "install", python=sys.executable)
    assert (tmp_path / "runner" / "pinakes" / "bin" / "python").exists(), printed
    assert code != 0 and "no action" in printed, printed  # pip was started, and found nothing to install
    assert list(workspace.rglob("*.ran")) == []


def test_where_nothing_could_be_checked_there_is_no_report(installed: Environment, tmp_path: Path) -> None:
    code, printed, outputs = step(installed, write_tree(tmp_path / "work", DOCUMENTS), "check", part="nowhere")
    assert (code, outputs) == (1, {})
    assert "nowhere" in printed


def test_the_description_names_what_the_steps_use() -> None:
    used = set(re.findall(r"inputs\.(\w+)", (HOME / "action.yml").read_text(encoding="utf-8")))
    assert used == set(ACTION["inputs"])
    page = (HOME / "docs" / "check.md").read_text(encoding="utf-8")
    assert [name for name in ACTION["inputs"] if f"`{name}`" not in page] == []


FILES = {
    "action.yml": "vendor.github-actions",
    ".github/workflows/release.yml": "vendor.github-workflows",
    "examples/documentation/.github/workflows/docs.yml": "vendor.github-workflows",
    "examples/documentation/.gitlab-ci.yml": "vendor.gitlab-ci",
    "deploy/compose.yaml": "vendor.compose-spec",
}


def faults(file: str, text: str) -> list[str]:
    """What is wrong with such a file, by the schema that its readers publish."""
    builtin = pytest.importorskip("check_jsonschema.builtin_schemas", reason="pip install '.[dist]'")
    schema = builtin.get_builtin_schema(FILES[file])
    data = yaml.safe_load(text)
    data = {"on" if name is True else name: value for name, value in data.items()}  # YAML 1.1 reads “on” as true
    return [error.message for error in validator_for(schema)(schema).iter_errors(data)]


@pytest.mark.parametrize("file", FILES)
def test_a_file_for_other_programs_has_their_shape(file: str) -> None:
    text = (HOME / file).read_text(encoding="utf-8")
    assert faults(file, text) == []
    assert faults(file, re.sub(r"(?m)^(runs|jobs|services|docs):", r"\1: 3\nx-other:", text)) != []


def test_workflows_give_nothing_away() -> None:
    if tool("zizmor") is None:
        pytest.skip("zizmor is not installed: pip install '.[dist]'")
    files = [HOME / file for file, schema in FILES.items() if "github" in schema]
    run(needed("zizmor"), "--offline", "--no-config", "--persona", "pedantic", *files, env={**os.environ})
