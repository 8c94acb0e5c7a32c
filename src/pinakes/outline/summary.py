"""The first sentence of a section: Markdown enters, one plain line leaves."""

from __future__ import annotations

import re

_LONGEST = 160
_READ = 4000
"""A first sentence that starts later than this is not worth looking for."""

_FRONTMATTER = re.compile(r"\A\ufeff?(---|\+\+\+)[ \t]*\r?\n(?:.*?\n)?\1[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_COMMENT = re.compile(r"%%.*?%%", re.DOTALL)
_BLOCK_ID = re.compile(r"(?:^|(?<=\s))\^[A-Za-z0-9-]+[ \t]*$", re.MULTILINE)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_NOT_PROSE = re.compile(
    r"\s*(?:#{1,6}(?:\s|$)|\||<|!\[|:::|\{%|\[\^?[^\]]*\]:|[-=*_]{3,}\s*$|\s{4}|\$\$|import\s|export\s|[^|]*\|\s*:?-{2,})"
)
_LEADING = re.compile(r"\A\s*(?:>\s?|[-*+]\s+|\d{1,9}[.)]\s+)+")
_MARKUP = (
    (re.compile(r"!\[[^\]]*\]\([^)]*\)"), ""),
    (re.compile(r"\[([^\]]+)\](?:\([^)]*\)|\[[^\]]*\])"), r"\1"),
    (re.compile(r"\[\[(?:[^\]|]*\|)?([^\]]+)\]\]"), r"\1"),
    (re.compile(r"</?[A-Za-z][^>]*>|<!--.*?-->"), ""),
    (re.compile(r"(`+)([^`]+)\1"), r"\2"),
    (re.compile(r"(\*{1,3}|~~)(?=\S)([^*~]+)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<!\w)(_{1,2})(?=\S)([^_]+)(?<=\S)\1(?!\w)"), r"\2"),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)
_END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\betc)(?<!\bvs)(?<!\bcf)[.!?]['\"”’)]*(?=\s|$)|[。！？]")


def first_sentence(text: str) -> str:
    """The first sentence of prose in a section's text, at most 160 characters; empty when there is only code or tables.

    Frontmatter, the heading itself, fences, tables, images, HTML and reference definitions are passed over; markup,
    comments between ``%%`` and ids such as ``^block`` are removed.
    """
    if matter := _FRONTMATTER.match(text):
        text = text[matter.end() :]
    text = _BLOCK_ID.sub("", _COMMENT.sub("", text[:_READ]))
    paragraph = " ".join(_paragraph(text))
    for pattern, replacement in _MARKUP:
        paragraph = pattern.sub(replacement, paragraph)
    paragraph = " ".join(paragraph.split())
    end = _END.search(paragraph)
    sentence = paragraph[: end.end()] if end else paragraph
    if len(sentence) <= _LONGEST:
        return sentence
    cut = sentence[: _LONGEST - 1]
    return (cut[: cut.rfind(" ")] if " " in cut[_LONGEST // 2 :] else cut).rstrip() + "…"


def _paragraph(text: str) -> list[str]:
    """The lines of the first paragraph of prose."""
    found: list[str] = []
    fence = ""
    lines = text.splitlines()
    for place, line in enumerate(lines):
        opened = _FENCE.match(line)
        if fence:
            if opened and opened[1].startswith(fence):
                fence = ""
            continue
        is_underlined = place + 1 < len(lines) and re.fullmatch(r" {0,3}(=+|-+)\s*", lines[place + 1]) is not None
        if opened or not line.strip() or _NOT_PROSE.match(line) or (is_underlined and not found):
            if found:
                break
            fence = opened[1] if opened else ""
            continue
        if found and _LEADING.match(line):
            break
        found.append(_LEADING.sub("", line, count=1).strip())
    return found
