"""The pages of documents and folders, drawn: by whoever publishes, or by workers for it, each with a reader of its own.

What pages have in common enters once, as a record that can be sent to another process; then paths of documents enter,
and the files of their pages leave. Nothing here knows what is written or what has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from pinakes.html.document import document_html, shows_title
from pinakes.html.markup import Markup, join, tag
from pinakes.html.scripts import scripts_of
from pinakes.html.targets import PICTURES, Targets
from pinakes.ports import Reader
from pinakes.publish.linked_files import FileRules
from pinakes.publish.material import removed_meanwhile
from pinakes.publish.names import ending, href, shown
from pinakes.publish.page_frame import PageFrame, SitePage
from pinakes.publish.page_lists import (
    NamedLink,
    PageTree,
    crumbs,
    folder_list,
    link_list,
    navigation,
    neighbours,
    on_this_page,
    page_href,
    start_of,
)
from pinakes.publish.part import SCRIPTS, PartFiles
from pinakes.publish.related import Near
from pinakes.publish.site import PageAt, SitePlaces
from pinakes.publish.topics import Topic
from pinakes.records import Document, Edge, LinkForm, Ref
from pinakes.render import Json, one_line

_EXPLICIT = frozenset((LinkForm.LINK, LinkForm.IMAGE, LinkForm.WIKILINK, LinkForm.EMBED, LinkForm.HTML))
"""Forms in which somebody means to show a file. A path that is only mentioned publishes nothing."""
_LONGEST = 300


class SharedByPages(Struct, frozen=True):
    """What all pages are drawn from, besides their documents."""

    corpus: str
    site: SitePlaces
    topics: tuple[Topic, ...]
    """Without their members."""
    frame: PageFrame
    files: FileRules
    citing: Mapping[str, Sequence[str]]
    """For each document the paths of those that link to it, each once."""
    near: Near
    """For the place of each page the sections elsewhere that are near to it."""


class PageDrawing:
    """Draws the pages of a site."""

    def __init__(self, shared: SharedByPages, reader: Reader) -> None:
        self.tree = PageTree(shared.topics, shared.site)
        self._shared = shared
        self._site = shared.site
        self._frame = shared.frame
        self._reader = reader
        self._order = list(shared.site.pages.values())
        self._numbers = {page.path: number for number, page in enumerate(self._order)}
        self._titles = {page.place: page.title for page in self._order}

    def neighbours(self, path: str) -> tuple[PageAt | None, PageAt | None]:
        """The pages before and after that of a document."""
        number = self._numbers[path]
        before = self._order[number - 1] if number else None
        after = self._order[number + 1] if number + 1 < len(self._order) else None
        return before, after

    def backlinks(self, path: str) -> list[NamedLink]:
        """The pages that link to that of a document."""
        pages, citing = self._site.pages, self._shared.citing.get(path, ())
        return [NamedLink(pages[one].place, pages[one].title) for one in citing if one in pages]

    def related(self, path: str) -> list[NamedLink]:
        """Sections of other pages that are near to a document."""
        found = []
        for place, anchor, title in self._shared.near.get(self._site.pages[path].place, ()):
            whole = one_line(self._titles.get(place, ""), _LONGEST)
            found.append(NamedLink(place, title, anchor, "" if title == whole else whole))
        return found

    def pages(self, paths: Sequence[str]) -> Iterator[PartFiles]:
        """The pages of documents, in that order; raises `NotFound` for one that is gone."""
        for path in paths:
            document = self._reader.document(Ref(self._shared.corpus, path))
            if document is None:
                raise removed_meanwhile(path)
            yield self._page(document)

    def _page(self, document: Document) -> PartFiles:
        page = self._site.pages[document.ref.path]
        topic = self._shared.topics[page.topic]
        edges = tuple(self._reader.edges(document.ref.corpus, origin=document.ref))
        places = _PageLinks(self._site, self._shared.files, page.place, edges)
        body = document_html(document, Targets.of(edges, places))
        before, after = self.neighbours(page.path)
        is_front = page.place == self._site.folders.get(topic.path)
        main = join(
            tag("article", self._head(document, topic, page.place), body, class_="reader"),
            self._inside(topic, page.place) if is_front else None,
            neighbours(before, after, page.place),
        )
        right = join(
            on_this_page(document),
            link_list("Related", self.related(page.path), page.place),
            link_list("Linked from", self.backlinks(page.path), page.place),
            self._source(document, page),
        )
        made = SitePage(
            title=one_line(document.title, _LONGEST),
            place=page.place,
            main=main,
            left=navigation(self.tree, topic.path, page.place),
            right=right,
            language=document.metadata.language,
            description=one_line(document.metadata.description, _LONGEST),
            before=before.place if before else "",
            after=after.place if after else "",
            scripts=scripts_of(body),
        )
        facts: dict[str, Json] = {
            name: [*sorted(self._site.files[path] for path in held)]
            for name, held in (("files", places.used), ("left_out", places.refused))
        }
        if made.scripts:
            facts[SCRIPTS] = [*made.scripts]
        return PartFiles(((page.place, self._frame.page(made)),), facts)

    def _head(self, document: Document, topic: Topic, place: str) -> Markup:
        metadata = document.metadata
        title = None if shows_title(document) else tag("h1", document.title)
        facts = " · ".join(part for part in (metadata.author, metadata.modified or metadata.created) if part)
        return tag(
            "header",
            crumbs(self.tree, topic.path, place, self._frame.title, start_of(self._site)),
            title,
            tag("p", metadata.description, class_="description") if metadata.description else None,
            tag("p", facts, class_="quiet") if facts else None,
            class_="about",
        )

    def _inside(self, topic: Topic, place: str) -> Markup | None:
        """What else is in the folder that a document speaks for."""
        listed = folder_list(self.tree, topic.path, place)
        return tag("section", tag("h2", "In this folder"), listed, class_="inside") if listed else None

    def _source(self, document: Document, page: PageAt) -> Markup:
        source = self._site.sources[page.path]
        link = tag("a", shown(document.ref.path), href=href(source, page.place.rpartition("/")[0], ""))
        return tag("section", tag("h2", "Source"), tag("p", link, class_="address"))

    def folder_page(self, topic: Topic, place: str) -> PartFiles:
        """The page of a folder that no document speaks for."""
        title = one_line(topic.title, _LONGEST) if topic.path else self._frame.title
        main = tag(
            "article",
            tag(
                "header",
                crumbs(self.tree, topic.path, place, self._frame.title, start_of(self._site)),
                tag("h1", title),
                class_="about",
            ),
            folder_list(self.tree, topic.path, place),
            class_="reader",
        )
        made = SitePage(title, place, main, navigation(self.tree, topic.path, place))
        return PartFiles(((place, self._frame.page(made)),), {})


class PagesJob(Struct, frozen=True):
    """What a worker does: paths of documents enter, their pages leave."""

    shared: SharedByPages
    open_reader: Callable[[], Reader]

    def begin(self) -> Callable[[Sequence[str]], Iterator[PartFiles]]:
        return PageDrawing(self.shared, self.open_reader()).pages

    def size(self, outcome: PartFiles) -> int:
        return sum(len(data) for _, data in outcome.files)


class _PageLinks:
    """Where the links of one page lead; it notes which files they show."""

    def __init__(self, site: SitePlaces, files: FileRules, page: str, edges: Sequence[Edge]) -> None:
        self._site = site
        self._home = page.rpartition("/")[0]
        self._explicit = {edge.to.path for edge in edges if edge.to is not None and edge.link.form in _EXPLICIT}
        self.used: set[str] = set()
        self.refused: set[str] = set()
        for path in self._explicit:
            if path not in site.pages and path not in site.folders and path in site.files:
                (self.refused if files.refusal(path) else self.used).add(path)

    def page(self, to: Ref) -> str | None:
        found = self._site.pages.get(to.path)
        if found is not None:
            return page_href(found.place, to.anchor, self._home)
        if to.path in self._site.folders:
            return href(self._site.folders[to.path], self._home, "")
        return href(self._site.files[to.path], self._home, "") if to.path in self.used else None

    def picture(self, to: Ref) -> str | None:
        if ending(to.path) not in PICTURES:
            return None
        source = self._site.sources.get(to.path) or (self._site.files.get(to.path) if to.path in self.used else None)
        return href(source, self._home, "") if source else None
