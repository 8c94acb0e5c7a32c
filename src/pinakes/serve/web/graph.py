"""The link graph: the drawing, and the same in words.

A laid-out picture and its drawing enter, markup leaves. The drawing is our own, escaped where it was made; its style is
taken out, because the page's policy allows none inside, and stands in the page's style file instead.
"""

from __future__ import annotations

import re

from pinakes.records.picture import Picture
from pinakes.serve.web.markup import Markup, join, tag
from pinakes.serve.web.places import Places

_STYLE = re.compile(r"<style>.*?</style>\n?", re.DOTALL)
_MOST_NAMED = 25


def graph_html(layout: Picture, drawing: str, places: Places) -> Markup:
    """The drawing in the page, and the most cited documents as a list for those who cannot see it."""
    drawn = Markup(_STYLE.sub("", drawing, count=1))
    figure = tag(
        "figure", drawn, class_="graph", tabindex="0", aria_label="The link graph; the list below says it in words"
    )
    named = [dot for dot in layout.dots if dot.cited][:_MOST_NAMED]
    rows = [
        tag(
            "li",
            tag("a", dot.title or dot.path, href=places.read(dot.path), title=dot.path),
            " ",
            tag("span", f"{dot.cited:,}", class_="count", title=f"linked from {dot.cited:,} sections"),
            class_="row",
        )
        for dot in named
    ]
    words = tag("ol", *rows) if rows else tag("p", "No document links to another yet.", class_="quiet")
    hint = tag(
        "p", "A document is as large as it is cited; a colour is a group that links among itself.", class_="quiet"
    )
    return join(tag("h1", "Graph"), hint, figure, tag("section", tag("h2", "Most cited"), words, class_="cited-list"))
