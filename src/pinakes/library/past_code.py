"""Source code as it was at earlier commits, parsed.

Commits and paths enter, documents leave. What was committed once may have been written by anybody, so it is parsed in
processes of its own, like all code.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path

from pinakes.index.apart import read_apart
from pinakes.index.reading import USUAL
from pinakes.library.corpus import Corpus
from pinakes.records import CODE, Document, Entry, Raw, Ref, Stamp
from pinakes.sources import FolderSource
from pinakes.sources.code import readable_code
from pinakes.sources.git.past import CommittedFile, read_past
from pinakes.sources.held import HeldFiles

_MOST = 2000
"""Files that are read; a timeline is for what changed lately."""
_BATCH = 200


def past_documents(
    root: Path, code: Corpus, asked: Collection[CommittedFile]
) -> Iterator[tuple[CommittedFile, Document]]:
    """Each file as it was at a commit; those that are so today, or that nobody can parse, are left out."""
    today = code.digests()
    texts: dict[Stamp, bytes] = {}
    wanted: dict[Stamp, list[CommittedFile]] = {}
    tip = code.source.tip if isinstance(code.source, FolderSource) else None
    with closing(read_past(root, list(asked)[:_MOST], tip)) as past:
        for (commit, path), data in past:
            digest = hashlib.blake2b(data, digest_size=16).hexdigest()
            media = readable_code(path.rpartition("/")[2])
            if media.code is None or today.get(path) == digest:
                continue
            stamp = Stamp(Ref(CODE, path), digest, media)
            texts[stamp] = data
            wanted.setdefault(stamp, []).append((commit, path))
    stamps = list(texts)
    for start in range(0, len(stamps), _BATCH):
        batch = stamps[start : start + _BATCH]
        source = HeldFiles(CODE, [Raw(stamp, texts[stamp], stamp.version) for stamp in batch])
        with closing(read_apart(source, batch, {}, 1, USUAL)) as outcomes:
            for stamp, outcome in zip(batch, outcomes, strict=True):
                if isinstance(outcome, Entry):
                    yield from ((one, outcome.document) for one in wanted[stamp])
