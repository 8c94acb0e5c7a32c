"""What do we want to remember? Notes of people and agents, each a Markdown file of its own.

Notes enter, files are written; memories with where their links lead and what speaks against believing them leave.
"""

from pinakes.memories.options import MemoryOptions
from pinakes.memories.place import memories_folder

__all__ = ["MemoryOptions", "memories_folder"]
