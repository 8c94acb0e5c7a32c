"""The room around every view: title, search box, ways to go, and three columns.

Parts of a view enter, a whole page leaves. There is no script and no style in it but files of our own.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from pinakes.html.markup import Markup, MarkupPart, join, tag
from pinakes.html.scripts import ACTING, scripts_of
from pinakes.serve.requests.parameters import LONGEST_TEXT
from pinakes.serve.web.places import Places

_KEYS = (
    ("Ctrl K", "ask from anywhere: all libraries, recent questions, views"),
    ("/", "to the search box"),
    ("↓ ↑", "move through hits or the tree"),
    ("Enter", "open"),
    ("← →", "fold and unfold in the tree"),
    ("m", "map"),
    ("g", "graph"),
    ("h", "history"),
    ("r", "memories: what is remembered"),
    ("f", "files"),
    ("a", "manage: add, remember, sync"),
    ("t", "light or dark"),
    ("x", "figures for experts: votes, tokens, times"),
    ("?", "this help"),
    ("Esc", "close, or leave the box"),
)
_WAYS = (("map", "m"), ("graph", "g"), ("history", "h"), ("memories", "r"), ("files", "f"), ("manage", "a"))
"""The views one can always go to, and their keys."""


class View(Struct, frozen=True):
    """What one view puts into the room."""

    title: str
    name: str
    """search, everywhere, read, map, graph, history, memories, files, manage or trouble."""
    main: Markup
    left: Markup | None = None
    right: Markup | None = None
    twin: str = ""
    """The address of the same as data."""


def page(view: View, places: Places, libraries: Sequence[str], question: str = "") -> Markup:
    """The whole page of a view."""
    columns = [
        tag("nav", view.left, class_="left", aria_label="Map") if view.left else None,
        tag("main", view.main, class_="middle", id="pk-main", tabindex="-1"),
        tag("aside", view.right, class_="right", aria_label="Margin") if view.right else None,
    ]
    body = tag(
        "body",
        tag("a", "To the text", href="#pk-main", class_="skip"),
        _header(view, places, libraries, question),
        tag("div", *columns, class_=f"room {_shape(view)}"),
        _help(),
        class_=f"view-{view.name}",
        data_base=places.base,
        data_root=places.base_path,
        data_library=places.library,
        data_everywhere=places.everywhere(),
    )
    return Markup(f"<!doctype html>\n{tag('html', _head(view, places), body, lang='en')}")


def _shape(view: View) -> str:
    return " ".join(name for name, part in (("has-left", view.left), ("has-right", view.right)) if part)


def _head(view: View, places: Places) -> Markup:
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{view.title} · Pinakes"),
        tag("link", rel="icon", href=places.own("icon.svg"), type="image/svg+xml"),
        tag("link", rel="stylesheet", href=places.own("page.css")),
        tag("link", rel="stylesheet", href=places.own("document.css")) if view.name == "read" else None,
        tag("link", rel="alternate", type="application/json", href=view.twin) if view.twin else None,
        tag("script", src=places.own("theme.js")),
        tag("script", src=places.own("page.js"), type="module"),
        tag("script", src=places.own(ACTING), defer=True) if scripts_of(view.main) else None,
    )


def _header(view: View, places: Places, libraries: Sequence[str], question: str) -> Markup:
    is_everywhere = view.name == "everywhere"
    box = tag(
        "input",
        type="search",
        name="query",
        value=question,
        placeholder="Search all libraries" if is_everywhere else "Search the library",
        aria_label="Search all libraries" if is_everywhere else "Search the library",
        aria_keyshortcuts="/",
        autocomplete="off",
        spellcheck="false",
        maxlength=LONGEST_TEXT,
        autofocus=view.name == "search" and not question,
    )
    form = tag(
        "form",
        box,
        tag("button", "Search"),
        tag(
            "button",
            tag("kbd", "Ctrl K"),
            tag("span", " Ask from anywhere", class_="unseen"),
            type="button",
            class_="anywhere",
            data_palette=True,
            aria_keyshortcuts="Control+K Meta+K",
        ),
        action=places.everywhere() if is_everywhere else places.search(),
        method="get",
        role="search",
        id="pk-search",
    )
    ways = [_way(view, places, name, key) for name, key in _WAYS]
    theme = tag("button", "Light/dark", type="button", class_="theme", data_theme_switch=True, aria_keyshortcuts="t")
    keys = tag("button", "?", type="button", class_="keys", data_help=True, aria_label="Keys", aria_keyshortcuts="?")
    return tag(
        "header",
        tag("a", "Pinakes", href=places.search(), class_="mark"),
        _choice(view, places, libraries),
        form,
        tag("nav", *ways, theme, keys, class_="ways", aria_label="Views"),
        class_="top",
    )


def _way(view: View, places: Places, name: str, key: str) -> Markup:
    here = "page" if view.name == name else None
    return tag("a", name.capitalize(), href=places.view(name), aria_current=here, aria_keyshortcuts=key)


def _choice(view: View, places: Places, libraries: Sequence[str]) -> Markup | None:
    """A menu of the libraries, where there are several, and of all of them at once."""
    if len(libraries) < 2:
        return None
    here = "" if view.name == "everywhere" else places.library
    others = [
        tag("a", name, href=places.beside(name).search(), aria_current="true" if name == here else None)
        for name in libraries
    ]
    everywhere = tag(
        "a", "All libraries", href=places.everywhere(), aria_current=None if here else "true", class_="everywhere"
    )
    names = tag("nav", *others, everywhere, aria_label="Libraries")
    return tag("details", tag("summary", here or "All libraries"), names, class_="libraries menu")


def _help() -> Markup:
    rows = [join(tag("dt", tag("kbd", key)), tag("dd", meaning)) for key, meaning in _KEYS]
    close = tag("form", tag("button", "Close"), method="dialog")
    return tag("dialog", tag("h2", "Keys"), tag("dl", *rows), close, class_="help", aria_label="Keys")


def state(heading: str, *words: MarkupPart) -> Markup:
    """A view that has nothing to show says so in words."""
    return tag("div", tag("h1", heading), *words, class_="state")
