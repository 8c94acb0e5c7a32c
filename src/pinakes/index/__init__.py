"""Does the store still agree with the sources? `sync` compares and writes; keywords and vectors follow behind it."""

from pinakes.index.keywords import make_keywords
from pinakes.index.meaning import MANY_DOCUMENTS, Meanings
from pinakes.index.plan import STATISTICS
from pinakes.index.share import share_indexed, share_text
from pinakes.index.sync import SyncOptions, ignore_progress, sync
from pinakes.index.vector_folders import QUICK
from pinakes.index.workers import WORTHWHILE

__all__ = [
    "MANY_DOCUMENTS",
    "QUICK",
    "STATISTICS",
    "WORTHWHILE",
    "Meanings",
    "SyncOptions",
    "ignore_progress",
    "make_keywords",
    "share_indexed",
    "share_text",
    "sync",
]
