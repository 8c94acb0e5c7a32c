"""What would be hidden if it stood in prose: escapes, templates, attributes, comments, marks of boxes, imports.

Bytes of a body enter, stretches of it leave. Whether they stand in prose or in code, the caller knows.
"""

from __future__ import annotations

import re

_ESCAPE = rb"\\(?=[!-/:-@\[-`{-~\r\n])"
_TEMPLATE = (
    rb"\{\{[-~]?\s*(?i:\w*xref|glossary)\s*\(\s*(?:\"([^\"\n]{1,200})\"|'([^'\n]{1,200})')"
    rb"(?:\s*,\s*(?:\"([^\"\n]{1,200})\"|'([^'\n]{1,200})'))?[^()\n]{0,200}\)\s*\}\}"
    rb"|\{%-?\s*data\s+(?:[\w-]+\.)*(?:prodname_)?([\w-]+)\s*-?%\}"
    rb"|\{\{[^{}]{0,1000}\}\}|\{%[^{}]{0,1000}%\}|\{ ?[:#.](?!\.)[^{}\n]{0,200}\}"
)
"""A template that refers to another page shows its second argument, or else its first; one that stands for the name of
a product shows its own name; the others show nothing."""
_COMMENT = rb"%%(?:[^%`]|%(?!%)){0,2000}+%%"  # two signs with code between them are two signs
_BOX = rb"%b(?<!\S%b)[ \t]++(?:(?:[^\s\"]++[ \t]++)*+\"(?::[a-z0-9-]++:[ \t]*+)?([^\"\n]++)\"|([\w-]++))[ \t]*+$"
"""The first line of a box or a tab of MkDocs: its title is shown, or else the name of its kind."""
_DIRECTIVE = (
    rb":::(?<![^\s>]:::):*+[ \t]*+(?:\{?[\w-]++\}?(?:[ \t]*+\{[^{}\n]*+\})?"
    rb"(?:[ \t]*+\[([^\]\n]++)\]|[ \t]++([^\s{\[][^\n{]*+))(?:\{[^\n]*+)?|\{?([\w.-]++)?[^\n]*+)$"
)
"""The first or last line of a container of Docusaurus, VitePress or MyST; shown like that of a box. What mkdocstrings
puts there is the name of a module."""
_SLASHES = (
    rb"///(?<![^\s>]///)/*+[ \t]*+(?:(?:(?:figure-|table-)?caption|html|define)\b(?:[ \t]*+\|[^\n]*+)?+"
    rb"|[\w-]++[ \t]*+\|[ \t]*+(?::[a-z0-9-]++:[ \t]*+)?([^\n]*+)|([\w-]++))?+[ \t]*+$"
    rb"(?:\n[ \t>]* {4}(?:attrs|open|type|new|select):[^\n]*+)*+"
)
"""The first or last line of a block of PyMdown, with its options: its title is shown, or else its kind. Other lines
with three slashes are comments of code, and stay."""
_IMPORT = rb"import (?<![^\n]import )[^\n]{0,500}?['\"][^'\"\n]{1,200}['\"];?[ \t]*+$"
"""A line of JavaScript in a page that has the ending of Markdown."""
_ICON = rb"-[a-z0-9-]{1,80}:(?:\{[^{}\n]{0,80}\})?[ \t]*"
# What begins with one sign is found five times faster than what begins with any of three; a search for a sign by a
# pattern is twice as fast as `in`.
_ESCAPES, _TEMPLATES = re.compile(_ESCAPE), re.compile(_TEMPLATE)
_IMPORTS = re.compile(_IMPORT, re.MULTILINE)
_IMPORTS_END = 5_000
"""Bytes of a body within which imports stand."""
_RARE = (re.compile(_COMMENT), *(re.compile(sign, re.MULTILINE) for sign in (_DIRECTIVE, _SLASHES)))
"""What hardly any page has; each begins with a sign that is quickly sought."""
_BOXES = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        *(_BOX % (sign, sign) for sign in (rb"!!!", rb"\?\?\?", rb"\?\?\?\+", rb"===", rb"===\+")),
        rb":octicons" + _ICON,
        rb":material" + _ICON,
    )
)
"""What comes with the extensions that make boxes and tabs."""


def unseen(body: bytes, *, has_boxes: bool) -> list[tuple[int, int]]:
    """What would be hidden if it stood in prose, in order: escapes, templates, attributes, comments between ``%%``, the
    marks of boxes and tabs, imports."""
    found = [*_TEMPLATES.finditer(body)] if b"{" in body else []
    ordered = len(found)
    if b"\\" in body:
        found += _ESCAPES.finditer(body)
    found += _IMPORTS.finditer(body, 0, _IMPORTS_END)
    for pattern in (*_RARE, *_BOXES) if has_boxes else _RARE:
        found += pattern.finditer(body)
    if len(found) > ordered:
        found.sort(key=re.Match.start)
    marks: list[tuple[int, int]] = []
    reached = 0
    for match in found:
        start, end = span = match.span()
        if start < reached:
            continue
        reached = end
        if match.lastindex:
            shown, after = match.span(match.lastindex)
            marks += ((start, shown), (after, end))
        else:
            marks.append(span)
    return marks
