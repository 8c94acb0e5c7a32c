"""Hits of documents say how many memories point at them."""

from __future__ import annotations

from pathlib import Path

from kits.trees import write_tree
from pinakes import open as open_library
from pinakes.render import results_text
from pinakes.search import merge_results


def test_a_hit_counts_the_memories_that_point_at_its_document(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"lamp.md": "# Lamp\n\nTrim the wick.\n", "fog.md": "# Fog\n\nRing the bell.\n"})
    with open_library(root) as library:
        library.refresh()
        before = library.search("trim the wick")
        assert [hit.memories for hit in before.hits] == [0] * len(before.hits)
        library.memories.remember("The wick is old, see [[lamp.md]].", "Wick")
        library.memories.remember("So is the glass of [[lamp.md#lamp]].", "Glass")
        found = library.search("trim the wick")
        assert {hit.ref.path: hit.memories for hit in found.hits}["lamp.md"] == 2
        assert "2 notes about it: pinakes recall --linked-to lamp.md" in results_text(found, explain=False)
        assert merge_results(found.query, [found]).hits[0].memories == 2
