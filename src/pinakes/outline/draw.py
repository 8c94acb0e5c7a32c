"""What is in here, in N tokens? The whole way from outlines to a map.

Outlines and ranks enter, a map leaves. Detail goes before sections do: the richest of four levels of detail at which
every heading fits is taken (everything; two keywords; no references; bare headings). When even the bare headings do not
fit, sections survive by rank, see `fit`; folders are always named, as many levels of them as a sixth of the budget
holds, and what is left out is counted at the end of its document or folder. The text never costs more than the budget:
prices are upper bounds, and the finished text is counted before it is handed out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from pinakes.cancelling import checked
from pinakes.outline.blocks import block_id, document_blocks, folder_blocks, folders_within_budget, place_in_map, region
from pinakes.outline.fit import candidates, select
from pinakes.outline.lines import DEEPEST, document_lines, file_line, heading_line, with_children
from pinakes.outline.map import Map, MapBlock, Shown, digest
from pinakes.outline.options import LADDER, MapDetail, MapRequest
from pinakes.outline.paths import Paths, files_below, folder_of, short_names, shorten
from pinakes.records import Outline
from pinakes.render import one_line
from pinakes.tokens import count_tokens

_FRAME_SHARE = 6
"""One part in so many of a budget may go to naming folders."""
_CHEAPEST_SECTION = 4
"""No heading costs less: a line end, indentation, marks and a word."""
_REFILL = 20
"""What short names save is spent on more sections in steps of one part in so many of the budget."""


@dataclass(frozen=True, slots=True)
class _Sheet:
    """Everything that is known before anything is left out."""

    files: tuple[Shown, ...]
    """Every document, whole, in the order of the map."""
    below: Mapping[str, int]
    """Documents in and below every folder."""
    names: Mapping[str, str]
    owners: Mapping[str, str]
    blocks: Mapping[str, str]
    """The block of every document."""
    sections: int
    budget_tokens: int
    state: str

    @property
    def documents(self) -> int:
        return len(self.files)

    @property
    def has_sizes(self) -> bool:
        return any(file.sizes for file in self.files)


def draw_map(
    outlines: Sequence[Outline],
    ranks: Mapping[str, Sequence[float]],
    request: MapRequest,
    summaries: Mapping[str, Sequence[str]] | None = None,
    sizes: Mapping[str, Sequence[int]] | None = None,
    state: str = "",
) -> Map:
    """The map of `outlines`; equal input gives equal bytes, whatever the order it comes in.

    `ranks`, `summaries` and `sizes` (tokens of each section's own text) hold a value per section by path; summaries and
    sizes show only when the request asks for them. `state` is a sentence for the end of the map, such as keywords that
    are still being made.
    """
    sheet = _prepare(outlines, request, summaries or {}, sizes or {}, state)
    if not request.budget_tokens:
        return _whole(sheet, LADDER[0])
    least = sum(len(file.outline.sections) for file in sheet.files) * _CHEAPEST_SECTION
    if least <= request.budget_tokens:
        bare = _whole(sheet, LADDER[-1])
        if bare.tokens <= request.budget_tokens:
            richer = (_whole(sheet, detail) for detail in LADDER[:-1])
            return next((drawn for drawn in richer if drawn.tokens <= request.budget_tokens), bare)
    return _part(sheet, ranks)


def _prepare(
    outlines: Sequence[Outline],
    request: MapRequest,
    summaries: Mapping[str, Sequence[str]],
    sizes: Mapping[str, Sequence[int]],
    state: str,
) -> _Sheet:
    ordered = tuple(sorted(outlines, key=lambda outline: place_in_map(outline.ref.path)))
    paths = [outline.ref.path for outline in ordered]
    below = files_below(paths)
    owners = folder_blocks(below)
    files = []
    for outline in checked(ordered):
        summary = summaries.get(outline.ref.path, ()) if request.summary else ()
        own = sizes.get(outline.ref.path, ()) if request.tokens else ()
        files.append(Shown(outline, None, summary, with_children(outline.sections, own) if own else ()))
    return _Sheet(
        files=tuple(files),
        below=below,
        names=short_names(below),
        owners=owners,
        blocks=document_blocks(paths, owners),
        sections=sum(len(outline.sections) - 1 for outline in ordered),
        budget_tokens=request.budget_tokens,
        state=one_line(state, 200),
    )


def _whole(sheet: _Sheet, detail: MapDetail) -> Map:
    paths = shorten(sheet.below, sheet.names)
    return _assemble(sheet, sheet.files, detail, paths, {})


def _part(sheet: _Sheet, ranks: Mapping[str, Sequence[float]]) -> Map:
    """The sections that survive, under the folders that are always named."""
    budget = sheet.budget_tokens
    plain = Paths({}, {"": ""})
    lines = {folder: _more_files(f"{folder}/" if folder else "", count) for folder, count in sheet.below.items()}
    costs = {folder: count_tokens(line) + 1 for folder, line in lines.items()}
    named = folders_within_budget(costs, budget // _FRAME_SHARE)
    signs = possible_signs(LADDER[-1], has_sizes=sheet.has_sizes)
    around = [legend(signs), _counted(sheet, sheet.sections, sheet.documents), sheet.state]
    fixed = sum(costs[folder] for folder in named) + count_tokens("\n".join(around))
    outlines = [file.outline for file in sheet.files]
    ranked = candidates(outlines, ranks)
    prices: dict[tuple[int, int], int] = {}

    def price(document: int, place: int) -> int:
        cost = prices.get((document, place))
        if cost is None:
            cost = prices[document, place] = count_tokens(_line(sheet, document, place, plain)) + 1
        return cost

    def attempt(room: int) -> Map:
        return _selected(sheet, select(outlines, ranked, price, room), named)

    drawn = attempt(budget - fixed)
    if drawn.tokens <= budget:
        step = budget // _REFILL + 1
        spare = (budget - drawn.tokens) // step * step
        fuller = attempt(budget - fixed + spare) if spare else drawn
        return fuller if fuller.tokens <= budget else drawn
    bare = attempt(0)
    return bare if bare.tokens <= budget else _smallest(sheet)


def _line(sheet: _Sheet, document: int, place: int, paths: Paths) -> str:
    file = sheet.files[document]
    if place == 0:
        return file_line(file, LADDER[-1], paths)
    depth, above = 0, place
    while above > 0 and depth < DEEPEST:
        depth, above = depth + 1, file.outline.sections[above].parent
    return heading_line(file, place, depth, LADDER[-1])


def _more_files(folder: str, count: int) -> str:
    return f"{folder}{' ' if folder else ''}… {count} more file{'' if count == 1 else 's'}"


def _selected(sheet: _Sheet, chosen: Mapping[int, list[int]], named: set[str]) -> Map:
    """The map of the chosen sections, with what is missing counted at the nearest folder that is named."""
    shown = []
    hidden: dict[str, int] = {}
    regions: dict[str, str] = {}
    for document, file in enumerate(sheet.files):
        if document in chosen:
            shown.append(replace(file, places=tuple(chosen[document])))
        else:
            folder = folder_of(file.outline.ref.path)
            if folder not in regions:
                regions[folder] = region(folder, named)
            hidden[regions[folder]] = hidden.get(regions[folder], 0) + 1
    visible = files_below(file.outline.ref.path for file in shown)
    paths = shorten({folder: visible[folder] for folder in sheet.below}, sheet.names)
    return _assemble(sheet, shown, LADDER[-1], paths, hidden)


def _smallest(sheet: _Sheet) -> Map:
    """Where nothing else fits: how many files there are, or not even that."""
    line = _more_files("", sheet.documents)
    is_drawn = sheet.documents > 0 and count_tokens(line) <= sheet.budget_tokens
    blocks = (MapBlock(block_id(""), line, digest(line), (), (("", sheet.documents),)),) if is_drawn else ()
    return replace(_map(sheet, blocks, LADDER[-1], Paths({}, {})), legend="", notes=())


def _assemble(sheet: _Sheet, shown: Sequence[Shown], detail: MapDetail, paths: Paths, hidden: Mapping[str, int]) -> Map:
    """Put files and counts of missing ones in order, and cut the whole into blocks."""
    files: dict[str, list[Shown]] = {folder: [] for folder in hidden}
    for file in shown:
        files.setdefault(folder_of(file.outline.ref.path), []).append(file)
    blocks = []
    pieces = _pieces(sheet, files, paths, hidden, detail)
    for called, group in groupby(pieces, key=lambda piece: piece[0]):
        members = list(group)
        text = "\n".join(line for _, lines, _, _ in members for line in lines)
        contained = tuple(file for _, _, file, _ in members if file is not None)
        more = tuple(counted for _, _, _, counted in members if counted is not None)
        needed = paths.named_in(text)
        blocks.append(MapBlock(called, text, digest("\n".join([*needed, text])), contained, more, tuple(needed)))
    return _map(sheet, tuple(blocks), detail, paths)


_Piece = tuple[str, list[str], Shown | None, tuple[str, int] | None]
"""A block's id, lines for it, and what they show: a file, or a folder with a number of files left out."""


def _pieces(
    sheet: _Sheet, files: Mapping[str, list[Shown]], paths: Paths, hidden: Mapping[str, int], detail: MapDetail
) -> Iterator[_Piece]:
    for folder in sorted(files, key=lambda folder: folder.split("/")):
        called = block_id(sheet.owners[folder])
        for file in files[folder]:
            called = sheet.blocks[file.outline.ref.path]
            yield called, list(document_lines(file, detail, paths)), file, None
        if folder in hidden:
            yield called, [_more_files(paths.folder(folder), hidden[folder])], None, (folder, hidden[folder])


def _map(sheet: _Sheet, blocks: tuple[MapBlock, ...], detail: MapDetail, paths: Paths) -> Map:
    aliases = tuple(dict.fromkeys(line for block in blocks for line in block.aliases))
    files = [file for block in blocks for file in block.files]
    possible = possible_signs(detail, has_sizes=sheet.has_sizes)
    signs = signs_used("\n".join(block.text for block in blocks), possible, has_aliases=bool(aliases))
    return Map(
        blocks=blocks,
        legend=legend(signs),
        aliases=aliases,
        notes=tuple(_notes(sheet, sum(len(file.sections) for file in files), len(files))),
        hash=digest("\n".join([*(f"{block.id}\t{block.digest}" for block in blocks)])),
        detail=detail,
        total_sections=sheet.sections,
        total_documents=sheet.documents,
        budget_tokens=sheet.budget_tokens,
    )


def _notes(sheet: _Sheet, sections: int, documents: int) -> list[str]:
    is_whole = sections == sheet.sections and documents == sheet.documents
    return [line for line in ("" if is_whole else _counted(sheet, sections, documents), sheet.state) if line]


def _counted(sheet: _Sheet, sections: int, documents: int) -> str:
    return f"shown: {sections} of {sheet.sections} sections, {documents} of {sheet.documents} files"


_SIGNS = (
    ("[", "[kind or contents]", re.compile(r" \[")),
    ("(", "(keywords)", re.compile(r" \(")),
    ("ln", "~Nln lines", re.compile(r" ~\d+ln")),
    ("tok", "~Ntok tokens", re.compile(r" ~\d+tok")),
    ("←", "←N sections elsewhere link here", re.compile(" ←")),
    ("→", "→ links to (no slash: same folder, else from the root)", re.compile("  → ")),
    ("links:", "links: other documents linked", re.compile("^  links: ", re.MULTILINE)),
    (">", "> first sentence", re.compile("^ +> ", re.MULTILINE)),
    ("…", "… left out", re.compile("… ")),
    ("@", "@name/ a folder, see below", None),
)
"""Each sign, what it means, and how it is found in a map's text; short names are known from the map's table."""


def legend(signs: Collection[str]) -> str:
    """The meanings of `signs`."""
    meanings = [meaning for sign, meaning, _ in _SIGNS if sign in signs]
    return f"legend: {'; '.join(meanings)}" if meanings else ""


def possible_signs(detail: MapDetail, *, has_sizes: bool) -> set[str]:
    """The signs that a map of this detail can hold."""
    signs = {"[", "ln", "←", "…", "@"}
    signs |= {"("} if detail.keywords else set()
    signs |= {"→", "links:"} if detail.references else set()
    signs |= {">"} if detail.summaries else set()
    return signs | ({"tok"} if has_sizes else set())


def signs_used(text: str, possible: Collection[str], *, has_aliases: bool) -> set[str]:
    """Those of the possible signs that stand in a map's text. One too many, held by a heading, does no harm."""
    used = {sign for sign, _, mark in _SIGNS if mark and sign in possible and mark.search(text)}
    return used | {"@"} if has_aliases else used
