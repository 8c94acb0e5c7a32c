"""What a document is: bytes as found, the tree they hold, and the links in it.

Sections are one flat tuple in reading order, each naming its parent by position, rather than nested objects: that is
how they are stored, it cannot overflow a stack on a hostile drawing, and a section's own text simply ends where the
next section begins.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from pinakes.records.address import Ref, Span
from pinakes.records.formats import Media
from pinakes.records.module_paths import PathTable
from pinakes.records.structure import Block, Structure, unpacked_blocks
from pinakes.records.symbols import Symbol

_UNMARKED = Structure()


class Kind(StrEnum):
    """What a document is for. `UNKNOWN` is a fine answer."""

    SPEC = "spec"
    GUIDE = "guide"
    REFERENCE = "reference"
    DECISION = "decision"
    README = "readme"
    NOTES = "notes"
    CHANGELOG = "changelog"
    """What changed from release to release."""
    UNKNOWN = "unknown"


class Shape(StrEnum):
    """What a section contains besides prose."""

    TABLE = "table"
    CODE = "code"
    FORMULA = "formula"
    DIAGRAM = "diagram"
    LINKS = "links"
    """It is a list of links: they say more than everything else in it."""


class LinkForm(StrEnum):
    """How a link is written."""

    LINK = "link"
    IMAGE = "image"
    WIKILINK = "wikilink"
    EMBED = "embed"
    HTML = "html"
    FRONTMATTER = "frontmatter"
    PATH = "path"
    """A file's path mentioned in prose or code; it counts as a link only when that file exists."""
    SYMBOL = "symbol"
    """A name of source code: ``/src/ac/history#History.compact`` from the root, ``ac/history#History`` anywhere. It
    counts as a link only when the name is defined in the corpus."""


class Relation(StrEnum):
    """What a link says about its target."""

    LINKS_TO = "links_to"
    IMPLEMENTS = "implements"
    TESTS = "tests"
    RELATED = "related"
    MENTIONS = "mentions"
    """This and those below are told from the words around a link in a memory."""
    PLANS = "plans"
    REFACTORS = "refactors"
    FIXES = "fixes"
    DECIDES = "decides"
    REPLACES = "replaces"
    DOCUMENTS = "documents"
    DEPENDS_ON = "depends_on"
    IMPORTS = "imports"
    """This and those below are of source code."""
    CALLS = "calls"
    """It calls or uses a name."""
    EXTENDS = "extends"


class Stamp(Struct, frozen=True):
    """A document's address and version: cheap to make for a whole tree, and enough to tell whether to look closer."""

    ref: Ref
    version: str
    """Opaque; equal versions mean unchanged. For files: size and modification time in nanoseconds."""
    media: Media


class Raw(Struct, frozen=True):
    """Bytes as found."""

    stamp: Stamp
    data: bytes
    digest: str
    """Of `data`; two documents with equal digests have equal text."""
    modules: PathTable = ()
    """For source code, the paths that its project maps names of modules to."""


class Section(Struct, frozen=True):
    """A heading and what stands under it. `Document.sections[0]` is the root: the text before the first heading."""

    anchor: str
    """Unique in the document; empty for the root."""
    title: str
    """The heading as plain text; empty for the root."""
    level: int
    """0 for the root, 1–6 as written (drawings and org files may go deeper)."""
    parent: int
    """Position of the parent section in `Document.sections`; -1 for the root."""
    span: Span
    """Bytes of `Document.source`, from the heading to the end of its last descendant."""
    lines: Span
    """From the line of the heading to the last line of `span`."""
    aliases: tuple[str, ...] = ()
    """Other anchors that lead here: explicit ids, HTML ids, block ids."""
    shapes: tuple[Shape, ...] = ()
    """What its own text contains, in the order of `Shape`."""
    keywords: tuple[str, ...] = ()
    """What it is about, best first; a drawing's labels."""
    symbol: Symbol | None = None
    """Its definition, where it is a section of source code."""


class Link(Struct, frozen=True):
    """A link as written."""

    ordinal: int
    """Position among the document's links, from 0."""
    section: int
    """Position of the section it stands in."""
    span: Span
    """Bytes of `Document.source` that hold the link; empty at 0 for frontmatter links."""
    line: int
    """Line it starts on, from 0."""
    form: LinkForm
    target: str
    """Where it says it points: the decoded destination, or the inside of a wikilink without its alias."""
    text: str
    """What a reader sees: link text, alias or alternative text."""
    relation: Relation = Relation.LINKS_TO


