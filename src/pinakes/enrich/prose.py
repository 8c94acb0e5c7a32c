"""The words a reader reads: a section's own text without its heading, markup and code.

In comes a document, out comes prose per section, with `BORDER` wherever something was taken out that words must not be
joined across. Nothing here parses Markdown again: headings and code blocks are where the document says they are, and
what is left is treated line by line with patterns that take linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from pinakes.enrich.words import BORDER
from pinakes.records import Document, Span

_SAMPLED_BYTES = 50_000
_SAMPLES = 10

_FRONTMATTER = re.compile(
    r"\ufeff?(---|\+\+\+)[ \t]*\r?\n\s*+(?:#[^\n]*\n\s*)*+(?=\1|[^\n:=]{1,200}[:=]).*?^\1[ \t]*\r?$",
    re.DOTALL | re.MULTILINE,
)
"""Fields, not just any text between two rules."""
_RULE = re.compile(r"[^\w\s]{2,}")

_INLINE_CODE = re.compile(r"(?<![`\\])(`++)(?!`)[^\x02]{1,1000}?(?<!`)\1(?!`)")
# Each of these stops at the first sign that could open another of its kind: a run of openings costs no more than text.
_HTML_CODE = re.compile(
    r"<(code|pre|script|style|svg|kbd|samp)\b[^<>]{0,400}>[^<]{0,4000}+(?:<(?!/?\1\b)[^<]{0,1000}+){0,200}</\1\s*>",
    re.IGNORECASE,
)
_INLINE_TAG = re.compile(
    r"</?(?:a|abbr|b|bdi|big|cite|dfn|del|em|font|i|ins|mark|q|s|small|span|strong|sub|sup|u|wbr)(?:\s[^<>]{0,1000})?/?>",
    re.IGNORECASE,
)
_TAG = re.compile(r"<[/!?a-zA-Z][^<>]{0,1000}>")
_MACRO = re.compile(
    r"\{\{[-~]?\s*(?:\w*xref|glossary)\s*\(\s*(?:\"([^\"\n]{1,200})\"|'([^'\n]{1,200})')"
    r"(?:\s*,\s*(?:\"([^\"\n]{0,200})\"|'([^'\n]{0,200})'))?[^()\n]{0,200}\)\s*\}\}",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(r"\{[{%][^{}]{0,1000}[}%]\}|\{[^{}\n]{0,200}\}")
_IMAGE = re.compile(
    r"!\[[^\]\n]{0,500}\](?:\([^()\n]{0,1000}(?:\([^()\n]{0,200}\)[^()\n]{0,200}){0,3}\))?|!\[\[[^\]\n]{0,300}\]\]"
)
_DEFINITION = re.compile(r"^[ \t]{0,3}\[[^\]\n]{1,300}\]:[^\n]*$", re.MULTILINE)
_WIKILINK = re.compile(r"\[\[([^\[\]|\n]{1,300})(?:\|([^\[\]\n]{1,300}))?\]\]")
_LINK_END = re.compile(r"\]\([^()\n]{0,1000}(?:\([^()\n]{0,200}\)[^()\n]{0,200}){0,3}\)|\]\[[^\]\n]{0,300}\]")
_LINK_SIGN = re.compile(r"\[[!^][^\]\n]{1,60}\]|\[[ xX]\]")
_URL = re.compile(r"\b[a-zA-Z][a-zA-Z+]{1,9}://[^\s)>\]]+|\bwww\.[^\s)>\]]+|[\w.+-]{1,60}@[\w-]{1,60}\.[\w.-]{2,60}")
_ENTITY = re.compile(r"&#?\w{1,12};")
_FORMULA = re.compile(r"\$\$.{0,2000}?\$\$|\\[a-zA-Z]{1,30}", re.DOTALL)
_MODULE = re.compile(r"^(?:import|export)(?=[\s{*'\"])", re.MULTILINE)
_BLANK_LINE = re.compile(r"\n[ \t\r]*(?=\n)|\Z")
_LONGEST_MODULE = 50
"""How many blank lines a block of program may hold."""
_NOTE = re.compile(r"%%.{0,2000}?%%", re.DOTALL)
_BLOCK_ID = re.compile(r"(?<!\S)\^[A-Za-z0-9-]+[ \t]*\r?$", re.MULTILINE)
_FENCE = re.compile(r"^[ \t>]*(?:```|~~~)[^\n]*$", re.MULTILINE)
_LINE_START = re.compile(r"[\r\n][ \t]*(?=[-*+>#|:=~.\r\n]|\d{1,9}[.)])")


MOST_SECTIONS = 10_000
"""Of one document. What has more is a list, a dump or an attack, and the map never shows that much of it."""


@dataclass(frozen=True, slots=True)
class Body:
    """A section's own text, its heading left out."""

    text: str
    """As written, without code blocks; a sample when it is very long."""
    length: int
    """Characters of text and bytes of code before any sampling."""
    lines: int
    """Lines from the heading to the next section."""
    code: tuple[Span, ...]
    """Where its code blocks are."""


def bodies(document: Document) -> Iterator[Body]:
    """One per section, in order, for the first `MOST_SECTIONS`."""
    blocks: dict[int, list[Span]] = {}
    for block in document.code:
        blocks.setdefault(block.section, []).append(block.span)
    source = document.source
    for position in range(min(len(document.sections), MOST_SECTIONS)):
        own = document.own(position)
        code = tuple(blocks.get(position, ()))
        text = _sampled(source, _between(own, code))
        text = _without_heading(text) if position else _without_frontmatter(text)
        written = len(text.strip()) if own.length <= _SAMPLED_BYTES else own.length
        length = written + sum(span.length for span in code)
        yield Body(text, length, source.count(b"\n", own.start, own.end), code)


