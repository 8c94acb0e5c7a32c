"""Builds what people install, and says what it is made of.

The sources enter. A wheel and a source distribution leave, with a list of every package that an install brings
(CycloneDX) and the hashes of all of these.
"""

from __future__ import annotations

import re
import shutil
import sys
import tomllib
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from release.tools import PROJECT, Failed, clean_environment, needed, run

SUMS = "SHA256SUMS"


class Environment(Struct, frozen=True):
    """A fresh Python environment with one distribution in it."""

    folder: Path

    @property
    def programs(self) -> Path:
        return self.folder / ("Scripts" if sys.platform == "win32" else "bin")

    @property
    def python(self) -> Path:
        return self.programs / "python"

    @property
    def pinakes(self) -> Path:
        return self.programs / "pinakes"


def project_version() -> str:
    """The version, from the one place that says it."""
    return str(tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def build(out: Path, kinds: tuple[str, ...] = ("wheel", "sdist")) -> list[Path]:
    """A wheel, and a source distribution, in a folder of their own."""
    out.mkdir(parents=True, exist_ok=True)
    run(needed("uv"), "build", *(f"--{kind}" for kind in kinds), "--out-dir", out, PROJECT)
    (out / ".gitignore").unlink(missing_ok=True)
    return sorted(file for file in out.iterdir() if file.name.endswith((".whl", ".tar.gz")))


def check_metadata(built: list[Path]) -> None:
    """Whether a package index would take them."""
    run(needed("twine"), "check", "--strict", *built)


def install(built: Path, folder: Path) -> Environment:
    """An environment with nothing but this distribution and what it needs, made with pip as a newcomer would."""
    shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, "-m", "venv", folder)
    fresh = Environment(folder)
    env = {**clean_environment(folder), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    run(fresh.python, "-m", "pip", "install", "--quiet", "--no-cache-dir", built, cwd=folder, env=env)
    return fresh


def install_quickly(built: Path, folder: Path) -> Environment:
    """The same with uv, which links packages out of its cache instead of copying them."""
    uv = needed("uv")
    run(uv, "venv", "--quiet", "--python", sys.executable, folder)
    fresh = Environment(folder)
    run(uv, "pip", "install", "--quiet", "--python", fresh.python, built, cwd=folder)
    return fresh


def write_sbom(fresh: Environment, to: Path, *, is_checked: bool = True) -> int:
    """List every package of an environment but pip, as CycloneDX; returns how many there are. To check it against the
    schema of the format takes ten times as long as to make it."""
    document = run(
        needed("cyclonedx-py", "cyclonedx-bom"),
        *("environment", fresh.python, "--pyproject", PROJECT / "pyproject.toml"),
        *("--validate" if is_checked else "--no-validate",),
        *("--output-format", "JSON", "--output-reproducible"),
    )
    to.write_text(document, encoding="utf-8")
    return len(re.findall(r'"purl": "pkg:pypi/', document))


def write_sums(folder: Path) -> Path:
    """The hashes of all files in a folder, as `sha256sum --check` reads them."""
    files = sorted(file for file in folder.iterdir() if file.is_file() and file.name != SUMS)
    sums = folder / SUMS
    lines = (f"{sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files)
    sums.write_text("".join(lines), encoding="utf-8")
    return sums


def release_notes(version: str) -> str:
    """What CHANGELOG.md says of a version; raises `Failed` when it has no section for it."""
    text = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")
    for section in re.split(r"(?m)^## ", text)[1:]:
        heading, _, body = section.partition("\n")
        if heading.split()[0] == version:
            return body.strip() + "\n"
    raise Failed(f"CHANGELOG.md has no section “## {version} (date)”. Give its section “Unreleased” that heading.")
