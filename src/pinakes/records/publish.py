"""What is published: the shape of every JSON file in a published folder, and what publishing reports.

A field that is None is left out of the file. The fields `links` and `embedded` are written with an underscore before
them, as HAL has it; everything else is written as it is called here.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

FORMAT = 2
"""Grows when a file that was published before could be misread."""


class Target(Struct, frozen=True):
    """Where a link leads."""

    href: str
    """Relative to the file it stands in, or absolute when a base URL was given."""
    name: str | None = None
    """What the target is called among others under the same relation: a document's path."""
    title: str | None = None


class Rated(Struct, frozen=True):
    """A keyword with what it counts in its topic."""

    name: str
    score: int
    """From 1 to 10; the topic's foremost keyword has 10."""


class Prompt(Struct, frozen=True):
    """A question that a chunk answers, as hashes of its words."""

    digest: str
    """Sixteen hexadecimal digits: equal for questions of equal words."""
    simhash: str
    """Sixteen hexadecimal digits: few bits differ between questions of nearly equal words."""
    similarity: float
    """Cosine of the question and the chunk."""


class Item(Struct, frozen=True):
    """A chunk: a stretch of its source, byte for byte."""

    index: int
    """Its place in the document, from 0."""
    href: str
    title: str
    """The heading it begins under."""
    is_code: bool
    """Whether more than half of its lines are code."""
    code_ratio: float
    lines: str
    """Of the source, from 1, both ends in: ``12-30``."""
    tokens: int
    similarity_conceptual: float
    """Cosine to the conceptual baseline."""
    similarity_technical: float | None
    prompts: tuple[Prompt, ...] | None = None
    """The questions it answers; left out when no questions were given."""


class Chunks(Struct, frozen=True):
    """A document in chunks, and the orders to read them in."""

    source: str
    """The link to the whole document."""
    index: str
    """The link to the file that lists its chunks."""
    page: str | None
    """The link to its page for people."""
    count: int
    baseline_conceptual: int
    """The chunk that says what it is all about."""
    baseline_technical: int | None
    """The chunk to look things up in, if there is one."""
    stripe_order: tuple[int, ...]
    """All chunks but the conceptual baseline, so that the first few are unlike each other."""
    stripe_order_technical: tuple[int, ...] | None
    order: tuple[int, ...]
    """The conceptual baseline, then the stripes: the first N are the N to read, for any N."""


class DocumentLinks(Struct, frozen=True):
    """Where one can go from the chunks of a document."""

    self: Target
    up: Target
    """The topic."""
    source: Target
    page: Target | None


class DocumentIndex(Struct, frozen=True):
    """The chunks of one document: all that is needed to read it, when its path is known."""

    links: DocumentLinks
    path: str
    """As it is called in the library."""
    title: str
    baseline_conceptual: int
    baseline_technical: int | None
    stripe_order: tuple[int, ...]
    stripe_order_technical: tuple[int, ...] | None
    order: tuple[int, ...]
    items: tuple[Item, ...]


class KeywordIndex(Struct, frozen=True):
    """The keywords of the chunks of a topic."""

    keywords: tuple[Rated, ...]
    """The topic's table."""
    chunks: Mapping[str, tuple[tuple[int, ...], ...]]
    """For each document, by what the files of its chunks begin with, and each chunk, the positions in the table of the
    keywords that occur in it."""


class Related(Struct, frozen=True):
    """A section of another document."""

    path: str
    anchor: str
    title: str


class Relations(Struct, frozen=True):
    """What a document has to do with others."""

    links_to: tuple[str, ...]
    """Paths of the documents that it links to."""
    linked_from: tuple[str, ...]
    related: tuple[Related, ...]
    """The nearest sections of other documents by their vectors."""


class RelationIndex(Struct, frozen=True):
    """The relations of the documents of a topic, by their paths."""

    documents: Mapping[str, Relations]


class EmbeddingIndex(Struct, frozen=True):
    """The vectors of the chunks of a topic: 127 times each number, rounded, as a signed byte; base64."""

    similarity: str
    """The embedder."""
    dimensions: int
    chunks: Mapping[str, tuple[str, ...]]


