"""Files that a stranger's project brought along: every checksum is right, and nothing in them makes sense."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from msgspec.structs import replace

from kits.vectors import Bag, filled
from pinakes.own_folder import OwnFolder
from pinakes.vectors import damaged_vectors, open_vectors
from pinakes.vectors.layout import SECTION, publish, read_header

if TYPE_CHECKING:
    from numpy.typing import NDArray

PAGES = {f"{n}.md": f"# Page {n}\n\nTide {n}.\n" for n in range(4)}
QUICK = Bag("quick", 16)


def first(value: int, at: int) -> Callable[[NDArray[np.void]], None]:
    def forge(sections: NDArray[np.void]) -> None:
        sections["first"][at] = value

    return forge


def same_name(sections: NDArray[np.void]) -> None:
    sections["document"][:] = 4_000_000_000


FORGED = {
    "a section beyond the end": first(4_000_000_000, 1),
    "a section before the one before": first(0, 2),
    "rows that belong to none": first(1, 0),
    "one name for all": same_name,
}
HEADERS: dict[str, dict[str, object]] = {
    "fewer than none": {"rows": -1},
    "a word for a number": {"rows": "4"},
    "half a row": {"rows": 1.5},
    "no whole number of dimensions": {"dimensions": [1]},
    "a path for a number": {"epoch": "../../outside"},
    "a path for an update": {"update": "x/../../../outside"},
    "no character for a path": {"epoch": "\0"},
    "a word for the settled": {"settled": "a"},
    "more than a database can count": {"generation": 2**70},
    "a number for a name": {"embedder": 5},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    open_vectors(OwnFolder(tmp_path / "quick", 2)).update(filled(PAGES), QUICK)
    return tmp_path / "quick"


def is_mended(folder: Path) -> bool:
    """Whether nothing answers until the next update, and then everything."""
    vectors, store = open_vectors(OwnFolder(folder, 2)), filled(PAGES)
    question = QUICK.encode(["tide 2"])[0]
    assert damaged_vectors(OwnFolder(folder))
    assert (vectors.now.rows, vectors.now.generation, vectors.now.nearest(question, None, 9)) == (0, 0, [])
    vectors.update(store, QUICK)
    return len(vectors.now.nearest(question, None, 9)) == len(PAGES) and not damaged_vectors(OwnFolder(folder))


@pytest.mark.parametrize("what", FORGED)
def test_sections_that_make_no_sense_answer_like_none_and_are_made_again(folder: Path, what: str) -> None:
    header = read_header(OwnFolder(folder))
    assert header is not None
    path = folder / header.name("sections")
    sections = np.fromfile(path, dtype=SECTION)
    FORGED[what](sections)
    path.write_bytes(sections.tobytes())
    publish(OwnFolder(folder), replace(header, sections_sum=zlib.crc32(sections.tobytes())))
    assert is_mended(folder)


@pytest.mark.parametrize("what", HEADERS)
def test_a_header_that_makes_no_sense_answers_like_none_and_is_made_again(folder: Path, what: str) -> None:
    header = read_header(OwnFolder(folder))
    assert header is not None
    publish(OwnFolder(folder), replace(header, **HEADERS[what]))
    assert is_mended(folder)
    assert sorted(path.name for path in folder.parent.iterdir()) == ["quick"]
