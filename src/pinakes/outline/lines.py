"""The lines of one document.

An outline enters with what is to be shown of it, lines leave. Knows nothing of budgets or of other documents.

A file's line reads: name, title, ``(keywords)``, ``[kind]``, ``~Nln``, ``←N``, and how many sections are left out. A
heading's reads: marks, text, ``(keywords)``, ``[shapes]``, ``~Nln``, ``←N``. A symbol's reads: a letter for what it is,
its name, its signature, ``←N``. Each detail adds a piece that begins with
a space, so the pieces' prices add up to the price of the line. Documents are strangers, so every word of theirs is put
on one line without anything invisible, and cut when it is absurdly long.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pinakes.outline.map import Shown, left_out
from pinakes.outline.options import FEW_KEYWORDS, KEYWORD_DETAILS, MORE_LABELS, Detail
from pinakes.outline.paths import Paths, folder_of, printed
from pinakes.outline.tree import DEEPEST
from pinakes.records import Kind, Layout, Outline, Section, Symbol, SymbolKind
from pinakes.render import one_line

_LONGEST_TITLE = 120
_LONGEST_KEYWORD = 40
_LONGEST_SUMMARY = 160
_SMALLEST_SIZE = 5
"""Sizes under so many lines are not worth their tokens."""
_MOST_MARKS = 6
_LONGEST_SIGNATURE = 160
_MOST_SAID = {Detail.KEYWORDS: FEW_KEYWORDS, Detail.MORE_LABELS: MORE_LABELS, Detail.ALL_KEYWORDS: None}
SYMBOL_LETTERS = {
    SymbolKind.CLASS: "c",
    SymbolKind.FUNCTION: "f",
    SymbolKind.METHOD: "m",
    SymbolKind.VARIABLE: "v",
    SymbolKind.PROPERTY: "p",
}


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


def title_place(outline: Outline) -> int:
    """The position of the heading that says the title, so that the file's own line need not; 0 where there is none."""
    sections = outline.sections
    return 1 if len(sections) > 1 and sections[1].title == outline.title and sections[1].level == 1 else 0


def first_piece(file: Shown, place: int, depth: int) -> str:
    """What the line of a section always says: its heading, indented; of the root the name of the file."""
    if not place:
        return file_name(file.path)
    section = file.outline.sections[place]
    title = one_line(section.title, _LONGEST_TITLE)
    if section.symbol is not None:
        mark = ("a" if section.symbol.is_async else "") + SYMBOL_LETTERS[section.symbol.kind]
    else:
        mark = "#" * min(section.level, _MOST_MARKS)
    marks = "  " * min(depth, DEEPEST) + mark
    return f"{marks} {title}" if title else marks


def file_name(path: str) -> str:
    """What the line of a file begins with."""
    return printed(path.rpartition("/")[2])


def piece(file: Shown, place: int, detail: Detail) -> str:
    """What one detail adds to the line of a section; empty where there is nothing to say."""
    outline, section = file.outline, file.outline.sections[place]
    is_bare, is_code = len(outline.sections) == 1, outline.media.layout is Layout.CODE
    match detail:
        case Detail.TITLE if is_code:
            return f"  {file.collapsed}" if file.collapsed and not place else ""
        case Detail.KEYWORDS | Detail.ALL_KEYWORDS if section.symbol is not None:
            return _signature(section.symbol, is_whole=detail is Detail.ALL_KEYWORDS)
        case Detail.TITLE:
            name = outline.ref.path.rpartition("/")[2]
            is_said = place or title_place(outline) or outline.title in (name, name.rpartition(".")[0])
            title = "" if is_said else one_line(outline.title, _LONGEST_TITLE)
            return f" — {title}" if title else ""
        case Detail.KEYWORDS | Detail.MORE_LABELS | Detail.ALL_KEYWORDS if outline.media.layout is Layout.DRAWING:
            return _labels(section, detail)
        case Detail.KEYWORDS | Detail.ALL_KEYWORDS:
            is_said = place or is_bare
            return _keywords(section.keywords[: _MOST_SAID[detail]]) if is_said else ""
        case Detail.FACTS:
            kind = f" [{outline.kind}]" if not place and outline.kind is not Kind.UNKNOWN else ""
            shapes = f" [{', '.join(section.shapes)}]" if section.shapes and (place or is_bare) else ""
            cited = outline.cited_sections[place] if place else outline.cited
            size = _size(file, place) if not is_code and (place or is_bare) else ""
            return kind + shapes + size + (f" ←{cited}" if cited else "")
        case _:
            return ""


