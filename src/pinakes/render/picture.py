"""The link graph as a drawing.

A `Picture` enters, a stand-alone SVG leaves: no script, no outside resources, colours for light and dark. Where things
stand was decided before; here they only get their looks. The same picture gives the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from math import sqrt

from pinakes.records.graph import Dot, Picture

_COLOURS = (
    # light, dark; neighbours in the list are far apart in hue, so that neighbouring communities are too
    ("#2f6fde", "#7aa7ff"),
    ("#d9480f", "#ff9a6b"),
    ("#2b8a3e", "#69db7c"),
    ("#9c36b5", "#da90f0"),
    ("#b08900", "#f2c94c"),
    ("#0b7285", "#4fd1e0"),
    ("#c2255c", "#ff8fb3"),
    ("#5c940d", "#b5e550"),
)
_MOST_LABELS = 40
_LONGEST_LABEL = 32
_LETTER_WIDTH = 6.5
_LINE_HEIGHT = 13.0
_STYLE = """
svg{background:#fff;font:12px system-ui,sans-serif}
.arc{stroke:#888;stroke-opacity:.35;stroke-width:1}
.dot{stroke:#fff;stroke-width:1}
.label{fill:#222;text-anchor:middle;paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}
.note{fill:#666;text-anchor:start}
"""
_DARK = """
svg{background:#16181d}
.arc{stroke:#aaa;stroke-opacity:.3}
.dot{stroke:#16181d}
.label{fill:#eee;stroke:#16181d}
.note{fill:#999}
"""
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""What XML 1.0 forbids or discourages, and what UTF-8 cannot hold."""
_STEERING = re.compile("[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]")
"""What turns text around or hides in it. Joiners stay: scripts and emoji need them."""


def picture_svg(picture: Picture, link: Callable[[str], str] | None = None) -> str:
    """Draw the link graph; documents are as large as they are cited, and coloured by community.

    `link` gives the web address of a document's path; with it, each document in the drawing leads there.
    """
    width, height = _number(max(picture.width, 1.0)), _number(max(picture.height, 1.0) + 30.0)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img">',
        f"<title>{_escape(_heading(picture))}</title>",
        f"<style>{_style()}</style>",
        '<g class="arcs">',
        *(_arc(picture.dots[start], picture.dots[end]) for start, end in picture.arcs),
        "</g>",
        '<g class="dots">',
        *(_linked(_dot(dot), dot, link) for dot in picture.dots),
        "</g>",
        '<g class="labels">',
        *_labels(picture.dots),
        "</g>",
        f'<text class="note" x="10" y="{_number(picture.height + 18.0)}">{_escape(_heading(picture))}</text>',
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _heading(picture: Picture) -> str:
    shown, left_out = len(picture.dots), picture.left_out
    if left_out:
        return f"The {shown} leading of {shown + left_out} documents and {len(picture.arcs)} links between them"
    return f"{shown} document{'' if shown == 1 else 's'} and {len(picture.arcs)} links between them"


def _style() -> str:
    light = "".join(f".c{number}{{fill:{light}}}\n" for number, (light, _) in enumerate(_COLOURS))
    dark = "".join(f".c{number}{{fill:{dark}}}\n" for number, (_, dark) in enumerate(_COLOURS))
    return f"{_STYLE}.alone{{fill:#999}}\n{light}@media (prefers-color-scheme:dark){{{_DARK}{dark}}}\n"


def _arc(start: Dot, end: Dot) -> str:
    return (
        f'<line class="arc" x1="{_number(start.x)}" y1="{_number(start.y)}" '
        f'x2="{_number(end.x)}" y2="{_number(end.y)}"/>'
    )


def _dot(dot: Dot) -> str:
    colour = "alone" if dot.community < 0 else f"c{dot.community % len(_COLOURS)}"
    said = dot.path if dot.title in ("", dot.path) else f"{dot.title}\n{dot.path}"
    told = f"{said}\ncited by {dot.cited} section{'' if dot.cited == 1 else 's'}"
    return (
        f'<circle class="dot {colour}" cx="{_number(dot.x)}" cy="{_number(dot.y)}" r="{_number(_radius(dot))}">'
        f"<title>{_escape(told)}</title></circle>"
    )


def _linked(drawn: str, dot: Dot, link: Callable[[str], str] | None) -> str:
    return f'<a href="{_escape(link(dot.path))}">{drawn}</a>' if link else drawn


def _labels(dots: Sequence[Dot]) -> Iterator[str]:
    """Labels of the leading documents; one that would cover an earlier one is left to the tooltip."""
    taken: list[tuple[float, float, float]] = []
    for dot in dots:
        if len(taken) == _MOST_LABELS:
            return
        text = " ".join((dot.title or dot.path).split())
        short = text if len(text) <= _LONGEST_LABEL else text[: _LONGEST_LABEL - 1].rstrip() + "…"
        half, y = len(short) * _LETTER_WIDTH / 2, dot.y - _radius(dot) - 4
        if all(abs(y - other) > _LINE_HEIGHT or abs(dot.x - x) > half + width for x, other, width in taken):
            taken.append((dot.x, y, half))
            yield f'<text class="label" x="{_number(dot.x)}" y="{_number(y)}">{_escape(short)}</text>'


def _radius(dot: Dot) -> float:
    return min(4.0 + 1.8 * sqrt(dot.cited), 26.0)


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _escape(text: str) -> str:
    sound = _NOT_XML.sub("\ufffd", _STEERING.sub("", text))
    return sound.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
