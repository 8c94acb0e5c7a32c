"""A topic's files: its sources, their chunks, the index that names them, and what was computed, readable.

A topic enters, one part leaves. The root is a topic as well; its index is made with the rest of what is above topics.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from pinakes.html.standalone import inert_page
from pinakes.parse.decode import decode
from pinakes.publish.authority import Authority
from pinakes.publish.cutting import Cut, cut
from pinakes.publish.drawing import inert
from pinakes.publish.material import Material, pieces
from pinakes.publish.names import CHUNKS, INDEX, MAP, SPEC, WORDS, joined, shown
from pinakes.publish.part import Facts, FolderPart, PartFiles, digest_of
from pinakes.publish.prompts import chunks_per_question, digest, simhash
from pinakes.publish.shape import as_json, plain
from pinakes.publish.spec import topic_spec
from pinakes.publish.stripes import conceptual_chunk, stripe_order, technical_chunk
from pinakes.publish.topics import Member, Topic
from pinakes.records import Layout, NumberedDocument, Outline
from pinakes.records.publish import Below, Chunks, Item, Prompt, Target, TopicEmbedded, TopicIndex, TopicLinks
from pinakes.render import Json, one_line


class _Cut(Struct, frozen=True):
    """A document and its chunks."""

    member: Member
    chunks: Chunks
    files: tuple[tuple[str, bytes], ...]


def topic_parts(material: Material, known: Mapping[str, Facts]) -> Iterator[FolderPart]:
    """A part for every topic."""
    for topic in material.topics:
        yield FolderPart(
            f"topic {topic.place}",
            digest_of(material.settings, material.title, topic.path, topic.place, topic.title, topic.parent, topic.next)
            + digest_of(topic.below, [_inputs(member) for member in topic.members]),
            partial(_make, topic, material),
            len(topic.members),
        )


def _inputs(member: Member) -> tuple[object, ...]:
    outline = member.outline
    keywords = [section.keywords for section in outline.sections]
    return outline.ref.path, outline.digest, outline.title, outline.kind.value, member.place, member.stem, keywords


def _make(topic: Topic, material: Material) -> PartFiles:
    authority = Authority(topic.outlines)
    files: list[tuple[str, bytes]] = []
    found: list[_Cut] = []
    for member, numbered in zip(topic.members, material.documents(topic.outlines), strict=True):
        source = material.original(numbered.document)
        files.append((member.place, _harmless(source, member.outline)))
        material.recent.keep(numbered.document)
        if member.stem:
            made = _cut(topic, member, numbered, authority, material)
            found.append(made)
            files += made.files
    chunks = {one.member.stem: one.chunks for one in found if one.chunks.count}
    files.append((joined(topic.place, WORDS), _bytes(authority.markdown(one_line(topic.title)))))
    if topic.place:
        drawn = material.draw_map([_alone(one) for one in topic.outlines])
        files.append((joined(topic.place, MAP), _bytes(f"{drawn}\n")))
    files.append((joined(topic.place, SPEC), _bytes(topic_spec(topic, chunks, material))))
    facts: dict[str, Json] = {
        "title": one_line(topic.title),
        "documents": len(topic.members),
        "chunks": sum(one.count for one in chunks.values()),
        "tokens": sum(item.tokens for one in chunks.values() for item in one.items),
    }
    if material.questions is not None:
        facts["prompts"] = _prompt_hashes(found)
    if topic.place:
        files.append((joined(topic.place, INDEX), as_json(plain(_index(topic, chunks, material)))))
    else:
        facts["embedded"] = plain(chunks)
    return PartFiles(files, facts)


def _harmless(source: bytes, outline: Outline) -> bytes:
    """The file as it may lie on a host: what a browser would open and run is without anything that acts."""
    if outline.media.layout is Layout.DRAWING:
        return inert(source)
    return inert_page(decode(source).text, outline.title) if outline.media.is_page else source


def _index(topic: Topic, chunks: dict[str, Chunks], material: Material) -> TopicIndex:
    home = topic.place
    parent = None if topic.parent is None else material.target(joined(topic.parent, INDEX), home)
    following = None if topic.next is None else material.target(joined(topic.next, INDEX), home)
    links = TopicLinks(
        self=material.target(joined(home, INDEX), home),
        parent=parent,
        next=following,
        root=material.target(INDEX, home),
        documents=document_targets(topic, material),
        keywords=material.target(joined(home, WORDS), home),
        map=material.target(joined(home, MAP), home),
        spec=material.target(joined(home, SPEC), home),
    )
    below = tuple(
        Below(shown(path), {"self": material.target(joined(place, INDEX), home)}) for path, place in topic.below
    )
    return TopicIndex(
        links,
        TopicEmbedded(below, chunks),
        shown(topic.path),
        one_line(topic.title),
        topic.chunked_by,
        material.comparing.name,
    )


def document_targets(topic: Topic, material: Material) -> tuple[Target, ...]:
    """Links to a topic's sources."""
    return tuple(
        material.target(one.place, topic.place, name=shown(one.outline.ref.path), title=one_line(one.outline.title))
        for one in topic.members
    )


