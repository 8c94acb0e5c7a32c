"""Markdown and MDX become documents.

Bytes as found enter, a `Document` leaves. The order of work stands here; each step is a module of its own. No content
makes it fail, and its time grows with the length of the text and nothing else.
"""

from __future__ import annotations

import os
import re

from pinakes.parse.decode import Decoded, Lines, decode
from pinakes.parse.frontmatter import Frontmatter, frontmatter
from pinakes.parse.html import attributes
from pinakes.parse.kind import kind_of
from pinakes.parse.language import language_of
from pinakes.parse.prepare import (
    Cuts,
    for_engine,
    may_have_admonitions,
    restore_page_refs,
    without_admonitions,
    without_components,
    without_indents,
)
from pinakes.parse.sections import body_of, code_blocks, links, sections, shown_title
from pinakes.parse.stream import read
from pinakes.parse.structure import Contents, structure
from pinakes.parse.wikilinks import wikilink_in_text
from pinakes.records import Document, Link, LinkForm, Raw, Relation, Section, Span

_INLINE_LINK = re.compile(r"\[([^\[\]]*)\]\(\s*<?([^()<>\s]+)>?\s*\)\Z")
# Looking a member up in its class takes a microsecond.
_LINKS_TO, _TESTS = Relation.LINKS_TO, Relation.TESTS
_RELATED_FIELD = re.compile(rb"^[\"']?related[\"']?[ \t]*[:=]", re.MULTILINE | re.IGNORECASE)
_MOST_UNSEEN = 50
"""How many values may be written in other signs than they mean, such as escapes, before lines are no longer sought."""
_TITLE_WITHIN = 3
"""Headings among which one of the first level is the title; later ones begin parts."""
_VERSION = re.compile(r"\[?v?\d+\.\d+|\[?unreleased\b", re.IGNORECASE)
_TEST_DOCUMENT = re.compile(
    r"(?:\A|/)tests?/|(?:\A|/)test[-_][^/]*\Z|[-_.]tests?\.\w+\Z|(?:\A|/)tests\.\w+\Z", re.IGNORECASE
)


def parse_markdown(raw: Raw) -> Document:
    """Read a Markdown or MDX document."""
    decoded = decode(raw.data)
    source = decoded.source
    front = frontmatter(source, decoded.start)
    path = raw.stamp.ref.path
    if front.end == 0:
        written, text = source, decoded.text
    else:
        written = source[front.end :]
        text = decoded.text[_length(decoded, front.end) :]
    seen, found = _read(written, text, is_mdx=path.lower().endswith(".mdx"))
    if b"ref" in written and b"]({{" in written:
        restore_page_refs(found, written)
    line = _count_lines(source, front.end) if front.end > decoded.start else 0
    body = body_of(found, seen, decoded.start, front.end, line)
    tree = sections(found, body)
    is_test = "test" in path.lower() and _TEST_DOCUMENT.search(path)
    relation = _TESTS if is_test else _LINKS_TO
    title = shown_title(front.metadata.title) or _title(tree, path)
    return Document(
        raw.stamp,
        raw.digest,
        title=title,
        kind=kind_of(path, tree, title, front.types),
        source=source,
        sections=tree,
        links=links(found, body, tree, relation, _named_in_fields(front, source[: front.end])),
        code=code_blocks(found, front.end),
        metadata=front.metadata.written_in(language_of(front.language, path, text)),
        tags=tuple(sorted(found.tags.union(front.tags))) if found.tags else front.tags,
        warnings=decoded.warnings + front.warnings,
        body=front.end,
        structure=structure(found, front.end),
    )


def _length(decoded: Decoded, end: int) -> int:
    """How many characters the text has before `end`."""
    return end - decoded.start if decoded.text.isascii() else len(decoded.source[decoded.start : end].decode())


def _count_lines(source: bytes, end: int) -> int:
    if source.find(b"\r", 0, end) >= 0 or source[end - 1 : end] != b"\n":
        return len(Lines(source[:end]))
    return source.count(b"\n", 0, end)


