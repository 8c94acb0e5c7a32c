"""The scripts that are built, as they lie in the package, are those that their sources give."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parents[2]
WEB, BUILT = HOME / "web", HOME / "src" / "pinakes" / "serve" / "work" / "static"
DOCUMENTS = HOME / "src" / "pinakes" / "html" / "static"
PLACES = {
    "work": (BUILT, ("editor.js", "licences.txt", "work.css", "work.js")),
    "page": (HOME / "src" / "pinakes" / "serve" / "web" / "static", ("page.js",)),
    "documents": (DOCUMENTS, ("diagram.html", "formulas.js", "licences.txt")),
}


def installed(folder: Path) -> None:
    """A copy of the sources with what they are built with; skips where that cannot be had."""
    if not shutil.which("npm"):
        pytest.skip("there is no npm here, so the page is not built anew")
    shutil.copytree(WEB, folder, ignore=shutil.ignore_patterns("node_modules"))
    if (WEB / "node_modules" / ".package-lock.json").exists() and is_as_wanted():
        (folder / "node_modules").symlink_to(WEB / "node_modules")
        return
    fetch = ["npm", "install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"]
    if subprocess.run(fetch, cwd=folder, capture_output=True).returncode:
        pytest.skip("npm cannot fetch what the page is built with")


def is_as_wanted() -> bool:
    """Whether what lies in `web/node_modules` is of the versions that are written down."""
    wanted = json.loads((WEB / "package.json").read_text())["devDependencies"]
    return all(
        (about := WEB / "node_modules" / name / "package.json").exists()
        and json.loads(about.read_text())["version"] == version
        for name, version in wanted.items()
    )


def test_the_same_sources_give_the_same_bytes(tmp_path: Path) -> None:
    installed(tmp_path / "web")
    for step in (["npm", "run", "check"], ["node", "build.mjs", str(tmp_path / "built")]):
        done = subprocess.run(step, cwd=tmp_path / "web", capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    for folder, (home, names) in PLACES.items():
        assert sorted(path.name for path in (tmp_path / "built" / folder).iterdir()) == sorted(names)
        for name in names:
            assert (tmp_path / "built" / folder / name).read_bytes() == (home / name).read_bytes(), f"{name}: make web"


def test_every_package_is_wanted_in_one_version_and_from_nowhere_in_particular() -> None:
    wanted = json.loads((WEB / "package.json").read_text())["devDependencies"]
    assert [name for name, version in wanted.items() if not re.fullmatch(r"\d+\.\d+\.\d+", version)] == []
    assert not (WEB / "package-lock.json").exists()


def test_nothing_in_the_scripts_is_evaluated_or_fetched_from_elsewhere() -> None:
    for name in ("work.js", "editor.js"):
        text = (BUILT / name).read_text()
        assert not re.search(r"\beval\(|new Function\(|\.innerHTML\s*=[^=]|document\.write\(", text), name
        assert re.findall(r"import\s*\(\s*[\"'`]https?:", text) == [], name


def test_each_package_in_the_scripts_has_its_licence_beside_them() -> None:
    told = (BUILT / "licences.txt").read_text()
    for name in ("@codemirror/view", "@codemirror/merge", "@lezer/common", "style-mod"):
        assert re.search(rf"(?m)^{name} \d", told), name
    assert told.count("MIT") >= 10
    told = (DOCUMENTS / "licences.txt").read_text()
    for name in ("mermaid", "temml", "dompurify", "d3-shape"):
        assert re.search(rf"(?m)^{name} \d", told), name
    assert not re.search(r"(?m)^(elkjs|cytoscape|katex) \d", told)
