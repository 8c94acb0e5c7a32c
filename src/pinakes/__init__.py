"""Pinakes: the catalogue of your documentation.

    import pinakes

    with pinakes.open("docs") as library:
        library.sync()
        print(library.map().text())

The names below are imported when first used, so that `import pinakes` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pinakes.errors import PinakesError
    from pinakes.library import Library
    from pinakes.library import open_library as open
    from pinakes.outline import Map, MapRequest
    from pinakes.records import Connections, Passage, Ref, Report, Span, Status

_HOMES = {
    "Connections": "pinakes.records",
    "Library": "pinakes.library",
    "Map": "pinakes.outline",
    "MapRequest": "pinakes.outline",
    "Passage": "pinakes.records",
    "PinakesError": "pinakes.errors",
    "Ref": "pinakes.records",
    "Report": "pinakes.records",
    "Span": "pinakes.records",
    "Status": "pinakes.records",
    "open": "pinakes.library",
}

__all__ = [
    "Connections",
    "Library",
    "Map",
    "MapRequest",
    "Passage",
    "PinakesError",
    "Ref",
    "Report",
    "Span",
    "Status",
    "open",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'pinakes' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), "open_library" if name == "open" else name)
