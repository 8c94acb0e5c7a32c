"""What a line that opens or closes a container says, and what templates inside of a line show.

A line enters; a `Boundary` leaves, or None where it is a line like others.
"""

from __future__ import annotations

import re

from msgspec import Struct

_INDENTED = re.compile(rb" *(!!!|\?\?\?\+?|===[!+]?)[ \t]+(\S.*?)[ \t\r]*\n?\Z")
_KIND_AND_TITLE = re.compile(rb"([\w-]+(?:[ \t]+[\w-]+)*)?[ \t]*(?:\"([^\"]*)\"|'([^']*)')?\Z")
_COLONS = re.compile(
    rb"[ \t>]*(:{3,})[ \t]*(?:\{?([\w-]+)\}?(?:\{[^}\n]*\})?[ \t]*(?:\[([^\]\n]*)\])?([^\n{]*)(?:\{[^}\n]*\})?)?"
    rb"[ \t\r]*\n?\Z"
)
_SLASHES = re.compile(rb"[ \t>]*(/{3,})[ \t]*(?:([\w-]+)[ \t]*(?:\|[ \t]*([^\n]*?))?)?[ \t\r]*\n?\Z")
_SHORTCODE = re.compile(rb"[ \t]*\{\{[<%][ \t]*(/?)[ \t]*([\w-]+)((?:\"[^\"\n]*\"|[^\"\n>%])*)[>%]\}\}[ \t\r]*\n?\Z")
_COMPONENT = re.compile(
    rb"[ \t]*<(/?)(Tabs|TabItem|Tab|Admonition|Callout|Aside|Note|Tip|Info|Warning|Caution|Danger|Details)"
    rb"(?=[\s>])((?:\"[^\"\n]*\"|'[^'\n]*'|\{[^{}\n]*\}|[^\"'\n>{}])*)>[ \t\r]*\n?\Z"
)
_NAMED = re.compile(rb"([\w-]+)=\{?(?:\"([^\"]*)\"|'([^']*)'|([\w-]+))")
_QUOTED = re.compile(rb"\"([^\"]*)\"")
_WORD = re.compile(rb"(?<![\w=\"])([a-z][\w-]*)(?![\w=\"])")
_BOXES = frozenset(
    """note tip info warning caution danger important alert callout hint admonition notice attention
    success error example question aside details expand collapse seealso deprecated""".split()  # noqa: SIM905
)
_FOLDING = frozenset(("details", "expand", "collapse", "dropdown"))
_GROUPS = frozenset(("tabs", "tabpane", "code-group", "tab-set", "tabset"))
_PANES = frozenset(("tab", "tab-item", "tabitem", "codetab"))
_GENERIC = frozenset(("alert", "callout", "admonition", "notice", "hint", "aside"))
"""Names that say nothing of the kind: that stands in their parameters."""

_INLINE = re.compile(
    rb"(`+)[^\n]*?\1|\{\{[<%][ \t]*/?[ \t]*([\w-]+)([^{}\n]{0,300}?)/?[>%]\}\}"
    rb"|:(?:material|octicons|fontawesome|simple)-[a-z0-9-]{1,80}:(?:\{[^{}\n]{0,80}\})?[ \t]*"
)
_LONGEST = 5_000
"""Bytes of a line that is looked at."""
_ADDRESSES = (b"ref", b"relref")


class Boundary(Struct, frozen=True):
    """A line that opens or closes a container."""

    family: str
    """indent, colons, slashes, shortcode or component."""
    name: str
    """What the closing line has to say."""
    kind: str = "note"
    title: str = ""
    folds: bool = False
    is_open: bool = True
    is_pane: bool = False
    is_group: bool = False
    is_end: bool = False


def boundary(line: bytes) -> Boundary | None:
    """What a line says about containers, if it does."""
    if len(line) > _LONGEST:
        return None
    bare = line.lstrip(b" \t>")
    if bare[:3] in (b"!!!", b"???", b"==="):
        return _indented(line)
    if bare[:3] == b":::":
        return _colons(line)
    if bare[:3] == b"///":
        return _slashes(line)
    if bare[:2] == b"{{" and (found := _SHORTCODE.match(line)):
        return _named("shortcode", found[2].decode().lower(), found[3], is_end=bool(found[1]))
    if bare[:1] == b"<" and (found := _COMPONENT.match(line)) and not found[3].rstrip().endswith(b"/"):
        return _named("component", found[2].decode().lower(), found[3], is_end=bool(found[1]))
    return None


