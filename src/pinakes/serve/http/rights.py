"""What a token must allow for each route: what the request needs that the route takes.

A method and a path enter, a scope leaves. The table of requests says what each of them needs; here stands only which
route takes which request. A route that is not here needs everything, unless it is a GET: nothing is written by one.
"""

from __future__ import annotations

from collections.abc import Mapping

from pinakes.access import TokenScope
from pinakes.serve.http.endpoints import QUESTIONS
from pinakes.serve.http.notes import NOTES
from pinakes.serve.requests.managing import ListModels, SelectModel, SyncRequest
from pinakes.serve.requests.parameters import Request
from pinakes.serve.requests.questions import MapView, SearchRequest

REQUESTS: Mapping[tuple[str, str], type[Request]] = {
    **{(one.method, one.path): one.kind for one in (*QUESTIONS, *NOTES)},
    ("POST", "/search/stream"): SearchRequest,
    ("POST", "/query_documents_stream"): SearchRequest,
    ("GET", "/map"): MapView,
    ("GET", "/status"): Request,
    ("GET", "/models"): ListModels,
    ("POST", "/model"): SelectModel,
    ("POST", "/sync"): SyncRequest,
}
"""By method and path, the request that a route takes."""
_PROTOCOL = "/mcp"
"""Every call of a tool is looked at again, see `McpHandlers`."""
_ALIVE = ("/health", "/ready")
"""They say that the server answers, and whether it can; so whoever distributes requests may ask without a token."""
_PRIVATE, _OPEN = "/work/", ("/work/static/", "/work/enter")
"""What is said in a workspace is nobody else's business, so its paths need everything also where they only read, but
for the page's own files. Who enters shows a ticket."""


def needed(method: str, path: str) -> TokenScope | None:
    """What a token must allow; None where nobody needs one."""
    method = "GET" if method == "HEAD" else method
    if (request := REQUESTS.get((method, path))) is not None:
        return request.needs
    if method == "GET" and path in _ALIVE:
        return None
    if path == _PROTOCOL or path.startswith(_OPEN):
        return TokenScope.READ
    return TokenScope.READ if method == "GET" and not path.startswith(_PRIVATE) else TokenScope.ADMIN
