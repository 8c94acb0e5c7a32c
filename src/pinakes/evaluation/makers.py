"""Questions made from the documents themselves: a library can be measured before anybody wrote questions for it.

A `Reader` enters, questions leave, the same ones for the same documents: what is chosen is chosen by digests, so that a
new document changes few of them. Their style is the name of the maker. They are easier than people's questions, since
they are made of the documents' own words; they are for comparing settings, not for praise.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import islice
from typing import TypeVar

from msgspec import Struct

from pinakes.evaluation.questions import Judgement, Question
from pinakes.ports import Reader
from pinakes.prose import first_sentence
from pinakes.records import DOCS, Document, Edge, LinkForm, Outcome, Outline, Ref, Section
from pinakes.slugs import slug
from pinakes.words.query import STOPWORDS

T = TypeVar("T")

PER_MAKER = 100
"""Questions of one style: enough to tell settings .03 apart, few enough for a coffee break."""

_WORD = re.compile(r"[^\W\d_]{3,}")
_ADDRESS = re.compile(r"\S*(?:://|/\S|\.\w{2,4}\b)\S*")
_SHORTEST, _LONGEST = 2, 12
"""Words in a question made of a heading or a link's text."""
_SENTENCE = 8
"""Fewer telling words than this are no sentence to take words from."""
_DROPPED = 2
"""One telling word of this many is dropped from a sentence, the rarest first."""
_TOPICS = 3
_MOST_TARGETS = 3
"""A text that links use for more sections than this means none of them."""
_SCATTERED = 3
"""Words of a question about nothing, each from another document."""


class CommitSections(Struct, frozen=True):
    """A commit and the sections that are still as it left them."""

    subject: str
    sections: tuple[tuple[str, str], ...]
    """Path and anchor of each."""


class QuestionMaterial(Struct, frozen=True):
    """What questions are made from."""

    outlines: tuple[Outline, ...]
    links: tuple[Edge, ...]
    """Those that lead from one document to another."""
    counts: Mapping[str, int]
    """In how many documents a word occurs."""
    topics: Mapping[str, tuple[str, ...]]
    """By path, the keywords that a document's own frontmatter gives."""
    document: Callable[[str], Document | None]
    commits: tuple[CommitSections, ...] = ()

    def sections(self) -> Iterator[tuple[Outline, int, Section]]:
        for outline in self.outlines:
            for position, section in enumerate(outline.sections):
                yield outline, position, section


Maker = Callable[[QuestionMaterial], Iterator[Question]]


def make_questions(
    reader: Reader, commits: tuple[CommitSections, ...] = (), most: int = PER_MAKER
) -> tuple[Question, ...]:
    """At most `most` questions by each of the makers. Reads every document once."""
    material = _gather(reader, commits)
    return tuple(question for maker in MAKERS for question in islice(maker(material), most))


def headings(material: QuestionMaterial) -> Iterator[Question]:
    """A heading that occurs once asks for its section."""
    for outline, section in _by_digest(_telling_headings(material), lambda one: _key(one[0], one[1])):
        yield _question("heading", section.title, [(outline.ref.path, section.anchor)])


def keywords(material: QuestionMaterial) -> Iterator[Question]:
    """The keywords of a section ask for it, those of a document for its beginning."""
    held = [
        (" ".join(section.keywords[:_TOPICS]), (outline.ref.path, section.anchor))
        for outline, _, section in material.sections()
        if len(section.keywords) >= _TOPICS
    ]
    held += [(" ".join(words[:_TOPICS]), (path, "")) for path, words in material.topics.items()]
    often = Counter(text for text, _ in held)
    for text, place in _by_digest((one for one in held if often[one[0]] == 1), str):
        yield _question("keyword", text, [place])


def link_texts(material: QuestionMaterial) -> Iterator[Question]:
    """What other documents call a section asks for it, when that is not its title."""
    titles = {(outline.ref.path, section.anchor): section.title for outline, _, section in material.sections()}
    pages = {outline.ref.path: outline.title for outline in material.outlines}
    targets: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for edge in material.links:
        text = " ".join(edge.link.text.split()).strip("“”\"'‘’")
        if edge.to is None or edge.to.path not in pages or not _is_telling(text) or _ADDRESS.search(text):
            continue
        place = (edge.to.path, edge.to.anchor)
        if slug(text) not in (slug(pages[edge.to.path]), slug(titles.get(place, ""))):
            targets[text].add(place)
    for text, places in _by_digest(targets.items(), lambda one: one[0]):
        if len(places) <= _MOST_TARGETS:
            yield _question("link", text, sorted(places))


