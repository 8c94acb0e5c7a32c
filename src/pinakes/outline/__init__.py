"""What is in here, in N tokens?

Documents and ranks enter, a `Map` leaves: text for models and people, plain data for programs, blocks with digests for
whoever has an earlier one. Nothing here reads a store or a document's text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pinakes.deferred import deferred
from pinakes.outline.options import MapOptions, MapRequest

if TYPE_CHECKING:
    from pinakes.outline.draw import draw_map, draw_shelf
    from pinakes.outline.map import Map, MapBlock, Shown, blocks_with, changed_blocks
    from pinakes.outline.paths import folders_called
    from pinakes.outline.shelf import FetchShown, FolderPlan, Shelf, ShelfMoved, whole
    from pinakes.outline.worth import leading

__all__ = [
    "FetchShown",
    "FolderPlan",
    "Map",
    "MapBlock",
    "MapOptions",
    "MapRequest",
    "Shelf",
    "ShelfMoved",
    "Shown",
    "blocks_with",
    "changed_blocks",
    "draw_map",
    "draw_shelf",
    "folders_called",
    "leading",
    "whole",
]

__getattr__ = deferred(
    __name__,
    {
        **dict.fromkeys(("draw_map", "draw_shelf"), "pinakes.outline.draw"),
        **dict.fromkeys(("Map", "MapBlock", "Shown", "blocks_with", "changed_blocks"), "pinakes.outline.map"),
        "folders_called": "pinakes.outline.paths",
        **dict.fromkeys(("FetchShown", "FolderPlan", "Shelf", "ShelfMoved", "whole"), "pinakes.outline.shelf"),
        "leading": "pinakes.outline.worth",
    },
)
