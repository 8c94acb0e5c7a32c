"""The Model Context Protocol door: tools, resources and prompts over the libraries, on stdio and streamable HTTP.

Requests enter, one call of the library is made, its record leaves in the wire shape with a text that a model can read.
Importing this package loads nothing of the SDK: `serve_stdio` answers the first request while that is being loaded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from pinakes.serve.freshness import Freshness

__all__ = ["http_app", "serve_stdio"]


def serve_stdio(
    roots: Sequence[Path], arguments: Mapping[str, object], preset: str, *, do_watch: bool = True
) -> NoReturn:
    """Serve the protocol on standard input and output until the input ends; then the process ends."""
    from pinakes.serve.mcp.stdio import serve

    serve(roots, arguments, preset, do_watch=do_watch)


def http_app(
    freshness: Freshness, *, preset: str = "few", hosts: Sequence[str] = (), origins: Sequence[str] = ()
) -> Starlette:
    """Streamable HTTP as an app that answers at any path, to be put at one path; its lifespan must run.

    `hosts` and `origins` are what the headers may say, ``127.0.0.1:*`` and the like; without any, loopback only.
    """
    from pinakes.serve.mcp.http import make_app

    return make_app(freshness, preset=preset, hosts=hosts, origins=origins)
