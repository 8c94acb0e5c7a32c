"""The lines of one document.

An outline enters with what is to be shown of it, lines leave. Knows nothing of budgets or of other documents.

A heading's line reads: marks, text, ``(keywords)``, ``[shapes]``, ``~Nln``, ``←N``. Documents are strangers, so every
word of theirs is put on one line without anything invisible, and cut when it is absurdly long.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pinakes.outline.map import Shown
from pinakes.outline.options import MapDetail
from pinakes.outline.paths import Paths, folder_of
from pinakes.records import Kind, Layout, Outline, Section
from pinakes.render import one_line

_LONGEST_TITLE = 120
_LONGEST_KEYWORD = 40
_LONGEST_SUMMARY = 160
_SMALLEST_SIZE = 5
"""Sizes under so many lines are not worth their tokens."""
DEEPEST = 12
"""Deeper nesting, which only drawings and outlines of thousands of levels have, is not indented further."""
_MOST_MARKS = 6


def depths(sections: Sequence[Section]) -> list[int]:
    """How deep each section is nested; 0 for the root."""
    found = [0] * len(sections)
    for place in range(1, len(sections)):
        found[place] = found[sections[place].parent] + 1
    return found


def with_children(sections: Sequence[Section], own: Sequence[int]) -> list[int]:
    """Sizes of sections' own text, summed up over what is below them."""
    sizes = list(own)
    for place in range(len(sections) - 1, 0, -1):
        sizes[sections[place].parent] += sizes[place]
    return sizes


def file_line(file: Shown, detail: MapDetail, paths: Paths) -> str:
    """``path [kind] ←N``; a file without headings also says what it is about, what it holds and how big it is."""
    outline = file.outline
    root = outline.sections[0]
    is_bare = len(outline.sections) == 1
    line = paths.file(outline.ref.path)
    if is_bare or outline.media.layout is Layout.DRAWING:
        line += _keywords(root, detail)
    if outline.kind is not Kind.UNKNOWN:
        line += f" [{outline.kind}]"
    if is_bare:
        line += _shapes(root, detail) + _size(file, 0)
    return f"{line} ←{outline.cited}" if outline.cited else line


def heading_line(file: Shown, place: int, depth: int, detail: MapDetail) -> str:
    """The line of the section at `place`, indented."""
    section = file.outline.sections[place]
    line = "  " * min(depth, DEEPEST) + "#" * min(section.level, _MOST_MARKS)
    if title := one_line(section.title, _LONGEST_TITLE):
        line += f" {title}"
    if section.keywords:
        line += _keywords(section, detail)
    line += _shapes(section, detail) + _size(file, place)
    cited = file.outline.cited_sections[place]
    return f"{line} ←{cited}" if cited else line


def more(hidden: int) -> str:
    """What stands for a document's sections that are not shown: the end of its first line, or a line of its own."""
    return f" … {hidden} more"


def document_lines(file: Shown, detail: MapDetail, paths: Paths) -> Iterator[str]:
    """A document's lines: the sections that are shown, and a count of the others."""
    outline, hidden = file.outline, file.hidden
    yield file_line(file, detail, paths) + ("" if file.places or not hidden else more(hidden))
    level = depths(outline.sections)
    arrows = _arrows(outline, paths) if detail.references and outline.references else {}
    summaries = file.summaries if detail.summaries else ()
    if summaries:
        yield from _summary(summaries[0], 0)
    for place in file.sections:
        yield heading_line(file, place, level[place], detail)
        if summaries:
            yield from _summary(summaries[place], level[place])
        if place in arrows:
            indent = "  " * min(level[place] + 1, DEEPEST)
            for target in arrows[place]:
                yield f"{indent}→ {target}"
    if file.places and hidden:
        yield f" {more(hidden)}"
    if 0 in arrows:
        yield f"  links: {', '.join(arrows[0])}"


def _arrows(outline: Outline, paths: Paths) -> dict[int, list[str]]:
    """By section, what its references print as; those of the text before the first heading name documents only."""
    found: dict[int, list[str]] = {}
    path, corpus, folder = outline.ref.path, outline.ref.corpus, folder_of(outline.ref.path)
    pointed = set()
    for reference in outline.references:
        if reference.section and (reference.to.path != path or reference.to.corpus != corpus):
            pointed.add((reference.to.corpus, reference.to.path))
            found.setdefault(reference.section, []).append(paths.target(reference.to, folder, corpus))
    pointed.add((corpus, path))
    for reference in outline.references:
        if not reference.section and (reference.to.corpus, reference.to.path) not in pointed:
            pointed.add((reference.to.corpus, reference.to.path))
            found.setdefault(0, []).append(paths.target(reference.to.document, folder, corpus))
    return found


def _keywords(section: Section, detail: MapDetail) -> str:
    if not section.keywords or not detail.keywords:
        return ""
    chosen = section.keywords[: detail.keywords]
    text = ", ".join(chosen)
    if not (text.isascii() and text.isprintable()) or max(map(len, chosen)) > _LONGEST_KEYWORD or "  " in text:
        text = ", ".join(word for keyword in chosen if (word := one_line(keyword, _LONGEST_KEYWORD)))
    return f" ({text})" if text else ""


def _shapes(section: Section, detail: MapDetail) -> str:
    return f" [{', '.join(section.shapes)}]" if section.shapes and detail.shapes else ""


def _size(file: Shown, place: int) -> str:
    lines = file.outline.sections[place].lines
    count = lines[1] - lines[0]
    if count < _SMALLEST_SIZE:
        return ""
    return f" ~{count}ln ~{_rounded(file.sizes[place])}tok" if file.sizes else f" ~{count}ln"


def _rounded(count: int) -> int:
    """To two digits: it is an estimate, and a small edit should not show."""
    unit: int = 10 ** max(len(str(count)) - 2, 0)
    return round(count / unit) * unit


def _summary(text: str, depth: int) -> Iterator[str]:
    if sentence := one_line(text, _LONGEST_SUMMARY):
        yield f"{'  ' * min(depth + 1, DEEPEST)}> {sentence}"
