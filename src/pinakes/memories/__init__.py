"""What do we want to remember? Notes of people and agents, each a Markdown file of its own."""

from pinakes.memories.options import MemoryOptions

__all__ = ["MemoryOptions"]
