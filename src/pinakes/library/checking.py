"""What is wrong in a corpus, or in a part of it, and what its timeline in git tells.

A corpus enters; what `check` finds leaves, with the sections that speak of what has changed since (`findings`). For
questions made from commits, `commit_sections` gives the sections that each commit was about.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from pinakes.check import Finding, check, drift
from pinakes.evaluation.makers import CommitSections
from pinakes.library.corpus import Corpus
from pinakes.library.maps import no_documents
from pinakes.ports import Reader
from pinakes.records import CorpusName
from pinakes.sources import FolderSource
from pinakes.sources.git.timeline import read_timeline, tip_of
from pinakes.sources.inside import open_inside, read_at_most

_NAME = re.compile(rb"--[A-Za-z][\w-]*|[A-Za-z_]\w*")
_LARGEST = 1_000_000
"""Files that are larger are data."""


def findings(home: Corpus, under: str, asked: str) -> tuple[Finding, ...]:
    """Everything found at or below `under`; raises `NotFound`, naming what was `asked` for, when nothing is there."""
    part, store = under.strip("/"), home.index
    if not any(_is_below(path, part) for path in store.files(home.name)):
        raise no_documents(asked)  # or a slip in a CI file would pass for ever
    found = check(store, home.name, home.claims)
    if home.config.history.enabled and isinstance(home.source, FolderSource):
        found = tuple(sorted((*found, *_drifted(store, home.name, home.source.root)), key=Finding.order))
    return tuple(one for one in found if _touches(one, part))


def _touches(found: Finding, part: str) -> bool:
    """Whether a finding, or the other place it names, is below `part`."""
    return _is_below(found.ref.path, part) or (found.other is not None and _is_below(found.other.ref.path, part))


def _is_below(path: str, part: str) -> bool:
    return not part or path == part or path.startswith(f"{part}/")


def _drifted(reader: Reader, corpus: CorpusName, root: Path) -> Iterator[Finding]:
    """Sections of the documents below `root` that speak of what has changed since."""
    if tip_of(os.path.realpath(root)) is None:
        return iter(())  # without a history no document need be read
    present = partial(_present, reader, corpus, os.path.realpath(root))
    return drift(reader, corpus, partial(read_timeline, root), present)


def commit_sections(reader: Reader, corpus: CorpusName, root: Path) -> tuple[CommitSections, ...]:
    """For each commit the sections of which some line is still as it left it."""
    texts = {
        path: document
        for path, known in reader.files(corpus).items()
        if known.digest and (document := reader.document(known.stamp.ref)) is not None
    }
    timeline = read_timeline(root, {path: document.source for path, document in texts.items()}, frozenset())
    if timeline is None:
        return ()
    found: dict[int, dict[tuple[str, str], None]] = {}
    for path, document in texts.items():
        starts = [section.lines.start for section in document.sections]
        for number, position in enumerate(timeline.lines[path]):
            section = document.sections[max(bisect_right(starts, number) - 1, 0)]
            found.setdefault(position, {})[path, section.anchor] = None
    return tuple(CommitSections(moment.subject, tuple(found.get(at, ()))) for at, moment in enumerate(timeline.moments))


def _present(reader: Reader, corpus: CorpusName, root: str, names: frozenset[str]) -> frozenset[str]:
    """Which of these names stand in some file that is no document."""
    wanted = {name.encode() for name in names}
    for path, known in reader.files(corpus).items():
        if not wanted:
            break
        if known.digest or path.startswith(".") or "/." in path:
            continue
        with suppress(OSError):  # gone, or not for us: then it holds nothing that counts
            descriptor = open_inside(root, path)
            try:
                wanted.difference_update(_NAME.findall(read_at_most(descriptor, _LARGEST) or b""))
            finally:
                os.close(descriptor)
    return names - {name.decode() for name in wanted}
