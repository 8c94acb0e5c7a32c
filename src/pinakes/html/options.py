"""What a user may decide about documents in a browser."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import quote

from msgspec import Struct

NO_EDITOR = "none"
_ADDRESSES: Mapping[str, str] = MappingProxyType(
    {
        "vscode": "vscode://file/{path}:{line}",
        "vscode-insiders": "vscode-insiders://file/{path}:{line}",
        "vscodium": "vscodium://file/{path}:{line}",
        "cursor": "cursor://file/{path}:{line}",
        "windsurf": "windsurf://file/{path}:{line}",
        "zed": "zed://file/{path}:{line}",
        "idea": "idea://open?file=/{path}&line={line}",
        "pycharm": "pycharm://open?file=/{path}&line={line}",
        "sublime": "subl://open?url=file:///{path}&line={line}",
        "textmate": "txmt://open?url=file:///{path}&line={line}",
        "obsidian": "obsidian://open?path=/{path}",
    }
)
"""The addresses by which editors open a file; each editor registers its own with the system."""
EDITORS = (NO_EDITOR, *_ADDRESSES)


class PageOptions(Struct, frozen=True):
    """How the page shows documents."""

    editor: str = NO_EDITOR
    """The editor that the page offers to open a file with: `vscode`, `zed`, `idea` and others; a link to it stands
    above each document. Your browser asks before it opens a program."""


def editor_address(editor: str, path: str, line: int) -> str | None:
    """The address that opens the file at the absolute `path` in an editor; None where none is chosen."""
    template = _ADDRESSES.get(editor)
    place = quote(path.replace("\\", "/").lstrip("/"), safe="/:~", errors="surrogateescape")
    return template.format(path=place, line=line) if template else None
