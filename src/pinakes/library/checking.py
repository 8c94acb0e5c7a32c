"""What is wrong in a corpus, or in a part of it, and what its timeline in git tells.

A corpus enters; what `check` finds leaves, with the sections that speak of what has changed since (`findings`). For
questions made from commits, `commit_sections` gives the sections that each commit was about.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from msgspec import Struct

from pinakes.check import Claims, CodeSide, Finding, WebCheck, broken_across, check, plugged_findings
from pinakes.check.drift import drift
from pinakes.check.undocumented import undocumented
from pinakes.evaluation.makers import CommitSections
from pinakes.index import ignore_progress
from pinakes.library.across import Across
from pinakes.library.addresses import no_corpus
from pinakes.library.corpus import Corpus
from pinakes.library.maps import no_documents
from pinakes.library.past_code import past_documents
from pinakes.ports import Progress, Reader
from pinakes.records import CODE, DOCS, CorpusName
from pinakes.records.sites import SITES, Sites
from pinakes.sites import MOST_BYTES, listed_documents
from pinakes.sources import FolderSource
from pinakes.sources.git.defining_lines import made_in
from pinakes.sources.git.timeline import read_timeline, tip_of

_NAME = re.compile(rb"--[A-Za-z][\w-]*|[A-Za-z_]\w*")
_LARGEST = 1_000_000
"""Files that are larger are data."""


class FindingRequest(Struct, frozen=True):
    """What is looked for besides what is always looked for."""

    unmentioned: bool = False
    """Also symbols that no document mentions."""
    web: WebCheck | None = None
    """Also links to the web."""
    progress: Progress = ignore_progress


def findings(home: Corpus, under: str, asked: str, across: Across, also: FindingRequest) -> tuple[Finding, ...]:
    """Everything found at or below `under`; raises `NotFound`, naming what was `asked` for, when nothing is there."""
    part, store = under.strip("/"), home.index
    if not any(_is_below(path, part) for path in store.files(home.name)):
        raise no_documents(asked)  # or a slip in a CI file would pass for ever
    home.claims = home.claims or Claims()
    found = check(store, home.name, home.claims, _listed(home))
    if home.name == DOCS:
        found += tuple(plugged_findings(store, home.name))
    found += tuple(_between(home, across, unmentioned=also.unmentioned))
    if home.name != CODE and home.config.history.enabled and isinstance(home.source, FolderSource):
        found += tuple(_drifted(home, home.source, across))
    if also.web is not None:
        from pinakes.library.web_links import dead_web_links

        found += tuple(dead_web_links(home, also.web, partial(_is_below, part=part), also.progress))
    return tuple(sorted((one for one in found if _touches(one, part)), key=Finding.order))


def _between(home: Corpus, across: Across, *, unmentioned: bool) -> Iterator[Finding]:
    """What is wrong between the documents of the root and its code; for the code, what stands in the code."""
    docs, code = across.docs, across.code
    if unmentioned and code is None:
        raise no_corpus(CODE, ())
    if code is None or home.name not in (DOCS, CODE) or not docs.is_indexed:
        return
    if home.name == DOCS:
        yield from broken_across(docs.store, DOCS, code.store, CODE)
    yield from broken_across(code.store, CODE, docs.store, DOCS)
    if unmentioned:
        yield from undocumented(docs.store, DOCS, code.store, CODE)


def _listed(home: Corpus) -> frozenset[str]:
    """Documents that the sites made of them list."""
    source, sites = home.source, Sites.parse(home.store.setting(SITES))
    if not sites or not isinstance(source, FolderSource):
        return frozenset()
    documents = [path for path, known in home.store.files(home.name).items() if known.digest]
    return listed_documents(sites, documents, lambda path: source.small_file(path, MOST_BYTES))


def _touches(found: Finding, part: str) -> bool:
    """Whether a finding, or the other place it names, is below `part`."""
    return _is_below(found.ref.path, part) or (found.other is not None and _is_below(found.other.ref.path, part))


def _is_below(path: str, part: str) -> bool:
    return not part or path == part or path.startswith(f"{part}/")


def _drifted(home: Corpus, source: FolderSource, across: Across) -> Iterator[Finding]:
    """Sections of the documents of a folder that speak of what has changed since."""
    root, tip = source.root, source.tip or tip_of(os.path.realpath(source.root))
    if tip is None:
        return iter(())  # without a history no document need be read
    present = partial(_present, home.store, source)
    code = None
    if home.name == DOCS and across.code is not None:
        code = CodeSide(across.symbols(), across.mentions(), partial(past_documents, root, across.code))
    return drift(home.store, home.name, partial(read_timeline, root, tip=tip), present, code)


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


def _present(reader: Reader, source: FolderSource, names: frozenset[str]) -> dict[str, int]:
    """Which of these names stand in some file that is no document, and how many such files define each.

    Many programs make an option of a name in the code, so ``--no-sync`` is also there as ``no_sync``.
    """
    spelled: dict[bytes, set[str]] = {}
    for name in names:
        spelled.setdefault(name.encode(), set()).add(name)
        spelled.setdefault(name.removeprefix("--").replace("-", "_").encode(), set()).add(name)
    there: dict[str, int] = {}
    for path, known in reader.files(source.corpus).items():
        if known.digest or path.startswith(".") or "/." in path:
            continue
        text = source.small_file(path, _LARGEST) or b""  # gone, or not for us: then it holds nothing that counts
        here = {name for found in spelled.keys() & set(_NAME.findall(text)) for name in spelled[found]}
        made = made_in(path, text) if here else set()
        for name in here:
            there[name] = there.get(name, 0) + (name.encode() in made)
    return there
