"""No dependency without its reason."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = {"": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}


def explained(extra: str) -> set[str]:
    """The packages with a row on the page: in the bare install, or under an extra's heading."""
    page = (HERE / "docs" / "dependencies.md").read_text()
    bare, _, extras = page.partition("\n## Extras\n")
    part = extras.partition(f"\n### `{extra}`\n")[2].partition("\n### ")[0] if extra else bare
    return set(re.findall(r"(?m)^\| `([\w.-]+)` \|", part))


@pytest.mark.parametrize("extra", EXTRAS, ids=lambda extra: extra or "bare install")
def test_every_dependency_has_its_row_and_no_row_outlives_its_dependency(extra: str) -> None:
    assert explained(extra) == {re.split(r"[<>=!~\[; ]", requirement)[0] for requirement in EXTRAS[extra]}


def imports(statement: ast.AST) -> list[str]:
    if isinstance(statement, ast.ImportFrom):
        return [statement.module or ""]
    return [one.name for one in statement.names] if isinstance(statement, ast.Import) else []


def test_every_package_that_is_imported_is_declared() -> None:
    imported = {
        name.partition(".")[0]
        for file in (HERE / "src").rglob("*.py")
        for statement in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        for name in imports(statement)
    }
    called = {"Stemmer": "pystemmer", "yaml": "pyyaml", "graspologic_native": "graspologic-native"}
    called |= {"sentence_transformers": "sentence-transformers", "html_to_markdown": "html-to-markdown"}
    called |= {"tree_sitter": "tree-sitter", "psycopg": "psycopg[binary]", "charset_normalizer": "charset-normalizer"}
    called |= {"pydantic_core": "pydantic-core", "markitdown": "markitdown[docx,pptx,xlsx]"}
    ours = {*sys.stdlib_module_names, "pinakes"}
    declared = (HERE / "pyproject.toml").read_text(encoding="utf-8")
    assert [name for name in sorted(imported - ours) if f'"{called.get(name, name)}>' not in declared] == []
