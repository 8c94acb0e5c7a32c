"""Headings become a tree of sections; links and code find the section they stand in.

Positions found in a body enter, records leave. A section runs from its heading to the next heading of its level or
above, wherever that heading stands: a heading inside a quote is a heading like any other.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, count, repeat
from operator import itemgetter
from typing import NamedTuple

from pinakes.parse.structure import Contents
from pinakes.records import CodeBlock, Link, LinkForm, Relation, Section, Shape, Span
from pinakes.slugs import Slugger

_EXPLICIT_ID = re.compile(r"\{\s*(?:(?::|/\*?)\s*)?#([^\s{}*/]+)(?:[\s*/][^{}]*)?\}")
_TEMPLATE = re.compile(
    r"\{\{[^{}\"']*(?:\"([^\"{}]*)\"|'([^'{}]*)')[^{}]*\}\}|\{%-?\s*data\s+(?:[\w-]+\.)*(?:prodname_)?([\w-]+)\s*-?%\}"
    r"|\{\{[^{}]*\}\}|\{%[^{}]*%\}"
)
_ONLY_MARKUP = re.compile(rb"(?:[\s>]|</?(?:a|p|div|span)\b[^<>]*>|<!--[^<>]*-->)*\Z")
_FARTHEST_ANCHOR = 600
"""An anchor belongs to a heading that follows within so many bytes, if nothing but markup stands between."""
_NUMBERING = re.compile(r"[\d.)]+\s+")
_SHAPES = tuple(Shape)
_TO_PAGES = (LinkForm.LINK, LinkForm.WIKILINK, LinkForm.HTML)
_FEWEST_LINKS = 2
"""Links that make a list."""
_START = itemgetter(0)
_RELATIONS = {
    "implementation": Relation.IMPLEMENTS,
    "implementations": Relation.IMPLEMENTS,
    "implemented by": Relation.IMPLEMENTS,
    "implemented in": Relation.IMPLEMENTS,
    "test": Relation.TESTS,
    "tests": Relation.TESTS,
    "test cases": Relation.TESTS,
    "test coverage": Relation.TESTS,
    "test plan": Relation.TESTS,
    "see also": Relation.RELATED,
}
_FIRST_SIGNS = frozenset((*"ISTRistr :", ""))
"""What a heading that says something begins with, unless it is numbered."""
_RELATED = re.compile(r"related(?: (?:articles|content|documentation|documents|links|pages|resources|topics))?\Z")


class BodyText(NamedTuple):
    """A body and where it stands."""

    text: bytes
    """As the engine saw it: every line ends with a line feed."""
    first: int
    """Where the document begins in the source."""
    begin: int
    """Where the body begins in the source, behind the frontmatter."""
    lines: dict[int, int]
    """The line of each position at which something was found, and of the body's end."""


def body_of(found: Contents, text: bytes, first: int, begin: int, line: int) -> BodyText:
    """The body with this text, in which these things were found and whose first line has this number.

    Counting line feeds between one position and the next, once for all, is faster than finding all line starts first.
    """
    positions = sorted([*map(_START, found.headings), *map(_START, found.links), len(text)])
    between = map(text.count, repeat(b"\n"), (0, *positions), positions)
    lines = accumulate(between, initial=line)
    next(lines)
    return BodyText(text, first, begin, dict(zip(positions, lines, strict=True)))


def _spans(starts: Iterable[int], ends: Iterable[int]) -> Iterator[Span]:
    # As Span(start, end) for each, without a call to Python code for each.
    return map(tuple.__new__, repeat(Span), zip(starts, ends, strict=True))


def sections(found: Contents, body: BodyText) -> tuple[Section, ...]:
    """The root and every heading as sections."""
    titles, anchors, aliases = _names(found, body.text)
    places = [heading[0] for heading in found.headings]
    places.append(len(body.text))
    levels = [0, *[heading[1] for heading in found.headings]]
    starts = [body.first, *[body.begin + place for place in places]]
    lines = [0, *[body.lines[place] for place in places]]
    if not body.text.endswith(b"\n") and starts[-1] > body.first and (body.text or not lines[-1]):
        lines[-1] += 1
    parents, ends = _tree(levels)
    shapes = _shapes([*found.shapes, *[(position, Shape.LINKS) for position in _link_lists(found, body.text)]])
    everywhere = range(len(levels))
    return tuple(
        map(
            Section,
            anchors,
            titles,
            levels,
            parents,
            _spans(starts[:-1], [starts[end] for end in ends]),
            _spans(lines[:-1], [lines[end] for end in ends]),
            [tuple(aliases.get(position, ())) for position in everywhere] if aliases else repeat(()),
            [shapes.get(position, ()) for position in everywhere] if shapes else repeat(()),
        )
    )


def _link_lists(found: Contents, text: bytes) -> Iterator[int]:
    """Positions of the sections below whose heading links say at least as much as everything else."""
    starts = [0, *[heading[0] for heading in found.headings], len(text)]
    held: dict[int, list[tuple[int, int, int]]] = {}
    for start, end, form, _, said in found.links:
        if form in _TO_PAGES:
            held.setdefault(bisect_right(starts, start, 1, len(starts) - 1) - 1, []).append(
                (start, end, len("".join(said)))
            )
    for position, links in held.items():
        if len(links) >= _FEWEST_LINKS:
            begin = text.find(b"\n", starts[position]) if position else 0
            below = [(end - start, said) for start, end, said in links if start >= begin >= 0]
            own = len(text[begin : starts[position + 1]].strip())
            if len(below) >= _FEWEST_LINKS and sum(said + length for length, said in below) >= own:
                yield position


