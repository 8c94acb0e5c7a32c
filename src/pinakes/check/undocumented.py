"""Finds public symbols that no document mentions, one finding for a file.

Classes, functions and methods count, in files that are neither tests nor private. A symbol is mentioned when a document
names it in code type or in a block of code, whatever else it may mean there, or links to it: this is a list of what
nobody wrote about, and a doubtful entry in it would be noise. Members of a class that is missing as a whole are not
listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from pinakes.cancelling import checked
from pinakes.check.findings import Code, Finding
from pinakes.ports import Reader
from pinakes.prose import code_spans
from pinakes.records import CorpusName, Outline, Section, SymbolKind, code_media_of, is_test_file

_NAMED = 12
"""Symbols of a file that are listed by name."""
_WORD = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")
_COUNTED = (SymbolKind.CLASS, SymbolKind.FUNCTION, SymbolKind.METHOD)


def undocumented(documents: Reader, corpus: CorpusName, code: Reader, code_corpus: CorpusName) -> Iterator[Finding]:
    """The public symbols of each file that no document mentions."""
    words = _mentioned_words(documents, corpus)
    for outline in checked(code.outlines(code_corpus)):
        if is_test_file(outline.ref.path) or any(_is_hidden(part) for part in outline.ref.path.split("/")):
            continue
        missing = list(_missing(outline, words))
        if missing:
            line = next(section.symbol.line for section in missing if section.symbol is not None) + 1
            yield Finding(Code.UNDOCUMENTED, outline.ref, line, f"no document mentions {_listed(missing)}")


def _is_hidden(part: str) -> bool:
    stem = part.partition(".")[0]
    return stem.startswith("_") and not stem.startswith("__")


def _mentioned_words(reader: Reader, corpus: CorpusName) -> frozenset[str]:
    found: set[bytes] = set()
    for known in checked(reader.files(corpus).values()):
        document = reader.document(known.stamp.ref) if known.digest else None
        if document is None:
            continue
        for span in (*code_spans(document), *(block.span for block in document.code)):
            found.update(_WORD.findall(document.source, span.start, span.end))
        for link in document.links:
            found.update(_WORD.findall(_symbol_linked_to(link.target).encode("utf-8", "replace")))
    return frozenset(word.decode("utf-8", "replace") for word in found)


def _symbol_linked_to(target: str) -> str:
    """The symbol that a link into a file of source code names; empty for other links."""
    path, _, fragment = target.partition("#")
    return unquote(fragment) if fragment and code_media_of(path.rpartition("/")[2]).code is not None else ""


def _missing(outline: Outline, words: frozenset[str]) -> Iterator[Section]:
    is_open = [True]
    """For each section whether its members are looked at."""
    for section in outline.sections[1:]:
        symbol = section.symbol
        *classes, name = section.title.split(".")  # a method may stand outside of its class: `Server.start`
        is_within = is_open[section.parent] and words.issuperset(classes)
        is_public = symbol is not None and symbol.is_public and not name.startswith("__")
        counts = is_within and is_public and symbol is not None and symbol.kind in _COUNTED
        if counts and name not in words and section.anchor.endswith(section.title):  # or it is an overload, a setter
            yield section
        # Nobody outside names what a function defines, or what belongs to something that is not public.
        is_open.append(counts and name in words and symbol is not None and symbol.kind is SymbolKind.CLASS)


def _listed(missing: list[Section]) -> str:
    named = ", ".join(section.anchor for section in missing[:_NAMED])
    more = len(missing) - _NAMED
    return f"{named} and {more} more" if more > 0 else named
