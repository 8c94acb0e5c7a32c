"""Sections as the words that keywords are made of.

A document enters, a `SectionBody` for each section leaves: what a reader reads in it, without its heading, its code
blocks and the heads of its tables. From that comes its prose, with `BORDER` wherever something stands between words
that must not be joined across it and with the names in its code spans marked; and a `SectionText`, its prose cut into
tokens, or its code where its prose is silent.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from pinakes.enrich.keywords import KeywordOptions
from pinakes.enrich.words import BORDER, CODE_NAME, code_name, code_tokens, tokens, word_form
from pinakes.prose import BREAK, visible
from pinakes.records import BlockKind, Document, Layout, Link, LinkForm, Span
from pinakes.records.structure import unpacked_spans

MOST_SECTIONS = 10_000
"""Of one document. What has more is a list, a dump or an attack, and the map never shows that much of it."""
_SAMPLED_BYTES = 50_000
_SAMPLES = 10
_IMAGES = (LinkForm.IMAGE, LinkForm.EMBED)
_LONGEST_NAME = 40


class SectionBody(Struct, frozen=True):
    """A section's own text, its heading left out."""

    document: Document
    span: Span
    length: int
    """Characters."""
    lines: int
    """From the heading to the next section."""
    code: tuple[Span, ...]
    """Its code blocks."""
    names: tuple[Span, ...]
    """Images and links that show nothing but where they lead."""
    heads: tuple[Span, ...]
    """The first rows of its tables: they name the columns, not the subject."""

    def prose(self) -> str:
        """Its text without code; names in code spans are marked, and everything else in them is left out."""
        starts, ends = unpacked_spans(self.document.structure.verbatim)
        first, last = bisect_left(starts, self.span.start), bisect_left(starts, self.span.end)
        verbatim = [
            (Span(start, end), self._named(start, end))
            for start, end in zip(starts[first:last], ends[first:last], strict=True)
        ]
        return self._shown(self._samples(), (*self.code, *self.names, *self.heads), verbatim)

    def _named(self, start: int, end: int) -> str:
        name = self.document.source[start:end].decode("utf-8", "replace") if end - start <= _LONGEST_NAME else ""
        return code_name(name, is_defined=self._begins(start)) if CODE_NAME.match(name) else BORDER

    def _begins(self, start: int) -> bool:
        """Whether what stands here is the first of its paragraph, list item or row of a table."""
        starts, ends = unpacked_spans(self.document.structure.hidden)
        gap = bisect_left(ends, start)
        if gap == len(ends) or ends[gap] != start:
            return False
        return starts[gap] <= self.span.start or b"\n" in self.document.source[starts[gap] : start]

    def prose_with_code(self) -> str:
        """Its text without code blocks; what stands in code spans is left in."""
        return self._shown(self._samples(), (*self.code, *self.names))

    def program_text(self) -> str:
        """What its code blocks hold."""
        return self._shown(self.code, ())

    def _shown(self, spans: Iterable[Span], without: tuple[Span, ...], instead: Sequence[tuple[Span, str]] = ()) -> str:
        return BORDER.join(visible(self.document, span, without, instead) for span in spans).replace(BREAK, BORDER)

    def _samples(self) -> tuple[Span, ...]:
        """The whole of it; of a very long one, stretches from all over it that begin at a line."""
        if self.span.length <= _SAMPLED_BYTES:
            return (self.span,)
        size = _SAMPLED_BYTES // _SAMPLES
        starts = [self.span.start + (self.span.length - size) * part // (_SAMPLES - 1) for part in range(_SAMPLES)]
        source = self.document.source
        return tuple(
            Span(max(start, source.find(b"\n", start, start + size) + 1) if number else start, start + size)
            for number, start in enumerate(starts)
        )


def bodies(document: Document) -> Iterator[SectionBody]:
    """One per section, in order, for the first `MOST_SECTIONS`."""
    code: dict[int, list[Span]] = {}
    for block in document.code:
        code.setdefault(block.section, []).append(block.span)
    names: dict[int, list[Span]] = {}
    for link in document.links:
        if link.form in _IMAGES or _is_bare(link):
            names.setdefault(link.section, []).append(link.span)
    headings = {block.span.start: block.span.end for block in document.blocks if block.kind is BlockKind.HEADING}
    heads = [_head(document, block.span) for block in document.blocks if block.kind is BlockKind.TABLE]
    places = [head.start for head in heads]
    for position in range(min(len(document.sections), MOST_SECTIONS)):
        own = document.own(position)
        begin = headings.get(own.start, own.start) if position else max(document.body, own.start)
        span = Span(min(begin, own.end), own.end)
        length = len(document.text(span).strip()) if span.length <= _SAMPLED_BYTES else span.length
        lines = document.source.count(b"\n", own.start, own.end)
        first, last = bisect_left(places, own.start), bisect_left(places, own.end)
        yield SectionBody(
            document,
            span,
            length,
            lines,
            code=tuple(code.get(position, ())),
            names=tuple(names.get(position, ())),
            heads=tuple(heads[first:last]),
        )


def _head(document: Document, table: Span) -> Span:
    end = document.source.find(b"\n", table.start, table.end)
    return Span(table.start, end if end >= 0 else table.end)


def _is_bare(link: Link) -> bool:
    """Whether a link is a URL or a mail address without a text of its own."""
    shows_target = link.target in (link.text, f"mailto:{link.text}", f"http://{link.text}") or "://" in link.text
    return link.form is LinkForm.LINK and shows_target


_LONG_LINES = 15
_LONG_BONUS = 2


class SectionText(Struct, frozen=True):
    """A section on its way to its keywords."""

    document: int
    """Position of its document in the batch."""
    position: int
    """Its own position in the document."""
    prose: str
    tokens: list[str]
    length: int
    """Characters of its own text."""
    wanted: int
    """How many keywords it should get."""


def read_texts(number: int, document: Document, options: KeywordOptions) -> Iterator[SectionText]:
    """The sections of document `number` of a batch; none of a drawing, whose labels are its keywords."""
    if document.stamp.media.layout is Layout.DRAWING:
        return
    for position, body in enumerate(bodies(document)):
        text = body.prose()
        found = tokens(text)
        if body.length >= options.min_chars and not _says_something(found):
            text, found = _from_code(body)
        yield SectionText(number, position, text, found, body.length, _wanted(body, options))


def _says_something(found: Sequence[str]) -> bool:
    return any(word_form(token).stands_alone for token in found)


def _from_code(body: SectionBody) -> tuple[str, list[str]]:
    """For sections whose prose says nothing: first the code in their lines, then their code blocks."""
    text = body.prose_with_code()
    found = tokens(text)
    if body.code and not _says_something(found):
        text = body.program_text()
        found = code_tokens(text)
    return text, found


def _wanted(body: SectionBody, options: KeywordOptions) -> int:
    if body.length < options.min_chars:
        return 0
    return options.top_n + (_LONG_BONUS if body.lines >= _LONG_LINES else 0)
