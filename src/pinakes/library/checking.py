"""What is wrong in a corpus, or in a part of it: what `check` finds, and where documents and commits have parted."""

from __future__ import annotations

from pinakes.check import Finding, check
from pinakes.library.corpus import Corpus
from pinakes.library.drifting import drifted
from pinakes.library.maps import no_documents
from pinakes.sources import FolderSource


def findings(home: Corpus, under: str, asked: str) -> tuple[Finding, ...]:
    """Everything found at or below `under`; raises `NotFound`, naming what was `asked` for, when nothing is there."""
    part, store = under.strip("/"), home.index
    if not any(_is_below(path, part) for path in store.files(home.name)):
        raise no_documents(asked)  # or a slip in a CI file would pass for ever
    found = check(store, home.name)
    if home.config.history.enabled and isinstance(home.source, FolderSource):
        found = tuple(sorted((*found, *drifted(store, home.name, home.source.root)), key=Finding.order))
    return tuple(one for one in found if _touches(one, part))


def _touches(found: Finding, part: str) -> bool:
    """Whether a finding, or the other place it names, is below `part`."""
    return _is_below(found.ref.path, part) or (found.other is not None and _is_below(found.other.ref.path, part))


def _is_below(path: str, part: str) -> bool:
    return not part or path == part or path.startswith(f"{part}/")
