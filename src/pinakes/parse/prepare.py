"""A body as the Markdown engine may see it: the same length to the byte, without what would mislead or exhaust it.

Bytes enter and bytes of equal length leave, so every position stays true. Lone carriage returns become line feeds (the
engine does not end lines at them). Templates in destinations of links lose their spaces, so that it sees a link.
Containers nested beyond any sense are flattened: the engine walks all that are open on every line, so a deep enough
pile of quotes makes time quadratic. MDX loses its imports, exports and component tags.
Two steps shorten, and keep what they cut: MDX has no code by indent, so the indent that would make some goes; what is
indented below the first line of an admonition (``!!! note``) is text, so that indent goes, too.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import NamedTuple

from pinakes.parse.structure import Contents

DEEPEST = 200
"""How many columns of quote and list markers may precede the text of a line."""
_SMALL = 64_000
"""Below this, even the worst nesting costs a fraction of a second."""
_MARKERS = bytes(1 if byte in b" \t>*+-.)0123456789" else 0 for byte in range(256))
_LONE_CR = re.compile(rb"\r(?!\n)")
_DEEP_PREFIX = re.compile(rb"(?m)^([ \t>*+\-.)0-9]{%d})([ \t>*+\-.)0-9]+)(?![ \t>*+\-.)0-9])" % DEEPEST)
_RULE = re.compile(rb"[ \t]*([-*])(?:[ \t]*\1)*[ \t\r]*\n")

_TEMPLATE_TARGET = re.compile(rb"\]\((\{[{%](?:%?\}\}|%\}|\{[{%]|[^(){}\n]){1,500}+)\)")
"""A destination that begins with a template, such as ``{{< relref "guide" >}}``."""
_TEMPLATE_SIGN = re.compile(rb"\]\(\{")
_NOT_IN_TARGETS = bytes(0x5F if byte in b" \t<>\"'" else byte for byte in range(256))
TEMPLATE_TARGETS = ("{{_", "{{%", "{%_")
"""How such a destination begins as the engine sees it. On GitHub it is text, and nobody here knows where it leads."""
_PAGE_REF_SEEN = re.compile(r"\{\{[_%]_*(?:rel)?ref_")
_PAGE_REF = re.compile(rb"\]\((\{\{[<%][ \t]*(?:rel)?ref[ \t][^(){}\n]{1,500}[%>]\}\}[^()\s]*)\)\Z")
"""Hugo's shortcodes for the address of a page, which say where they lead."""

_FENCE = re.compile(rb"([ \t]*)((?:(?:[-*+>]|[0-9]{1,9}[.)])[ \t]+)*)(`{3,}(?=[^`]*\Z)|~{3,})")
"""Indent, markers of containers and the fence; in MDX no indent is too deep."""
_CODE_INDENT = 4
_HASH = 0x23
_ADMONITION_STARTS = (b"!!!", b"???", b"===")
_ADMONITION_SIGNS = tuple(re.compile(re.escape(sign)) for sign in _ADMONITION_STARTS)  # twice as fast as `in`
_ADMONITION = re.compile(rb"( *+)(?:!!!|\?\?\?\+?|===[!+]?)[ \t]+[\w\"']")
"""The first line of a box or a tab, as Python-Markdown and its extensions know them."""
_MODULE_LINE = re.compile(rb"(?:import|export)(?=[ \t{*'\"])")
_COMPONENT = re.compile(rb"</?(?:[A-Z][\w.]*|[a-z]\w*\.[\w.]+)(?=[\s/>])|</?>|\{/\*")
_VISIBLE = re.compile(rb"[^\s]")
_LONGEST_TAG = 5_000
_MOST_LOST = 100_000
"""How many bytes may be looked at for tags that never end, before the rest of the file is taken as it is."""


def for_engine(body: bytes) -> bytes:
    """The body with line ends and nesting the engine can take."""
    if b"\r" in body:
        body = _LONE_CR.sub(b"\n", body)
    if _TEMPLATE_SIGN.search(body):
        body = _TEMPLATE_TARGET.sub(_without_spaces, body)
    if len(body) > _SMALL and b"\x01" * DEEPEST in body.translate(_MARKERS):
        body = _DEEP_PREFIX.sub(_flatten, body)
    return body


def is_page_ref(target: str) -> bool:
    """Whether a destination, as the engine sees it, is Hugo's reference to a page."""
    return _PAGE_REF_SEEN.match(target) is not None


