"""Finds drift: sections that mention something which changed, moved or vanished after the section was last edited.

A reader and a function that loads a timeline enter, findings leave. A section mentions files that are not documents, by
a link or by their path, and options (``--verify``) and identifiers in code type. A file drifts when it is no longer
there, an option or identifier also when the line that defines it has changed: what else changes in a file, or around a
name, says nothing about what was written of it. Links between documents are no drift.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from pinakes.cancelling import checked
from pinakes.check.findings import Code, Finding
from pinakes.check.subjects import tells_of_the_past
from pinakes.check.symbol_drift import CodeSide, symbol_drift
from pinakes.ports import Reader
from pinakes.prose import code_spans
from pinakes.records import CorpusName, Document, LinkForm
from pinakes.sources.git.timeline import Moment, Timeline

LoadTimeline = Callable[[Mapping[str, bytes], frozenset[str]], Timeline | None]
"""Takes document texts by path and the names to look for; returns None when there is no git history."""
NamesInCode = Callable[[frozenset[str]], Mapping[str, int]]
"""Returns the names that still occur in some file that is not a document, each with the number of files that define
it."""

_OPTION = re.compile(r"(?<![\w-])--[A-Za-z][\w-]+")
_CALLED = re.compile(r"(?<!\w)([A-Za-z_]\w*)\(")
_JOINED = re.compile(r"(?<!\w)(?:[A-Za-z]\w*_\w+|[a-z]+[A-Z]\w+|[A-Z][a-z0-9]+[A-Z]\w*)")
"""Words joined by underscores or capitals; a plain word in code type may be anything."""

_SHOWN = (LinkForm.IMAGE, LinkForm.EMBED, LinkForm.FRONTMATTER)
"""A picture that is shown is always the present one, and frontmatter makes no claims."""


class _Mention(Struct, frozen=True):
    """A file, option or identifier that a section mentions."""

    document: Document
    section: int
    line: int
    """From 0."""
    text: str


def drift(
    reader: Reader, corpus: CorpusName, ask: LoadTimeline, present: NamesInCode, code: CodeSide | None = None
) -> Iterator[Finding]:
    """One finding for each thing that changed after a section that mentions it was last edited. Where the code is read,
    its symbols tell what changed, and not the lines that define names."""
    kept = reader.files(corpus)
    documents = [
        document
        for known in checked(kept.values())
        if known.digest and (document := reader.document(known.stamp.ref)) is not None
    ]
    names = [one for document in documents for one in _names(document) if _is_of_the_present(one)]
    timeline = ask(
        {document.ref.path: document.source for document in documents}, frozenset(mention.text for mention in names)
    )
    if timeline is None:
        return
    others = {path for path, known in kept.items() if not known.digest}
    pages = {posixpath.splitext(path)[0] for path, known in kept.items() if known.digest}
    yield from _drifted_files(documents, others, pages, timeline)
    yield from _drifted_names(names, timeline, present, by_line=code is None)
    if code is not None:
        yield from symbol_drift(documents, lambda document: _touched(document, timeline), timeline, code)


def _drifted_files(
    documents: Sequence[Document], others: Collection[str], pages: Collection[str], timeline: Timeline
) -> Iterator[Finding]:
    """Files that are gone or moved. `pages` are the documents there are, without their endings."""
    for document in checked(documents):
        touched = _touched(document, timeline)
        seen: set[tuple[int, str]] = set()
        for mention in filter(_is_of_the_present, _paths(document)):
            path = _meant(mention, others, timeline)
            if path is None or path in others or (mention.section, path) in seen:
                continue
            seen.add((mention.section, path))
            fate = timeline.files[path]
            is_rewritten = posixpath.splitext(path)[0] in pages  # in another format, under the same name
            if fate.position >= touched[mention.section] or is_rewritten:
                continue
            when = _when(timeline.moments[fate.position])
            if fate.moved_to:
                yield _finding(mention, f"{path} was moved to {fate.moved_to} {when}", fate.moved_to)
            else:
                yield _finding(mention, f"{path} was removed {when}")


def _drifted_names(
    names: Sequence[_Mention], timeline: Timeline, present: NamesInCode, *, by_line: bool
) -> Iterator[Finding]:
    """Names that are gone; and `by_line`, those whose line changed, and those that the code only used."""
    gone = timeline.removed if by_line else timeline.unmade
    suspects = frozenset(mention.text for mention in names if mention.text in gone)
    there = present(suspects) if suspects else {}
    touched: dict[str, Sequence[int]] = {}
    for mention in checked(names):
        path = mention.document.ref.path
        if path not in touched:
            touched[path] = _touched(mention.document, timeline)
        last = touched[path][mention.section]
        removed, remade = gone.get(mention.text, last), timeline.remade.get(mention.text, last)
        if mention.text not in there and removed < last:
            yield _finding(mention, f"{mention.text} was removed from the code {_when(timeline.moments[removed])}")
        elif by_line and there.get(mention.text) == 1 and remade < last:  # of several, nobody knows which is meant
            yield _finding(mention, f"{mention.text} was changed in the code {_when(timeline.moments[remade])}")


def _is_of_the_present(mention: _Mention) -> bool:
    return not tells_of_the_past(mention.document, mention.section)


def _finding(mention: _Mention, message: str, suggestion: str = "") -> Finding:
    ref = mention.document.section_ref(mention.section)
    return Finding(Code.DRIFT, ref, mention.line + 1, f"{message}, after this section was last touched", suggestion)


def _when(moment: Moment) -> str:
    return f"on {moment.day} by {moment.hash[:10]}"


def _touched(document: Document, timeline: Timeline) -> Sequence[int]:
    """For each section the position of what touched its own text last; smaller is later."""
    lines = timeline.lines[document.ref.path]
    starts = [section.lines.start for section in document.sections]
    ends = [*starts[1:], len(lines)]
    return [min(lines[start:end], default=len(timeline.moments)) for start, end in zip(starts, ends, strict=True)]


def _paths(document: Document) -> Iterator[_Mention]:
    """Files by link or by path, as written."""
    for link in document.links:
        if link.form not in _SHOWN and link.target and "://" not in link.target:
            yield _Mention(document, link.section, link.line, link.target.partition("#")[0].partition("?")[0])


def _meant(mention: _Mention, others: Collection[str], timeline: Timeline) -> str | None:
    """The file that something happened to and that a path means: seen from its document, then from the root."""
    folder = posixpath.dirname(mention.document.ref.path)
    for base in (folder, ""):
        path = posixpath.normpath(posixpath.join(base, mention.text.lstrip("/")))
        fate = timeline.files.get(path)
        if fate is not None and (path in others or fate.is_gone):
            return path
    return None


def _names(document: Document) -> Iterator[_Mention]:
    """Options and names of code in code type, each once for a section; blocks of code are examples, not claims."""
    starts = [section.span.start for section in document.sections]
    line_ends = [found.start() for found in re.finditer(b"\n", document.source)]
    seen: set[tuple[int, str]] = set()
    for span in code_spans(document):
        section = max(bisect_right(starts, span.start) - 1, 0)
        text = document.text(span)
        names = {*_OPTION.findall(text), *_CALLED.findall(text), *_JOINED.findall(_OPTION.sub(" ", text))}
        for name in sorted(names):
            if (section, name) not in seen:
                seen.add((section, name))
                yield _Mention(document, section, bisect_left(line_ends, span.start), name)
