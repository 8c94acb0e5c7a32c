"""The words a reader sees, and where their sentences end.

A document and a stretch of it enter, text leaves: without marks, destinations of links, comments, templates and
frontmatter. The parser noted down what is hidden, so this is slicing; nothing is parsed again.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from html import unescape

from pinakes.records import Block, BlockKind, Chunk, Document, Layout, LinkForm, Span
from pinakes.records.structure import unpacked_spans

_CODE_TYPE = re.compile(rb"`([^`\n]{1,200})`")
BREAK = "\n\n"
"""Stands between blocks and where something was left out, and nowhere else in visible text outside of code."""

SENTENCE_END = re.compile(
    # The lower-case letter after an abbreviation shows that the sentence goes on.
    r"(?:(?<!\b[eE]\.g)(?<!\b[iI]\.e)(?<!\betc)(?<!\bvs)(?<!\bcf)\.|[!?…])[\"'”’)\]*_`]*+\s++(?![a-z])"
    r"|[。！？｡．][」』）】”’]*+"
)
"""Matches the end of a sentence with the white space behind it."""

_OTHER_ELEMENT = re.compile(
    rb"(?<!\{)<(?=[/!?A-Za-z])(?!/?(?:a|abbr|b|bdi|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|u|wbr)\b)",
    re.IGNORECASE,
)
"""Begins an element of HTML that ends a word."""
_CONTAINERS = (BlockKind.ITEM, BlockKind.QUOTE, BlockKind.FOOTNOTE)
_IMAGES = (LinkForm.IMAGE, LinkForm.EMBED)
_LONGEST = 160
_READ = 4000
_ENTITY = re.compile(r"&#?\w{1,12};")
_CAPTION = re.compile(
    rb"<!--(?:.*?-->|.*)|<(script|style|svg)\b(?:.*?</\1|.*)"  # says nothing
    rb"|(?:\btab\s+name|[\s\"'](?:alt|aria-label|caption|description|file-?name|header|heading|label|number"
    rb"|placeholder|summary|text|title))=\{?(?:\"([^\"]{1,2000})\"|'([^']{1,2000})')"
    rb"|\]\([^\s()]*\s+(?:\"([^\"]{1,2000})\"|'([^']{1,2000})')\s*\)"  # the title of a link
    rb"|(?:```|~~~)[^\n\[`~]*\[([^\]\n]{1,200})\]",  # the name of a file above code
    re.DOTALL | re.IGNORECASE,
)
"""What marks show: the text of tags, templates and fences that stands on the page or appears above it."""
_DASHES = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*[|\n]")
_TAGS = re.compile(r"<[^<>]*>")
_HEAD_CELL = re.compile(r"<th\b[^<>]*>(.{0,300}?)</th", re.DOTALL | re.IGNORECASE)
_CAPTION_SIGNS = (b'"', b"'", b"```", b"~~~")
"""One of these is in every caption."""


def visible(
    document: Document, span: Span, without: Iterable[Span] = (), instead: Iterable[tuple[Span, str]] = ()
) -> str:
    """What a reader sees of a stretch of the source; parts of it can be left out, or have something else instead."""
    gaps = _gaps(document.structure.hidden, span)
    left_out = {
        (start, end): text.encode() for (start, end), text in instead if span.start <= start and end <= span.end
    }
    for start, end in without:
        if start < span.end and end > span.start:
            left_out[max(start, span.start), end] = b"\n\n"
    source, reached = document.source, span.start
    pieces: list[bytes] = []
    for gap in sorted([*gaps, *left_out]) if left_out else gaps:
        start, end = gap
        if end > reached:
            pieces.append(source[reached:start])
            hidden = source[max(start, reached) : end]
            pieces.append(left_out[gap] if gap in left_out else b"\n\n" if b"\n" in hidden else _between(hidden))
            reached = end
    pieces.append(source[reached : span.end])
    return _text(b"".join(pieces))


def code_spans(document: Document) -> Iterator[Span]:
    """What stands in code type, without its marks, in reading order. Blocks of code are examples and left out."""
    blocks = sorted((block.span.start, block.span.end) for block in document.code)
    for found in _CODE_TYPE.finditer(document.source):
        block = bisect_right(blocks, (found.start(), len(document.source))) - 1
        if block < 0 or found.start() >= blocks[block][1]:
            yield Span(*found.span(1))


def visible_slice(text: str, start_byte: int, hidden: bytes) -> str:
    """What a reader sees of a text that begins at that byte of its document; `hidden` is that of its `Structure`."""
    source = text.encode("utf-8", "surrogatepass")
    span = Span(start_byte, start_byte + len(source))
    reached = 0
    pieces: list[bytes] = []
    for first, last in _gaps(hidden, span):
        gap = source[max(first - start_byte, 0) : last - start_byte]
        pieces += (source[reached : max(first - start_byte, 0)], b"\n\n" if b"\n" in gap else _between(gap))
        reached = last - start_byte
    return _text(b"".join([*pieces, source[reached:]]))


def captions(document: Document, span: Span) -> list[str]:
    """What a reader sees of marks: alternative texts, titles, captions, labels and names of files, in their order."""
    start, end = span
    gaps = _gaps(document.structure.hidden, span)
    return captions_of(b"\n".join([document.source[max(first, start) : min(last, end)] for first, last in gaps]))


def captions_of(hidden: bytes) -> list[str]:
    """What a reader sees of certain marks."""
    if not any(map(hidden.__contains__, _CAPTION_SIGNS)):
        return []
    return [_text(text) for found in _CAPTION.findall(hidden) for text in found[1:] if text]


def ends_word(mark: bytes) -> bool:
    """Whether a tag stands between two words, and not inside of one."""
    return _OTHER_ELEMENT.search(mark) is not None


def searchable(document: Document, span: Span, without: Iterable[Span] = ()) -> str:
    """What a stretch is found by: what is visible of it, and behind that its captions."""
    return BREAK.join([visible(document, span, without), *captions(document, span)])


def chunk_text(document: Document, chunk: Chunk, without: Iterable[Span] = ()) -> str:
    """What a chunk is found by; the source of a drawing is markup, so that its labels stand for it."""
    if document.stamp.media.layout is Layout.DRAWING:
        return "\n".join(document.sections[chunk.section].keywords)
    return searchable(document, chunk.span, without)


def table_head(table: str) -> str:
    """The first row of a table of Markdown or HTML, with the row of dashes below it; empty for other text."""
    row, _, rest = table.partition("\n")
    if "|" in row and _DASHES.match(rest):
        return "\n".join((_TAGS.sub("", row).strip(), rest.partition("\n")[0].strip(), ""))
    cells = [" ".join(_TAGS.sub(" ", cell).split()) for cell in _HEAD_CELL.findall(table)]
    return f"| {' | '.join(cells)} |\n|{'---|' * len(cells)}\n" if cells else ""


def leaves(document: Document, span: Span) -> Iterator[Block]:
    """The blocks that begin in a stretch, in order and apart: of one that holds others, what stands before them.

    The first paragraph of a list item is the item.
    """
    blocks = document.blocks
    reached = 0
    for at in range(bisect_left(blocks, span.start, key=_start), bisect_left(blocks, span.end, key=_start)):
        kind, (start, end) = blocks[at]
        if start < reached:
            continue  # it stands in a table of HTML
        following = blocks[at + 1] if at + 1 < len(blocks) and blocks[at + 1].span.start < end else None
        if following is not None and kind in _CONTAINERS:
            if following.kind is BlockKind.PARAGRAPH:
                continue
            end = following.span.start
        before = blocks[at - 1] if at else None
        if before and before.kind is BlockKind.ITEM and before.span.end > start and kind is BlockKind.PARAGRAPH:
            kind, start = before.kind, before.span.start
        if kind is BlockKind.HTML:
            reached = end
        yield Block(kind, Span(start, end))


def first_sentence(document: Document, section: int) -> str:
    """The first sentence of a section's own paragraphs and lists, on one line of at most 160 characters; or nothing."""
    for block in leaves(document, document.own(section)):
        if block.kind in (BlockKind.PARAGRAPH, BlockKind.ITEM):
            # Images speak for themselves, and a sentence that goes on for pages is none.
            span = Span(block.span.start, min(block.span.end, block.span.start + _READ))
            images = [link.span for link in document.links if link.form in _IMAGES] if b"!" in document.source else ()
            text = " ".join(visible(document, span, images).split())
            if any(map(str.isalnum, text)):
                return _shortened(next(sentences(text))[1])
    return ""


