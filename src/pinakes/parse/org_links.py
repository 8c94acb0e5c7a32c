"""What stands among the words of an org file: links, targets, footnotes, code.

A body and the stretches of it in which nothing is looked for enter; links and anchors are noted down. A link without a
scheme or a path means a headline, a target or a name of its own document.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping

from pinakes.parse.marks import IMAGE, note_bare_links, quieted
from pinakes.parse.structure import Contents
from pinakes.records import LinkForm
from pinakes.slugs import slug

_LINK = re.compile(rb"\[\[((?:[^\[\]\\]|\\[^\r\n]){1,1000})\](?:\[((?:[^\[\]]|\[(?!\[)|\](?!\])){0,500})\])?\]")
_LINK_IN_TITLE = re.compile(r"\[\[([^\[\]]*)\](?:\[((?:[^\[\]]|\[(?!\[)|\](?!\]))*)\])?\]")
_PLAIN = re.compile(rb"(?<![\w\[:/])file:([^\s\[\]()<>\"']{1,500}[\w/])")
_CODE = re.compile(rb"(?m)(?:^|(?<=[\s('\"{-]))([=~])(?=\S)[^\r\n]{0,300}?(?<=[^\s])\1(?=[\s.,:!?;'\")}\[\\-]|$)")
_MARKS = re.compile(
    r"(?:\A|(?<=[\s('\"{–—-]))([=~*/_+])(\S(?:.{0,300}?\S)??)\1(?=[\s.,:!?;'\")}\[\\–—-]|\Z)", re.DOTALL
)
_TARGET = re.compile(rb"<<(<?)([^<>\s](?:[^<>\r\n]{0,200}[^<>\s])?)>>>?")
_TARGET_IN_TITLE = re.compile(r"<<<([^<>]{1,200})>>>|<<[^<>]{1,200}>>\s?")
_COOKIE = re.compile(r"\s*\[(?:\d{0,6}/\d{0,6}|\d{0,6}%)\]")
_FOOTNOTE = re.compile(rb"\[fn:([\w-]{1,100})\]")
_FOOTNOTE_IN_TITLE = re.compile(r"\s?\[fn:[^\[\]]{1,300}\]")
_ESCAPED = re.compile(r"\\([\[\]\\])")
_SCHEME = re.compile(r"[A-Za-z][\w+.-]*:(?=\S)")
_PATH = re.compile(r"\.{0,2}/|~|[A-Za-z]:[\\/]")
_LOOKS_LIKE_FILE = re.compile(r"\S*/\S*\Z|\S+\.[A-Za-z]\w{0,5}\Z")
_FILE = re.compile(r"(?:file|file\+sys|file\+emacs|attachment|docview):")
_PLACE = re.compile(r"(.*?)::(.*)", re.DOTALL)


def shown(title: str) -> str:
    """What a reader sees of a title: the texts of links, what is marked without its marks, no targets or counts."""
    title = _LINK_IN_TITLE.sub(lambda link: link[2] or link[1], title)
    title = _TARGET_IN_TITLE.sub(r"\1", _FOOTNOTE_IN_TITLE.sub("", _COOKIE.sub("", title)))
    return _unmarked(title).strip()


def _unmarked(text: str) -> str:
    return _MARKS.sub(lambda marked: marked[2] if marked[1] in "=~" else _unmarked(marked[2]), text)


def note_org_links(
    found: Contents, body: bytes, quiet: Iterable[tuple[int, int]], abbreviations: Mapping[str, str]
) -> None:
    """Note down the links and targets of a body outside the `quiet` stretches; its headlines must be noted already."""
    silent = quieted(body, quiet)
    code = [span.span() for span in _CODE.finditer(silent)]
    found.formulas += code
    begins = [start for start, _ in code]

    def is_code(at: int) -> bool:
        before = bisect_right(begins, at) - 1
        return before >= 0 and at < code[before][1]

    _note_targets(found, [target for target in _TARGET.finditer(silent) if not is_code(target.start())])
    aims = _Aims(found, abbreviations)
    for link in _LINK.finditer(silent):
        target = "" if is_code(link.start()) else aims.of(link[1].decode("utf-8", "replace").strip())
        if target:
            text = " ".join((link[2] or b"").decode("utf-8", "replace").split())
            is_image = link[2] is None and IMAGE.search(target) is not None
            form = LinkForm.IMAGE if is_image else LinkForm.LINK
            found.links.append((link.start(), link.end(), form, target, [text or target]))
    taken = [(start, end) for start, end, *_ in found.links]
    rest = quieted(silent, taken)
    for plain in _PLAIN.finditer(rest):
        if not is_code(plain.start()):
            target = aims.of(plain[0].decode("utf-8", "replace"))
            found.links.append((*plain.span(), LinkForm.LINK, target, [target]))
    _note_footnotes(found, rest)
    note_bare_links(found, silent)


def _note_targets(found: Contents, targets: Iterable[re.Match[bytes]]) -> None:
    starts = [heading[0] for heading in found.headings]
    for target in targets:
        above = bisect_right(starts, target.start()) - 1
        # They name the section they stand in, also where the next one follows at once.
        start, end = (starts[above], starts[above]) if above >= 0 else target.span()
        found.anchors.append((start, end, target[2].decode("utf-8", "replace")))
        if not target[1]:
            found.hidden.append(target.span())


def _note_footnotes(found: Contents, rest: bytes) -> None:
    """References lead to the section in which the note stands, which begins a line."""
    notes = list(_FOOTNOTE.finditer(rest))
    defined = {note[1] for note in notes if _begins_line(rest, note.start())}
    for note in notes:
        name = f"fn:{note[1].decode('utf-8', 'replace')}"
        if _begins_line(rest, note.start()):
            found.anchors.append((note.start(), note.end(), name))
        elif note[1] in defined:
            found.links.append((*note.span(), LinkForm.LINK, f"#{name}", [f"[{name}]"]))


def _begins_line(text: bytes, at: int) -> bool:
    return at == 0 or text[at - 1 : at] in (b"\n", b"\r")


class _Aims:
    """Where the links of a document point, as other formats would write it."""

    def __init__(self, found: Contents, abbreviations: Mapping[str, str]) -> None:
        self._abbreviations = abbreviations
        self._anchors = {name.casefold(): name for _, _, name in found.anchors}
        self._slugs = {slug("".join(texts)) for _, _, texts in found.headings}

    def of(self, written: str) -> str:
        """The target of a link; empty where it means a line of a block of code."""
        written = _ESCAPED.sub(r"\1", " ".join(written.split()))
        if written.startswith("(") and written.endswith(")"):
            return ""
        if written.startswith("*"):
            return f"#{slug(shown(written[1:].strip()))}"
        if written.startswith("id:"):
            name = written[3:].partition("::")[0].strip()
            return f"#{name}" if name.casefold() in self._anchors else name
        if _FILE.match(written) or _PATH.match(written):
            return file_target(_FILE.sub("", written, count=1))
        if _SCHEME.match(written):
            return self._expanded(written)
        return self._inner(written)

    def _expanded(self, written: str) -> str:
        """An address whose scheme may be a short name that the document explains."""
        short, _, tag = written.partition(":")
        address = self._abbreviations.get(short)
        if address is None:
            return written
        whole = address.replace("%s", tag).replace("%h", tag) if re.search("%[sh]", address) else f"{address}{tag}"
        return file_target(_FILE.sub("", whole, count=1)) if _FILE.match(whole) else whole

    def _inner(self, written: str) -> str:
        if written.startswith("#"):
            return written
        if written.casefold() in self._anchors:
            return f"#{self._anchors[written.casefold()]}"
        words = slug(shown(written))
        if words in self._slugs:
            return f"#{words}"
        return file_target(written) if _LOOKS_LIKE_FILE.match(written) else f"#{written}"


def file_target(written: str) -> str:
    """A file, and the section or line of it that is named behind two colons."""
    place = _PLACE.match(written) if "::" in written else None
    if place is None or "://" in written:
        return written
    path, inside = place[1], place[2].strip()
    if inside.startswith("*"):
        return f"{path}#{slug(shown(inside[1:].strip()))}"
    if inside.isdecimal():
        return f"{path}#L{inside}"
    return f"{path}{inside}" if inside.startswith("#") else path
