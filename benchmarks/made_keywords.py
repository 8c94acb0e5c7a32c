"""The keywords of a folder's documents, made by whichever Pinakes this Python imports.

    python -m benchmarks.made_keywords FOLDER

A folder enters; one JSON object leaves on standard output: by path, for each section its keywords. `judge_keywords`
starts it with the source of an older version in front of the present one.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.folder import open_folder
from pinakes.enrich import KeywordOptions, count, keywords
from pinakes.neural import load_embedder
from pinakes.parse import parse

_BATCH = 64


def made_keywords(folder: Path) -> dict[str, tuple[tuple[str, ...], ...]]:
    """By path, for each section its keywords."""
    documents = [parse(raw) for raw in open_folder(folder).markdown.raws]
    options = KeywordOptions()
    statistics, embedder = count(documents), load_embedder(options.model)
    made: dict[str, tuple[tuple[str, ...], ...]] = {}
    for first in range(0, len(documents), _BATCH):
        some = documents[first : first + _BATCH]
        made |= dict(zip([one.ref.path for one in some], keywords(some, statistics, embedder, options), strict=True))
    return made


if __name__ == "__main__":
    json.dump(made_keywords(Path(sys.argv[1])), sys.stdout)
