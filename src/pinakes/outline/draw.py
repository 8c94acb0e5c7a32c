"""What is in here, in N tokens? The whole way from outlines to a map.

Outlines and ranks enter, a map leaves. Without a budget it holds everything; with one, what `buy` finds worth its
tokens. The text never costs more than the budget: prices are exact or upper bounds, and the finished text is counted
before it is handed out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from pinakes.cancelling import checked
from pinakes.outline.buy import Market, buy
from pinakes.outline.lines import document_lines
from pinakes.outline.map import Map, MapBlock, MapFolder, Shown, digest, left_out, structure_of
from pinakes.outline.options import NOTHING, Detail, MapRequest
from pinakes.outline.paths import Paths, files_below, folder_of, short_names
from pinakes.outline.shelf import Shelf, shelf_of
from pinakes.outline.tree import joined
from pinakes.outline.worth import Worth, worth_of
from pinakes.records import Outline
from pinakes.render import one_line
from pinakes.tokens import count_tokens

_ATTEMPTS = 4
_CHEAPEST_SECTION = 4
"""No heading costs less: a line end, indentation, marks and a word."""


class _Sheet(Struct, frozen=True):
    """Everything that is known before anything is left out."""

    shelf: Shelf
    sections: int
    budget_tokens: int
    state: str

    @property
    def documents(self) -> int:
        return len(self.shelf.paths)


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
    said = summaries if summaries and request.summary else {}
    measured = sizes if sizes and request.tokens else {}
    return draw_shelf(shelf_of(outlines, ranks, said, measured), request, state)


def draw_shelf(shelf: Shelf, request: MapRequest, state: str = "") -> Map:
    """The map of all documents on the shelf; those that a budget has no room for are not looked into."""
    sections = sum(shelf.sections)
    sheet = _Sheet(shelf, sections - len(shelf.paths), request.budget_tokens, one_line(state, 200))
    budget = request.budget_tokens
    if not budget:
        return _whole(sheet)
    if sections * _CHEAPEST_SECTION <= budget:
        whole = _whole(sheet)
        if whole.tokens <= budget:
            return whole
    return _part(sheet, worth_of(shelf, budget))


def _whole(sheet: _Sheet) -> Map:
    return _assemble(sheet, tuple(sheet.shelf.files()), dict.fromkeys(sheet.shelf.plan.folders, 0))


def _part(sheet: _Sheet, worth: Worth) -> Map:
    """The best that the budget buys. What stands around it depends on what is bought, so it is drawn again until the
    text is as long as it may be."""
    budget = sheet.budget_tokens
    room = budget - count_tokens("\n".join([_counted(sheet, sheet.sections, sheet.documents), sheet.state]))
    market = Market(worth)
    best = _smallest(sheet)
    for _ in range(_ATTEMPTS):
        basket = buy(market, room)
        chosen = [
            replace(sheet.shelf.file(document), details={place: Detail(bits) for place, bits in details.items()})
            for document, details in sorted(basket.details.items())
        ]
        drawn = _assemble(sheet, chosen, basket.folders)
        spare = budget - drawn.tokens
        if spare >= 0:
            best = drawn
        if 0 <= spare <= budget // 100:
            break
        room = (room if spare > 0 else basket.spent) + spare
    return best


def _smallest(sheet: _Sheet) -> Map:
    """Where nothing else fits: how many files there are, or not even that."""
    count = sheet.documents
    fits = count > 0 and count_tokens(left_out(count).lstrip()) <= sheet.budget_tokens
    drawn = _assemble(sheet, (), {"": count})
    return replace(drawn, folders=drawn.folders if fits else (), legend="", notes=())


def _assemble(sheet: _Sheet, shown: Sequence[Shown], hidden: Mapping[str, int]) -> Map:
    """Put files and folders in order, with what explains them around."""
    paths = _names(sheet, shown)
    blocks = []
    for file in checked(shown):
        text = "\n".join(document_lines(file, paths))
        needed = tuple(paths.named_in(text))
        printed = digest("\n".join([*needed, text]))
        blocks.append(MapBlock(text, printed, structure_of(file.outline), file, needed))
    aliases = tuple(dict.fromkeys(line for block in blocks for line in block.aliases))
    holding = {folder_of(file.path) for file in shown}
    folders = tuple(MapFolder(folder, count) for folder, count in joined(sheet.shelf.plan.folders, hidden, holding))
    drawn = Map(
        blocks=tuple(blocks),
        folders=folders,
        legend="",
        aliases=aliases,
        notes=(),
        total_sections=sheet.sections,
        total_documents=sheet.documents,
        budget_tokens=sheet.budget_tokens,
    )
    counted = _counted(sheet, drawn.shown_sections, drawn.shown_documents)
    is_whole = (drawn.shown_sections, drawn.shown_documents) == (sheet.sections, sheet.documents)
    notes = tuple(line for line in ("" if is_whole else counted, sheet.state) if line)
    return replace(drawn, legend=legend(_signs_used(drawn)), notes=notes)


def _names(sheet: _Sheet, shown: Sequence[Shown]) -> Paths:
    """Short names for the folders that many of the printed links lead to."""
    targets = (
        reference.to.path
        for file in shown
        for reference in file.outline.references
        if reference.to.corpus == file.outline.ref.corpus
        and folder_of(reference.to.path) != folder_of(file.path)
        and (file.details is None or Detail.REFERENCES in file.details.get(reference.section, NOTHING))
    )
    return short_names(files_below(targets), sheet.shelf.plan.calls)


def _counted(sheet: _Sheet, sections: int, documents: int) -> str:
    return f"shown: {sections} of {sheet.sections} sections, {documents} of {sheet.documents} files"


_SIGNS = (
    ("[", "[kind or contents]", re.compile(r" \[")),
    ("(", "(keywords)", re.compile(r" \(")),
    ("ln", "~Nln lines", re.compile(r" ~\d+ln")),
    ("tok", "~Ntok tokens", re.compile(r" ~\d+tok")),
    ("←", "←N sections elsewhere link here", re.compile(" ←")),
    ("←files", "←N other files use it", None),
    ("→", "→ links to (no slash: same folder, else from the root)", re.compile("  → ")),
    ("links:", "links: other documents linked", re.compile("^ +links: ", re.MULTILINE)),
    (">", "> first sentence", re.compile("^ +> ", re.MULTILINE)),
    ("…", "…N left out", re.compile(r" ?…\d")),
    ("@", "@name/ a folder, see below", None),
    ("c", "c class, f function, m method, v variable, p property, a async", None),
)
"""Each sign, what it means, and how it is found in a map's text; short names are known from the map's table."""


def legend(signs: Collection[str]) -> str:
    """The meanings of `signs`."""
    used = set(signs)
    meanings = [meaning for sign, meaning, _ in _SIGNS if sign in used]
    return f"legend: {'; '.join(meanings)}" if meanings else ""


def _signs_used(drawn: Map) -> set[str]:
    """The signs that stand in a map's text. One too many, held by a heading, does no harm."""
    text = drawn.text()
    used = {sign for sign, _, mark in _SIGNS if mark and mark.search(text)}
    if drawn.aliases:
        used.add("@")
    if any(block.file.outline.sections[1:2] and block.file.outline.sections[1].symbol for block in drawn.blocks):
        used.add("c")
        if "←" in used:
            used = used - {"←"} | {"←files"}
    return used
