"""AsciiDoc files: headings, delimited blocks, tables, macros that link.

The bytes of a body enter; what stands where is noted down. Attributes, conditions and includes are not carried out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from pinakes.parse.converted import with_aliases
from pinakes.parse.marks import Rows, note_bare_links, note_code, note_table, quieted, rows_of
from pinakes.parse.plain import parse_with
from pinakes.parse.structure import Contents
from pinakes.records import Document, LinkForm, Raw

_HEADING = re.compile(rb"(={1,6})[ \t]+(\S.*)")
_DELIMITER = re.compile(rb"(?:-{4,}|\.{4,}|\+{4,}|/{4,}|```+[\w+#-]*|[|,:!]={3,})[ \t]*\Z")
_UNDERLINE = re.compile(rb"(?:={2,}|-{2,}|~{2,}|\^{2,}|\+{2,})[ \t]*\Z")
_UNDERLINE_LEVELS = {b"=": 1, b"-": 2, b"~": 3, b"^": 4, b"+": 5}
_LANGUAGE = re.compile(rb"\[(?:source)?(?:%\w+)*,[ \t]*([\w+#-]+)|\[(mermaid|plantuml|graphviz|ditaa)\b")
_ANCHOR = re.compile(
    rb"\[\[([^\[\],]{1,200})(?:,[^\[\]]*)?\]\]|\[#([^\s\[\],.%]{1,200})|\[id=[\"']?([^\s\[\]\"',]{1,200})"
)
_INLINE_ANCHOR = re.compile(r"\[\[([^\[\],]{1,200})(?:,[^\[\]]*)?\]\]")
_MARKS = re.compile(r"(?<!\w)(`{1,2}|\*{1,2}|_{1,2})(\S(?:.{0,200}?\S)??)\1(?!\w)")
_TITLE_MACRO = re.compile(r"(?:\b(?:link|xref|mailto):|\b(?=https?://))[^\s\[\]]{1,500}\[([^\]]{0,300})\]")
_TITLE_CROSS = re.compile(r"<<[^<>,]{1,300},\s*([^<>]{1,300})>>")
_ID_SETTING = re.compile(rb"(?m)^:id(prefix|separator):([^\r\n]{0,20})")
_NOT_IN_IDS = re.compile(r"[^ \-.\w]+")
_BETWEEN_WORDS = re.compile(r"[ .\-]+")
_HEAD_BYTES = 5_000
_WORD = re.compile(rb"[\w\x80-\xff]")
_ATTRIBUTES = re.compile(rb"\[[^\r\n]{0,500}\][ \t]*\Z")
_INDENTED = re.compile(rb"[ \t]+(?!(?:[*.]{1,5}|-|[0-9a-zA-Z]{1,3}[.)]|<[0-9.]{1,9}>)[ \t])\S")
"""The first row of a paragraph that is shown as it stands; not that of a list in a list."""
_TERM = re.compile(rb".{1,300}(?:::{1,3}|;;)(?:[ \t]|\Z)")
_BARE_TERM = re.compile(rb"[ \t]*(?!//)[^ \t].{0,300}?(?:::{1,3}|;;)[ \t]*\Z")
_OPENING = re.compile(rb"(?:--|={4,}|\*{4,}|\+|={1,6}[ \t]+\S.*)[ \t]*\Z")
"""Rows behind which a block begins, as behind a blank one."""
_MACRO = re.compile(rb"\b(link|xref|image|include|https?)::?([^\s\[\]<>]+)(?:\[([^\]\r\n]{0,300})\])?")
_CROSS = re.compile(rb"<<([^<>,\r\n]{1,300})(?:,([^<>]{0,300}))?>>")


def parse_asciidoc(raw: Raw) -> Document:
    """Read a file in AsciiDoc."""
    document = parse_with(_read_asciidoc, raw)
    return with_aliases(document, dict(_made_ids(document)))


def _made_ids(document: Document) -> Iterator[tuple[int, list[str]]]:
    """The ids that Asciidoctor makes of titles, which other documents refer to, by the positions of the sections."""
    head = document.source[document.body : document.body + _HEAD_BYTES]
    settings = {found[1]: found[2].decode("utf-8", "replace").strip() for found in _ID_SETTING.finditer(head)}
    prefix, between = settings.get(b"prefix", "_"), settings.get(b"separator", "_")[:1]
    seen: Counter[str] = Counter()
    for position, section in enumerate(document.sections):
        if section.level < 2:
            continue
        name = _NOT_IN_IDS.sub("", section.title.lower())
        name = _BETWEEN_WORDS.sub(between, name)
        name = f"{prefix}{name.strip(between) if between else name}"
        seen[name] += 1
        yield position, [name if seen[name] == 1 else f"{name}_{seen[name]}"]


def _read_asciidoc(body: bytes, found: Contents) -> str:
    """Note down what an AsciiDoc file holds."""
    rows = rows_of(body)
    quiet: list[tuple[int, int]] = []
    row = 0
    while row < len(rows.texts):
        text = rows.texts[row]
        if not text:
            row += 1
        elif level := _underlined(rows, row):
            _note_heading(found, rows.start(row), level, text)
            row += 2
        elif text.startswith(b"=") and (heading := _HEADING.match(text)):
            _note_heading(found, rows.start(row), len(heading[1]), _without_closing(heading[2], heading[1]))
            row += 1
        elif _DELIMITER.match(text):
            row = _note_block(found, rows, row, quiet)
        elif text[:1] in b" \t" and _is_literal(rows, row):
            row = _note_literal(found, rows, row, quiet)
        else:
            if text.startswith(b"[") and (anchor := _ANCHOR.match(text)):
                at = rows.start(row)
                name = (anchor[1] or anchor[2] or anchor[3]).decode("utf-8", "replace")
                found.anchors.append((at, at + len(text), name))
            row += 1
    silent = quieted(body, quiet)
    _note_links(found, silent)
    note_bare_links(found, silent)
    return ""


def _underlined(rows: Rows, row: int) -> int:
    """The level of the old heading of two lines that begins at `row`, or 0."""
    title = rows.texts[row]
    if row + 1 >= len(rows.texts) or not _UNDERLINE.match(rows.texts[row + 1]):
        return 0
    if not rows.blank(row - 1) and not _ATTRIBUTES.match(rows.texts[row - 1]):
        return 0
    under = rows.texts[row + 1].rstrip()
    # Anything else before a row of hyphens is the title or the attributes of a block.
    is_text = title[:1] not in b".[|" and _WORD.search(title) is not None
    width = len(title.rstrip().decode("utf-8", "replace"))
    return _UNDERLINE_LEVELS[under[:1]] if is_text and abs(len(under) - width) < 2 else 0


def _note_heading(found: Contents, at: int, level: int, text: bytes) -> None:
    title = text.decode("utf-8", "replace").strip()
    for anchor in _INLINE_ANCHOR.finditer(title):
        found.anchors.append((at, at, anchor[1]))
    title = _TITLE_CROSS.sub(r"\1", _TITLE_MACRO.sub(r"\1", _INLINE_ANCHOR.sub("", title)))
    title = _MARKS.sub(r"\2", title).strip()
    found.headings.append((at, level, [title]))


def _without_closing(title: bytes, marks: bytes) -> bytes:
    bare = title.rstrip()
    return bare[: -len(marks)] if bare.endswith(b" " + marks) else bare


def _note_block(found: Contents, rows: Rows, first: int, quiet: list[tuple[int, int]]) -> int:
    """A delimited block, which runs to a row like its first or, as in the reference program, to the end of the file."""
    delimiter = rows.texts[first].rstrip()
    is_fence = delimiter.startswith(b"`")
    closing = (
        delimiter.rstrip(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+#-")
        if is_fence
        else delimiter
    )
    last = first + 1
    while last < len(rows.texts) and rows.texts[last].rstrip() != closing:
        last += 1
    end = min(last + 1, len(rows.texts))
    if delimiter.endswith(b"==="):
        note_table(found, rows.start(first), rows.start(end))
        return end
    quiet.append((rows.start(first), rows.start(end)))
    if is_fence or delimiter[:1] in b"-.":
        language = delimiter[len(closing) :]
        before = _LANGUAGE.match(rows.texts[first - 1]) if first else None
        if before:
            language = before[1] or before[2]
        note_code(found, rows.start(first), rows.start(end), language.decode("utf-8", "replace"))
    return end


def _is_literal(rows: Rows, row: int) -> bool:
    """Whether a paragraph begins here that is shown as it stands: an indented one, but not what explains a term."""
    text = rows.texts[row]
    before = row - 1
    is_first = rows.blank(before) or _OPENING.match(rows.texts[before]) or (before and _underlined(rows, before - 1))
    if not is_first or not _INDENTED.match(text) or _TERM.match(text):
        return False
    while before >= 0 and rows.blank(before):
        before -= 1
    return before < 0 or not _BARE_TERM.match(rows.texts[before])


def _ends_literal(text: bytes) -> bool:
    return any(pattern.match(text) for pattern in (_OPENING, _DELIMITER, _ATTRIBUTES)) or text.strip() == b"+"


def _note_literal(found: Contents, rows: Rows, first: int, quiet: list[tuple[int, int]]) -> int:
    """An indented paragraph, which is shown as it stands, up to the next blank row or block."""
    end = first + 1
    while not rows.blank(end) and not _ends_literal(rows.texts[end]):
        end += 1
    quiet.append((rows.start(first), rows.start(end)))
    note_code(found, rows.start(first), rows.start(end), "")
    return end


def _note_links(found: Contents, silent: bytes) -> None:
    for macro in _MACRO.finditer(silent):
        if macro[3] is None:
            continue
        name, target = macro[1], macro[2].decode("utf-8", "replace")
        if name.startswith(b"http"):
            target = f"{name.decode()}:{target}"
        elif name == b"xref":
            target = _cross_target(target)
        text = macro[3].decode("utf-8", "replace").partition(",")[0].strip('" ^')
        form = LinkForm.IMAGE if name == b"image" else LinkForm.LINK
        found.links.append((macro.start(), macro.end(), form, target.replace("++", ""), [text or target]))
    for cross in _CROSS.finditer(silent):
        target = _cross_target(cross[1].decode("utf-8", "replace").strip())
        text = " ".join((cross[2] or b"").decode("utf-8", "replace").split())
        found.links.append((cross.start(), cross.end(), LinkForm.LINK, target, [text or target]))


def _cross_target(written: str) -> str:
    """A reference without a file's ending or a ``#`` means an anchor of the same document."""
    is_file = "#" in written or "." in written.rpartition("/")[2]
    return written if is_file else f"#{written}"
