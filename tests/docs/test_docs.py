"""The manual is under test: every command has its page and help, and every link in our own documents resolves."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import pinakes
from pinakes import errors
from pinakes.serve.cli import COMMANDS, find_command

HOME = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_page_that_names_its_options(name: str) -> None:
    page = (HOME / "docs" / f"{name}.md").read_text(encoding="utf-8")
    command = find_command(name)
    assert page.startswith(f"# {name}\n")
    missing = [
        option
        for parameter in command.params
        if not getattr(parameter, "hidden", False)  # older spellings, which are still understood
        for option in parameter.opts
        if option.startswith("--") and option not in page
    ]
    assert [option for option in missing if option not in ("--sync",)] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_s_help_opens_with_a_sentence_and_shows_an_example(name: str) -> None:
    text = find_command(name).help or ""
    assert re.match(r"[A-Z].*[.:]", text)
    assert "Example:" in text
    assert f"pinakes {name}" in text


FOLDERS = ("docs", "src", "tests", "training", "release", "deploy", "examples", ".github")


def test_our_own_documents_have_no_broken_link(tmp_path: Path) -> None:
    listed = [*HOME.glob("*.md"), *(path for folder in FOLDERS for path in HOME.glob(f"{folder}/**/*"))]
    for file in listed:
        if file.is_file() and "__pycache__" not in file.parts:
            copy = tmp_path / file.relative_to(HOME)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
    ignored = "tests/**/cases/\ntests/**/*.md\n!tests/stories/README.md\n"
    (tmp_path / ".pinakesignore").write_text(ignored, encoding="utf-8")
    with pinakes.open(tmp_path) as library:
        library.sync()
        # The README shows what check finds, in documents that have one broken link for that.
        shown = [found.ref.path for found in library.check() if found.suggestion == "reading.md#corrections"]
        assert shown == ["examples/tidebook/guide/alarms.md"]
        others = [found for found in library.check() if found.ref.path != shown[0]]
        assert [f"{found.ref} {found.message}" for found in others] == []


def test_the_errors_module_draws_every_error_in_its_tree() -> None:
    tree = errors.__doc__ or ""
    family = [name for name, kind in vars(errors).items() if isinstance(kind, type)]
    assert [name for name in family if name not in tree] == []


def test_the_package_exports_what_it_says() -> None:
    assert all(getattr(pinakes, name) is not None for name in pinakes.__all__)