def _shapes(found: Iterable[tuple[int, Shape]]) -> dict[int, tuple[Shape, ...]]:
    seen: dict[int, tuple[Shape, ...]] = {}
    for position, shape in found:
        before = seen.get(position)
        if before is None:
            seen[position] = (shape,)
        elif shape not in before:
            seen[position] = tuple(sorted((*before, shape), key=_SHAPES.index))
    return seen


def _tree(levels: Sequence[int]) -> tuple[list[int], list[int]]:
    """For each section its parent's position, and the position of the section before which it ends."""
    parents = [-1] * len(levels)
    ends = [len(levels)] * len(levels)
    above = [0]
    for position in range(1, len(levels)):
        level = levels[position]
        while levels[above[-1]] >= level:
            ends[above.pop()] = position
        parents[position] = above[-1]
        above.append(position)
    return parents, ends


def _names(found: Contents, body: bytes) -> tuple[list[str], list[str], dict[int, list[str]]]:
    """Titles and anchors of all sections, and the other anchors of those that have some."""
    titles = ["", *["".join(parts) for _, _, parts in found.headings]]
    aliases: dict[int, list[str]] = {}
    for position, title in enumerate(titles):
        if title[-1:] == "}" and "#" in title:
            # From the last brace: a search from the left would look at endless spaces before it again and again.
            explicit = _EXPLICIT_ID.fullmatch(title, title.rfind("{"))
            if explicit is not None:
                titles[position] = _unclosed(title[: explicit.start()].rstrip(), body, found.headings[position - 1][0])
                aliases[position] = [explicit[1]]
    anchors = ["", *Slugger().anchors(titles[1:])]
    titles = [shown_title(title) if "{" in title else title for title in titles]
    if found.anchors:
        _place(found, body, aliases)
    if aliases:
        taken = set(anchors)
        for position in sorted(aliases):
            names = [name for name in dict.fromkeys(aliases[position]) if name and name not in taken]
            taken.update(names)
            aliases[position] = names
    return titles, anchors, aliases


def shown_title(title: str) -> str:
    """A title without templates: each gives way to what it says, its first text or the last part of a name."""
    shown = " ".join(_TEMPLATE.sub(lambda found: found[1] or found[2] or found[3] or "", title).split())
    return shown or title


def _unclosed(title: str, body: bytes, start: int) -> str:
    """A title without the hashes that closed its heading before the id."""
    bare = title.rstrip("#")
    is_closed = bare != title and not bare[-1:].strip() and body[start : start + 4].lstrip().startswith(b"#")
    return bare.rstrip() if is_closed else title


def _place(found: Contents, body: bytes, aliases: dict[int, list[str]]) -> None:
    starts = [heading[0] for heading in found.headings]
    for start, end, name in found.anchors:
        position = bisect_right(starts, start)
        if position < len(starts):
            gap = starts[position] - end
            if 0 <= gap < _FARTHEST_ANCHOR and _ONLY_MARKUP.match(body, end, starts[position]):
                line = 1 + max(body.rfind(b"\n", 0, start), start - _FARTHEST_ANCHOR)
                position += _ONLY_MARKUP.match(body, line, start) is not None
        aliases.setdefault(position, []).append(name.strip())


def code_blocks(found: Contents, begin: int) -> tuple[CodeBlock, ...]:
    """Blocks of code with the section they stand in."""
    return tuple(
        [CodeBlock(section, language, Span(begin + start, begin + end)) for start, end, language, section in found.code]
    )


def links(
    found: Contents, body: BodyText, of: Sequence[Section], relation: Relation, related: Sequence[Link]
) -> tuple[Link, ...]:
    """The links of a body in reading order, behind those of the frontmatter.

    `relation` is what a link says when no heading above it says otherwise.
    """
    if not found.links:
        return tuple(related)
    found.links.sort(key=_START)
    starts, ends, forms, targets, texts = zip(*found.links, strict=True)
    headings = [heading[0] for heading in found.headings]
    sections = [bisect_right(headings, start) for start in starts]
    relations = _relations(of, relation)
    begin = body.begin
    made = map(
        Link,
        count(len(related)),
        sections,
        _spans([begin + start for start in starts], [begin + end for end in ends]),
        [body.lines[start] for start in starts],
        forms,
        targets,
        map("".join, texts),
        [relations[section] for section in sections],
    )
    return (*related, *made)


def _relations(of: Sequence[Section], usual: Relation) -> list[Relation]:
    """What the links of each section say: by its own heading, else by the nearest heading above that says something."""
    relations = [usual]
    for section in of[1:]:
        title = section.title
        said = _said(title) if title[:1] in _FIRST_SIGNS or title[0].isdigit() else None
        relations.append(said or relations[section.parent])
    return relations


def _said(title: str) -> Relation | None:
    title = title.strip(" :").lower()
    if title[:1].isdigit():
        title = _NUMBERING.sub("", title, count=1)
    return Relation.RELATED if _RELATED.match(title) else _RELATIONS.get(title)
