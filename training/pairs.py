"""Pairs of texts that belong together, made from documentation as it is.

A library enters, passages and pairs leave, the same ones for the same documents. The kinds, and what each is for:

    heading    a heading, with or without the page's title → what stands under it, headings left out
    question   the same heading put as people ask (“how do I …”)
    sentence   a sentence → the rest of its section
    link       what another page calls a section → that section
    around     the sentence around such a link → the section it leads to: the same thing told twice, by two authors
    summary    a page's own description → its beginning

Words that a query shares with its passage teach what word search already knows, so in half of the sentences, links and
summaries some of the shared words are left out (`-masked`): then meaning has to carry.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pinakes.chunk import chunk
from pinakes.ports import Reader
from pinakes.records import DOCS, Document, LinkForm, Outcome, Ref
from pinakes.vectors.texts import embedded_text
from training.material import Pair, Passage, plain

LONGEST = 1000
"""Characters of a passage; the models read about 250 word pieces."""
SHORTEST = 120
"""Characters a section must say to be worth asking for."""
_EMPTY_HEADINGS = frozenset(
    (
        "see also",
        "specifications",
        "browser compatibility",
        "syntax",
        "example",
        "examples",
        "value",
        "values",
        "parameters",
        "return value",
        "usage",
        "exceptions",
        "description",
        "further reading",
        "formal syntax",
        "formal definition",
        "next steps",
        "note",
        "notes",
        "overview",
        "introduction",
        "options",
        "properties",
        "methods",
        "summary",
        "references",
        "requirements",
        "prerequisites",
        "about",
    )
)
"""Headings that every other page has: alone they ask for nothing."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_WORD = re.compile(r"\w{3,}")
_LOST_E = frozenset(
    (
        "creat",
        "us",
        "configur",
        "writ",
        "mak",
        "defin",
        "handl",
        "manag",
        "updat",
        "enabl",
        "chang",
        "remov",
        "delet",
        "cach",
        "stor",
        "pars",
    )
)
"""Verbs that lose their last letter before -ing."""
_ING = re.compile(r"^(\w+)ing\b\s+(.*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Numbering:
    """What the passages of a library count on from."""

    passage: int = 0
    page: int = 0
    repository: int = 0


@dataclass(frozen=True, slots=True)
class Made:
    """What was made of one library."""

    passages: list[Passage]
    pairs: list[Pair]
    paths: list[str]
    """Of its pages, in the order of their numbers."""


def make_pairs(reader: Reader, first: Numbering, seed: int) -> Made:
    """Everything that can be made of one library's documents; numbers count on from those given."""
    first_passage = first.passage
    passages: list[Passage] = []
    pairs: list[Pair] = []
    places: dict[Ref, int] = {}
    documents = [
        document
        for known in reader.files(DOCS).values()
        if known.digest and (document := reader.document(known.stamp.ref)) is not None
    ]
    for page, document in enumerate(documents, first.page):
        for one in chunk(document):
            if one.parent != one.ordinal:
                continue
            text = embedded_text(document, one)[:LONGEST]
            bare = Passage(page, text).bare
            if len(bare) < SHORTEST:
                continue
            number = first_passage + len(passages)
            passages.append(Passage(page, text, first.repository))
            places.setdefault(document.section_ref(one.section), number)
            places.setdefault(document.ref, number)
            chance = random.Random(f"{seed} {document.ref} {one.ordinal}")
            pairs += _of_section(document, one.section, number, bare, chance)
        pairs += _of_page(document, places)
    by_path = {document.ref.path: document for document in documents}
    pairs += _of_links(reader, by_path, places)
    pairs = _masked(pairs, passages, first_passage, seed)
    return Made(passages, pairs, [document.ref.path for document in documents])


def _of_section(document: Document, section: int, number: int, bare: str, chance: random.Random) -> Iterator[Pair]:
    heading, title = plain(document.sections[section].title), plain(document.title)
    if heading and heading.lower() not in _EMPTY_HEADINGS and heading.lower() != title.lower():
        shapes = (heading, f"{title} {heading}", f"{heading} {title}".lower(), f"{heading} in {title}")
        yield Pair("heading", chance.choice(shapes), number, is_bare=True)
        if asked := question(heading, title, chance):
            yield Pair("question", asked, number, is_bare=True)
    elif title:
        asked = title if heading.lower() == title.lower() else f"{title} {heading}".strip()
        yield Pair("heading", asked, number, is_bare=True)
    sentences = [one for one in _SENTENCE.split(bare) if 30 < len(one) < 220]
    if len(sentences) >= 3:
        said = chance.choice(sentences)
        yield Pair("sentence", said, number, is_bare=False, without=said)


def _of_page(document: Document, places: Mapping[Ref, int]) -> Iterator[Pair]:
    said = plain(document.metadata.description)
    if len(said) > 30 and document.ref in places:
        yield Pair("summary", said[:300], places[document.ref], is_bare=False)


def _of_links(reader: Reader, documents: Mapping[str, Document], places: Mapping[Ref, int]) -> Iterator[Pair]:
    for edge in reader.edges(DOCS, outcomes=(Outcome.FOUND,)):
        target = edge.to
        if target is None or target.path == edge.origin.path or target not in places:
            continue
        if edge.link.form not in (LinkForm.LINK, LinkForm.WIKILINK):
            continue
        called = plain(edge.link.text)
        if 2 <= len(called.split()) <= 14:
            yield Pair("link", called, places[target], is_bare=False)
        if around := _around(documents[edge.origin.path], edge.link.span.start, edge.link.span.end):
            yield Pair("around", around, places[target], is_bare=False)


def _around(document: Document, start: int, end: int) -> str:
    """The sentence a link stands in; nothing when it is a list of links or too short to say anything."""
    before = document.source[max(0, start - 300) : start].decode("utf-8", "replace").rpartition("\n")[2]
    behind = document.source[end : end + 300].decode("utf-8", "replace").partition("\n")[0]
    link = document.source[start:end].decode("utf-8", "replace")
    before = _SENTENCE.split(before)[-1] if before else ""
    behind = re.split(r"(?<=[.!?])(?:\s|$)", behind, maxsplit=1)[0]
    said = plain(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", f"{before}{link}{behind}")).lstrip("-*0123456789. ")
    return said if 50 < len(said) < 260 and said.count("](") == 0 else ""


def question(heading: str, title: str, chance: random.Random) -> str:
    """A heading as somebody would ask for it; nothing for headings that cannot be put so."""
    found = _ING.match(heading)
    if found and len(found[1]) > 1:
        verb, rest = found[1].lower(), found[2]
        if len(verb) > 3 and verb[-1] == verb[-2] and verb[-1] not in "ls":
            verb = verb[:-1]
        elif verb in _LOST_E:
            verb += "e"
        return chance.choice((f"how do I {verb} {rest}", f"how to {verb} {rest} in {title}", f"{verb} {rest}?"))
    if heading.lower().startswith(("how ", "what ", "why ", "when ", "can ", "where ")):
        return heading.lower()
    words = heading.split()
    if 1 <= len(words) <= 3:
        return chance.choice((f"what is {heading}?", f"how does {heading} work in {title}?", f"what does {heading} do"))
    return ""


def _masked(pairs: Sequence[Pair], passages: Sequence[Passage], first: int, seed: int) -> list[Pair]:
    """The same pairs, half of the wordy ones without some of the words that query and passage share."""
    made = []
    for place, pair in enumerate(pairs):
        chance = random.Random(f"{seed} mask {place}")
        if pair.kind in ("sentence", "around", "link", "summary") and chance.random() < 0.5:
            held = set(_WORD.findall(passages[pair.passage - first].text.lower()))
            words = pair.query.split()
            kept = [w for w in words if not (held & set(_WORD.findall(w.lower()))) or chance.random() < 0.4]
            if len(kept) >= 3 and len(kept) < len(words):
                pair = replace(pair, kind=f"{pair.kind}-masked", query=" ".join(kept))
        made.append(pair)
    return made
