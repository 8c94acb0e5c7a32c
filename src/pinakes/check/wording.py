"""The words in code type around a name that a document mentions.

A document enters once and is taken apart once; for each mention the words that are said in one breath with it leave.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from pinakes.graph.mentions import NamedSymbol
from pinakes.prose import code_spans
from pinakes.records import Block, BlockKind, Document, Span

_WORD = re.compile(r"[^\W\d]\w*")


class Wording:
    """What a document says in code type, by place."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._spans = list(code_spans(document))
        self._blocks = sorted(document.blocks, key=lambda block: (block.span.start, -block.span.end))
        self._holders = list(_holders(self._blocks))
        self._examples: dict[int, list[Span]] = {}
        for block in document.code:
            self._examples.setdefault(block.section, []).append(block.span)
        self._near: dict[Span, frozenset[str]] = {}
        self._shown: dict[tuple[int, bytes], frozenset[str]] = {}

    def around(self, mention: NamedSymbol) -> frozenset[str]:
        """The words in a mention's paragraph, item or line of a table, and in blocks of code of its section that hold
        the symbol's name; of a symbol that a heading names, those of the whole section."""
        place = self._place(mention)
        if place not in self._near:
            first = bisect_left(self._spans, place.start, key=lambda span: span.start)
            last = bisect_right(self._spans, place.end, key=lambda span: span.end)
            self._near[place] = self._words(self._spans[first:last])
        example = mention.section, mention.name.rpartition(".")[2].encode()
        if example not in self._shown:
            source, (section, name) = self._document.source, example
            spans = self._examples.get(section, ())
            self._shown[example] = self._words(span for span in spans if source.find(name, span.start, span.end) >= 0)
        return self._near[place] | self._shown[example]

    def _words(self, spans: Iterable[Span]) -> frozenset[str]:
        return frozenset(word for span in spans for word in _WORD.findall(self._document.text(span)))

    def _place(self, mention: NamedSymbol) -> Span:
        """What is said in one breath with a mention."""
        inside = list(self._inside(mention.start))
        if not inside or any(block.kind is BlockKind.HEADING for block in inside):
            return self._document.own(mention.section)
        if any(block.kind is BlockKind.TABLE for block in inside):
            source = self._document.source
            end = source.find(b"\n", mention.start)
            return Span(source.rfind(b"\n", 0, mention.start) + 1, end if end >= 0 else len(source))
        return min((block.span for block in inside), key=lambda span: span.length)

    def _inside(self, position: int) -> Iterator[Block]:
        """The blocks around a position, from the inside to the outside."""
        place = bisect_right(self._blocks, position, key=lambda block: block.span.start) - 1
        while place >= 0:
            if position < self._blocks[place].span.end:
                yield self._blocks[place]
            place = self._holders[place]


def _holders(blocks: list[Block]) -> Iterator[int]:
    """For each block the position of the one around it, or -1."""
    around: list[int] = []
    for place, block in enumerate(blocks):
        while around and blocks[around[-1]].span.end <= block.span.start:
            around.pop()
        yield around[-1] if around else -1
        around.append(place)
