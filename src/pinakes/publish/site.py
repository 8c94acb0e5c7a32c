"""Where do pages lie, and files that documents show?

Topics enter; the places of pages, folders and other files leave. A page takes the name of its document with the ending
`.html`, the document that speaks for its folder takes `index.html`. Names that documents and files of the library have
come first: a page gives way to them.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence

from msgspec import Struct

from pinakes.publish.names import IN_ROOT, IN_TOPICS, LONGEST_PATH, folded, joined, safe_names
from pinakes.publish.topics import Member, Topic
from pinakes.records.graph import INDEX_STEMS

INDEX_PAGE = "index.html"


class PageAt(Struct, frozen=True):
    """The page of a document."""

    path: str
    """Of the document."""
    title: str
    place: str
    topic: int
    """Position of its topic."""


class SitePlaces(Struct, frozen=True):
    """All places of a site."""

    pages: dict[str, PageAt]
    """By the paths of their documents, in the order to read them in."""
    folders: dict[str, str]
    """By the path of a topic, the page that speaks for it; where there is none, the folder has no page."""
    files: dict[str, str]
    """By path, where files lie that documents mention and that are no documents."""
    sources: dict[str, str]
    """By path, where documents lie as they were written."""

    @classmethod
    def of(cls, topics: Sequence[Topic], own: Sequence[str], *, has_pages: bool) -> SitePlaces:
        """Of topics, and of files at the top of the library that their owner wrote for a site."""
        sources = {one.outline.ref.path: one.place for topic in topics for one in topic.members}
        if not has_pages:
            return cls({}, {}, {}, sources)
        used = _names_used(topics)
        mentioned = {
            reference.to.path
            for topic in topics
            for member in topic.members
            for reference in member.outline.references
            if reference.to.corpus == member.outline.ref.corpus
        }
        files = _file_places([*mentioned, *own], topics, used)
        pages: dict[str, PageAt] = {}
        folders: dict[str, str] = {}
        for number, topic in enumerate(topics):
            names = used.setdefault(topic.place, set())
            front = _front(topic)
            if is_free := folded(INDEX_PAGE) not in names:
                folders[topic.path] = joined(topic.place, INDEX_PAGE)
                names.add(folded(INDEX_PAGE))
            for member in _in_order(topic, front):
                outline = member.outline
                is_first = member is front and is_free
                name = INDEX_PAGE if is_first else _page_name(member.place.rpartition("/")[2], names)
                pages[outline.ref.path] = PageAt(outline.ref.path, outline.title, joined(topic.place, name), number)
        return cls(pages, folders, files, sources)


def _names_used(topics: Sequence[Topic]) -> dict[str, set[str]]:
    """For each published folder the names in it that are taken, as a system may fold them."""
    used: dict[str, set[str]] = {}
    for topic in topics:
        reserved = IN_TOPICS if topic.place else IN_TOPICS | IN_ROOT
        used.setdefault(topic.place, set()).update(map(folded, reserved))
        for place in (topic.place, *(member.place for member in topic.members)):
            if place:
                parent, _, name = place.rpartition("/")
                used.setdefault(parent, set()).add(folded(name))
    return used


def _file_places(paths: Iterable[str], topics: Sequence[Topic], used: dict[str, set[str]]) -> dict[str, str]:
    """Where files lie that are no documents; the folders of documents have their places already."""
    folders = {topic.path: topic.place for topic in topics}
    known = {member.outline.ref.path for topic in topics for member in topic.members}
    found: dict[str, str] = {}
    for path in sorted(set(paths)):
        if path in known or path in folders or any(part.startswith(".") for part in path.split("/")):
            continue
        *above, name = path.split("/")
        home = ""
        for part in above:
            inner = f"{home}/{part}" if home else part
            if inner not in folders:
                folders[inner] = _take(part, folders[home], used)
            home = inner
        place = _take(name, folders[home], used)
        if len(place.encode("utf-8", "surrogatepass")) <= LONGEST_PATH:
            found[path] = place
    return found


def _take(name: str, home: str, used: dict[str, set[str]]) -> str:
    names = used.setdefault(home, set())
    safe = safe_names([name], names)[name]
    names.add(folded(safe))
    return joined(home, safe)


def _in_order(topic: Topic, front: Member | None) -> list[Member]:
    """The document that speaks for the folder first, the others by their paths."""
    rest = [one for one in topic.members if one is not front]
    return [front, *rest] if front else rest


def _front(topic: Topic) -> Member | None:
    by_stem = {}
    for member in reversed(topic.members):
        if member.outline.media.is_prose:
            by_stem[posixpath.splitext(member.outline.ref.path.rpartition("/")[2])[0].lower()] = member
    return next((by_stem[stem] for stem in INDEX_STEMS if stem in by_stem), None)


def _page_name(own: str, names: set[str]) -> str:
    """A name for the page of a document that nothing else in its folder has; it is taken from then on."""
    stem = posixpath.splitext(own)[0] or own
    chosen, number = f"{stem}.html", 1
    while folded(chosen) in names:
        chosen = f"{own}.html" if number == 1 else f"{own}~{number}.html"
        number += 1
    names.add(folded(chosen))
    return chosen
