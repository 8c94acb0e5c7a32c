"""A short passage of Markdown as HTML, with what matched marked.

Pieces of text enter, markup leaves: words, lists, tables and code, and not one attribute, so nothing in it could lead
anywhere. Matches travel through the engine between two signs that no text may hold.
"""

from __future__ import annotations

from collections.abc import Iterable

import nh3
import pyromark

from pinakes.serve.web.clean import GONE
from pinakes.serve.web.markup import Markup, visible

_START, _END = "\ue000", "\ue001"
"""From Unicode's private area: to the engine they are letters, so no emphasis opens or closes because of them."""
_TAGS = frozenset(
    """b blockquote br code del dd dl dt em h1 h2 h3 h4 h5 h6 hr i kbd li ol p pre s strong sub sup table tbody td th
    thead tr ul""".split()  # noqa: SIM905 - thirty words in a list would fill the screen
)
_ENGINE = pyromark.Markdown(options=pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_STRIKETHROUGH)


def snippet_html(pieces: Iterable[tuple[str, bool]]) -> Markup:
    """Pieces of a passage, each with whether it matched, drawn as one text."""
    signed = "".join(f"{_START}{_bare(words)}{_END}" if is_match else _bare(words) for words, is_match in pieces)
    drawn = _clean(_ENGINE.html(visible(signed)), _TAGS)
    marked = drawn.replace(_START, "<mark>").replace(_END, "</mark>")
    return Markup(_clean(marked, _TAGS | {"mark"}))  # once more: a match may begin in one element and end in another


def _clean(made: str, tags: frozenset[str]) -> str:
    return nh3.clean(made, tags=set(tags), attributes={}, clean_content_tags=set(GONE), link_rel=None)


def _bare(words: str) -> str:
    return words.replace(_START, "").replace(_END, "")