def prose(text: str, *, is_module: bool = False) -> str:
    """`text` without markup and code; `is_module` when lines of import and export are a page's program, as in MDX."""
    if is_module:
        text = _without_modules(text)
    return _plain(_INLINE_CODE.sub(BORDER, text) if "`" in text else text)


def prose_with_code(text: str, *, is_module: bool = False) -> str:
    """`text` without markup; what stands in code spans is left in."""
    return _plain((_without_modules(text) if is_module else text).replace("`", " "))


def program_text(document: Document, body: Body) -> str:
    """What the body's code blocks hold, without their fences."""
    return _FENCE.sub(BORDER, _sampled(document.source, body.code))


def _plain(text: str) -> str:
    # Each pattern is tried only where its first sign occurs: most sections hold few of them.
    if "<" in text:
        text = _HTML_CODE.sub(BORDER, _without_comments(text))
        text = _INLINE_TAG.sub("", text)
        text = _TAG.sub(BORDER, text)
    if "{" in text:
        text = _MACRO.sub(_macro_text, text)
        text = _TEMPLATE.sub(BORDER, text)
    if "[" in text:
        text = _IMAGE.sub(BORDER, text)
        text = _WIKILINK.sub(_wikilink_text, text)
        text = _DEFINITION.sub(BORDER, text)
        text = _LINK_END.sub(" ", text)
        text = _LINK_SIGN.sub(BORDER, text)
    if "://" in text or "www." in text or "@" in text:
        text = _URL.sub(BORDER, text)
    if "&" in text:
        text = _ENTITY.sub(_entity_text, text)
    if "\\" in text or "$$" in text:
        text = _FORMULA.sub(BORDER, text)
    if "%%" in text:
        text = _NOTE.sub(BORDER, text)
    if "^" in text:
        text = _BLOCK_ID.sub(BORDER, text)
    return _LINE_START.sub(BORDER, text)


def _without_modules(text: str) -> str:
    """Imports and exports out, each to the first blank line outside of brackets."""
    parts = []
    reached = 0
    while (found := _MODULE.search(text, reached)) is not None:
        parts.append(text[reached : found.start()])
        reached = _module_end(text, found.start())
    return BORDER.join((*parts, text[reached:]))


def _module_end(text: str, start: int) -> int:
    depth = 0
    first = reached = start
    for blank in islice(_BLANK_LINE.finditer(text, start), _LONGEST_MODULE):
        piece = text[reached : blank.start()]
        depth += sum(map(piece.count, "{([")) - sum(map(piece.count, "})]"))
        reached = blank.start()
        first = first if first > start else reached
        if depth <= 0:
            return reached
    return first


def _without_comments(text: str) -> str:
    """HTML comments out; one that is never closed is none."""
    before, opening, rest = text.partition("<!--")
    parts = [before]
    while opening:
        _, closing, after = rest.partition("-->")
        if not closing:
            parts.append(rest)
            break
        before, opening, rest = after.partition("<!--")
        parts.append(before)
    return BORDER.join(parts)


def _macro_text(macro: re.Match[str]) -> str:
    target, shown = macro[1] or macro[2], macro[3] or macro[4]
    return f" {shown or target} "


def _wikilink_text(link: re.Match[str]) -> str:
    return f" {link[2] or link[1].replace('#', BORDER)} "


def _entity_text(entity: re.Match[str]) -> str:
    return " " if entity[0] == "&nbsp;" else BORDER


def _between(own: Span, code: Sequence[Span]) -> list[Span]:
    """What of `own` lies outside of code."""
    parts: list[Span] = []
    start = own.start
    for span in sorted(code):
        if span.start > start:
            parts.append(Span(start, span.start))
        start = max(start, span.end)
    if start < own.end:
        parts.append(Span(start, own.end))
    return parts


def _sampled(source: bytes, spans: Sequence[Span]) -> str:
    """The text at `spans`; of a very long one, stretches from all over it, cut at line ends where there are any."""
    data = b"\n\x02\n".join([source[span.start : span.end] for span in spans])
    if len(data) > _SAMPLED_BYTES:
        size = _SAMPLED_BYTES // _SAMPLES
        starts = [(len(data) - size) * part // (_SAMPLES - 1) for part in range(_SAMPLES)]
        slices = [data[start : start + size] for start in starts]
        data = b"\n\x02\n".join([slices[0], *(some[some.find(b"\n") + 1 :] for some in slices[1:])])
    return data.decode("utf-8", "ignore")


def _without_frontmatter(text: str) -> str:
    found = _FRONTMATTER.match(text)
    return text[found.end() :] if found else text


def _without_heading(text: str) -> str:
    """The first line is the heading, with a line of signs above or below it in some of the ways to write one."""
    first, _, rest = text.partition("\n")
    if first.lstrip().startswith(("#", "*")):
        return rest
    lines = text.split("\n", 4)
    for underline in range(min(len(lines), 4) - 1, 0, -1):
        if _RULE.fullmatch(lines[underline].strip()):
            return "\n".join(lines[underline + 1 :])
    return rest
