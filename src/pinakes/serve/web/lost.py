"""A page for addresses that lead nowhere: what is wrong, documents with a name like it, and a search for its words.

An address and an error enter, a page leaves. Paths that do not exist cost one comparison with all that do.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response

from pinakes.errors import NotFound, PinakesError
from pinakes.fuzzy import FuzzyMatcher
from pinakes.html.markup import Markup, tag
from pinakes.serve.http.problems import problem_of, status_of
from pinakes.serve.web.frame import View, page, state
from pinakes.serve.web.page_request import html_of
from pinakes.serve.web.page_state import PageState
from pinakes.serve.web.places import Places

_MOST = 5
_ALIKE = 0.45
_LONGEST = 200
_OF_A_VIEW = re.compile(r"/in/[^/]+/(?:read|raw|map|branch|asset)/(.*)\Z", re.DOTALL)
_COMMANDS = re.compile(r"pinakes status --files[^.]*\.|Did you mean [^?]*\?")
"""Advice that the page says better: it has links."""


def wants_html(request: Request) -> bool:
    """Whether a person asks: a browser says that it takes HTML."""
    return request.method in ("GET", "HEAD") and "text/html" in request.headers.get("accept", "")


def trouble_page(shelf: PageState, name: str, request: Request, trouble: PinakesError) -> Response:
    """An error as a page, with near documents where something was not found."""
    if not shelf.libraries.names:  # there is no page without one
        return problem_of(trouble)
    status = status_of(trouble)
    known = name if name in shelf.libraries.names else shelf.libraries.names[0]
    places = Places(known, shelf.base_path)
    near = _near_html(shelf, known, places, request) if isinstance(trouble, NotFound) else None
    step = _COMMANDS.sub("", trouble.next_step).strip() if near else trouble.next_step
    heading = "Not here" if status == 404 else "That did not work"
    words = state(heading, tag("p", trouble.problem), tag("p", step, class_="quiet") if step else None, near)
    return html_of(page(View(heading, "trouble", words), places, shelf.libraries.names), status)


def _near_html(shelf: PageState, name: str, places: Places, request: Request) -> Markup | None:
    wanted = _wanted(request.url.path)
    if not wanted or not shelf.is_ready(name):
        return None
    rows = [tag("li", tag("a", path, href=places.read(path), class_="address")) for path in near(shelf, name, wanted)]
    words = " ".join(re.findall(r"\w+", PurePosixPath(wanted).stem))
    search = tag("p", tag("a", f"Search for “{words}”", href=places.search(query=words))) if words else None
    files = tag("p", tag("a", "All files", href=places.view("files")), " and their state.", class_="quiet")
    found = [tag("h2", "Near it"), tag("ul", *rows, class_="nearest")] if rows else []
    return tag("div", *found, search, files)


def near(shelf: PageState, name: str, wanted: str) -> list[str]:
    """Documents of a library with a path like `wanted`: of the same name elsewhere, then those spelled alike."""
    paths = [leaf.path for folder in shelf.tree(name).values() for leaf in folder.leaves]
    last = PurePosixPath(wanted).name.casefold()
    same = [path for path in paths if PurePosixPath(path).name.casefold() in (last, f"{last}.md")]
    matcher = FuzzyMatcher()
    alike = matcher.closest(wanted, paths, count=_MOST, at_least=_ALIKE)
    by_name = {PurePosixPath(path).name: path for path in reversed(paths)}
    called = [by_name[one] for one in matcher.closest(last, by_name, count=_MOST, at_least=0.7)]
    return list(dict.fromkeys((*same, *called, *alike)))[:_MOST]


def _wanted(path: str) -> str:
    """What an address names: a path of the library, or whatever stands there."""
    found = _OF_A_VIEW.match(path)
    return unquote(found[1] if found else path).removesuffix(".json").strip("/")[:_LONGEST]
