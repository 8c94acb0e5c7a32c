"""The house as a whole: `Library` joins the rooms, and everything a door offers is one of its methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pinakes.deferred import deferred
from pinakes.library.library import Library, open_library

if TYPE_CHECKING:
    from pinakes.library.maps import MapText
    from pinakes.library.publishing import ask_published

__all__ = ["Library", "MapText", "ask_published", "open_library"]

__getattr__ = deferred(__name__, {"MapText": "pinakes.library.maps", "ask_published": "pinakes.library.publishing"})
