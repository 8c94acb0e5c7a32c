"""Text of a web page that its readers do not see.

HTML enters. `mark_hidden` puts a mark on every element whose own style hides it, `hidden_selectors` finds the classes
and ids that the page's own stylesheet hides. What a reader can unfold by a click, such as ``<details>``, is not hidden.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

MARK = "data-pinakes-hidden"
_TAG = re.compile(r"""<[a-zA-Z][^\s<>/"']*+(?:[^<>"']|"[^"]{0,5000}"|'[^']{0,5000}')*+>""")
_ATTRIBUTE = re.compile(r"""([^\s=/<>"']+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?""")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_ESCAPE = re.compile(r"\\([0-9a-f]{1,6})\s?|\\(.)", re.IGNORECASE | re.DOTALL)
_ZERO = r"[+-]?0*\.?0*(?:[a-z]+|%)?"
_TINY = r"(?:(?:0*[0-3](?:\.\d*)?|\.\d+)px|(?:0*[0-2](?:\.\d*)?|\.\d+)pt|0*\.[0-2]\d*r?em|0*[12]?\d(?:\.\d*)?%)"
"""A size of letters that nobody reads."""
_FAR = r"-\d{3,}(?:\.\d*)?(?:px|em|rem|ex|ch|pt|%|vw|vh)"
_HIDES = re.compile(
    rf"(?:\A|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|content-visibility\s*:\s*hidden"
    rf"|opacity\s*:\s*(?:{_ZERO}|0*\.0\d*)|font-size\s*:\s*(?:{_ZERO}|{_TINY})|font\s*:\s*(?:[^;]*\s)?(?:0(?:em)?|{_TINY})"
    rf"|(?:left|top|right|bottom|text-indent|margin-left|margin-top)\s*:\s*{_FAR}"
    rf"|color\s*:\s*(?:transparent|rgba\([^)]*,\s*0(?:\.0*)?\s*\)|\#[0-9a-f]{{3}}0|\#[0-9a-f]{{6}}00)"
    rf"|clip\s*:\s*rect\(\s*(?:0|1px)|clip-path\s*:\s*(?:inset\(\s*(?:50|100)%|circle\(\s*0)"
    rf"|transform\s*:\s*scale[xy3d]*\(\s*0)\s*(?:!\s*important\s*)?(?:;|\Z|[,)\s/])"
)
_SMALL = re.compile(rf"(?:\A|;)\s*(?:max-)?(?:height|width)\s*:\s*{_ZERO}\s*(?:;|!|\Z)")
_CUT = re.compile(r"(?:\A|;)\s*overflow(?:-[xy])?\s*:\s*(?:hidden|clip)")
_COLOURS = re.compile(r"(?:\A|;)\s*(color|background(?:-color)?)\s*:\s*([^;!]+?)\s*(?=;|!|\Z)")
_SHEET = re.compile(r"<style\b[^>]*>(.*?)</style", re.IGNORECASE | re.DOTALL)
_BRACES = re.compile(r"([{}])")
_NAME = re.compile(r"[.#]([\w-]+)")
_SIMPLE = re.compile(r"[a-z0-9]*[.#][a-z_][\w-]*", re.IGNORECASE)
_SHOWS = re.compile(r"(?:\A|;)\s*(?:display\s*:\s*(?!none)|visibility\s*:\s*visible|opacity\s*:\s*(?:1|0?\.[1-9]))")
MOST_SELECTORS = 500


def mark_hidden(html: str) -> str:
    """The page with a mark on every element that is not to be seen."""
    return _TAG.sub(_marked, html)


def hidden_selectors(html: str) -> list[str]:
    """Selectors of one class or id that the page hides and never shows; what another rule shows is behind a click."""
    shown: set[str] = set()
    hidden: dict[str, str] = {}
    for sheet in _SHEET.findall(html):
        for selectors, style in _rules(_COMMENT.sub("", sheet)):
            if _hides(style):
                simple = (one.strip() for one in selectors.split(","))
                hidden |= {one: re.split("[.#]", one)[-1] for one in simple if _SIMPLE.fullmatch(one)}
            elif _SHOWS.search(style):
                shown.update(_NAME.findall(selectors))
    return [one for one, name in hidden.items() if name not in shown][:MOST_SELECTORS]


def _rules(sheet: str) -> Iterator[tuple[str, str]]:
    """Selectors and styles of a stylesheet, without its blocks that hold for some screens only."""
    begun: list[str] = []
    text = ""
    for part in _BRACES.split(sheet):
        if part == "{":
            begun.append(text)
        elif part == "}" and begun:
            selectors = begun.pop().rpartition(";")[2]
            if not begun and "@" not in selectors:
                yield selectors, _declarations(text)
        text = part


def _marked(found: re.Match[str]) -> str:
    tag = found[0]
    given = {one[1].lower(): one[2] or "" for one in reversed([*_ATTRIBUTE.finditer(tag, 1)])}
    style = _declarations(unescape(given.get("style", "").strip("\"'")))
    if "hidden" not in given and given.get("aria-hidden", "").strip("\"' ").lower() != "true" and not _hides(style):
        return tag
    end = -2 if tag.endswith("/>") else -1
    return f"{tag[:end]} {MARK}{tag[end:]}"


def _declarations(style: str) -> str:
    """A style in small letters, without comments and escapes."""
    plain = _ESCAPE.sub(lambda one: one[2] or chr(int(one[1], 16) % 0x110000), _COMMENT.sub("", style))
    return plain.lower().replace("\n", " ").strip()


def _hides(style: str) -> bool:
    if _HIDES.search(style) or (_SMALL.search(style) and _CUT.search(style)):
        return True
    colours = dict(_COLOURS.findall(style))
    ground = colours.get("background-color") or colours.get("background")
    return ground is not None and colours.get("color") == ground
