"""Vectors of any model that cannot be used are noticed by the next question, thrown away, and told of."""

from __future__ import annotations

from pathlib import Path

import pytest

import pinakes
from kits.trees import write_tree
from pinakes.neural import embedder_name


@pytest.mark.parametrize("whose", ["quick", "finer"])
@pytest.mark.parametrize("part", ["matrix", "rows", "sections", "live", "json"])
def test_damaged_vectors_are_made_again_and_that_is_told(tmp_path: Path, whose: str, part: str) -> None:
    root = write_tree(tmp_path, {"a.md": "# Zebra\n\nThe zebra is striped.\n"})
    with pinakes.open(root) as library:
        library.sync()
        library.search("zebra")
    vectors = root / ".pinakes" / "vectors"
    quick = vectors / embedder_name()
    harmed = quick
    if whose == "finer":  # as far as anybody can tell: the files of a model of its own
        harmed = vectors / "onnx-0123456789abcdef"
        harmed.mkdir()
        for file in quick.iterdir():
            (harmed / file.name).write_bytes(file.read_bytes())
    file = next(path for path in harmed.iterdir() if path.name.endswith(part))
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 255
    file.write_bytes(data)
    with pinakes.open(root) as library:
        assert library.search("zebra").hits
        assert any(harmed.name in note for note in library.status().healed)
        assert all(one.is_sound for one in library.doctor())
    assert harmed.exists() == (whose == "quick")
