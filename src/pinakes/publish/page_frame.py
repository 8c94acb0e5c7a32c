"""The frame of a published page: head, title, search box, columns.

Parts of a page enter, its bytes leave. Its policy allows no script, or where the text needs one those that are
published beside the style: whatever is in a document cannot run. Links are relative, so that the page works from any
address and from a disk.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from pinakes.html.markup import Markup, join, tag
from pinakes.html.scripts import DIAGRAMS
from pinakes.publish.material import Material
from pinakes.publish.names import href, joined
from pinakes.publish.searching import PAGE
from pinakes.publish.site import INDEX_PAGE

OWN_FILES = "_pages"
STYLE = f"{OWN_FILES}/site.css"
POLICY = (
    "default-src 'none'; style-src 'self' file:; img-src 'self' file: data:; form-action 'self' file:; base-uri 'none'"
)
_SCRIPT_POLICY, _FRAME_POLICY = "; script-src 'self' file:", "; frame-src 'self' file:"
_NAV, _TEXT = "pk-contents", "pk-text"


class SitePage(Struct, frozen=True):
    """A page before its frame is around it."""

    title: str
    place: str
    main: Markup
    left: Markup | None = None
    """The navigation."""
    right: Markup | None = None
    """The margin."""
    language: str = "en"
    description: str = ""
    before: str = ""
    """The place of the page before; empty for none."""
    after: str = ""
    scripts: tuple[str, ...] = ()
    """Files of scripts that its text needs, the one to load first; most pages need none."""
    anywhere: bool = False
    """Whether it is shown at any address, as the page for what is not there: links must say the whole of it."""


class PageFrame:
    """What is the same on every page of a site."""

    def __init__(self, material: Material) -> None:
        self.title = material.site_title
        self.base_url = material.options.base_url
        self.logo = joined(OWN_FILES, material.logo[0]) if material.logo else ""
        self._start = INDEX_PAGE

    @property
    def inputs(self) -> tuple[str, ...]:
        """All that pages depend on."""
        return self.title, self.base_url, self.logo

    def page(self, page: SitePage) -> bytes:
        """The whole page."""
        columns = [
            tag("nav", page.left, class_="left", id=_NAV, aria_label="Contents") if page.left else None,
            tag("main", page.main, class_="middle", id=_TEXT, tabindex="-1"),
            tag("aside", page.right, class_="right", aria_label="About this page") if page.right else None,
        ]
        shape = " ".join(name for name, part in (("has-left", page.left), ("has-right", page.right)) if part)
        body = tag(
            "body",
            tag("a", "To the text", href=f"#{_TEXT}", class_="skip"),
            self._top(page),
            tag("div", *columns, class_=f"room {shape}".strip()),
            class_="site",
        )
        made = f"<!doctype html>\n{tag('html', self._head(page), body, lang=page.language or 'en')}\n"
        return made.encode("utf-8", "backslashreplace")

    def _to(self, page: SitePage, place: str) -> str:
        return href(place, page.place.rpartition("/")[0], self.base_url if page.anywhere else "")

    def _head(self, page: SitePage) -> Markup:
        title = page.title if page.title == self.title else f"{page.title} · {self.title}"
        neighbours = [("prev", page.before), ("next", page.after)]
        has_address = self.base_url.startswith(("http://", "https://")) and not page.anywhere
        return tag(
            "head",
            tag("meta", charset="utf-8"),
            Markup(f'<meta http-equiv="Content-Security-Policy" content="{_policy(page.scripts)}">'),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="color-scheme", content="light dark"),
            tag("meta", name="referrer", content="no-referrer"),
            tag("title", title),
            tag("meta", name="description", content=page.description) if page.description else None,
            tag("link", rel="stylesheet", href=self._to(page, STYLE)),
            # Without one browsers ask the server for an icon that is not there.
            tag("link", rel="icon", href=self._to(page, self.logo) if self.logo else "data:,"),
            tag("link", rel="canonical", href=address(page.place, self.base_url)) if has_address else None,
            *(tag("link", rel=name, href=self._to(page, place)) for name, place in neighbours if place),
            tag("script", src=self._to(page, joined(OWN_FILES, page.scripts[0])), defer=True) if page.scripts else None,
        )

    def _top(self, page: SitePage) -> Markup:
        logo = tag("img", src=self._to(page, self.logo), alt="", class_="logo") if self.logo else None
        box = tag("input", type="search", name="q", placeholder="Search", aria_label="Search", autocomplete="off")
        form = tag("form", box, tag("button", "Search"), action=self._to(page, PAGE), method="get", role="search")
        to_nav = tag("a", "Contents", href=f"#{_NAV}", class_="to-contents") if page.left else None
        mark = tag("a", join(logo, self.title), href=self._to(page, self._start), class_="mark")
        return tag("header", mark, form, to_nav, class_="top")


def _policy(scripts: Sequence[str]) -> str:
    """What a browser may do on a page: nothing runs where no script is needed."""
    return f"{POLICY}{_SCRIPT_POLICY if scripts else ''}{_FRAME_POLICY if DIAGRAMS in scripts else ''}"


def address(place: str, base_url: str) -> str:
    """The one address of a page: that of its folder for the page of a folder."""
    folder, _, name = place.rpartition("/")
    if name != INDEX_PAGE:
        return href(place, "", base_url)
    return href(f"{folder}/", "", base_url) if folder else f"{base_url.rstrip('/')}/"
