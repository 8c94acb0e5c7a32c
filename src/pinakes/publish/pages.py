"""A page for every document and every folder, for people.

The material enters, parts leave: one for each page, so that a change touches only the pages that show it. The text of
a document is drawn as the served page draws it; only addresses differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from pinakes.publish.linked_files import FileRules
from pinakes.publish.material import Material
from pinakes.publish.page_drawing import PageDrawing, PagesJob, SharedByPages
from pinakes.publish.page_frame import PageFrame
from pinakes.publish.part import Facts, FolderPart, PartFiles, digest_of
from pinakes.publish.related import near_sections
from pinakes.records import Outcome, Outline, Ref

_LOOSE = (Outcome.MISSING, Outcome.BROKEN_ANCHOR, Outcome.AMBIGUOUS)
_WORTHWHILE = 200
"""Pages to draw before workers pay for themselves."""


def page_parts(material: Material, known: Mapping[str, Facts]) -> Iterator[FolderPart]:
    """A part for every page."""
    if material.site.pages:
        yield from _Pages(material, known).parts()


class _Pages:
    """All pages of a site, and what they depend on."""

    def __init__(self, material: Material, known: Mapping[str, Facts]) -> None:
        self._material = material
        self._site = material.site
        self._outlines = {one.ref.path: one for one in material.outlines}
        self._loose: dict[str, list[tuple[str, str]]] = {}
        corpus = material.outlines[0].ref.corpus
        for edge in material.reader.edges(corpus, outcomes=_LOOSE):
            self._loose.setdefault(edge.origin.path, []).append((edge.link.target, edge.outcome.value))
        self._shared = SharedByPages(
            corpus,
            material.site,
            tuple(replace(topic, members=()) for topic in material.topics),
            PageFrame(material),
            FileRules.of(material),
            _citing(material.outlines),
            near_sections(known),
        )
        self._drawing = PageDrawing(self._shared, material.reader)

    def parts(self) -> Iterator[FolderPart]:
        shared = digest_of(self._material.version, self._shared.frame.inputs)
        navigation = {topic.path: self._drawing.tree.digest(topic.path) for topic in self._material.topics}
        for page in self._site.pages.values():
            outline = self._outlines[page.path]
            links = [(one.to.path, one.to.anchor, self._lands(one.to)) for one in outline.references]
            inputs = digest_of(
                shared,
                (outline.digest, outline.title, page.place, self._site.sources[page.path]),
                self._drawing.neighbours(page.path),
                navigation[self._material.topics[page.topic].path],
                [(one.place, one.title) for one in self._drawing.backlinks(page.path)],
                [(one.place, one.title, one.anchor) for one in self._drawing.related(page.path)],
            ) + digest_of(links, self._loose.get(page.path, []))
            yield FolderPart(f"page {page.place}", inputs, partial(self._page, page.path), together=self._together)
        fronts = {page.place for page in self._site.pages.values()}
        for topic in self._material.topics:
            place = self._site.folders.get(topic.path, "")
            if place and place not in fronts:
                inputs = digest_of(shared, topic.title, navigation[topic.path])
                yield FolderPart(f"page {place}", inputs, partial(self._drawing.folder_page, topic, place))

    def _page(self, path: str) -> PartFiles:
        return next(self._drawing.pages([path]))

    def _together(self, names: Sequence[str]) -> Iterator[PartFiles]:
        """Pages of documents by the names of their parts, many of them drawn on all cores."""
        places = {f"page {page.place}": page.path for page in self._site.pages.values()}
        paths = [places[name] for name in names]
        workers = self._material.workers
        if workers is None or len(paths) < _WORTHWHILE:
            return self._drawing.pages(paths)
        return workers.work(PagesJob(self._shared, workers.open_reader), paths)

    def _lands(self, to: Ref) -> str:
        """Where a link leads, as the inputs of a page say it."""
        page = self._site.pages.get(to.path)
        if page:
            return page.place
        refusal = self._shared.files.refusal(to.path)
        return self._site.folders.get(to.path) or f"{self._site.files.get(to.path, '')} {refusal}"


def _citing(outlines: Sequence[Outline]) -> dict[str, list[str]]:
    """For each document the paths of those that link to it, each once."""
    found: dict[str, dict[str, None]] = {}
    for outline in outlines:
        for reference in outline.references:
            if reference.to.path != outline.ref.path and reference.to.corpus == outline.ref.corpus:
                found.setdefault(reference.to.path, {})[outline.ref.path] = None
    return {path: list(held) for path, held in found.items()}
