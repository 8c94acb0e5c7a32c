"""What documents have to do with each other, a file for each topic.

The material and the facts of the related sections enter, parts leave. They are files of their own, so that an agent
that reads a document does not pay for them, and a new link does not change the index of another topic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from pinakes.publish.material import Material
from pinakes.publish.names import RELATIONS, joined, shown
from pinakes.publish.part import Facts, FolderPart, PartFiles, digest_of
from pinakes.publish.related import near_sections
from pinakes.publish.shape import as_json, plain
from pinakes.publish.topics import Topic
from pinakes.records import Outline
from pinakes.records.publish import Related, RelationIndex, Relations
from pinakes.render import Json


def relation_parts(material: Material, known: Mapping[str, Facts]) -> Iterator[FolderPart]:
    """A part for every topic."""
    citing: dict[str, dict[str, None]] = {}
    for outline in material.outlines:
        for path in _linked(outline, material):
            citing.setdefault(path, {})[outline.ref.path] = None
    near = _near(material, known)
    for topic in material.topics:
        held = plain(_relations(topic, citing, near, material))
        made = as_json(held)
        place = joined(topic.place, RELATIONS)
        links: dict[str, Json] = {} if topic.place else {"links": {"relations": place}}
        yield FolderPart(f"relations {topic.place}", digest_of(made), partial(PartFiles, ((place, made),), links))


def _near(material: Material, known: Mapping[str, Facts]) -> dict[str, tuple[Related, ...]]:
    """By the path of a document, the sections of others that are near to it."""
    paths = {page.place: path for path, page in material.site.pages.items()}
    return {
        paths[home]: tuple(
            Related(shown(paths[place]), anchor, title) for place, anchor, title in rows if place in paths
        )
        for home, rows in near_sections(known).items()
        if home in paths
    }


def _relations(
    topic: Topic,
    citing: Mapping[str, Mapping[str, None]],
    near: Mapping[str, tuple[Related, ...]],
    material: Material,
) -> RelationIndex:
    found: dict[str, Relations] = {}
    for outline in topic.outlines:
        path = outline.ref.path
        one = Relations(
            tuple(map(shown, _linked(outline, material))), tuple(map(shown, citing.get(path, ()))), near.get(path, ())
        )
        if one.links_to or one.linked_from or one.related:
            found[shown(path)] = one
    return RelationIndex(found)


def _linked(outline: Outline, material: Material) -> list[str]:
    """The other documents that a document links to, each once."""
    found = dict.fromkeys(one.to.path for one in outline.references if one.to.corpus == outline.ref.corpus)
    return [path for path in found if path in material.site.sources and path != outline.ref.path]
