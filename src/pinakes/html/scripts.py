"""Which scripts does a drawn text need?

Markup enters, names of files of this room leave. Every text can be read without any of them: then tabs stand one after
another, and diagrams and formulas as they are written.
"""

from __future__ import annotations

from pinakes.html.markup import Markup

DIAGRAM, FORMULA = "diagram", "formula"
"""The classes of the texts of diagrams and formulas."""
ACTING, DIAGRAMS, FORMULAS = "document.js", "diagram.html", "formulas.js"
"""Tabs, copy buttons and what loads the other two; the frame that draws diagrams; what draws formulas."""
PROSE = '<div class="prose">'
"""How a text that was drawn begins."""
_SIGNS = {FORMULAS: f'<code class="{FORMULA}', DIAGRAMS: f'<pre class="{DIAGRAM}"'}


def scripts_of(drawn: Markup) -> tuple[str, ...]:
    """The files that it needs, the one to load first; most texts without code need none."""
    if PROSE not in drawn:
        return ()
    others = [name for name, sign in _SIGNS.items() if sign in drawn]
    return (ACTING, *others) if others or "<pre" in drawn or ' class="tab"' in drawn else ()
