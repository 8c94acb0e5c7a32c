"""A page for every document and every folder, for people.

The material enters, parts leave: one for each page, so that a change touches only the pages that show it. The text of
a document is drawn as the served page draws it; only addresses differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from pinakes.html.document import document_html, shows_title
from pinakes.html.markup import Markup, join, tag
from pinakes.html.targets import PICTURES, Targets
from pinakes.publish.linked_files import LinkedFiles
from pinakes.publish.material import Material
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
from pinakes.publish.part import Facts, FolderPart, PartFiles, digest_of
from pinakes.publish.related import related_to
from pinakes.publish.site import PageAt, SitePlaces
from pinakes.publish.topics import Topic
from pinakes.records import Document, Edge, LinkForm, Outcome, Outline, Ref
from pinakes.render import Json, one_line

_EXPLICIT = frozenset((LinkForm.LINK, LinkForm.IMAGE, LinkForm.WIKILINK, LinkForm.EMBED, LinkForm.HTML))
"""Forms in which somebody means to show a file. A path that is only mentioned publishes nothing."""
_LOOSE = (Outcome.MISSING, Outcome.BROKEN_ANCHOR, Outcome.AMBIGUOUS)
_LONGEST = 300


def page_parts(material: Material, known: Mapping[str, Facts]) -> Iterator[FolderPart]:
    """A part for every page."""
    if material.site.pages:
        yield from _Pages(material, known).parts()


class _Pages:
    """All pages of a site, and what they say of each other."""

    def __init__(self, material: Material, known: Mapping[str, Facts]) -> None:
        self._material = material
        self._known = known
        self._site: SitePlaces = material.site
        self._frame = PageFrame(material)
        self._tree = PageTree(material.topics, material.site)
        self._files = LinkedFiles(material)
        self._order = list(material.site.pages.values())
        self._titles = {page.place: page.title for page in self._order}
        self._outlines = {one.ref.path: one for one in material.outlines}
        self._citing = _citing(material.outlines)
        self._loose: dict[str, list[tuple[str, str]]] = {}
        corpus = material.outlines[0].ref.corpus
        for edge in material.reader.edges(corpus, outcomes=_LOOSE):
            self._loose.setdefault(edge.origin.path, []).append((edge.link.target, edge.outcome.value))
        self._navigation = {
            topic.path: digest_of(self._tree.rows(topic.path), self._tree.above(topic.path))
            for topic in material.topics
        }

    def parts(self) -> Iterator[FolderPart]:
        shared = digest_of(self._material.version, self._frame.inputs)
        for number, page in enumerate(self._order):
            before, after = self._neighbours(number)
            outline = self._outlines[page.path]
            links = [(one.to.path, one.to.anchor, self._lands(one.to)) for one in outline.references]
            inputs = digest_of(
                shared,
                (outline.digest, outline.title, page.place, self._site.sources[page.path]),
                (before, after),
                self._navigation[self._topic(page).path],
                [(one.place, one.title) for one in self._backlinks(page.path)],
                [(one.place, one.title, one.anchor) for one in self._related(page.path)],
            ) + digest_of(links, self._loose.get(page.path, []))
            yield FolderPart(f"page {page.place}", inputs, partial(self._document_page, number))
        fronts = {page.place for page in self._order}
        for topic in self._material.topics:
            place = self._site.folders.get(topic.path, "")
            if place and place not in fronts:
                inputs = digest_of(shared, topic.title, self._navigation[topic.path])
                yield FolderPart(f"page {place}", inputs, partial(self._folder_page, topic, place))

    def _topic(self, page: PageAt) -> Topic:
        return self._material.topics[page.topic]

    def _neighbours(self, number: int) -> tuple[PageAt | None, PageAt | None]:
        before = self._order[number - 1] if number else None
        after = self._order[number + 1] if number + 1 < len(self._order) else None
        return before, after

    def _lands(self, to: Ref) -> str:
        """Where a link leads, as the inputs of a page say it."""
        page = self._site.pages.get(to.path)
        if page:
            return page.place
        return self._site.folders.get(to.path) or f"{self._site.files.get(to.path, '')} {self._files.refusal(to.path)}"

    def _backlinks(self, path: str) -> list[NamedLink]:
        pages = self._site.pages
        return [NamedLink(pages[one].place, pages[one].title) for one in self._citing.get(path, ()) if one in pages]

    def _related(self, path: str) -> list[NamedLink]:
        found = []
        for place, anchor, title in related_to(self._site.pages[path].place, self._known):
            whole = one_line(self._titles.get(place, ""), _LONGEST)
            found.append(NamedLink(place, title, anchor, "" if title == whole else whole))
        return found

    def _document_page(self, number: int) -> PartFiles:
        page = self._order[number]
        topic = self._topic(page)
        outline = self._outlines[page.path]
        document = next(self._material.documents([outline])).document
        edges = tuple(self._material.reader.edges(document.ref.corpus, origin=document.ref))
        places = _PageLinks(self._site, self._files, page.place, edges)
        body = document_html(document, Targets.of(edges, places))
        before, after = self._neighbours(number)
        is_front = page.place == self._site.folders.get(topic.path)
        main = join(
            tag("article", self._head(document, topic, page.place), body, class_="reader"),
            self._inside(topic, page.place) if is_front else None,
            neighbours(before, after, page.place),
        )
        right = join(
            on_this_page(document),
            link_list("Related", self._related(page.path), page.place),
            link_list("Linked from", self._backlinks(page.path), page.place),
            self._source(document, page),
        )
        made = SitePage(
            title=one_line(document.title, _LONGEST),
            place=page.place,
            main=main,
            left=navigation(self._tree, topic.path, page.place),
            right=right,
            language=document.metadata.language,
            description=one_line(document.metadata.description, _LONGEST),
            before=before.place if before else "",
            after=after.place if after else "",
        )
        facts: dict[str, Json] = {
            name: [*sorted(self._site.files[path] for path in held)]
            for name, held in (("files", places.used), ("left_out", places.refused))
        }
        return PartFiles(((page.place, self._frame.page(made)),), facts)

    def _head(self, document: Document, topic: Topic, place: str) -> Markup:
        metadata = document.metadata
        title = None if shows_title(document) else tag("h1", document.title)
        facts = " · ".join(part for part in (metadata.author, metadata.modified or metadata.created) if part)
        return tag(
            "header",
            crumbs(self._tree, topic.path, place, self._frame.title, start_of(self._site)),
            title,
            tag("p", metadata.description, class_="description") if metadata.description else None,
            tag("p", facts, class_="quiet") if facts else None,
            class_="about",
        )

    def _inside(self, topic: Topic, place: str) -> Markup | None:
        """What else is in the folder that a document speaks for."""
        listed = folder_list(self._tree, topic.path, place)
        return tag("section", tag("h2", "In this folder"), listed, class_="inside") if listed else None

    def _source(self, document: Document, page: PageAt) -> Markup:
        source = self._site.sources[page.path]
        link = tag("a", shown(document.ref.path), href=href(source, page.place.rpartition("/")[0], ""))
        return tag("section", tag("h2", "Source"), tag("p", link, class_="address"))

    def _folder_page(self, topic: Topic, place: str) -> PartFiles:
        title = one_line(topic.title, _LONGEST) if topic.path else self._frame.title
        main = tag(
            "article",
            tag(
                "header",
                crumbs(self._tree, topic.path, place, self._frame.title, start_of(self._site)),
                tag("h1", title),
                class_="about",
            ),
            folder_list(self._tree, topic.path, place),
            class_="reader",
        )
        made = SitePage(title, place, main, navigation(self._tree, topic.path, place))
        return PartFiles(((place, self._frame.page(made)),), {})


class _PageLinks:
    """Where the links of one page lead; it notes which files they show."""

    def __init__(self, site: SitePlaces, files: LinkedFiles, page: str, edges: Sequence[Edge]) -> None:
        self._site = site
        self._files = files
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


def _citing(outlines: Sequence[Outline]) -> dict[str, list[str]]:
    """For each document the paths of those that link to it, each once."""
    found: dict[str, dict[str, None]] = {}
    for outline in outlines:
        for reference in outline.references:
            if reference.to.path != outline.ref.path and reference.to.corpus == outline.ref.corpus:
                found.setdefault(reference.to.path, {})[outline.ref.path] = None
    return {path: list(held) for path, held in found.items()}
