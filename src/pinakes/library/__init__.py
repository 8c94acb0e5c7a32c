"""The house as a whole: `Library` joins the rooms, and everything a door offers is one of its methods."""

from pinakes.library.library import EVERYTHING, Library, MapText, open_library

__all__ = ["EVERYTHING", "Library", "MapText", "open_library"]
