"""The links around one document, as a small drawing: it in the middle, what links to it and what it links to around it.

Connections enter, markup leaves. Positions stand in attributes, because the page's policy allows no styles inside.
"""

from __future__ import annotations

from math import cos, pi, sin

from pinakes.html.markup import Markup, tag
from pinakes.records import Connections, Ref
from pinakes.serve.web.places import Places, shown

_MOST = 28
"""More dots than these cannot be told apart in a margin."""
_WIDTH, _HEIGHT = 240.0, 190.0
_FAR_X, _FAR_Y = 104.0, 74.0


def neighbours_html(here: Ref, connections: Connections, places: Places) -> Markup | None:
    """The drawing; None where nothing is linked."""
    here = here.document
    into = dict.fromkeys(edge.origin.document for edge in connections.incoming)
    out = dict.fromkeys(edge.to.document for edge in connections.outgoing if edge.to is not None)
    around = [ref for ref in dict.fromkeys((*into, *out)) if ref != here and places.page(ref) is not None]
    if not around:
        return None
    drawn = around[:_MOST]
    step = 2 * pi / len(drawn)
    spots = [
        (ref, _WIDTH / 2 + _FAR_X * sin(step * place), _HEIGHT / 2 - _FAR_Y * cos(step * place))
        for place, ref in enumerate(drawn)
    ]
    arcs = [
        tag("line", x1=f"{_WIDTH / 2:.0f}", y1=f"{_HEIGHT / 2:.0f}", x2=f"{x:.1f}", y2=f"{y:.1f}", class_="arc")
        for _, x, y in spots
    ]
    dots = [_dot(ref, x, y, _relation(ref, into, out), places) for ref, x, y in spots]
    middle = tag("circle", cx=f"{_WIDTH / 2:.0f}", cy=f"{_HEIGHT / 2:.0f}", r="8", class_="dot c0")
    label = f"{len(around)} documents linked with this one"
    size = f"0 0 {_WIDTH:.0f} {_HEIGHT + 20:.0f}"
    drawing = tag("svg", *arcs, middle, *dots, viewBox=size, role="group", aria_label=label)
    left = len(around) - len(drawn)
    more = tag("p", f"… and {left} more", class_="quiet") if left else None
    whole = tag("a", "In the whole graph", href=f"{places.view('graph')}#{places.anchor(here.path)}")
    return tag("section", tag("h2", "Around it"), drawing, more, tag("p", whole), class_="neighbours graph-small")


def _relation(ref: Ref, into: dict[Ref, None], out: dict[Ref, None]) -> str:
    if ref in into and ref in out:
        return "linked both ways"
    return "links here" if ref in into else "linked from here"


def _dot(ref: Ref, x: float, y: float, relation: str, places: Places) -> Markup:
    looks = {"links here": "c1", "linked from here": "c2"}.get(relation, "c3")
    name = ref.path.rpartition("/")[2]
    short = name if len(name) <= 34 else f"{name[:33]}…"
    circle = tag("circle", tag("title", f"{shown(ref)}: {relation}"), cx=f"{x:.1f}", cy=f"{y:.1f}", r="6")
    said = tag("text", short, x=f"{_WIDTH / 2:.0f}", y=f"{_HEIGHT + 12:.0f}", class_="label")
    return tag("a", circle, said, href=places.page(ref), class_=f"near {looks}", aria_label=f"{shown(ref)}: {relation}")
