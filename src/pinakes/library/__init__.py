"""The house as a whole: `Library` joins the rooms, and everything a door offers is one of its methods."""

from pinakes.library.library import Library, open_library
from pinakes.library.maps import MapText

__all__ = ["Library", "MapText", "open_library"]
