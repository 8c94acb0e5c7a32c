"""Records to rows and back. Pure: no statement is run here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from zlib import crc32

from msgspec import DecodeError, Raw
from msgspec.json import Decoder, decode, encode

from pinakes.records import (
    Chunk,
    CodeBlock,
    Document,
    Entry,
    Kind,
    Link,
    Metadata,
    NameForm,
    Ref,
    Section,
    Span,
    Stamp,
    Structure,
    Symbol,
    SymbolKind,
    SymbolParameter,
    format_named,
)
from pinakes.store.tables.codes import FORMS, OUTCOMES, RELATIONS, SHAPES
from pinakes.store.tables.connection import Row

# Calling an Enum costs more than all the rest of a row, so values are looked up.
KINDS = {kind.value: kind for kind in Kind}
_SYMBOL_KINDS = {kind.value: kind for kind in SymbolKind}
NAME_FORMS = {form.value: form for form in NameForm}
OUTCOME_CODES = {outcome: code for code, outcome in enumerate(OUTCOMES)}
_FORM_CODES = {form: code for code, form in enumerate(FORMS)}
_RELATION_CODES = {relation: code for code, relation in enumerate(RELATIONS)}
_LETTERS = {shape: letter for letter, shape in SHAPES.items()}
_NO_METADATA = Metadata()
NOTHING_MORE: tuple[tuple[str, ...], str, tuple[str, ...]] = ((), "", ())
"""Aliases, shapes and labels of a section that has none."""

_ROWS = Decoder(list[Raw])
_dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _encoded(values: Sequence[object]) -> str:
    """A list as JSON in a tenth of the time that the standard library takes, which alone knows halves of surrogate
    pairs."""
    try:
        return encode(values).decode()
    except UnicodeEncodeError:
        return _dumps(values)


def decoded(column: str | Raw) -> Any:
    """What `_encoded` was given, in a quarter of the time that the standard library takes."""
    try:
        return decode(column)
    except (DecodeError, UnicodeEncodeError):
        return json.loads(column if isinstance(column, str) else bytes(column))


def undecoded(column: str) -> list[Raw]:
    """The rows of a list that `_encoded` was given, each to be `decoded` when it is asked for: of a long document, few
    are."""
    try:
        return _ROWS.decode(column)
    except (DecodeError, UnicodeEncodeError):
        return [Raw(json.dumps(row)) for row in json.loads(column)]


def packed(values: Sequence[object]) -> str:
    """A list in one column; empty stays empty."""
    return _encoded(values) if values else ""


def unpacked(column: str) -> tuple[str, ...]:
    return tuple(decoded(column)) if column else ()


def document_row(number: int, document: Document) -> Row:
    """The columns of `documents`; all of its links wait."""
    found = document.metadata
    metadata = (
        found.title,
        found.description,
        found.keywords,
        found.aliases,
        found.author,
        found.category,
        found.created,
        found.modified,
        found.extra,
        found.language,
    )
    return (
        number,
        document.title,
        document.kind.value,
        len(document.sections),
        len(document.links),
        len(document.links),
        0,
        len(document.source),
        "" if found == _NO_METADATA else _encoded(metadata),
        packed(document.tags),
        packed(document.warnings),
    )


DOCUMENT = (
    "version, media, digest, title, kind, metadata, tags, warnings, checksum, code, body, source, blocks, hidden,"
    " verbatim, anchors, trees.sections"
)
"""The columns of `files`, `documents`, `bodies` and `trees` that make a document."""
LINK = "links.document, ordinal, section, start, stop, line, form, relation, target, text"
"""Those that make a link."""


def document_from(ref: Ref, row: Row, words: str | None, links: Iterable[Row]) -> Document:
    """`DOCUMENT`, the keywords made for it, and its links in order."""
    version, media, digest, title, kind, metadata, tags, warned, checksum, code, body, source, *rest = row
    blocks, hidden, verbatim, anchors, sections = rest
    if crc32(source) != checksum:
        raise ValueError(f"the text of {ref} is not what was written")
    return Document(
        stamp=Stamp(ref, version, format_named(media)),
        digest=digest,
        title=title,
        kind=KINDS[kind],
        source=source,
        sections=sections_from(anchors, sections, words),
        links=tuple(map(link_from, links)),
        code=code_from(code),
        metadata=metadata_from(metadata),
        tags=unpacked(tags),
        warnings=unpacked(warned),
        body=body,
        structure=Structure(blocks, hidden, verbatim),
    )


def body_row(number: int, entry: Entry) -> Row:
    document = entry.document
    code = [(block.section, block.language, *block.span) for block in document.code]
    chunks = [(chunk.section, chunk.parent, *chunk.span, *chunk.lines, chunk.code_ratio) for chunk in entry.chunks]
    structure = document.structure
    return (
        number,
        crc32(document.source),
        packed(code),
        packed(chunks),
        document.body,
        document.source,
        structure.blocks,
        structure.hidden,
        structure.verbatim,
    )


def tree_row(number: int, sections: Sequence[Section]) -> Row:
    rows: list[tuple[object, ...]] = []
    for section in sections:
        row = (section.title, section.level, section.parent, *section.span, *section.lines)
        if section.aliases or section.shapes or section.keywords or section.symbol:
            shapes = "".join([_LETTERS[shape] for shape in section.shapes])
            more = (section.aliases, shapes, section.keywords)
            rows.append((*row, *more, _symbol_columns(section.symbol)) if section.symbol else (*row, *more))
        else:
            rows.append(row)
    return (number, _encoded([section.anchor for section in sections]), _encoded(rows))


def _symbol_columns(symbol: Symbol) -> tuple[object, ...]:
    """The fields of a symbol in their order, each parameter likewise."""
    taken = symbol.parameters
    return (
        symbol.kind.value,
        symbol.line,
        None if taken is None else [(one.name, one.type, one.default, one.is_optional) for one in taken],
        symbol.returns,
        symbol.bases,
        symbol.decorators,
        symbol.is_async,
        symbol.is_public,
    )


def _symbol_from(columns: Sequence[Any]) -> Symbol:
    kind, line, taken, returns, bases, decorators, is_async, is_public = columns
    parameters = None if taken is None else tuple([SymbolParameter(*one) for one in taken])
    return Symbol(_SYMBOL_KINDS[kind], line, parameters, returns, tuple(bases), tuple(decorators), is_async, is_public)


def link_rows(number: int, entry: Entry) -> Iterator[Row]:
    if len(entry.keys) != len(entry.document.links):
        raise ValueError(f"{entry.document.ref} needs a key for each of its links.")
    for link, key in zip(entry.document.links, entry.keys, strict=True):
        start, stop = link.span
        yield (
            number,
            link.ordinal,
            link.section,
            start,
            stop,
            link.line,
            _FORM_CODES[link.form],
            _RELATION_CODES[link.relation],
            link.target,
            link.text,
            key,
        )


def metadata_from(column: str) -> Metadata:
    if not column:
        return _NO_METADATA
    title, description, keywords, aliases, *rest = decoded(column)
    return Metadata(title, description, tuple(keywords), tuple(aliases), *rest)


def code_from(column: str) -> tuple[CodeBlock, ...]:
    blocks = decoded(column) if column else ()
    return tuple(CodeBlock(section, language, Span(start, stop)) for section, language, start, stop in blocks)


def chunks_from(column: str) -> tuple[Chunk, ...]:
    return tuple(
        [
            Chunk(ordinal, section, parent, Span(start, stop), Span(first, last), ratio)
            for ordinal, (section, parent, start, stop, first, last, ratio) in enumerate(
                decoded(column) if column else ()
            )
        ]
    )


def sections_from(anchors: str, sections: str, keywords: str | None) -> tuple[Section, ...]:
    """The columns of `trees`, with keywords in the place of labels unless they were made for other sections."""
    rows = decoded(sections)
    words: list[list[str]] = decoded(keywords) if keywords else []
    if len(words) != len(rows):
        words = [[]] * len(rows)
    found = []
    for anchor, row, best in zip(decoded(anchors), rows, words, strict=True):
        title, level, parent, start, stop, first, last, *more = row
        aliases, shapes, labels, *symbol = more or NOTHING_MORE
        span, lines = Span(start, stop), Span(first, last)
        if more or best:
            found.append(
                Section(
                    anchor,
                    title,
                    level,
                    parent,
                    span,
                    lines,
                    tuple(aliases),
                    tuple([SHAPES[letter] for letter in shapes]),
                    tuple(best or labels),
                    _symbol_from(*symbol) if symbol else None,
                )
            )
        else:
            found.append(Section(anchor, title, level, parent, span, lines))
    return tuple(found)


def anchors_from(anchors: str, sections: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each section's anchor and aliases."""
    for anchor, row in zip(decoded(anchors), decoded(sections), strict=True):
        yield anchor, tuple(row[7]) if len(row) > 7 else ()


def link_from(row: Row) -> Link:
    """The columns in `LINK`."""
    _, ordinal, section, start, stop, line, form, relation, target, text = row
    return Link(ordinal, section, Span(start, stop), line, FORMS[form], target, text, RELATIONS[relation])
