"""What is in here, in N tokens?

Outlines and ranks enter, a `Map` leaves: text for models and people, plain data for programs, blocks with digests for
whoever has an earlier one. Nothing here reads a store or a document's text.
"""

from pinakes.outline.draw import draw_map
from pinakes.outline.map import Map, MapBlock, blocks_with, changed_blocks
from pinakes.outline.options import MapOptions, MapRequest
from pinakes.outline.paths import folders_called

__all__ = ["Map", "MapBlock", "MapOptions", "MapRequest", "blocks_with", "changed_blocks", "draw_map", "folders_called"]
