"""Headings become a tree of sections; links and code find the section they stand in.

Positions found in a body enter, records leave. A section runs from its heading to the next heading of its level or above,
wherever that heading stands: a heading inside a quote is a heading like any other.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from pinakes.parse.lines import Lines
from pinakes.parse.stream import Found
from pinakes.records import CodeBlock, Link, LinkForm, Relation, Section, Shape, Span
from pinakes.slugs import Slugger

_EXPLICIT_ID = re.compile(r"\s*\{\s*(?::|/\*?)?\s*#([^\s{}*/]+)(?:[\s*/][^{}]*)?\}\s*\Z")
_ONLY_MARKUP = re.compile(rb"(?:[\s>]|</?(?:a|p|div|span)\b[^<>]*>|<!--[^<>]*-->)*\Z")
_FARTHEST_ANCHOR = 600
"""An anchor belongs to a heading that follows within so many bytes, if nothing but markup stands between."""
_NUMBERING = re.compile(r"[\d.)]+\s+")
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
_RELATED = re.compile(r"related(?: (?:articles|content|documentation|documents|links|pages|resources|topics))?\Z")


def sections(found: Found, body: bytes, first: int, begin: int, lines: Lines) -> tuple[Section, ...]:
    """The root and every heading as sections.

    The root begins at byte `first` of the source whose `lines` are given, the body at `begin`.
    """
    titles, anchors, aliases = _names(found, body)
    starts = [first, *(begin + heading[0] for heading in found.headings)]
    levels = [0, *(heading[1] for heading in found.headings)]
    at_lines = list(map(lines.at, starts))
    at_lines[0] = 0
    shapes: dict[int, set[Shape]] = {}
    for position, shape in found.shapes:
        shapes.setdefault(position, set()).add(shape)
    parents, ends = _tree(levels)
    starts.append(begin + len(body))
    at_lines.append(lines.until(starts[-1]))
    return tuple(
        [
            Section(
                anchors[position],
                titles[position],
                levels[position],
                parents[position],
                Span(starts[position], starts[ends[position]]),
                Span(at_lines[position], at_lines[ends[position]]),
                tuple(aliases[position]) if position in aliases else (),
                tuple([shape for shape in Shape if shape in shapes[position]]) if position in shapes else (),
            )
            for position in range(len(levels))
        ]
    )


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


def _names(found: Found, body: bytes) -> tuple[list[str], list[str], dict[int, list[str]]]:
    """Titles and anchors of all sections, and the other anchors of those that have some."""
    titles = [""]
    anchors = [""]
    aliases: dict[int, list[str]] = {}
    slugger = Slugger()
    for position, (_, _, parts) in enumerate(found.headings, 1):
        title = parts[0] if len(parts) == 1 else "".join(parts)
        if title.endswith("}"):
            explicit = _EXPLICIT_ID.search(title)
            if explicit is not None:
                title = title[: explicit.start()]
                aliases[position] = [explicit[1]]
        titles.append(title)
        anchors.append(slugger.anchor(title))
    if found.anchors:
        _place(found, body, aliases)
    if aliases:
        taken = set(anchors)
        for position in sorted(aliases):
            names = [name for name in dict.fromkeys(aliases[position]) if name and name not in taken]
            taken.update(names)
            aliases[position] = names
    return titles, anchors, aliases


def _place(found: Found, body: bytes, aliases: dict[int, list[str]]) -> None:
    starts = [heading[0] for heading in found.headings]
    for start, end, name in found.anchors:
        position = bisect_right(starts, start)
        if position < len(starts):
            gap = starts[position] - end
            if 0 <= gap < _FARTHEST_ANCHOR and _ONLY_MARKUP.match(body, end, starts[position]):
                position += 1
        aliases.setdefault(position, []).append(name.strip())


def code_blocks(found: Found, begin: int) -> tuple[CodeBlock, ...]:
    """Blocks of code with the section they stand in."""
    return tuple(
        [CodeBlock(section, language, Span(begin + start, begin + end)) for start, end, language, section in found.code]
    )


def links(
    found: Found, begin: int, lines: Lines, of: Sequence[Section], *, relation: Relation, related: Sequence[Link] = ()
) -> tuple[Link, ...]:
    """The links of a body in reading order behind those of the frontmatter.

    `relation` is what a link says when no heading above it says otherwise.
    """
    if not found.links:
        return tuple(related)
    # An image inside a link was found first but ends first too: the one that starts earlier and ends later leads.
    found.links.sort(key=_reading_order)
    relations = _relations(of, relation)
    made = list(related)
    section = 0
    following = [*(each.span.start for each in of[1:]), 1 << 62]
    for start, end, form, target, parts in found.links:
        position = begin + start
        while following[section] <= position:
            section += 1
        made.append(
            Link(
                len(made),
                section,
                Span(position, begin + end),
                lines.at(position),
                form,
                target,
                parts[0] if len(parts) == 1 else "".join(parts),
                relations[section],
            )
        )
    return tuple(made)


def _reading_order(link: tuple[int, int, LinkForm, str, list[str]]) -> tuple[int, int]:
    return link[0], -link[1]


def _relations(of: Sequence[Section], usual: Relation) -> list[Relation]:
    """What the links of each section say: by its own heading, else by the nearest heading above that says something."""
    relations = [usual]
    for section in of[1:]:
        title = section.title.strip(" :").lower()
        if title[:1].isdigit():
            title = _NUMBERING.sub("", title, count=1)
        if title in _RELATIONS:
            relations.append(_RELATIONS[title])
        elif title.startswith("related") and _RELATED.match(title):
            relations.append(Relation.RELATED)
        else:
            relations.append(relations[section.parent])
    return relations
