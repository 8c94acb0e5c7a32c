"""A store made of dictionaries, obviously right: what SQLite is tested against."""

from kits.scratch.store import ScratchStore

__all__ = ["ScratchStore"]
