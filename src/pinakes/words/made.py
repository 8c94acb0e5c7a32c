"""What the index was made from, in a small file beside it: ``made.json``.

It is written when everything it speaks of is on disk, by replacing the file, so whoever reads it sees the index before
an update or after it. A file that cannot be read, or was written for another form of index, is as good as none.

The engine's files never change once written, so that a size that is not the one written down means damage.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

NAME = "made.json"
FOLDER = "index-"
"""How the names of folders with the engine's files begin."""
_FORM = "1"
"""Changes with every change to the terms of a chunk or to the fields they are in, so that older ones are made anew."""


@dataclass(frozen=True, slots=True)
class Made:
    """A whole index."""

    form: str
    """Names everything that decides by which terms a chunk is found."""
    folder: str
    """Where the engine's files are, beside this one."""
    generation: int
    """Of the store."""
    history: str
    """Names the run of the store's generations."""
    sizes: Mapping[str, int]
    """Of the engine's files, in bytes."""


def form_name() -> str:
    """Names everything that decides by which terms a chunk is found; the stemmer's tables change with its version."""
    import Stemmer

    return f"{_FORM}:{Stemmer.version()}"


def read_made(folder: Path) -> Made | None:
    """The index kept in `folder`, if it is whole and of the present form."""
    try:
        found = Made(**json.loads((folder / NAME).read_text("utf-8")))
        is_ours = found.form == form_name() and found.folder.startswith(FOLDER) and "/" not in found.folder
        return found if is_ours and isinstance(found.generation, int) and isinstance(found.sizes, dict) else None
    except (OSError, ValueError, TypeError, AttributeError):
        return None


def write_made(folder: Path, made: Made) -> None:
    temporary = folder / f"{NAME}.new"
    temporary.write_text(json.dumps(asdict(made)), "utf-8")
    os.replace(temporary, folder / NAME)


def sizes(folder: Path) -> dict[str, int]:
    """Of all files that never change."""
    with os.scandir(folder) as files:
        return {
            file.name: file.stat().st_size
            for file in files
            if not file.name.startswith(".") and file.name != "meta.json"
        }


def changed_size(folder: Path, made: Made) -> str:
    """The name of what is not as it was written, or nothing. A file that is gone was merged away, or the engine itself
    will miss it."""
    try:
        now = sizes(folder)
    except OSError:
        return folder.name
    return next((name for name, size in made.sizes.items() if now.get(name, size) != size), "")
