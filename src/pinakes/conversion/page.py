"""The readable part of a web page, as Markdown.

HTML in UTF-8 enters; `MadeText` leaves, with the page's own title and with the ids of its elements as places. What
surrounds the text (navigation, forms, footers) and what the page hides from its readers is left out.
"""

from __future__ import annotations

import re
from html import unescape

from pinakes.conversion.hidden import MARK, hidden_selectors, mark_hidden
from pinakes.records.made_text import MadeText

_HIDING = re.compile(r"(\s*(?:[-*+>] |\d+[.)] )*)<(?=[!?]|/?(?:script|pre|style|textarea)\b)", re.IGNORECASE)
"""The start of a line that would swallow everything after it, headings included, though it was only spoken of."""
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_LEFT_OUT = (
    f"[{MARK}]",
    *("script", "style", "noscript", "template", "iframe", "object", "canvas", "audio", "video", "datalist"),
    *("nav", "footer", "form", "dialog", "[popover]", "[role=navigation]", "[role=search]", "[role=contentinfo]"),
    "a.headerlink",
)
_WITH_ID = re.compile(
    r"""<(h[1-6]|section|article|div|p|a|span|dt|table|ul|ol|dl|figure)\b
        (?=[^<>]{0,2000}?\s(?:id|name)\s*=\s*["']?([^\s"'<>`=]{1,200})["'\s>])[^<>"']*+(?:"[^"]{0,5000}"[^<>"']*+|'[^']{0,5000}'[^<>"']*+)*+>""",
    re.IGNORECASE | re.VERBOSE,
)
_BEFORE = frozenset(("table", "ul", "ol", "dl", "figure"))
"""Elements in which no text may stand."""
_BEGIN, _END = "\ufdd0", "\ufdd1"
"""Around the number of an id, while the page is converted: no text can hold these characters."""
_PLACE = re.compile(f"{_BEGIN}([0-9]{{1,7}}){_END}")
_MOST_IDS = 20_000


def page_text(data: bytes, name: str, base: str) -> MadeText:
    """What a page says; links become absolute where `base` is its address."""
    del name
    html = data.decode("utf-8", "replace").replace(_BEGIN, "").replace(_END, "")
    ids: list[str] = []
    text = _shown(markdown_of(_with_places(mark_hidden(html), ids), hidden_selectors(html), base))
    text, places = without_places(text, ids)
    return MadeText(text, places, title=_title(html))


def markdown_of(marked: str, hidden: list[str], base: str) -> str:
    """A page as Markdown, without what surrounds its text and what `hidden` selects."""
    from html_to_markdown import ConversionOptions, PreprocessingOptions, convert

    options = ConversionOptions(
        extract_metadata=False,
        autolinks=False,
        compact_tables=True,
        hidden_content="reachable",
        inline_data_media="alt_text_only",
        base_url=base or None,
        exclude_selectors=[*_LEFT_OUT, *hidden],
        preprocessing=PreprocessingOptions(preset="standard"),
    )
    return convert(marked, options).content or ""


def _with_places(html: str, ids: list[str]) -> str:
    """The page with the number of each id where its element begins."""

    def marked(found: re.Match[str]) -> str:
        if len(ids) >= _MOST_IDS:
            return found[0]
        ids.append(unescape(found[2]))
        place = f"{_BEGIN}{len(ids) - 1}{_END}"
        return place + found[0] if found[1].lower() in _BEFORE else found[0] + place

    return _WITH_ID.sub(marked, html)


def without_places(text: str, ids: list[str]) -> tuple[str, tuple[tuple[int, str], ...]]:
    """The text without the marks, and the line at which each id stands; for a mark that stood alone, the next line."""
    lines: list[str] = []
    places: list[tuple[int, str]] = []
    waiting: list[str] = []
    was_mark = False
    for line in text.split("\n"):
        found = [ids[int(number)] for number in _PLACE.findall(line) if int(number) < len(ids)]
        rest = _PLACE.sub("", line) if found else line
        waiting += found
        if (was_mark and not rest.strip()) or (found and not rest.strip(" \\")):
            was_mark = True  # a paragraph that held the mark alone goes, and the blank line behind it
            continue
        was_mark = False
        if rest.strip():
            places += [(len(lines), one) for one in waiting]
            waiting = []
        lines.append(rest)
    return "\n".join(lines), tuple(places)


def _shown(text: str) -> str:
    """The text with nothing in it that hides the rest, outside of code."""
    lines, fence = [], ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if fence:
            fence = "" if found and found[1].startswith(fence) else fence
        elif found:
            fence = found[1]
        else:
            line = _HIDING.sub(r"\1\\<", line, count=1) if _HIDING.match(line) else line
        lines.append(line)
    return "\n".join(lines)


def _title(html: str) -> str:
    """What stands in the first <title>; it has to be near the top."""
    found = re.search(r"<title(?:\s[^>]{0,200})?>([^<]{0,1000})", html[:100_000], re.IGNORECASE)
    return " ".join(unescape(found[1]).split()) if found else ""