def inline_shown(line: bytes) -> list[tuple[bytes, int]]:
    """The pieces of a line and where they stand: templates show their words or nothing, icons nothing."""
    if len(line) > _LONGEST or (b"{{" not in line and b":" not in line):
        return [(line, 0)]
    pieces: list[tuple[bytes, int]] = []
    reached = 0
    for found in _INLINE.finditer(line):
        if found[1] or found[2] in _ADDRESSES:
            continue
        pieces.append((line[reached : found.start()], reached))
        if found[2]:
            pieces.append((_said(found[2], found[3]), found.start()))
        reached = found.end()
    return [*pieces, (line[reached:], reached)]


def _said(name: bytes, rest: bytes) -> bytes:
    given = _parameters(rest)
    if text := given.get("text") or given.get("title") or given.get("term_id"):
        return text.encode()
    quoted = _QUOTED.search(rest)
    if name == b"heading" and quoted:
        return quoted[1].replace(b"-", b" ").capitalize()
    return b""


def _indented(line: bytes) -> Boundary | None:
    found = _INDENTED.match(line)
    if found is None:
        return None
    sign, rest = found[1], found[2]
    said = _KIND_AND_TITLE.match(rest)
    if said is None:
        return None
    title = said[2] if said[2] is not None else said[3]
    if sign[:3] == b"===":
        return Boundary("indent", "tab", title=_plain(title), is_pane=True) if title is not None else None
    kind = (said[1] or b"note").split()[0].decode().lower()
    return Boundary(
        "indent",
        kind,
        kind,
        _plain(title) if title else _name_of(kind),
        folds=sign[:1] == b"?",
        is_open=sign != b"???",
    )


def _colons(line: bytes) -> Boundary | None:
    found = _COLONS.match(line)
    if found is None:
        return None
    if not found[2]:
        return Boundary("colons", found[1].decode(), is_end=True)
    name = found[2].decode().lower()
    title = (found[3] or found[4] or b"").strip()
    if name in _GROUPS:
        return Boundary("colons", found[1].decode(), is_group=True)
    if name in _PANES:
        return Boundary("colons", found[1].decode(), title=_plain(title) or name, is_pane=True)
    folds = name in _FOLDING
    shown = _plain(title) if title else _name_of(name)
    return Boundary("colons", found[1].decode(), name, shown, folds=folds, is_open=not folds)


def _slashes(line: bytes) -> Boundary | None:
    """A block of PyMdown, as MkDocs knows it: ``/// note | Title``. Other lines with slashes are comments of code."""
    found = _SLASHES.match(line)
    if found is None:
        return None
    marker = found[1].decode()
    if not found[2]:
        return Boundary("slashes", marker, is_end=True)
    name, title = found[2].decode().lower(), _plain(found[3] or b"")
    if name in _PANES:
        return Boundary("slashes", marker, title=title or name, is_pane=True)
    if name not in _BOXES:
        return None
    folds = name in _FOLDING
    return Boundary("slashes", marker, name, title or _name_of(name), folds=folds, is_open=not folds)


def _named(family: str, name: str, rest: bytes, *, is_end: bool) -> Boundary | None:
    """A container of a known name; its parameters say more."""
    if name not in _BOXES and name not in _GROUPS and name not in _PANES:
        return None
    if is_end:
        return Boundary(family, name, is_end=True)
    given = _parameters(rest)
    quoted = _QUOTED.search(rest) if not given else None
    title = given.get("title") or given.get("label") or given.get("name") or given.get("header")
    title = title or (quoted[1].decode("utf-8", "replace") if quoted else "")
    if name in _GROUPS:
        return Boundary(family, name, is_group=True)
    if name in _PANES:
        return Boundary(family, name, title=_plain(title.encode()) or given.get("value", "Tab"), is_pane=True)
    kind = given.get("type") or given.get("color") or given.get("level") or ""
    if not kind and name in _GENERIC and (word := _WORD.search(_QUOTED.sub(b"", rest))):
        kind = word[1].decode()
    kind = kind or (name if name not in _GENERIC else "note")
    folds = name in _FOLDING
    return Boundary(family, name, kind, _plain(title.encode()) or _name_of(kind), folds=folds, is_open=not folds)


def _parameters(rest: bytes) -> dict[str, str]:
    return {
        one[1].decode().lower(): (one[2] or one[3] or one[4] or b"").decode("utf-8", "replace")
        for one in _NAMED.finditer(rest)
    }


def _plain(title: bytes) -> str:
    """A title without the signs of emphasis and code, icons and attributes."""
    words = re.sub(rb"[*`]|:[a-z]+(?:-[a-z0-9]+)+:|\{[^{}]*\}", b"", title)
    return words.decode("utf-8", "replace").strip()


def _name_of(kind: str) -> str:
    return kind.replace("-", " ").replace("_", " ").capitalize()
