"""Does the store still agree with the sources? `sync` compares and writes; keywords and vectors follow behind it.

Whoever only asks loads nothing that reads documents: `pinakes.index.sync` and `pinakes.index.keywords` are imported
where something is to be read.
"""

from pinakes.index.meaning import MANY_DOCUMENTS, Meanings
from pinakes.index.options import SyncOptions, ignore_progress
from pinakes.index.plan import STATISTICS
from pinakes.index.share import share_indexed, share_text
from pinakes.index.vector_folders import QUICK

__all__ = [
    "MANY_DOCUMENTS",
    "QUICK",
    "STATISTICS",
    "Meanings",
    "SyncOptions",
    "ignore_progress",
    "share_indexed",
    "share_text",
]
