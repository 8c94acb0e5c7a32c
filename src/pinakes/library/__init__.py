"""The house as a whole: `Library` joins the rooms, and everything a door offers is one of its methods."""

from pinakes.library.library import Library, open_library
from pinakes.library.maps import MapText
from pinakes.library.publishing import ask_published

__all__ = ["Library", "MapText", "ask_published", "open_library"]
