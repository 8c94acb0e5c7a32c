"""Org files: headlines, blocks, tables, links.

The bytes of a body enter; what stands where is noted down, and the title of ``#+TITLE:`` leaves. Agenda, drawers other
than properties, macros and babel are not looked at.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from pinakes.parse.marks import IMAGE, Rows, note_bare_links, note_code, note_table, quieted, rows_of
from pinakes.parse.plain import parse_with
from pinakes.parse.structure import Contents
from pinakes.records import Document, LinkForm, Raw
from pinakes.slugs import slug

_HEADLINE = re.compile(rb"(\*+)[ \t]+(.*)")
_KEYWORD = re.compile(rb"[ \t]*#\+([A-Za-z_]+):[ \t]*(.*)")
_BEGIN = re.compile(rb"[ \t]*#\+begin_(\w+)(?:[ \t]+([^\s]+))?", re.IGNORECASE)
_END = re.compile(rb"[ \t]*#\+end_(\w+)[ \t]*\Z", re.IGNORECASE)
_CUSTOM_ID = re.compile(rb"[ \t]*:CUSTOM_ID:[ \t]+(\S+)", re.IGNORECASE)
_RULE = re.compile(rb"[ \t]*\|-[-+|]*[ \t]*\Z")
_VERBATIM = frozenset((b"src", b"example", b"export", b"comment"))
_TODO = frozenset(("TODO", "DONE", "NEXT", "WAIT", "WAITING", "HOLD", "STARTED", "CANCELLED", "CANCELED", "SOMEDAY"))
_PRIORITY = re.compile(r"\[#[A-Za-z0-9]{1,2}\]\s*")
_TAGS = re.compile(r"(?:\A|\s):([\w@#%]+(?::[\w@#%]+)*):\s*\Z")
_LINK = re.compile(rb"\[\[([^\[\]\r\n]{1,1000})\](?:\[([^\[\]]{0,500})\])?\]")
_LINK_IN_TITLE = re.compile(r"\[\[([^\[\]]*)\](?:\[([^\[\]]*)\])?\]")
_SEARCH = re.compile(r"(.*?)::(.*)", re.DOTALL)


def parse_org(raw: Raw) -> Document:
    """Read a file in org."""
    return parse_with(_read_org, raw)


def _read_org(body: bytes, found: Contents) -> str:
    """Note down what an org file holds; gives its title if it names one."""
    rows = rows_of(body)
    title = ""
    todo = set(_TODO)
    quiet: list[tuple[int, int]] = []
    ends = _block_ends(rows)
    row = 0
    while row < len(rows.texts):
        text = rows.texts[row]
        if text.startswith(b"*") and (headline := _HEADLINE.match(text)):
            found.headings.append((rows.start(row), len(headline[1]), [_headline(headline[2], todo, found)]))
        elif begin := _BEGIN.match(text):
            end = _block_end(ends, begin[1].lower(), row)
            if begin[1].lower() in _VERBATIM and end:
                span = (rows.start(row), rows.start(end))
                quiet.append(span)
                if begin[1].lower() in (b"src", b"example"):
                    language = begin[2] if begin[1].lower() == b"src" and begin[2] else b""
                    note_code(found, *span, language.decode("utf-8", "replace"))
                row = end
                continue
        elif keyword := _KEYWORD.match(text):
            value = keyword[2].decode("utf-8", "replace").strip()
            name = keyword[1].upper()
            if name == b"TITLE":
                title = title or value
            elif name == b"FILETAGS":
                found.tags.update(tag for tag in re.split(r"[:\s]+", value) if tag)
            elif name in (b"TODO", b"SEQ_TODO", b"TYP_TODO"):
                todo.update(word.partition("(")[0] for word in value.replace("|", " ").split())
        elif custom := _CUSTOM_ID.match(text):
            at = rows.start(row)
            found.anchors.append((at, at + len(text), custom[1].decode("utf-8", "replace")))
        elif _RULE.match(text) and row and rows.texts[row - 1].lstrip().startswith(b"|"):
            note_table(found)
        row += 1
    silent = quieted(body, quiet)
    _note_links(found, silent)
    note_bare_links(found, silent)
    return title


def _block_ends(rows: Rows) -> dict[bytes, list[int]]:
    """For each kind of block the rows that end one, so that a block which never ends is known at once."""
    ends: dict[bytes, list[int]] = {}
    for row, text in enumerate(rows.texts):
        if b"#+" in text and (end := _END.match(text)):
            ends.setdefault(end[1].lower(), []).append(row)
    return ends


def _block_end(ends: dict[bytes, list[int]], kind: bytes, row: int) -> int:
    """The row after the end of the block that begins at `row`, or 0."""
    known = ends.get(kind, [])
    position = bisect_right(known, row)
    return known[position] + 1 if position < len(known) else 0


def _headline(text: bytes, todo: set[str], found: Contents) -> str:
    whole = title = text.decode("utf-8", "replace").strip()
    tags = _TAGS.search(title)
    if tags:
        found.tags.update(tags[1].split(":"))
        title = title[: tags.start()].rstrip()
    first, _, rest = title.partition(" ")
    if first in todo:
        title = rest.lstrip()
    title = _PRIORITY.sub("", title, count=1) if title.startswith("[#") else title
    title = _LINK_IN_TITLE.sub(lambda link: link[2] or link[1], title)
    return title.strip() or whole


def _note_links(found: Contents, silent: bytes) -> None:
    for link in _LINK.finditer(silent):
        target = _target(link[1].decode("utf-8", "replace").strip())
        text = " ".join((link[2] or b"").decode("utf-8", "replace").split())
        is_image = link[2] is None and IMAGE.search(target) is not None
        form = LinkForm.IMAGE if is_image else LinkForm.LINK
        found.links.append((link.start(), link.end(), form, target, [text or target]))


def _target(written: str) -> str:
    """Where an org link points, as other formats would write it."""
    if written.startswith("*"):
        return "#" + slug(written[1:].strip())
    for prefix in ("file:", "file+sys:", "file+emacs:", "attachment:"):
        if written.startswith(prefix):
            written = written.removeprefix(prefix)
            break
    search = _SEARCH.match(written) if "::" in written else None
    if search is None or "://" in written:
        return written
    inside = search[2]
    if inside.startswith("*"):
        return f"{search[1]}#{slug(inside[1:].strip())}"
    return f"{search[1]}{inside}" if inside.startswith("#") else search[1]
