"""A hit as text for eyes: lists, tables and code as they are written, and nothing that a page would not show.

A hit enters, a `MarkedText` leaves. What the parser called hidden is looked at piece by piece: marks that give a text
its shape stay (headings, bullets, cells, fences, emphasis); tags, templates, comments, destinations of links and
imports go, each leaving behind what it shows, such as the label of a tab.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from typing import NamedTuple

from pinakes.prose import captions_of, ends_word
from pinakes.records import Hit, Span, code_media_of
from pinakes.records.structure import unpacked_spans


class MarkedText(NamedTuple):
    """Text with what was asked for in it."""

    text: str
    marks: tuple[Span, ...]
    """Characters of the text that matched, in order."""

    def pieces(self, most: int = sys.maxsize) -> Iterator[tuple[str, bool]]:
        """The first `most` characters by turns: what lies between matches, and the matches."""
        reached = 0
        for start, end in self.marks:
            if end > most:
                break
            yield self.text[reached:start], False
            yield self.text[start:end], True
            reached = end
        yield self.text[reached:most], False


_BULLETS = rb"(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?:\[[ xX]\][ \t]+)?(?:#{1,6}[ \t]+)?"
_CELL = rb"<t[dh]\b[^<>]*>"
_ROW = rb"(?:</?(?:table|thead|tbody|tfoot|tr)\b[^<>]*>\s*)+"
_PIECES = re.compile(
    rb"(?P<nothing><!--(?:.*?-->|.*)|<(?P<element>script|style|svg)\b(?:.*?</(?P=element)\s*>|.*)|\{/\*.*?\*/\}|%%.*?%%)"
    rb"|(?P<import>^(?:import|export)\b[^\n]*(?:\n[^\n]+)*)"
    rb"|(?P<cell></t[dh]\s*>\s*" + _CELL + rb")"
    rb"|(?P<row></t[dh]\s*>\s*" + _ROW + _CELL + rb"|" + _ROW + _CELL + rb")"
    rb"|(?P<row_end></t[dh]\s*>\s*</tr\s*>)"
    rb"|(?P<tab>===[!+]?[ \t]+\"|(?:!!!|\?\?\?\+?)[^\"\n]*\"|\"(?=[ \t]*(?:\n|\Z)))"
    rb"|(?P<slashes>(?<![^\s>])/{3,}[^\n]*|\n[ \t>]* {4}(?:attrs|open|type|new|select):[^\n]*)"
    rb"|(?P<alert>\[!(?P<kind>\w+)\][+-]?)"
    rb"|(?P<template>\{\{.*?\}\}|\{%.*?%\}|</?[A-Za-z](?:\"[^\"]*\"|'[^']*'|[^<>\"'])*>)"
    rb"|(?P<delimiters>(?:\A|\n)[ \t>]*\|?[ \t]*:?-+:?[ \t]*\|[-: \t|]*)"
    rb"|(?P<fence>(?P<signs>`{3,}|~{3,})[ \t]*(?P<language>[\w+#.-]*)[^\n`]*)"
    rb"|(?P<line>(?:\A|\n)(?:[ \t>]*\n)?[ \t>]*" + _BULLETS + rb")"
    rb"|(?P<kept>[*_~`|]+|[ \t]+)"
    rb"|(?P<link>\]\((?:[^()]|\([^()]*\))*\)|\]\[[^\]]*\]|\[\^[^\]]*\]:?|[^\n])",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
"""What hidden bytes are made of. Each byte is in one piece."""
_TAB = re.compile(rb"[{<%\s]*tab", re.IGNORECASE)
_ENTITY = re.compile(r"&#?\w{1,12};")
_CODE_INDENT = 4
_BLANK = re.compile(rb"(?:[ \t]*\n){3,}")


def readable(hit: Hit) -> MarkedText:
    """What a reader sees of a hit, and where the words of the question stand in it."""
    source, offset = hit.text.encode("utf-8", "surrogatepass"), hit.span.start
    if not source:
        return MarkedText("", ())
    # Whoever reads source code wants to see it as it stands, with the signs of its comments.
    is_code = code_media_of(hit.ref.path.rpartition("/")[2]).code is not None
    made = _Builder(hit.before, is_code=is_code)
    matches = iter([*((one.start - offset, one.end - offset) for one in hit.matches), (len(source) + 1, 0)])
    match, match_end = next(matches)
    reached = 0
    for start, end in [*(() if is_code else _gaps(hit, source)), (len(source), len(source))]:
        while match < start:
            if match >= reached:
                stop = min(match_end, start)
                made.add(source[reached:match])
                made.add(source[match:stop], is_match=True)
                reached = stop
            match, match_end = next(matches)
        made.add(source[reached:start])
        # An indent that the parser cut holds text in a box; as Markdown of its own it would be code.
        if end - start < _CODE_INDENT or source[start - 1 : start] != b"\n" or not source[start:end].isspace():
            left = _shown(source[start:end])
            made.add(left)
            # One space is enough where there were two around what is gone.
            end += not left and source[start - 1 : start] == b" " == source[end : end + 1]
        reached = end
    return MarkedText("".join(made.pieces), tuple(made.marks))


def _gaps(hit: Hit, source: bytes) -> list[tuple[int, int]]:
    """Start and end of what is hidden; tags with nothing but white space between them are one."""
    offset = hit.span.start
    starts, ends = unpacked_spans(hit.hidden)
    first, last = bisect_right(ends, offset), bisect_left(starts, hit.span.end)
    gaps: list[tuple[int, int]] = []
    for start, end in zip(starts[first:last], ends[first:last], strict=True):
        start, end = max(start - offset, 0), min(end - offset, len(source))
        begun, reached = gaps[-1] if gaps else (0, 0)
        are_tags = source[start : start + 1] == b"<" and source[reached - 1 : reached] == b">"
        if are_tags and not source[reached:start].strip():
            gaps[-1] = (begun, end)
        else:
            gaps.append((start, end))
    return gaps


class _Builder:
    """Pieces of text and the marks among them."""

    def __init__(self, before: str, *, is_code: bool) -> None:
        self.pieces = [before]
        self._is_code = is_code
        self.marks: list[Span] = []
        self._length = len(before)

    def add(self, source: bytes, *, is_match: bool = False) -> None:
        text = source.decode("utf-8", "replace")
        if "&" in text and not self._is_code:
            text = _ENTITY.sub(lambda entity: unescape(entity[0]), text)
        if is_match:
            self.marks.append(Span(self._length, self._length + len(text)))
        self.pieces.append(text)
        self._length += len(text)


@lru_cache(maxsize=4096)
def _shown(hidden: bytes) -> bytes:
    """What hidden bytes leave behind; there are few different ones."""
    return _BLANK.sub(b"\n\n", _PIECES.sub(_piece, hidden)) if hidden else b""


def _piece(found: re.Match[bytes]) -> bytes:
    match found.lastgroup:
        case "cell":
            return b" | "
        case "row":
            return b"\n| "
        case "row_end":
            return b" |"
        case "tab":
            return b"**"
        case "alert":
            return b"**" + found["kind"].capitalize() + b"**"
        case "template":
            return _label(found[0])
        case "fence":
            return found["signs"] + found["language"]
        case "delimiters" | "line" | "kept":
            return found[0]
    return b""


def _label(mark: bytes) -> bytes:
    """What a tag or a template shows: the label of a tab, the text of an image; a space where it ends a word."""
    said = " ".join(captions_of(mark)).encode()
    if said:
        return b"**" + said + b"**" if _TAB.match(mark) else said
    return b" " if ends_word(mark) else b""
