"""The address that opens a file in an editor: only of editors that are known, and exact for any path."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

import pytest

from pinakes.html.options import EDITORS, NO_EDITOR, editor_address


@pytest.mark.parametrize("editor", [one for one in EDITORS if one != NO_EDITOR])
def test_every_editor_is_told_the_file_whatever_it_is_called(editor: str) -> None:
    address = editor_address(editor, "/home/ada/a b&c#d?e.md", 12)
    assert address is not None
    parts = urlsplit(address)
    assert parts.scheme not in ("http", "https", "javascript", "data", "file")
    assert parts.fragment == ""
    assert "home/ada/a b&c#d?e.md" in unquote(address)
    assert "&c" not in address


def test_a_drive_of_windows_keeps_its_letter_and_no_editor_has_no_address() -> None:
    assert editor_address("vscode", "C:\\docs\\a.md", 3) == "vscode://file/C:/docs/a.md:3"
    assert editor_address(NO_EDITOR, "/a.md", 1) is None