def _cut(topic: Topic, member: Member, numbered: NumberedDocument, authority: Authority, material: Material) -> _Cut:
    document, options = numbered.document, material.options
    cuts = cut(document, options.min_tokens, options.max_tokens)
    material.recent.pieces[document.ref] = pieces(document, cuts)
    source = material.href(member.place, topic.place)
    if not cuts:
        return _Cut(member, Chunks(source, one_line(document.title), 0, 0, None, (), None, (), ()), ())
    headings = [one.headings for one in cuts]
    compared = material.comparing.compare(numbered, cuts)
    first, second = conceptual_chunk(headings), technical_chunk(headings)
    near = compared.to(first)
    near_second = None if second is None else compared.to(second)
    stripes = stripe_order(near, first)
    places = [joined(topic.place, f"{CHUNKS}/{member.stem}-{index}.md") for index in range(len(cuts))]
    prompts = _prompts_of(compared.to_questions(), len(cuts), material)
    items = tuple(
        Item(
            index=index,
            href=material.href(places[index], topic.place),
            title=one_line(one.title),
            is_code=one.code_ratio > 0.5,
            code_ratio=one.code_ratio,
            lines=one.lines.outside(),
            tokens=one.tokens,
            similarity_conceptual=near[index],
            similarity_technical=None if near_second is None else near_second[index],
            keywords=authority.of(document.text(one.span)),
            prompts=prompts[index] if prompts else None,
        )
        for index, one in enumerate(cuts)
    )
    chunks = Chunks(
        source=source,
        title=one_line(document.title),
        count=len(cuts),
        baseline_conceptual=first,
        baseline_technical=second,
        stripe_order=stripes,
        stripe_order_technical=None if near_second is None else stripe_order(near_second, second or 0),
        order=(first, *stripes),
        items=items,
    )
    return _Cut(member, chunks, tuple(zip(places, _texts(document.source, cuts), strict=True)))


def _texts(source: bytes, cuts: Sequence[Cut]) -> list[bytes]:
    return [source[one.span.start : one.span.end] for one in cuts]


def _prompts_of(cosines: Sequence[Sequence[float]], count: int, material: Material) -> list[tuple[Prompt, ...]]:
    """For each chunk the questions it answers; nothing when there are no questions."""
    if material.questions is None:
        return []
    found: list[list[Prompt]] = [[] for _ in range(count)]
    for number, chunks in enumerate(chunks_per_question(cosines, material.comparing.threshold)):
        question = material.questions[number]
        for position in chunks:
            found[position].append(Prompt(digest(question), simhash(question), cosines[number][position]))
    return [tuple(sorted(one, key=lambda prompt: (-prompt.similarity, prompt.digest))) for one in found]


def _prompt_hashes(found: Sequence[_Cut]) -> Json:
    """Every question a topic answers: its hashes, the similarity and the chunk's place."""
    rows: list[Json] = []
    for one in found:
        for item, (place, _) in zip(one.chunks.items, one.files, strict=True):
            rows += [[held.digest, held.simhash, held.similarity, place, item.title] for held in item.prompts or ()]
    return rows


def _alone(outline: Outline) -> Outline:
    """A document without its links to and from others: a topic's files must not change with other topics."""
    return replace(outline, cited=0, cited_sections=(0,) * len(outline.sections), references=())


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
