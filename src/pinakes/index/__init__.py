"""Does the store still agree with the sources? `sync` compares and writes; `make_keywords` follows behind it."""

from pinakes.index.keywords import make_keywords
from pinakes.index.sync import SyncOptions, ignore_progress, sync

__all__ = ["SyncOptions", "ignore_progress", "make_keywords", "sync"]
