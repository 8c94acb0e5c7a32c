"""Finds drift by symbol: sections that name a symbol whose signature changed, or that is gone, since they were edited.

Documents with the symbols they name, a timeline and the code as it is and was enter; findings leave. The version of a
file at the commit that last touched a section is compared with the present one, so that formatting, a changed body or a
new decorator says nothing. A change counts only where the section speaks of what changed: it has the parameter in code
type, or it shows the call.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from pinakes.cancelling import checked
from pinakes.check.findings import Code, Finding
from pinakes.check.signatures import signature_changes
from pinakes.check.subjects import tells_of_the_past
from pinakes.check.wording import Wording
from pinakes.graph.mentions import NamedSymbol, SymbolIndex
from pinakes.records import CODE, Document, Ref, Symbol, SymbolKind
from pinakes.sources.git.past import CommittedFile
from pinakes.sources.git.timeline import Timeline

_ARGUMENTS = re.compile(r"\((.*)\)")

ReadPast = Callable[[Collection[CommittedFile]], Iterable[tuple[CommittedFile, Document]]]
"""Gives files as they were at commits; what is not there, and what is as it was, is left out."""


class CodeSide(Struct, frozen=True):
    """The source code beside the documents."""

    symbols: SymbolIndex
    mentions: Mapping[str, Sequence[NamedSymbol]]
    """The names of code that each document mentions, by path."""
    past: ReadPast


class _Case(Struct, frozen=True):
    """A section that names a symbol, and where the symbol was when the section was last touched."""

    document: Document
    mention: NamedSymbol
    holder: Ref
    """The symbol, or what is left of a name that means nothing now: its class or file."""
    missing: str
    """What the holder no longer has; empty when all of the name is there."""
    then: CommittedFile

    @property
    def anchor(self) -> str:
        return ".".join(filter(None, (self.holder.anchor, self.missing)))


def symbol_drift(
    documents: Sequence[Document],
    touched: Callable[[Document], Sequence[int]],
    timeline: Timeline,
    code: CodeSide,
) -> Iterator[Finding]:
    """One finding for each symbol that a section speaks of and that is another one now, or none."""
    origins = {fate.moved_to: (path, fate.position) for path, fate in timeline.files.items() if fate.moved_to}
    cases = [case for one in checked(documents) for case in _cases(one, touched(one), timeline, origins, code)]
    versions = {
        asked: {section.anchor: section.symbol for section in then.sections if section.symbol is not None}
        for asked, then in checked(code.past(list(dict.fromkeys(case.then for case in cases))))
    }
    told: set[tuple[Ref, str]] = set()
    wordings: dict[Ref, Wording] = {}
    for case in checked(cases):
        then = versions.get(case.then)
        if not then:
            continue
        if case.document.ref not in wordings:
            wordings[case.document.ref] = Wording(case.document)
        message, suggestion = _judge(case, then, code.symbols, wordings[case.document.ref])
        ref = case.document.section_ref(case.mention.section)
        if message and (ref, message) not in told:
            told.add((ref, message))
            message += ", after this section was last touched"
            yield Finding(Code.DRIFT, ref, case.mention.line + 1, message, suggestion)


def _cases(
    document: Document,
    touched: Sequence[int],
    timeline: Timeline,
    origins: Mapping[str, tuple[str, int]],
    code: CodeSide,
) -> Iterator[_Case]:
    """The symbols that a document names. `origins` are the paths that files had before they were moved, and when."""
    folder = document.ref.path.rpartition("/")[0]
    for mention in code.mentions.get(document.ref.path, ()):
        if mention.section >= len(touched):
            continue  # the document has changed since its names were read
        last = min(touched[mention.section], len(timeline.moments) - 1)
        found = code.symbols.find(mention, folder)
        holder, missing = (found, "") if found is not None else code.symbols.holder(mention, folder) or (None, "")
        if last < 0 or holder is None or tells_of_the_past(document, mention.section):
            continue
        path = holder.path
        for _ in range(len(origins)):
            before, moved = origins.get(path, ("", last))
            if moved >= last:
                break
            path = before
        yield _Case(document, mention, holder, missing, (timeline.moments[last].hash, path))


def _judge(case: _Case, then: Mapping[str, Symbol], symbols: SymbolIndex, wording: Wording) -> tuple[str, str]:
    """What is to be said of a case, and what could stand there instead; nothing when all is well."""
    if case.missing:
        return _gone(case, then, symbols)
    now, before = symbols.symbol(case.holder), then.get(case.holder.anchor)
    anchor = case.holder.anchor
    if now is not None and now.kind is SymbolKind.CLASS and case.mention.is_called:
        now, before = symbols.symbol(Ref(CODE, case.holder.path, f"{anchor}.__init__")), then.get(f"{anchor}.__init__")
    if now is None or before is None:
        return "", ""
    changes = list(signature_changes(before, now))
    if not changes:
        return "", ""
    arguments = _ARGUMENTS.search(case.document.text(case.mention.span))
    is_shown = arguments is not None and bool(arguments[1].strip(" .…"))
    words = wording.around(case.mention)
    told = [
        change.text
        for change in changes
        if (words & change.words if change.words else is_shown) and not words & change.known
    ]
    return (f"{symbols.name(case.holder)} has changed: {', '.join(told)}", "") if told else ("", "")


def _gone(case: _Case, then: Mapping[str, Symbol], symbols: SymbolIndex) -> tuple[str, str]:
    if case.anchor not in then:
        return "", ""
    name = case.missing.rpartition(".")[2]
    holder = symbols.symbol(case.holder)
    elsewhere = symbols.named(name)
    if holder is not None and holder.bases and elsewhere:
        return "", ""  # it may be inherited
    if len(elsewhere) == 1 and not holder:
        there = elsewhere[0]
        suggestion = f"{there.path}#{there.anchor}" if case.mention.path else symbols.spelled(there, case.mention.name)
        return f"{case.anchor} was moved from {case.holder.path} to {there.path}", suggestion
    return f"{case.anchor} was removed from {case.holder.path}", ""