class TopicLinks(Struct, frozen=True):
    """Where one can go from a topic."""

    self: Target
    parent: Target | None
    """The nearest topic above; none for the root."""
    next: Target | None
    """The next topic in the order of paths; none for the last."""
    root: Target
    documents: tuple[Target, ...]
    """The sources, in the order of their names."""
    keywords: Target
    chunk_keywords: Target
    relations: Target
    embeddings: Target | None
    map: Target
    spec: Target


class Below(Struct, frozen=True):
    """A topic as the one above it names it. It says nothing that an edited document could change."""

    path: str
    links: Mapping[str, Target]


class TopicEmbedded(Struct, frozen=True):
    """What a topic holds."""

    topics: tuple[Below, ...]
    chunks: Mapping[str, Chunks]
    """By the name that the files of the chunks begin with."""


class TopicIndex(Struct, frozen=True):
    """A topic: a folder of documents."""

    links: TopicLinks
    embedded: TopicEmbedded
    path: str
    """The folder, as it is called in the library."""
    title: str
    chunked_by: str
    """``golden-reference.md`` where that document speaks for the topic, else ``documents``."""
    similarity: str
    """The embedder whose cosines these are, or ``tf-idf`` where there is none."""


class Counted(Struct, frozen=True):
    """How much there is."""

    documents: int
    chunks: int
    tokens: int


class TopicEntry(Struct, frozen=True):
    """A topic as the root names it."""

    path: str
    title: str
    counts: Counted
    links: Mapping[str, Target]


class RootEmbedded(Struct, frozen=True):
    """What the root holds: all topics, and the chunks of the documents that lie in no folder."""

    topics: tuple[TopicEntry, ...]
    chunks: Mapping[str, Chunks]


class RootIndex(Struct, frozen=True):
    """The first file to fetch."""

    links: Mapping[str, Target | tuple[Target, ...]]
    embedded: RootEmbedded
    title: str
    counts: Counted
    chunked_by: str
    similarity: str
    format: int = FORMAT
    generator: str = "pinakes"


class Asked(Struct, frozen=True):
    """A question as hashes, and the chunks that answer it."""

    digest: str
    simhash: str
    chunks: tuple[Target, ...]
    """Best first."""


class PromptIndex(Struct, frozen=True):
    """All questions of a published folder in one file, so that a script needs no other to answer."""

    prompts: tuple[Asked, ...]
    radius: int
    """Bits in which the simhashes of two questions may differ for the one to answer for the other."""
    format: int = FORMAT


class CopiedFile(Struct, frozen=True):
    """A file that documents show or link to, beside them."""

    href: str
    name: str
    """Its path in the library."""
    bytes: int


class OmittedFile(Struct, frozen=True):
    """A file that documents show or link to and that was not copied."""

    name: str
    reason: str


class FileIndex(Struct, frozen=True):
    """The files of a published folder that are no documents."""

    files: tuple[CopiedFile, ...]
    left_out: tuple[OmittedFile, ...]
    format: int = FORMAT


class Published(Struct, frozen=True):
    """What publishing did."""

    folder: str
    topics: int
    documents: int
    chunks: int
    pages: int
    """HTML pages of documents and folders."""
    files: int
    """Files that are no documents and were copied because documents show or link to them."""
    left_out: tuple[OmittedFile, ...]
    """Those that were not copied."""
    written: tuple[str, ...]
    """Files that are new or changed."""
    removed: tuple[str, ...]
    """Files of an earlier run that nothing needs any more."""
    unchanged: int
    kept: tuple[str, ...]
    """Files that are not what we wrote, or not ours, and stand where we would write: nobody touched them."""
    similarity: str
    notes: tuple[str, ...]
    """What a reader should know about how it was computed."""
    seconds: float


class Tried(Struct, frozen=True):
    """A question asked of a published folder's hashes."""

    question: str
    distance: int | None
    """Bits in which the question nearest to it differs; None when none is near enough."""
    chunks: tuple[Target, ...]
    """Best first; empty when the hashes do not know it."""