def _shortened(sentence: str) -> str:
    if len(sentence) <= _LONGEST:
        return sentence
    cut = sentence[: _LONGEST - 1]
    return (cut[: cut.rfind(" ")] if " " in cut[_LONGEST // 2 :] else cut).rstrip() + "…"


def _start(block: Block) -> int:
    return block.span.start


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a paragraph, each with its place in it."""
    start = 0
    for end in SENTENCE_END.finditer(text):
        yield start, text[start : end.end()].rstrip()
        start = end.end()
    if text[start:].strip():
        yield start, text[start:].rstrip()


def _gaps(hidden: bytes, span: Span) -> list[tuple[int, int]]:
    """Start and end of what is hidden in a stretch; the first and the last may reach over its ends."""
    starts, ends = unpacked_spans(hidden)
    first, last = bisect_right(ends, span.start), bisect_left(starts, span.end)
    return list(zip(starts[first:last], ends[first:last], strict=True))


def _text(shown: bytes) -> str:
    text = shown.decode("utf-8", "replace")
    return _ENTITY.sub(lambda entity: unescape(entity[0]), text) if "&" in text else text


def _between(hidden: bytes) -> bytes:
    """What stands for hidden bytes of one line: marks join what they stand between, cells and elements do not."""
    return b" " if b"|" in hidden or (b"<" in hidden and ends_word(hidden)) else b""
