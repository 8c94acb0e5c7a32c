"""One request at one library, and what its answer is made of.

Views ask it for what they need and leave records or markup; responses go out, under the page's policy.
"""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from pinakes.library import Library
from pinakes.render import dumps, wire
from pinakes.serve.web import policy
from pinakes.serve.web.frame import View, page
from pinakes.serve.web.markup import Markup, tag
from pinakes.serve.web.page_state import PageState
from pinakes.serve.web.places import Places, asked_path
from pinakes.serve.web.tree import branch


@dataclass(frozen=True, slots=True)
class PageRequest:
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
    return html_of(page(view, desk.places, desk.state.libraries.names, question))


def html_of(made: Markup, status: int = 200) -> Response:
    """Markup as an answer."""
    return Response(made, status, policy.PAGE, "text/html")


def data_of(record: object) -> Response:
    """A record as a twin."""
    return Response(dumps(wire(record)), 200, policy.PAGE, "application/json")
