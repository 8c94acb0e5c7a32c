"""A heading with other words.

A document, one of its sections and the new words enter; the edit leaves that changes the heading and nothing else: its
level, its closing hashes, its explicit id, anchors of HTML around its words and lines that underline it stay. Raises
`BadMove` for words that are no heading, and for headings that are written in a way that cannot be changed safely.
"""

from __future__ import annotations

import re
import unicodedata

from pinakes.errors import BadMove
from pinakes.moves.renaming import parsed
from pinakes.moves.rewrite import is_verbatim
from pinakes.records import BlockKind, Document, Layout, Ref, Section, Span
from pinakes.records.moves import TextEdit, apply_edits

_ATX = re.compile(rb"(#{1,6}[ \t]+)([^\r\n]*?)((?:[ \t]+#+)?[ \t]*)(?=[\r\n]|\Z)")
_SETEXT = re.compile(rb"(?:[ \t]*)(\S.*?)[ \t]*(?:\r\n?|\n)[ \t>]*(?:=+|-+)[ \t]*(?=[\r\n]|\Z)", re.DOTALL)
_AROUND = re.compile(
    rb"(?P<before>(?:<a\b[^<>]*>[ \t]*</a>|<a\b[^<>]*/>|<!--[^<>]*-->|[ \t])*)"
    rb"(?P<words>.*?)"
    rb"(?P<after>(?:[ \t]*(?:<a\b[^<>]*>[ \t]*</a>|<a\b[^<>]*/>|<!--[^<>]*-->|#+(?=[ \t]*\{)"
    rb"|\{\s*(?::|/\*?)?\s*#[^\s{}*/]+(?:[\s*/][^{}]*)?\}))*[ \t]*)\Z",
    re.DOTALL,
)
_UNDERLINE = re.compile(rb"(?:\r\n?|\n)([!-/:-@\[-`{-~])\1{1,}(?=[ \t]*(?:[\r\n]|\Z))")
_OVERLINE = re.compile(rb"([!-/:-@\[-`{-~])\1+(?=[ \t]*(?:\r\n?|\n))")
_ID = re.compile(r"\{\s*(?::|/\*?)?\s*#[^{}]*\}\s*\Z")
_LONGEST = 1000
_MOST_BYTES = 4 * _LONGEST
"""Of a heading whose words are looked for: the patterns above take time by the square of it."""


def heading_edits(document: Document, position: int, words: str) -> tuple[TextEdit, ...]:
    """The edits that give the section at `position` other words; raises `BadMove`."""
    words = _checked(words)
    section = document.sections[position]
    span = heading_words(document, position)
    edit = TextEdit(span, document.source[span.start : span.end].decode(), words)
    if edit.old == edit.new:
        raise BadMove(f"{document.ref.label}#{section.anchor} is called so already.", "Choose other words.")
    edits = [edit, *_lines_around(document, section, span, words)]
    made = tuple(sorted(edits, key=lambda edit: edit.span))
    _refuse_other_changes(document, position, made, words)
    return made


def heading_words(document: Document, position: int) -> Span:
    """Where the words of a heading stand, which another name would replace; raises `BadMove` where none can."""
    section = document.sections[position]
    if document.stamp.media.layout is not Layout.SECTIONS or not position:
        raise BadMove(f"{document.ref.label} has no headings that can be renamed.", "Name path#anchor of a heading.")
    if document.stamp.media.is_converted:
        raise BadMove(f"The text of {document.ref.label} is made from the file.", "Change the heading by hand.")
    if not is_verbatim(document):
        raise BadMove(f"{document.ref.label} is not UTF-8.", "Save it as UTF-8 first.")
    spans = _in_markdown(document, section) if document.stamp.media.is_markdown else _verbatim(document, section)
    if spans is None:
        raise BadMove(
            f"The heading “{section.title}” of {document.ref.label} is written in a way that cannot be changed safely.",
            "Change it by hand.",
        )
    return spans[0]


def _checked(words: str) -> str:
    words = words.strip()
    if (
        not words
        or len(words) > _LONGEST
        or any(unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") for sign in words)
    ):
        raise BadMove("A heading is one line of text.", f"Give at least one letter and at most {_LONGEST} of them.")
    if not any(sign.isalnum() for sign in words):
        raise BadMove(f"“{words}” gives no anchor that links could name.", "Give at least one letter or digit.")
    if _ID.search(words):
        raise BadMove(f"“{words}” holds an id.", "Give the words alone, and write an id into the document by hand.")
    return words


def _in_markdown(document: Document, section: Section) -> tuple[Span] | None:
    """The words of a heading behind hashes, or above a line of ``=`` or ``-``."""
    start = section.span.start
    block = next((one for one in document.blocks if one.kind is BlockKind.HEADING and one.span.start == start), None)
    if block is None or block.span.length > _MOST_BYTES:
        return None
    found = _ATX.match(document.source, start, block.span.end)
    whole = found.span(2) if found else None
    if found is None and (under := _SETEXT.match(document.source, start, block.span.end)):
        whole = under.span(1)
    inside = _AROUND.match(document.source, *whole) if whole else None
    return (Span(*inside.span("words")),) if inside and inside["words"].strip() else None


def _verbatim(document: Document, section: Section) -> tuple[Span] | None:
    """The words of a heading in another format, where they stand once and as they read."""
    title = section.title.encode()
    lines = document.source[section.span.start : section.span.end].splitlines(keepends=True)[:2]
    for number, line in enumerate(lines):
        if title and line.count(title) == 1:
            begin = section.span.start + sum(map(len, lines[:number])) + line.index(title)
            return (Span(begin, begin + len(title)),)
    return None


def _lines_around(document: Document, section: Section, words: Span, new: str) -> list[TextEdit]:
    """In other formats, ornaments below and above a heading as long as its words."""
    source = document.source
    if document.stamp.media.is_markdown:
        return []
    width = sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in new)
    found = []
    under = _UNDERLINE.match(source, words.end + len(source[words.end :]) - len(source[words.end :].lstrip(b" \t")))
    if under is not None:
        begin = under.start(1)
        length = max(width, under.end() - begin) if section.span.start < words.start - 1 else width
        found.append(
            TextEdit(Span(begin, under.end()), source[begin : under.end()].decode(), under[1].decode() * length)
        )
        over = _OVERLINE.match(source, section.span.start)
        if over is not None and over.end() < words.start:
            found.append(TextEdit(Span(*over.span()), over[0].decode(), over[1].decode() * length))
    return found


def _refuse_other_changes(document: Document, position: int, edits: tuple[TextEdit, ...], words: str) -> None:
    """Raise `BadMove` unless the new text has the same sections, of which one has another title."""
    ref = Ref(document.ref.corpus, document.ref.path)
    after = parsed(ref, apply_edits(document.source, edits), document)
    shape = [(one.level, one.parent, one.title) for one in document.sections]
    new = [(one.level, one.parent, one.title) for one in after.sections]
    if len(new) != len(shape) or any(new[at] != shape[at] for at in range(len(shape)) if at != position):
        raise BadMove(f"“{words}” would change more than one heading of {document.ref.label}.", "Choose other words.")
    if new[position][:2] != shape[position][:2] or not new[position][2].strip():
        raise BadMove(f"“{words}” is no heading in {document.ref.label}.", "Choose other words.")
