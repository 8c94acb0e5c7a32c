"""What stands around the text of a published page: folders, contents, what points here, what is near, what comes next.

Places and titles enter, markup leaves; every link is relative to the page it stands on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from pinakes.html.markup import Markup, join, tag
from pinakes.publish.names import href, joined, shown
from pinakes.publish.part import digest_of
from pinakes.publish.site import PageAt, SitePlaces
from pinakes.publish.topics import Topic
from pinakes.records import Document, Layout
from pinakes.render import one_line

_MOST_ROWS = 150
"""Pages of one folder in the navigation; the folder's own page lists all."""
_BLOCK = 100
"""Folders of one folder in the navigation, those around the page that is shown."""
_MOST_LINKS = 30
_MOST_SECTIONS = 200
_LONGEST = 120


class NamedLink(Struct, frozen=True):
    """Where a link leads, and what it is called."""

    place: str
    title: str
    anchor: str = ""
    about: str = ""
    """What stands below it in small."""


class PageTree:
    """All folders of a site."""

    def __init__(self, topics: Sequence[Topic], site: SitePlaces) -> None:
        self._topics = {topic.path: topic for topic in topics}
        self._site = site
        self._pages: dict[int, list[NamedLink]] = {}
        for page in site.pages.values():
            self._pages.setdefault(page.topic, []).append(NamedLink(page.place, page.title))
        self._numbers = {topic.path: number for number, topic in enumerate(topics)}
        self._folders: dict[str, list[tuple[str, NamedLink]]] = {}
        self._places: dict[str, dict[str, int]] = {}
        self._digests: dict[tuple[str, int], str] = {}
        self._drawn: dict[str, Markup] = {}

    def drawn(self, path: str) -> Markup:
        """The navigation of a folder, drawn once for all of its pages."""
        if path not in self._drawn:
            self._drawn = {path: _drawn(self, path, self._topics[path].place)}
        return self._drawn[path]

    def above(self, path: str) -> list[NamedLink]:
        """The folders on the way to one, the top left out, itself the last."""
        parts = path.split("/") if path else []
        paths = ["/".join(parts[: depth + 1]) for depth in range(len(parts))]
        return [NamedLink(self._site.folders.get(one, ""), shown(one.rpartition("/")[2])) for one in paths]

    def page_of(self, path: str) -> str:
        """The page of a folder; empty where it has none."""
        return self._site.folders.get(path, "")

    def pages(self, path: str) -> list[NamedLink]:
        """The pages of a folder, without the one that speaks for it."""
        front = self._site.folders.get(path)
        return [one for one in self._pages.get(self._numbers[path], []) if one.place != front]

    def folders(self, path: str) -> list[tuple[str, NamedLink]]:
        """The folders directly in one, with their paths."""
        if path not in self._folders:
            below = [self._topics[inner] for inner, _ in self._topics[path].below]
            found = [(one.path, NamedLink(self._site.folders.get(one.path, ""), one.title)) for one in below]
            self._folders[path] = found
            self._places[path] = {inner: place for place, (inner, _) in enumerate(found)}
        return self._folders[path]

    def first_shown(self, level: str, path: str) -> int:
        """Of the folders in `level`, the first one that is shown around the folder `path`. A thousand are not shown on
        each of their pages: they are parted into blocks, and the block is shown on the way to it."""
        self.folders(level)
        parts = path.split("/") if path else []
        depth = level.count("/") + 1 if level else 0
        place = self._places[level].get("/".join(parts[: depth + 1]), 0) if depth < len(parts) else 0
        return place - place % _BLOCK

    def digest(self, path: str) -> str:
        """Of everything that the navigation of a folder shows."""
        parts = path.split("/") if path else []
        levels = ["", *("/".join(parts[: depth + 1]) for depth in range(len(parts)))]
        listed = [(one.place, one.title) for one in self.pages(path)]
        blocks = [self._digest_of_block(level, self.first_shown(level, path)) for level in levels]
        return digest_of(listed, blocks, [(one.place, one.title) for one in self.above(path)])

    def _digest_of_block(self, level: str, first: int) -> str:
        if (level, first) not in self._digests:
            held = self.folders(level)
            rows = [(name, one.place, one.title) for name, one in held[first : first + _BLOCK]]
            self._digests[level, first] = digest_of(rows, len(held), self._site.folders.get(level, ""))
        return self._digests[level, first]


def navigation(tree: PageTree, path: str, page: str) -> Markup:
    """The folders around the folder `path`, open down to it, with its pages; `page` is the one that is shown."""
    drawn = tree.drawn(path)
    here = tag("a", href=href(page, page.rpartition("/")[0], "")).removesuffix("></a>")
    return Markup(drawn.replace(f"{here}>", f'{here} aria-current="page">'))


