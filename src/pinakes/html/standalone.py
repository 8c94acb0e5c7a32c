"""A web page of somebody else's without anything that acts, as a file of its own.

HTML as found enters; a page leaves that a browser may open on any host: no scripts, handlers, forms or frames, and no
style; what it loads are pictures that lie beside it.
"""

from __future__ import annotations

import nh3

from pinakes.html.clean import ATTRIBUTES, DEEPEST, GONE, TAGS, depth_of
from pinakes.html.markup import text

_MORE = frozenset("address article aside header hgroup main section figure dl wbr".split())  # noqa: SIM905
_POLICY = "default-src 'none'; img-src 'self'; base-uri 'none'; form-action 'none'"
_NESTED = "<p>This page is nested too deeply to be shown.</p>"


def inert_page(html: str, title: str) -> bytes:
    """The page with what its readers read, its ids and its links."""
    body = _NESTED if depth_of(html) > DEEPEST else _cleaned(html)
    return (
        f'<!doctype html>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>{text(title)}</title>\n{body}\n"
    ).encode("utf-8", "replace")


def _cleaned(html: str) -> str:
    attributes = {element: set(names) for element, names in ATTRIBUTES.items()}
    attributes["*"] = {"id", "lang", "dir"}
    return nh3.clean(
        html,
        tags={*TAGS, *_MORE},
        clean_content_tags=set(GONE),
        attributes=attributes,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
    )
