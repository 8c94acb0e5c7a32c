"""The page: server-rendered HTML with small scripts of our own, for people who read.

Open libraries enter, routes for an ASGI app leave. Every view has an address and, with ``.json`` at its end, a twin as
data. Nothing of a document ever runs: what is shown is escaped or cleaned, and the policy in every answer's headers
forbids all but the page's own files.
"""

from pinakes.serve.web.page_state import PageState
from pinakes.serve.web.routes import lost, routes

__all__ = ["PageState", "lost", "routes"]
