"""When should somebody look again, and where? Notifications of the system enter, paths to compare leave."""

from pinakes.sources.watch.notices import EVERYTHING, NOTHING, CannotWatch, Notices, Told
from pinakes.sources.watch.scope import FolderScope, RefScope, Scope
from pinakes.sources.watch.watcher import Watcher, system_notices

__all__ = [
    "EVERYTHING",
    "NOTHING",
    "CannotWatch",
    "FolderScope",
    "Notices",
    "RefScope",
    "Scope",
    "Told",
    "Watcher",
    "system_notices",
]