class CodeBlock(Struct, frozen=True):
    """A fenced or indented block of code."""

    section: int
    language: str
    """First word of the fence's info string in lower case; empty when it has none."""
    span: Span
    """Bytes, fences included."""


class Metadata(Struct, frozen=True):
    """The frontmatter fields that Pinakes knows; everything else is kept in `extra`."""

    title: str = ""
    description: str = ""
    keywords: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    author: str = ""
    category: str = ""
    created: str = ""
    """ISO date or date and time."""
    modified: str = ""
    extra: str = "{}"
    """A JSON object with all other fields, nested values included."""
    language: str = ""
    """The natural language of the text as a code of two letters, as stated, by its path or by its words; empty where
    nothing tells."""

    def written_in(self, language: str) -> Metadata:
        """It with a language."""
        return replace(self, language=language)


class Document(Struct, frozen=True):
    """A parsed document."""

    stamp: Stamp
    digest: str
    """Of the bytes it was parsed from."""
    title: str
    """Frontmatter title, else the first heading of level 1, else the first heading, else the file's name."""
    kind: Kind
    source: bytes
    """UTF-8. For clean UTF-8 files this is the file, byte for byte; for others it is the text that was read."""
    sections: tuple[Section, ...]
    """In reading order; the first is the root and always there."""
    links: tuple[Link, ...] = ()
    code: tuple[CodeBlock, ...] = ()
    metadata: Metadata = Metadata()
    tags: tuple[str, ...] = ()
    """Frontmatter and inline tags without ``#``, sorted, unique."""
    warnings: tuple[str, ...] = ()
    """What a reader should know about how it was read: replaced bytes, broken frontmatter, a drawing without text."""
    body: int = 0
    """Where its text begins in `source`, behind a byte order mark and the frontmatter."""
    structure: Structure = _UNMARKED
    """Its blocks, and what of `source` is markup."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        """In reading order; one that holds others (a quote, a list item) comes before them."""
        return unpacked_blocks(self.structure.blocks)

    @property
    def ref(self) -> Ref:
        return self.stamp.ref

    def anchors(self) -> dict[str, str]:
        """Every anchor and the canonical anchor of the section it leads to: one's own wins over an alias, an earlier
        alias over a later one."""
        found = {section.anchor: section.anchor for section in self.sections if section.anchor}
        for section in self.sections:
            for alias in section.aliases:
                found.setdefault(alias, section.anchor)
        return found

    def own(self, position: int) -> Span:
        """Bytes from a section's heading up to the next section, children left out."""
        start = self.sections[position].span.start
        after = position + 1
        return Span(start, self.sections[after].span.start if after < len(self.sections) else self.sections[0].span.end)

    def text(self, span: Span) -> str:
        """The source's own words at `span`."""
        return self.source[span.start : span.end].decode("utf-8", "replace")

    def trail(self, position: int) -> tuple[str, ...]:
        """Headings from the top of the document down to a section, as they are repeated."""
        titles = []
        while position > 0:
            titles.append(repeated_title(self.sections[position].title))
            position = self.sections[position].parent
        return tuple(reversed(titles))

    def section_ref(self, position: int) -> Ref:
        """The address of the section at `position`; the root's is the document's."""
        return Ref(self.ref.corpus, self.ref.path, self.sections[position].anchor)


_LONGEST_TITLE = 2000


def repeated_title(title: str) -> str:
    """As much of a title as is said again with each part of what stands below it: without an end, a long heading would
    cost its length as often as it is long."""
    return title[:_LONGEST_TITLE]


class Chunk(Struct, frozen=True):
    """A passage that search matches or returns: a slice of the source, never a copy of it."""

    ordinal: int
    """Position among the document's chunks, in reading order; with the document's Ref it is the chunk's identity."""
    section: int
    """Position of the section it stands in."""
    parent: int
    """Ordinal of the section-level chunk that holds this passage; its own ordinal at the section level."""
    span: Span
    lines: Span
    code_ratio: float
    """Share of its bytes inside code blocks; more than half makes it code."""
