"""Which ids of a drawing's groups did a person give?

An id or a label enters; the name a person would recognise leaves, or nothing when a program numbered the group.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W\d_]+")
_RANDOM = re.compile(r"\d{5}|(?=[a-f]*\d)[0-9a-f]{8}", re.IGNORECASE)
_ESCAPED = re.compile(r"_x([0-9A-F]{2,4})_")
"""How Illustrator writes signs that an id must not hold."""
_LONGEST = 100

_CONTAINERS = re.compile(
    r"(?:artboard|canvas|clusters|content|defs|divtext|edgelabels|edgepaths|edges|g|graph|group|id|layer|main|nodes|page|"
    r"root|svg|viewport)\Z"
)
"""What programs call the groups that hold everything, numbered or not."""
_NUMBERED = re.compile(
    r"(?:actor|arrow|base|cell|circle|class|clip|clippath|clust|cluster|edge|ellipse|entity|figure|frame|image|label|"
    r"line|link|mask|message|node|note|object|path|pattern|polygon|polyline|rect|rectangle|shape|start|state|subgraph|"
    r"svgid|symbol|text|tspan|use|vector|xmlid|[a-z]{1,2})\Z"
)
"""What programs put before a number, single letters among it."""
_PROGRAMS = frozenset(("flowchart", "mermaid"))


def given_name(text: str) -> str:
    """The name in `text` if a person gave it, else nothing: ``Control_Plane`` but not ``g1234`` or ``path-7-2``."""
    if not text:
        return ""
    text = " ".join(_ESCAPED.sub(_sign, text[: _LONGEST + 1]).split()).strip("_")
    words = [word.lower() for word in _WORD.findall(text)]
    if len(text) > _LONGEST or not words or words[0] in _PROGRAMS or _RANDOM.search(text):
        return ""
    telling = [word for word in words if not _CONTAINERS.match(word)]
    if any(sign.isdigit() for sign in text):
        telling = [word for word in telling if not _NUMBERED.match(word)]
    return text if telling and (len(text) > 1 or not text.isascii()) else ""


def _sign(found: re.Match[str]) -> str:
    code = int(found[1], 16)
    return chr(code) if not 0xD800 <= code <= 0xDFFF else found[0]
