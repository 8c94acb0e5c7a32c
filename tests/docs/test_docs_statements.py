"""Every statement about modes and workspaces has a test that shows it, and the page of the command says which."""

from __future__ import annotations

import re

from kits.house import HOME
from kits.statements import STATEMENTS


def test_every_statement_has_a_test_that_exists() -> None:
    missing = [
        f"{file}::{name}"
        for file, name in STATEMENTS.values()
        if not re.search(rf"^def {name}\(", (HOME / "tests" / file).read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert missing == []


def test_the_page_of_work_lists_every_statement_with_its_test() -> None:
    text = (HOME / "docs" / "work.md").read_text(encoding="utf-8")
    rows = [f"| {said} | [{file}](../tests/{file}) |" for said, (file, _) in STATEMENTS.items()]
    assert [row for row in rows if row not in text] == []