def restore_page_refs(found: Contents, body: bytes) -> None:
    """Give Hugo's references to pages back what they lost for the engine."""
    for position, (start, end, form, target, text) in enumerate(found.links):
        if target[:2] == "{{" and is_page_ref(target) and (written := _PAGE_REF.search(body, start, end)):
            found.links[position] = (start, end, form, written[1].decode("utf-8", "replace"), text)


def _without_spaces(link: re.Match[bytes]) -> bytes:
    return link[0].translate(_NOT_IN_TARGETS)


def _flatten(prefix: re.Match[bytes]) -> bytes:
    if _RULE.match(prefix.string, prefix.start()):
        return prefix[0]
    return prefix[1] + _VISIBLE.sub(b"x", prefix[2])


def without_components(body: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    """An MDX body with modules and tags of components blanked, and where those tags stood.

    What stands between the tags is Markdown and stays.
    """
    pieces = bytearray(body)
    tags: list[tuple[int, int]] = []
    fence = b""
    position = 0
    prose_from = 0
    lost = 0
    for line in body.splitlines(keepends=True):
        after = position + len(line)
        if position >= prose_from:
            marker = _FENCE.match(line) if b"```" in line or b"~~~" in line else None
            if fence:
                if _closes(marker, fence, line):
                    fence = b""
            elif marker:
                fence = marker[3]
            elif _MODULE_LINE.match(line):
                prose_from = _blank(pieces, position, _module_end(body, position))
            elif lost < _MOST_LOST and (b"<" in line or b"{/*" in line):
                prose_from, unclosed = _blank_components(pieces, body, position, after, tags)
                lost += unclosed
        position = after
    return bytes(pieces), tags


def _closes(marker: re.Match[bytes] | None, fence: bytes, line: bytes) -> bool:
    return marker is not None and marker[3].startswith(fence) and not line[marker.end() :].strip()


class Cuts(NamedTuple):
    """Where bytes were cut out, and how many up to and with each place."""

    places: list[int]
    """Positions in the text that is left."""
    totals: list[int]

    def start(self, position: int) -> int:
        """Where something that starts at `position` started before."""
        return position + self.totals[bisect_right(self.places, position)]

    def end(self, position: int) -> int:
        """Where something that ends at `position` ended before."""
        return position + self.totals[bisect_left(self.places, position)]

    def spans(self) -> list[tuple[int, int]]:
        """Where what was cut stood before."""
        return [
            (at + before, at + after) for at, (before, after) in zip(self.places, pairwise(self.totals), strict=True)
        ]


def without_indents(body: bytes, tags: list[tuple[int, int]]) -> tuple[bytes, Cuts]:
    """An MDX body without the indents that elsewhere make code and the blanks left by `tags` in headings, and what was
    cut.

    A fence and the lines in it move together, and not at all inside a list: there the indent holds them in place.
    """
    kept: list[bytes] = []
    cuts = Cuts([], [0])
    fence = b""
    most = length = 0
    is_free = False
    for line in body.splitlines(keepends=True):
        marker = _FENCE.match(line) if b"```" in line or b"~~~" in line else None
        if not fence and marker is None and line[0] not in b" \t":
            if tags and line[0] == _HASH:
                line = _without_tags(line, length, cuts, tags)
            kept.append(line)
            length += len(line)
            continue
        indent = len(line) - len(line.lstrip(b" \t"))
        columns = len(line[:indent].expandtabs(_CODE_INDENT))
        if fence:
            cut = min(indent, most)
            if _closes(marker, fence, line):
                cut = indent if is_free else cut
                fence = b""
        else:
            cut = indent if columns >= _CODE_INDENT and line.strip() else 0
            if marker:
                fence, most = marker[3], cut
                is_free = cut > 0 or marker.start(3) == 0
        if cut:
            cuts.places.append(length)
            cuts.totals.append(cuts.totals[-1] + cut)
        kept.append(line[cut:])
        length += len(line) - cut
    return b"".join(kept), cuts


def _without_tags(line: bytes, at: int, cuts: Cuts, tags: list[tuple[int, int]]) -> bytes:
    """A heading that begins at `at` of what is left, without its tags: the blanks in their place would be anchor."""
    start = at + cuts.totals[-1]
    cut = 0
    for first, last in tags[bisect_left(tags, (start, start)) :]:
        if first >= start + len(line):
            break
        behind = min(last, start + len(line.rstrip(b"\r\n")))
        line = line[: first - start - cut] + line[behind - start - cut :]
        cut += behind - first
        cuts.places.append(first - cuts.totals[-1])
        cuts.totals.append(cuts.totals[-1] + behind - first)
    return line


def may_have_admonitions(body: bytes) -> bool:
    """Whether `without_admonitions` may find something to cut."""
    return any(sign.search(body) for sign in _ADMONITION_SIGNS)


def without_admonitions(body: bytes) -> tuple[bytes, Cuts]:
    """A body without the indents that hold text in an admonition or a tab, and what was cut.

    Up to its first blank line, or to a fence, the text of one goes on with its first line, which is no code anyway.
    """
    kept: list[bytes] = []
    cuts = Cuts([], [0])
    open_at: list[int] = []
    fence = b""
    length = depth = 0
    for line in body.splitlines(keepends=True):
        text = line.lstrip(b" ")
        if not open_at and text[:3] not in _ADMONITION_STARTS and b"```" not in line and b"~~~" not in line:
            kept.append(line)
            length += len(line)
            continue
        indent = len(line) - len(text)
        if not text.strip():
            depth = len(open_at)
        while open_at and text.strip() and indent < open_at[-1] + _CODE_INDENT:
            open_at.pop()
            fence = b""
        marker = _FENCE.match(line) if b"```" in line or b"~~~" in line else None
        depth = len(open_at) if marker and not fence else min(depth, len(open_at))
        cut = min(indent, _CODE_INDENT * depth)
        if fence:
            fence = b"" if _closes(marker, fence, line) else fence
        elif marker:
            fence = marker[3]
        elif _ADMONITION.match(line):
            open_at.append(indent)
        if cut:
            cuts.places.append(length)
            cuts.totals.append(cuts.totals[-1] + cut)
        kept.append(line[cut:])
        length += len(line) - cut
    return b"".join(kept), cuts


def _module_end(body: bytes, start: int) -> int:
    """Where the block of JavaScript ends: at the first blank line outside brackets, or else the first blank line."""
    blank = re.compile(rb"\n[ \t\r]*(?=\n)|\Z")
    first = end = blank.search(body, start)
    depth = 0
    reached = start
    for _ in range(50):
        if end is None or first is None:
            break
        piece = body[reached : end.start()]
        depth += sum(map(piece.count, (b"{", b"(", b"["))) - sum(map(piece.count, (b"}", b")", b"]")))
        if depth <= 0:
            return end.start()
        if end.end() >= len(body):
            break
        reached = end.start()
        end = blank.search(body, end.end())
    return first.start() if first else len(body)


def _blank_components(
    pieces: bytearray, body: bytes, start: int, end: int, tags: list[tuple[int, int]]
) -> tuple[int, int]:
    """Blank the tags that begin on a line; where the last of them ends, and how many bytes were searched in vain."""
    reached = start
    code = [found.span() for found in re.finditer(rb"(`+)[^`]+\1", body[start:end])]
    for found in _COMPONENT.finditer(body, start, end):
        at = found.start()
        if at < reached or any(first <= at - start < last for first, last in code):
            continue
        is_comment = found[0] == b"{/*"
        close = body.find(b"*/}", at, at + _LONGEST_TAG) + 3 if is_comment else _tag_end(body, found.end())
        if close <= 3:
            return reached, _LONGEST_TAG
        tags.append((at, close))
        reached = _blank(pieces, at, close)
    return reached, 0


def _tag_end(body: bytes, start: int) -> int:
    """Just behind the ``>`` that ends a tag; braces and quotes may hold others. 0 where there is none."""
    depth = 0
    quote = 0
    for position in range(start, min(len(body), start + _LONGEST_TAG)):
        byte = body[position]
        if quote:
            quote = 0 if byte == quote else quote
        elif byte in b"\"'`":
            quote = byte
        elif byte == 0x7B:
            depth += 1
        elif byte == 0x7D:
            depth -= 1
        elif byte == 0x3E and depth <= 0:
            return position + 1
    return 0


def _blank(pieces: bytearray, start: int, end: int) -> int:
    pieces[start:end] = _VISIBLE.sub(b" ", bytes(pieces[start:end]))
    return end
