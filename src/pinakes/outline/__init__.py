"""What is in here, in N tokens?

Documents and ranks enter, a `Map` leaves: text for models and people, plain data for programs, blocks with digests for
whoever has an earlier one. Nothing here reads a store or a document's text.
"""

from pinakes.outline.draw import draw_map, draw_shelf
from pinakes.outline.map import Map, MapBlock, Shown, blocks_with, changed_blocks
from pinakes.outline.options import MapOptions, MapRequest
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
