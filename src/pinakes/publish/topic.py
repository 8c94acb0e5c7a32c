"""A topic's files: its sources, their chunks, the index that names them, and what was computed, readable.

A topic enters, one part leaves. The root is a topic as well; its index is made with the rest of what is above topics.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from pinakes.html.standalone import inert_page
from pinakes.parse.decode import decode
from pinakes.publish.alike import NO_EMBEDDER
from pinakes.publish.authority import Authority
from pinakes.publish.cutting import Cut, cut
from pinakes.publish.drawing import inert
from pinakes.publish.material import Material, pieces
from pinakes.publish.names import (
    CHUNK_WORDS,
    CHUNKS,
    EMBEDDINGS,
    INDEX,
    MAP,
    RELATIONS,
    SPEC,
    WORDS,
    joined,
    shown,
)
from pinakes.publish.part import Facts, FolderPart, PartFiles, digest_of
from pinakes.publish.prompts import chunks_per_question, digest, simhash
from pinakes.publish.shape import as_json, plain
from pinakes.publish.spec import topic_spec
from pinakes.publish.stripes import conceptual_chunk, stripe_order, technical_chunk
from pinakes.publish.topics import Member, Topic
from pinakes.records import Layout, NumberedDocument, Outline
from pinakes.records.publish import (
    Below,
    Chunks,
    DocumentIndex,
    DocumentLinks,
    EmbeddingIndex,
    Item,
    KeywordIndex,
    Prompt,
    Target,
    TopicEmbedded,
    TopicIndex,
    TopicLinks,
)
from pinakes.render import Json, one_line


class _Cut(Struct, frozen=True):
    """A document and its chunks."""

    member: Member
    index: DocumentIndex
    texts: tuple[tuple[str, bytes], ...]
    """The files of its chunks."""
    keywords: tuple[tuple[int, ...], ...]
    vectors: tuple[str, ...]


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
    descriptions: dict[str, Json] = {}
    for member, numbered in zip(topic.members, material.documents(topic.outlines), strict=True):
        source = material.original(numbered.document)
        files.append((member.place, _harmless(source, member.outline)))
        material.recent.keep(numbered.document)
        if description := one_line(numbered.document.metadata.description):
            descriptions[member.place] = plain(description)
        if member.stem:
            found.append(_cut(topic, member, numbered, authority, material))
    cut_up = {one.member.stem: one for one in found if one.index.items}
    for one in cut_up.values():
        files += [*one.texts, (_index_place(topic, one.member), as_json(plain(one.index)))]
    chunks = {name: _named(topic, one, material) for name, one in cut_up.items()}
    files.append((joined(topic.place, WORDS), _bytes(authority.markdown(one_line(topic.title)))))
    words = KeywordIndex(authority.rated, {name: one.keywords for name, one in cut_up.items()})
    files.append((joined(topic.place, CHUNK_WORDS), as_json(plain(words))))
    if _has_vectors(material):
        vectors = {name: one.vectors for name, one in cut_up.items()}
        size = next((len(b64decode(row)) for rows in vectors.values() for row in rows), 0)
        held = EmbeddingIndex(material.comparing.name, size, vectors)
        files.append((joined(topic.place, EMBEDDINGS), as_json(plain(held))))
    if topic.place:
        drawn = material.draw_map([_alone(one) for one in topic.outlines])
        files.append((joined(topic.place, MAP), _bytes(f"{drawn}\n")))
    files.append((joined(topic.place, SPEC), _bytes(_spec(topic, cut_up, authority, material))))
    facts: dict[str, Json] = {
        "title": one_line(topic.title),
        "documents": len(topic.members),
        "chunks": sum(len(one.index.items) for one in cut_up.values()),
        "tokens": sum(item.tokens for one in cut_up.values() for item in one.index.items),
    }
    if descriptions:
        facts["descriptions"] = descriptions
    if material.questions is not None:
        facts["prompts"] = _prompt_hashes(cut_up.values())
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
        chunk_keywords=material.target(joined(home, CHUNK_WORDS), home),
        relations=material.target(joined(home, RELATIONS), home),
        embeddings=material.target(joined(home, EMBEDDINGS), home) if _has_vectors(material) else None,
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
    headings = [one.headings for one in cuts]
    home = joined(topic.place, CHUNKS)
    page = material.site.pages.get(document.ref.path)
    links = DocumentLinks(
        self=material.target(_index_place(topic, member), home),
        up=material.target(joined(topic.place, INDEX), home),
        source=material.target(member.place, home),
        page=material.target(page.place, home) if page else None,
    )
    path, title = shown(document.ref.path), one_line(document.title)
    if not cuts:
        return _Cut(member, DocumentIndex(links, path, title, 0, None, (), None, (), ()), (), (), ())
    compared = material.comparing.compare(numbered, cuts)
    first, second = conceptual_chunk(headings), technical_chunk(headings)
    near = compared.to(first)
    near_second = None if second is None else compared.to(second)
    stripes = stripe_order(near, first)
    places = [joined(home, f"{member.stem}-{index}.md") for index in range(len(cuts))]
    prompts = _prompts_of(compared.to_questions(), len(cuts), material)
    items = tuple(
        Item(
            index=index,
            href=material.href(places[index], home),
            title=one_line(one.title),
            is_code=one.code_ratio > 0.5,
            code_ratio=one.code_ratio,
            lines=one.lines.outside(),
            tokens=one.tokens,
            similarity_conceptual=near[index],
            similarity_technical=None if near_second is None else near_second[index],
            prompts=prompts[index] if prompts else None,
        )
        for index, one in enumerate(cuts)
    )
    index = DocumentIndex(
        links=links,
        path=path,
        title=title,
        baseline_conceptual=first,
        baseline_technical=second,
        stripe_order=stripes,
        stripe_order_technical=None if near_second is None else stripe_order(near_second, second or 0),
        order=(first, *stripes),
        items=items,
    )
    return _Cut(
        member,
        index,
        tuple(zip(places, _texts(document.source, cuts), strict=True)),
        tuple(authority.of(document.text(one.span)) for one in cuts),
        tuple(b64encode(row).decode() for row in compared.as_bytes()),
    )


def _index_place(topic: Topic, member: Member) -> str:
    return joined(topic.place, f"{CHUNKS}/{member.stem}.json")


def _named(topic: Topic, one: _Cut, material: Material) -> Chunks:
    """A document as the index of its topic names it: where it lies, and the orders to read it in."""
    page = material.site.pages.get(one.member.outline.ref.path)
    index = one.index
    return Chunks(
        source=material.href(one.member.place, topic.place),
        index=material.href(_index_place(topic, one.member), topic.place),
        page=material.href(page.place, topic.place) if page else None,
        count=len(index.items),
        baseline_conceptual=index.baseline_conceptual,
        baseline_technical=index.baseline_technical,
        stripe_order=index.stripe_order,
        stripe_order_technical=index.stripe_order_technical,
        order=index.order,
    )


def _has_vectors(material: Material) -> bool:
    return material.comparing.name != NO_EMBEDDER


def _spec(topic: Topic, cut_up: Mapping[str, _Cut], authority: Authority, material: Material) -> str:
    words = {
        name: [[authority.words[place].name for place in held] for held in one.keywords] for name, one in cut_up.items()
    }
    return topic_spec(topic, {name: one.index for name, one in cut_up.items()}, words, material)


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


def _prompt_hashes(found: Iterable[_Cut]) -> Json:
    """Every question a topic answers: its hashes, the similarity and the chunk's place."""
    rows: list[Json] = []
    for one in found:
        for item, (place, _) in zip(one.index.items, one.texts, strict=True):
            rows += [[held.digest, held.simhash, held.similarity, place, item.title] for held in item.prompts or ()]
    return rows


def _alone(outline: Outline) -> Outline:
    """A document without its links to and from others: a topic's files must not change with other topics."""
    return replace(outline, cited=0, cited_sections=(0,) * len(outline.sections), references=())


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
