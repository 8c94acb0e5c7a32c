"""When should somebody look again, and where? Notifications of the system enter, paths to compare leave."""

from pinakes.sources.watch.notices import EVERYTHING, NOTHING, CannotWatch, ChangedPaths, Notices
from pinakes.sources.watch.scope import FolderScope, RefScope, WatchScope
from pinakes.sources.watch.watcher import Watcher, system_notices

__all__ = [
    "EVERYTHING",
    "NOTHING",
    "CannotWatch",
    "ChangedPaths",
    "FolderScope",
    "Notices",
    "RefScope",
    "WatchScope",
    "Watcher",
    "system_notices",
]
