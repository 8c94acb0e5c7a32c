"""Which folders are topics, and how do they hang together?

Outlines enter, `Topic`s leave, in the order of their paths, the root first. A topic is a folder that holds documents,
or folders of documents, so that one can walk down from the root folder by folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from pinakes.publish.names import IN_ROOT, IN_TOPICS, folded, folder_places, joined, safe_names, stem
from pinakes.records import Layout, Outline
from pinakes.records.graph import INDEX_STEMS

GOLDEN = "golden-reference.md"
"""A document of this name speaks for its topic: only it is cut into chunks."""
DOCUMENTS = "documents"


class Member(Struct, frozen=True):
    """A document of a topic."""

    outline: Outline
    place: str
    """Where its source is published."""
    stem: str
    """What the files of its chunks begin with; empty when it is not cut."""


class Topic(Struct, frozen=True):
    """A folder of documents."""

    path: str
    """As it is called in the library; empty for the root."""
    place: str
    """Where it is published."""
    title: str
    members: tuple[Member, ...]
    parent: str | None
    """The place of the topic above; None for the root."""
    next: str | None
    """The place of the next topic."""
    below: tuple[tuple[str, str], ...]
    """Paths and places of the topics that have this one as their parent."""

    @property
    def outlines(self) -> tuple[Outline, ...]:
        return tuple(member.outline for member in self.members)

    @property
    def chunked_by(self) -> str:
        """What was cut into chunks."""
        return GOLDEN if any(_name(one.outline) == GOLDEN for one in self.members) else DOCUMENTS


def find_topics(outlines: Iterable[Outline], title: str) -> tuple[Topic, ...]:
    """Every topic; the root is always there, and is called `title` when none of its documents says otherwise."""
    folders: dict[str, list[Outline]] = {"": []}
    for outline in outlines:
        folders.setdefault(outline.ref.path.rpartition("/")[0], []).append(outline)
    for path in tuple(folders):
        while path := path.rpartition("/")[0]:
            folders.setdefault(path, [])
    paths = sorted(folders, key=lambda path: path.split("/") if path else [])
    places = folder_places(paths)
    inside: dict[str, set[str]] = {}
    for path, place in places.items():
        inside.setdefault(path.rpartition("/")[0], set()).add(place.rpartition("/")[2])
    parents = {path: path.rpartition("/")[0] for path in paths if path}
    below: dict[str, list[tuple[str, str]]] = {}
    for path, parent in parents.items():
        below.setdefault(parent, []).append((path, places[path]))
    return tuple(
        Topic(
            path,
            places[path],
            _title(path, folders[path], title),
            _members(folders[path], places[path], inside.get(path, set())),
            places[parents[path]] if path else None,
            places[after] if after is not None else None,
            tuple(below.get(path, ())),
        )
        for path, after in zip(paths, [*paths[1:], None], strict=True)
    )


def _members(outlines: Sequence[Outline], place: str, folders: set[str]) -> tuple[Member, ...]:
    names = sorted(_name(outline) for outline in outlines)
    taken = IN_TOPICS if place else IN_TOPICS | IN_ROOT
    published = safe_names(names, taken | folders)
    stems = _stems(published.values())
    has_golden = GOLDEN in published
    made = []
    for outline in sorted(outlines, key=lambda one: one.ref.path):
        name = _name(outline)
        # A drawing's source is markup; a slice of it says nothing.
        is_cut = outline.media.layout is not Layout.DRAWING and (not has_golden or name == GOLDEN)
        own = published[name]
        made.append(Member(outline, joined(place, own), stems[own] if is_cut else ""))
    return tuple(made)


def _stems(names: Iterable[str]) -> dict[str, str]:
    """For each published name a beginning for its chunks: without its ending, unless another document has that."""
    found: dict[str, str] = {}
    used: set[str] = set()
    for name in sorted(names):
        chosen = next(one for one in (stem(name), name, f"{name}~") if folded(one) not in used)
        used.add(folded(chosen))
        found[name] = chosen
    return found


def _title(path: str, outlines: Sequence[Outline], otherwise: str) -> str:
    speakers = {_name(outline).casefold().partition(".")[0]: outline.title for outline in reversed(outlines)}
    golden = [outline.title for outline in outlines if _name(outline) == GOLDEN]
    said = [*golden, *(speakers[name] for name in INDEX_STEMS if name in speakers)]
    return next((title for title in said if title.strip()), path.rpartition("/")[2] or otherwise)


def _name(outline: Outline) -> str:
    return outline.ref.path.rpartition("/")[2]
