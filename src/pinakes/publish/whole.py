"""What is published of the library as a whole: the root's index, the map, the questions.

The material and the facts of the parts made before enter, parts leave.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pinakes.publish.alike import NO_EMBEDDER
from pinakes.publish.material import Material
from pinakes.publish.names import CHUNK_WORDS, EMBEDDINGS, INDEX, MAP, SPEC, WORDS, joined, shown
from pinakes.publish.part import Facts, FolderPart, PartFiles, digest_of
from pinakes.publish.prompts import AT_MOST, RADIUS
from pinakes.publish.searching import prompt_script
from pinakes.publish.shape import as_json, plain, schema_bytes
from pinakes.publish.topic import document_targets
from pinakes.publish.topics import Topic
from pinakes.records import Outline
from pinakes.records.publish import FORMAT, Asked, Counted, PromptIndex, TopicEntry
from pinakes.render import Json

SCHEMA, PROMPTS = "schema.json", "prompts.json"
_NO_JEKYLL = ".nojekyll"
"""Tells one git host to hand out folders that begin with an underscore."""

DocumentFacts = Mapping[str, Facts]
"""By the name of a part, what is known of those made before."""


def map_part(material: Material, known: DocumentFacts) -> Iterator[FolderPart]:
    """The whole map."""
    drawn = [
        (one.ref.path, one.digest, one.kind.value, one.cited, one.cited_sections, _references(one), _keywords(one))
        for one in material.outlines
    ]
    yield FolderPart(
        MAP,
        digest_of(material.version, drawn),
        lambda: PartFiles(((MAP, _bytes(material.draw_map(material.outlines) + "\n")),), {"links": {"map": MAP}}),
        len(material.outlines),
    )


def prompt_part(material: Material, known: DocumentFacts) -> Iterator[FolderPart]:
    """All questions in one file, when there are any."""
    if material.questions is None:
        return
    rows = [row for topic in material.topics for row in _rows(known[f"topic {topic.place}"].get("prompts"))]
    index = _prompt_index(rows, material)
    made = as_json(plain(index))
    yield FolderPart(
        PROMPTS,
        digest_of(material.settings, rows),
        lambda: PartFiles((prompt_script(rows), (PROMPTS, made)), {"links": {"prompts": PROMPTS}}),
    )


def root_part(material: Material, known: DocumentFacts) -> Iterator[FolderPart]:
    """The root's index, and what belongs to the folder itself; links to whatever earlier parts say they have."""
    yield FolderPart(
        INDEX,
        digest_of(
            material.settings, material.site_title, [(name, as_json(dict(facts))) for name, facts in known.items()]
        )
        + digest_of([(topic.path, topic.place) for topic in material.topics]),
        lambda: PartFiles(
            (
                (_NO_JEKYLL, b""),
                (SCHEMA, schema_bytes()),
                (INDEX, as_json(_root(material, known))),
            ),
            {},
        ),
    )


def _root(material: Material, known: DocumentFacts) -> Json:
    top, *others = material.topics
    links: dict[str, Json] = {
        "self": _plain_target(material, INDEX),
        "keywords": _plain_target(material, WORDS),
        "chunk_keywords": _plain_target(material, CHUNK_WORDS),
        "spec": _plain_target(material, SPEC),
        "schema": _plain_target(material, SCHEMA),
        "documents": plain(document_targets(top, material)),
    }
    if material.comparing.name != NO_EMBEDDER:
        links["embeddings"] = _plain_target(material, EMBEDDINGS)
    if others:
        links["next"] = _plain_target(material, joined(others[0].place, INDEX))
    for facts in known.values():
        held = facts.get("links")
        for relation, place in held.items() if isinstance(held, dict) else ():
            links[relation] = _plain_target(material, str(place))
    facts = known["topic "]
    return {
        "_links": links,
        "_embedded": {
            "topics": [plain(_entry(topic, known[f"topic {topic.place}"], material)) for topic in others],
            "chunks": facts["embedded"],
        },
        "title": material.site_title,
        "counts": {
            name: sum(int(str(known[f"topic {topic.place}"][name])) for topic in material.topics)
            for name in ("documents", "chunks", "tokens")
        },
        "chunked_by": top.chunked_by,
        "similarity": material.comparing.name,
        "format": FORMAT,
        "generator": "pinakes",
    }


def _plain_target(material: Material, place: str) -> Json:
    return plain(material.target(place, ""))


def _entry(topic: Topic, facts: Facts, material: Material) -> TopicEntry:
    links = {"self": material.target(joined(topic.place, INDEX), "")}
    return TopicEntry(shown(topic.path), topic.title, _counted(facts), links)


def _counted(facts: Facts) -> Counted:
    return Counted(*(int(str(facts[name])) for name in ("documents", "chunks", "tokens")))


def _prompt_index(rows: list[list[Json]], material: Material) -> PromptIndex:
    best: dict[tuple[str, str], list[tuple[float, str, str]]] = {}
    for digest, simhash, similarity, place, title in rows:
        found = (-float(str(similarity)), str(place), str(title))
        best.setdefault((str(digest), str(simhash)), []).append(found)
    prompts = tuple(
        Asked(
            digest,
            simhash,
            tuple(material.target(place, "", title=title) for _, place, title in sorted(found)[:AT_MOST]),
        )
        for (digest, simhash), found in sorted(best.items())
    )
    return PromptIndex(prompts, RADIUS)


def _rows(held: Json) -> list[list[Json]]:
    return [row for row in held if isinstance(row, list)] if isinstance(held, list) else []


def _references(outline: Outline) -> list[tuple[int, str, str]]:
    return [(one.section, one.to.path, one.to.anchor) for one in outline.references]


def _keywords(outline: Outline) -> list[tuple[str, ...]]:
    return [section.keywords for section in outline.sections]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