def lines_below(file: Shown, place: int, detail: Detail, depth: int, arrows: Mapping[int, list[str]]) -> Iterator[str]:
    """The lines that one detail adds under the line of a section."""
    indent = "  " * min(depth + 1, DEEPEST)
    if detail is Detail.SUMMARY and file.summaries:
        if sentence := one_line(file.summaries[place], _LONGEST_SUMMARY):
            yield f"{indent}> {sentence}"
    elif detail is Detail.REFERENCES and place in arrows:
        if place:
            yield from (f"{indent}→ {target}" for target in arrows[place])
        elif file.outline.media.layout is Layout.CODE:
            yield f"{indent}→ {', '.join(arrows[0])}"
        else:
            yield f"{indent}links: {', '.join(arrows[0])}"


def document_lines(file: Shown, paths: Paths) -> Iterator[str]:
    """A document's lines: the sections that are shown, each with its details, and a count of the others."""
    outline = file.outline
    level = depths(outline.sections)
    arrows = arrows_of(outline, paths) if outline.references else {}
    is_code = outline.media.layout is Layout.CODE
    for place in (0, *file.sections):
        details = file.details_of(place)
        line = first_piece(file, place, level[place])
        for one in _inline(details):
            line += piece(file, place, one)
        yield line if place else line + left_out(file.hidden)
        if Detail.SUMMARY in details:
            yield from lines_below(file, place, Detail.SUMMARY, level[place], arrows)
        if (place or is_code) and Detail.REFERENCES in details:
            yield from lines_below(file, place, Detail.REFERENCES, level[place], arrows)
    if not is_code and Detail.REFERENCES in file.details_of(0):
        yield from lines_below(file, 0, Detail.REFERENCES, 0, arrows)


def _inline(details: Detail) -> Iterator[Detail]:
    if Detail.TITLE in details:
        yield Detail.TITLE
    for detail in reversed(KEYWORD_DETAILS):
        if detail in details:
            yield detail
            break
    if Detail.FACTS in details:
        yield Detail.FACTS


def arrows_of(outline: Outline, paths: Paths) -> Mapping[int, list[str]]:
    """By section, what its references print as; those of the text before the first heading name documents only. Of
    source code, only what the file as a whole refers to: its imports."""
    found: dict[int, list[str]] = {}
    path, corpus, folder = outline.ref.path, outline.ref.corpus, folder_of(outline.ref.path)
    pointed = set()
    for reference in outline.references if outline.media.layout is not Layout.CODE else ():
        if reference.section and (reference.to.path != path or reference.to.corpus != corpus):
            pointed.add((reference.to.corpus, reference.to.path))
            found.setdefault(reference.section, []).append(paths.target(reference.to, folder, corpus))
    pointed.add((corpus, path))
    for reference in outline.references:
        if not reference.section and (reference.to.corpus, reference.to.path) not in pointed:
            pointed.add((reference.to.corpus, reference.to.path))
            found.setdefault(0, []).append(paths.target(reference.to.document, folder, corpus))
    return found


def _labels(section: Section, detail: Detail) -> str:
    """The labels of a drawing are all that can be read in it, so what is missing is counted."""
    most = _MOST_SAID[detail]
    missing = max(len(section.keywords) - most, 0) if most else 0
    if detail is Detail.MORE_LABELS and not missing:
        return ""  # then all of them are said
    said = _keywords(section.keywords[:most])
    return f"{said[:-1]}{left_out(missing)})" if said else ""


def _keywords(chosen: Sequence[str]) -> str:
    if not chosen:
        return ""
    text = ", ".join(chosen)
    if not (text.isascii() and text.isprintable()) or max(map(len, chosen)) > _LONGEST_KEYWORD or "  " in text:
        text = ", ".join(word for keyword in chosen if (word := one_line(keyword, _LONGEST_KEYWORD)))
    return f" ({text})" if text else ""


def _signature(symbol: Symbol, *, is_whole: bool) -> str:
    """What stands behind the name of a symbol: everything, or the names alone that whoever uses it has to know."""
    text = symbol.signature if is_whole else symbol.short_signature
    return one_line(text, _LONGEST_SIGNATURE)


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
