"""What formats have in common whose text is made from the file: the text is Markdown, and is read as such.

Markdown that was made of a file enters, with addresses in the file; a `Document` leaves. Its source is the text that
was made, so its spans and lines are those of that text, and nothing that would write into the file finds its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from pinakes.parse.markdown import parse_markdown
from pinakes.records import Document, Raw, Section
from pinakes.records.made_text import MadeText

_BACKTICKS = re.compile(r"`{3,}")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_RAW_TAG = re.compile(r"<(/?)(script|pre|style|textarea)\b", re.IGNORECASE)
_IN_CELLS = str.maketrans({"|": r"\|", "\\": r"\\", "<": "&lt;", "`": "\\`", "*": r"\*", "_": r"\_", "[": r"\["})
_BLANKS = re.compile(r"\s+")


def converted(raw: Raw, made: MadeText) -> Document:
    """The document that was made of a file."""
    document = parse_markdown(Raw(raw.stamp, made.text.encode("utf-8", "replace"), raw.digest))
    names: dict[int, list[str]] = {}
    starts = [section.lines.start for section in document.sections]
    section = 0
    for line, name in sorted(made.places):
        while section + 1 < len(starts) and starts[section + 1] <= line:
            section += 1
        names.setdefault(section, []).append(name)
    if made.is_addressed:
        document = replace(document, sections=_addressed(document.sections, names))
    return replace(
        with_aliases(document, names),
        title=made.title or document.title,
        warnings=made.warnings + document.warnings,
    )


def _addressed(sections: tuple[Section, ...], names: Mapping[int, list[str]]) -> tuple[Section, ...]:
    """The sections with the first of their places as anchor; the anchor of their heading leads to them, too."""
    return tuple(
        replace(section, anchor=names[at][0], aliases=(section.anchor, *section.aliases)) if at in names else section
        for at, section in enumerate(sections)
    )


def with_aliases(document: Document, names: Mapping[int, Iterable[str]]) -> Document:
    """The document with further anchors for some of its sections; those that it has already lead where they did."""
    if not names:
        return document
    taken = set(document.anchors())
    sections = list(document.sections)
    for position, wanted in names.items():
        new = tuple(name for name in dict.fromkeys(wanted) if name not in taken)
        taken.update(new)
        sections[position] = replace(sections[position], aliases=sections[position].aliases + new)
    return replace(document, sections=tuple(sections))


def fenced(code: str, language: str = "") -> str:
    """Code between fences that nothing in it closes."""
    longest = max(map(len, _BACKTICKS.findall(code)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"


def closed(markdown: str) -> str:
    """A piece of Markdown that hides nothing of what stands behind it: what it leaves open is closed at its end."""
    fence, is_open_comment, raw_tag = "", False, ""
    for line in markdown.split("\n"):
        found = _FENCE.match(line)
        if fence:
            is_end = found is not None and found[1].startswith(fence) and not found[2].strip()
            fence = "" if is_end else fence
            continue
        if found is not None and not ("`" in found[1] and "`" in found[2]):
            fence = found[1]
            continue
        if "<" in line or is_open_comment:
            is_open_comment = _left_open(line, is_open_comment)
            for tag in _RAW_TAG.finditer(line):
                raw_tag = "" if tag[1] else tag[2].lower()
    for end in (fence, "-->" if is_open_comment else "", f"</{raw_tag}>" if raw_tag else ""):
        markdown = f"{markdown}\n{end}" if end else markdown
    return markdown


def _left_open(line: str, is_open: bool) -> bool:  # noqa: FBT001 - a state that goes round
    begin, end = line.rfind("<!--"), line.rfind("-->")
    return is_open if begin < 0 and end < 0 else begin > end


def in_cell(value: str, longest: int = 200) -> str:
    """A value as it is written into a cell of a table: on one line, with nothing that Markdown would read."""
    text = _BLANKS.sub(" ", value[: 4 * longest]).strip()
    text = text if len(text) <= longest else f"{text[: longest - 1]}…"
    return text.translate(_IN_CELLS)


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of cells that are Markdown already."""
    names = list(head)
    lines = [f"| {' | '.join(cells)} |" for cells in (names, *rows)]
    lines.insert(1, f"|{'---|' * len(names)}")
    return "\n".join(lines)
