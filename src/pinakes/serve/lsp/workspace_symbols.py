"""Headings and symbols of a whole library by the beginning of their words, for an editor's “go to symbol”."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import nsmallest

from lsprotocol.types import Location, Position, Range, WorkspaceSymbol
from lsprotocol.types import SymbolKind as LspSymbolKind
from msgspec import Struct

from pinakes.cancelling import checked
from pinakes.ports import Reader
from pinakes.records import CorpusName, Ref
from pinakes.serve.lsp.symbols import KINDS
from pinakes.serve.lsp.view import EditorView

MOST = 200


class NamedSection(Struct, frozen=True):
    """A section that can be looked for by its title."""

    title: str
    folded: str
    ref: Ref
    line: int
    """From 0."""
    kind: LspSymbolKind


def named_sections(reader: Reader, corpus: CorpusName) -> tuple[NamedSection, ...]:
    """Every section of a corpus that has a title."""
    return tuple(
        NamedSection(
            section.title,
            section.title.casefold(),
            Ref(corpus, outline.ref.path, section.anchor),
            section.symbol.line if section.symbol is not None else section.lines.start,
            KINDS[section.symbol.kind] if section.symbol is not None else LspSymbolKind.String,
        )
        for outline in checked(reader.outlines(corpus))
        for section in outline.sections
        if section.title
    )


def workspace_symbols(view: EditorView, sections: Iterable[NamedSection], query: str) -> list[WorkspaceSymbol]:
    """The sections whose titles match best: that begin so, with a word that begins so, that hold all words, that hold
    the letters in this order; at most 200."""
    ranked = nsmallest(MOST, _ranked(sections, query.casefold().strip()))
    return [
        WorkspaceSymbol(
            location=Location(view.uri(one.ref), Range(Position(one.line, 0), Position(one.line, 0))),
            name=one.title,
            kind=one.kind,
            container_name=one.ref.path,
        )
        for *_, one in ranked
    ]


def _ranked(sections: Iterable[NamedSection], query: str) -> Iterator[tuple[int, int, str, int, int, NamedSection]]:
    words = query.split()
    for number, one in enumerate(checked(sections)):
        match = _match(one.folded, query, words)
        if match is not None:
            yield match, len(one.folded), one.ref.path, one.line, number, one


def _match(title: str, query: str, words: list[str]) -> int | None:
    if title.startswith(query):
        return 0
    if f" {query}" in title:
        return 1
    if all(word in title for word in words):
        return 2
    letters = iter(title)
    return 3 if all(letter in letters for letter in query if letter != " ") else None