def _drawn(tree: PageTree, path: str, home: str) -> Markup:
    """Shared by all pages of a folder, whose links begin in `home`."""

    def row(link: NamedLink, inner: Markup | None = None) -> Markup:
        words = one_line(link.title, _LONGEST) or link.place
        name = tag("a", words, href=href(link.place, home, "")) if link.place else tag("span", words)
        return tag("li", name, inner)

    def level(at: str) -> Markup:
        rows: list[Markup | None] = []
        if at == path:
            pages = tree.pages(at)
            rows += [row(one) for one in pages[:_MOST_ROWS]]
            rows.append(others(len(pages) - _MOST_ROWS, "page", at))
        folders, first = tree.folders(at), tree.first_shown(at, path)
        rows.append(others(first, "folder", at))
        for inner, link in folders[first : first + _BLOCK]:
            is_open = inner == path or path.startswith(f"{inner}/")
            rows.append(row(link, level(inner) if is_open else None))
        rows.append(others(len(folders) - first - _BLOCK, "folder", at))
        return tag("ul", *rows) if any(rows) else Markup("")

    def others(count: int, what: str, at: str) -> Markup | None:
        """How many are not shown, as the way to the page of their folder, which lists all."""
        if count <= 0:
            return None
        words, place = f"and {count:,} more {what}{'' if count == 1 else 's'}", tree.page_of(at)
        return tag("li", tag("a", words, href=href(place, home, "")) if place else words, class_="quiet")

    return level("")


def crumbs(tree: PageTree, path: str, page: str, title: str, start: str) -> Markup:
    """The way from the start to a page."""
    home = page.rpartition("/")[0]
    steps = [NamedLink(start, title), *tree.above(path)]
    steps = [one for one in steps if one.place != page]
    parts = [
        tag("li", tag("a", one.title, href=href(one.place, home, "")) if one.place else tag("span", one.title))
        for one in steps
    ]
    return tag("nav", tag("ol", *parts), class_="crumbs", aria_label="Folders") if parts else Markup("")


def on_this_page(document: Document) -> Markup | None:
    """The sections of a document."""
    sections = [one for one in document.sections[1:] if one.anchor]
    if len(sections) < 2 or document.stamp.media.layout is Layout.DRAWING:
        return None
    rows = [
        tag(
            "li",
            tag("a", section.title or section.anchor, href=f"#{section.anchor}"),
            class_=f"row depth-{min(section.level, 6)}",
        )
        for section in sections[:_MOST_SECTIONS]
    ]
    return tag("section", tag("h2", "On this page"), tag("ul", *rows, class_="outline"), class_="on-page")


def link_list(heading: str, links: Sequence[NamedLink], page: str) -> Markup | None:
    """A titled list of links; nothing when there are none."""
    if not links:
        return None
    home = page.rpartition("/")[0]
    rows = [_linked(one, home) for one in links[:_MOST_LINKS]]
    if len(links) > _MOST_LINKS:
        rows.append(tag("li", f"and {len(links) - _MOST_LINKS:,} more", class_="quiet"))
    return tag("section", tag("h2", heading), tag("ul", *rows), class_="links")


def neighbours(before: PageAt | None, after: PageAt | None, page: str) -> Markup | None:
    """The pages before and after this one."""
    home = page.rpartition("/")[0]
    parts = [
        tag(
            "a",
            tag("small", word),
            " ",
            one_line(one.title, _LONGEST),
            href=href(one.place, home, ""),
            rel=rel,
            class_=rel,
        )
        for word, rel, one in (("Previous", "prev", before), ("Next", "next", after))
        if one is not None
    ]
    return tag("nav", *parts, class_="neighbours", aria_label="Previous and next page") if parts else None


def folder_list(tree: PageTree, path: str, page: str) -> Markup:
    """All that is in a folder, for its own page."""
    home = page.rpartition("/")[0]
    folders = [tag("li", _anchor(one, home)) for _, one in tree.folders(path)]
    pages = [tag("li", _anchor(one, home)) for one in tree.pages(path)]
    return join(tag("ul", *pages, class_="listing") if pages else None, _folders(folders))


def _folders(rows: Iterable[Markup]) -> Markup | None:
    held = list(rows)
    return join(tag("h2", "Folders"), tag("ul", *held, class_="listing")) if held else None


def _linked(link: NamedLink, home: str) -> Markup:
    return tag("li", _anchor(link, home), tag("p", link.about, class_="around") if link.about else None)


def _anchor(link: NamedLink, home: str) -> Markup:
    words = one_line(link.title, _LONGEST) or link.place
    return tag("a", words, href=page_href(link.place, link.anchor, home)) if link.place else tag("span", words)


def page_href(place: str, anchor: str, home: str) -> str:
    """The link to a section of a page."""
    from urllib.parse import quote

    where = href(place, home, "")
    return f"{where}#{quote(anchor, safe='-_.~', errors='surrogatepass')}" if anchor else where


def start_of(site: SitePlaces) -> str:
    """The page to begin with; its owner's own, where there is one."""
    return site.folders.get("", joined("", "index.html"))
