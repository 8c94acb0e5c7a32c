"""Memories: notes of people and agents, each a Markdown file.

Notes enter and are written to files; memories leave with resolved links and with marks, the reasons to verify them.
"""

from pinakes.memories.location import MemoryOptions, memories_folder

__all__ = ["MemoryOptions", "memories_folder"]
