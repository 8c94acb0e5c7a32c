"""One request at one library, and what its answer is made of.

Views ask it for what they need and return records or markup; responses go out with headers that say what a browser may
do. The page may load its own scripts, styles and pictures and nothing else; a document's drawing may load and run
nothing at all.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from pinakes.html.markup import Markup, tag
from pinakes.html.scripts import DIAGRAMS, scripts_of
from pinakes.library import Library
from pinakes.render import dumps, wire
from pinakes.serve.web.frame import View, page
from pinakes.serve.web.page_state import PageState
from pinakes.serve.web.places import Places, asked_path
from pinakes.serve.web.tree import branch

_PAGE_POLICY = (
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
)
_FRAMING = "frame-src 'self'"
"""Added where a document has a diagram; that is drawn in a frame."""
_FRAMED_POLICY = ("sandbox allow-scripts", "frame-ancestors 'self'")
"""A page for a frame of ours brings its own policy, which allows its one script. It has no origin and no network."""
_ASSET_POLICY = ("default-src 'none'", "style-src 'unsafe-inline'", "sandbox", "frame-ancestors 'none'")
"""A drawing may carry its own style. With `sandbox` it has no origin and no scripts, also when opened by itself."""

# The guard in front of every route adds what is the same for all answers.
PAGE_HEADERS: Mapping[str, str] = {"Content-Security-Policy": "; ".join(_PAGE_POLICY), "Cache-Control": "no-cache"}
ASSET_HEADERS: Mapping[str, str] = {"Content-Security-Policy": "; ".join(_ASSET_POLICY), "Cache-Control": "no-cache"}
FRAMED_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "; ".join(_FRAMED_POLICY),
    "Cache-Control": "no-cache",
    "X-Frame-Options": "SAMEORIGIN",
}


class PageRequest(Struct, frozen=True):
    """One request at one library."""

    request: Request
    state: PageState
    library: Library
    places: Places
    is_data: bool
    """Whether the twin is asked for."""
    note: str
    """What a reader should know about freshness."""

    @property
    def is_part(self) -> bool:
        """Whether the page's script asks for the hits alone, to put them into the page it has."""
        return self.request.query_params.get("part") == "hits"

    def path(self, view: str) -> str:
        """What the address names below a view, without the twin's ending."""
        asked = asked_path(self.request, view)
        return asked.removesuffix(".json") if self.is_data else asked

    def tree(self, current: str = "") -> Markup:
        """The map for the left column."""
        tree = self.state.tree(self.places.library)
        return tag("div", branch(tree, self.places, "", current), class_="tree", data_tree=True)


def page_of(desk: PageRequest, view: View, question: str = "") -> Response:
    """A view as a whole page."""
    answer = html_of(page(view, desk.places, desk.state.libraries.names, question))
    if DIAGRAMS in scripts_of(view.main):
        answer.headers["Content-Security-Policy"] = "; ".join((*_PAGE_POLICY, _FRAMING))
    return answer


def html_of(markup: Markup, status: int = 200) -> Response:
    """Markup as an answer."""
    return Response(markup, status, PAGE_HEADERS, "text/html")


def data_of(record: object) -> Response:
    """A record as a twin."""
    return Response(dumps(wire(record)), 200, PAGE_HEADERS, "application/json")