def _read(body: bytes, text: str, *, is_mdx: bool) -> tuple[bytes, Contents]:
    """The body as the engine saw it, and what it holds."""
    seen = for_engine(body)
    if not is_mdx:
        if not may_have_admonitions(seen):
            return seen, read(text if seen is body else seen.decode(), seen)
        shorter, cuts = without_admonitions(seen)
        found = read(shorter.decode(), shorter, has_boxes=True)
        if cuts.places:
            _restore(found, cuts)
            found.hidden += cuts.spans()
        return seen, found
    seen, tags = without_components(seen)
    shorter, cuts = without_indents(seen, tags)
    found = read(shorter.decode(), shorter)
    _restore(found, cuts)
    found.hidden += tags
    for start, end in tags:
        for tag_start, tag_end, what, value, words in attributes(body, start, end):
            if what == "anchor":
                found.anchors.append((tag_start, tag_end, value))
            else:
                found.links.append((tag_start, tag_end, LinkForm.HTML, value, [words]))
    return seen, found


def _restore(found: Contents, cuts: Cuts) -> None:
    """Move everything to where it stood before the cuts."""
    start, end = cuts.start, cuts.end
    found.headings[:] = [(start(at), level, text) for at, level, text in found.headings]
    found.links[:] = [(start(at), end(to), form, target, text) for at, to, form, target, text in found.links]
    found.anchors[:] = [(start(at), end(to), name) for at, to, name in found.anchors]
    found.code[:] = [(start(at), end(to), language, before) for at, to, language, before in found.code]
    found.hidden[:] = [(start(at), end(to)) for at, to in found.hidden]
    found.formulas[:] = [(start(at), end(to)) for at, to in found.formulas]
    found.blocks[::3], found.blocks[1::3] = map(start, found.blocks[::3]), map(end, found.blocks[1::3])
    found.verbatim[::2], found.verbatim[1::2] = map(start, found.verbatim[::2]), map(end, found.verbatim[1::2])
    # A gap begins where text ended and ends where text begins; two that met at a cut overlap now, so they go where
    # overlaps are joined.
    found.hidden += zip(map(end, found.gaps[::2]), map(start, found.gaps[1::2]), strict=True)
    found.gaps.clear()


def _title(tree: tuple[Section, ...], path: str) -> str:
    """What a reader takes for the title: a first heading near the top, and no version, as of a list of changes."""
    headings = [section for section in tree[1:] if section.title.strip()]
    first = next((one for one in headings[:_TITLE_WITHIN] if one.level == 1), headings[0] if headings else None)
    if first is not None and not _VERSION.match(first.title):
        return first.title
    return os.fsencode(path.rpartition("/")[2]).decode("utf-8", "replace")


def _named_in_fields(front: Frontmatter, written: bytes) -> tuple[Link, ...]:
    """What the frontmatter refers to: the links of the field ``related``, and pictures, where such files exist."""
    if not front.related and not front.images:
        return ()
    made = _related(front, written) if front.related else []
    for value in front.images:
        line = Lines(written).at(max(written.find(value.encode("utf-8", "replace")), 0))
        made.append(Link(len(made), 0, Span(0, 0), line, LinkForm.PATH, value, value, Relation.LINKS_TO))
    return tuple(made)


def _related(front: Frontmatter, written: bytes) -> list[Link]:
    """The links of the field ``related``, in the order and on the lines where they are written."""
    made = []
    lines = Lines(written)
    key = _RELATED_FIELD.search(written)
    reached = key.end() if key else len(written)
    patience = _MOST_UNSEEN
    for ordinal, value in enumerate(front.related):
        inline = _INLINE_LINK.match(value)
        target, text = wikilink_in_text(value) or ((inline[2], inline[1]) if inline else (value, value))
        needle = value.encode("utf-8", "replace")
        at = written.find(needle, reached) if patience else -1
        if at < 0:
            patience -= patience > 0
        else:
            reached = at + len(needle)
        line = lines.at(max(at, 0))
        # The span stays empty: around a field there are no words that tell of the link.
        made.append(Link(ordinal, 0, Span(0, 0), line, LinkForm.FRONTMATTER, target, text, Relation.RELATED))
    return made