def sentences(material: QuestionMaterial) -> Iterator[Question]:
    """What a section says first, without its rarest words, asks for it."""
    for outline, position, section in _by_digest(material.sections(), lambda one: _key(one[0], one[2])):
        document = material.document(outline.ref.path)
        said = first_sentence(document, position) if document else ""
        words = said.rstrip(".…!?").split()
        telling = [place for place, word in enumerate(words) if word.lower() not in STOPWORDS and _WORD.search(word)]
        if len(telling) >= _SENTENCE:
            rare = sorted(telling, key=lambda place: _rarity(words[place], material))[: len(telling) // _DROPPED]
            text = " ".join(word for place, word in enumerate(words) if place not in rare)
            yield _question("sentence", text, [(outline.ref.path, section.anchor)])


def commits(material: QuestionMaterial) -> Iterator[Question]:
    """What somebody called a change asks for the few sections that it changed."""
    often = Counter(commit.subject for commit in material.commits)
    for commit in _by_digest(material.commits, lambda one: one.subject):
        is_single = often[commit.subject] == 1 and 0 < len(commit.sections) <= _MOST_TARGETS
        if is_single and _is_telling(commit.subject):
            yield _question("commit", commit.subject, commit.sections)


def held_out(material: QuestionMaterial) -> Iterator[Question]:
    """A heading with a word of one document alone, asked of all the others, has no answer."""
    paths = [outline.ref.path for outline in material.outlines]
    for outline, section in _by_digest(_telling_headings(material), lambda one: _key(one[0], one[1])):
        if any(material.counts.get(word.lower()) == 1 for word in _WORD.findall(section.title)):
            others = everything_but(outline.ref.path, paths)
            if others:
                yield _question("held out", section.title, [], others)


def scattered(material: QuestionMaterial) -> Iterator[Question]:
    """Words of headings that each belong to another document alone ask for nothing there is."""
    homes: dict[str, str] = {}
    for outline, section in _telling_headings(material):
        for word in _WORD.findall(section.title.lower()):
            if material.counts.get(word) == 1:
                homes.setdefault(outline.ref.path, word)
    words = [word for _, word in _by_digest(homes.items(), lambda one: one[0])]
    for start in range(0, len(words) - _SCATTERED + 1, _SCATTERED):
        yield _question("scattered", " ".join(words[start : start + _SCATTERED]), [])


MAKERS: tuple[Maker, ...] = (headings, keywords, link_texts, sentences, commits, held_out, scattered)
"""Every way questions are made; another one is another row."""


def _gather(reader: Reader, commits: tuple[CommitSections, ...]) -> QuestionMaterial:
    outlines = tuple(reader.outlines(DOCS))
    counts: Counter[str] = Counter()
    topics = {}
    for outline in outlines:
        document = reader.document(outline.ref)
        if document is None:
            continue
        counts.update(set(_WORD.findall(document.source.decode("utf-8", "replace").lower())))
        if len(document.metadata.keywords) >= _TOPICS:
            topics[outline.ref.path] = document.metadata.keywords
    written = (LinkForm.LINK, LinkForm.WIKILINK, LinkForm.HTML)
    links = tuple(
        edge
        for edge in reader.edges(DOCS, outcomes=(Outcome.FOUND,))
        if edge.link.form in written and edge.to is not None and edge.to.path != edge.origin.path
    )
    return QuestionMaterial(outlines, links, counts, topics, lambda path: reader.document(Ref(DOCS, path)), commits)


def _telling_headings(material: QuestionMaterial) -> Iterator[tuple[Outline, Section]]:
    """Headings of several words that no other section of the corpus has."""
    often = Counter(section.title.casefold() for _, _, section in material.sections())
    for outline, _, section in material.sections():
        if _is_telling(section.title) and often[section.title.casefold()] == 1:
            yield outline, section


def _is_telling(text: str) -> bool:
    return len(_WORD.findall(text)) >= _SHORTEST and len(text.split()) <= _LONGEST


def _rarity(word: str, material: QuestionMaterial) -> int:
    """In how many documents a word's rarest part occurs."""
    return min(material.counts.get(part, 0) for part in _WORD.findall(word.lower()))


def _question(style: str, text: str, places: Iterable[tuple[str, str]], paths: tuple[str, ...] = ()) -> Question:
    relevant = tuple(Judgement(path, anchor, 2) for path, anchor in places)
    name = _digest(f"{style}\n{text}\n{relevant}")[:10]
    return Question(f"{style.replace(' ', '-')}-{name}", text, style, relevant, paths)


def _by_digest(held: Iterable[T], key: Callable[[T], str]) -> list[T]:
    return sorted(held, key=lambda one: _digest(key(one)))


def _key(outline: Outline, section: Section) -> str:
    return f"{outline.ref.path}#{section.anchor}"


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


MOST_PATTERNS = 300
"""A filter of more patterns than this takes longer to work out than the question it is for."""

_SPECIAL = re.compile(r"[*?\[\]]")


def everything_but(path: str, paths: Iterable[str]) -> tuple[str, ...]:
    """Folders and files that together hold all `paths` but `path`; empty when that cannot be said, or not shortly.

    >>> everything_but("a/b/c.md", ["a/b/c.md", "a/b/d.md", "a/e.md", "f/g/h.md"])
    ('a/b/d.md', 'a/e.md', 'f/')
    """
    steps = path.split("/")
    found = set()
    for other in paths:
        if other == path:
            continue
        parts = other.split("/")
        shared = next(
            (place for place, (one, two) in enumerate(zip(steps, parts, strict=False)) if one != two), len(steps) - 1
        )
        is_folder = len(parts) > shared + 1
        found.add("/".join(parts[: shared + 1]) + ("/" if is_folder else ""))
        if len(found) > MOST_PATTERNS:
            return ()
    return () if any(_SPECIAL.search(one) for one in found) else tuple(sorted(found))
