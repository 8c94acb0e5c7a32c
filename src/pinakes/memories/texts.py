"""The memories' files as a source."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from pinakes.memories.location import MemoryOptions, memories_folder, reach_memories
from pinakes.records import MEMORIES
from pinakes.sources.own_texts import OwnTexts


class MemoryTexts(OwnTexts):
    """The texts that were remembered, but for hidden files."""

    def __init__(self, root: Path, options: MemoryOptions) -> None:
        folder = memories_folder(root, options)
        reach = partial(reach_memories, folder, root if folder.is_relative_to(root) else None)
        super().__init__(folder, reach, MEMORIES)
