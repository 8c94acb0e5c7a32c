"""Memories: notes of people and agents, each a Markdown file.

Notes enter and are written to files; memories leave with resolved links and with marks, the reasons to verify them.
"""

from pinakes.memories.location import memories_folder
from pinakes.memories.options import MemoryOptions

__all__ = ["MemoryOptions", "memories_folder"]
