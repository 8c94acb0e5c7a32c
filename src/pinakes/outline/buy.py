"""Which lines and details a budget buys: the best value for a token first.

Documents, what their lines are worth and a number of tokens enter; what to show leaves, and what printing it costs. A
folder's line comes before its files, a file's before its headings, a heading's before its details and what is below
it; each is worth at most, for a token, what it stands under, so what is bought does not depend on the order of buying.

Two things keep an edit in one file from reshuffling the rest of the map. Values for a token count in half powers of
two; among equals, outer lines come before inner ones, and files in an order of their own (by checksum, so that no
folder is favoured by its name). And the list is not cut at the very last thing that fits but at the last *milestone*
before it, a thing picked out by checksum: a heading more or less elsewhere rarely moves the cut.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush, nsmallest
from math import log2
from typing import NamedTuple
from zlib import crc32

from msgspec import Struct

from pinakes.outline.lines import arrows_of, depths, file_name, first_piece, lines_below, piece, title_place
from pinakes.outline.map import folder_line, left_out
from pinakes.outline.options import KEYWORD_DETAILS, Detail
from pinakes.outline.paths import NO_NAMES
from pinakes.outline.worth import FURTHER, Worth
from pinakes.tokens import count_tokens

_MOST_LOST = 0.02
"""No more than this share of the budget is given up for reaching a milestone."""
_SPACING = 12
"""Every so manieth thing is a milestone."""
_FIRST = -(1 << 30)
"""The order that everything may follow."""
_AHEAD = 120
"""So many of the next best offers are looked at for documents to fetch."""
_AHEAD_IN_FOLDER = 2
_MOST_MISSES = 300
"""Things that do not fit are passed over, so many in a row: a shorter one may follow."""


_DETAILS = (*KEYWORD_DETAILS, *(detail for detail in Detail if detail not in KEYWORD_DETAILS))


class _Offer(NamedTuple):
    """Something to buy; ordered as it stands, the best first."""

    order: int
    """Half powers of two of what a token of it is worth, turned around."""
    depth: int
    spread: int
    """Of the path, so that no folder is favoured."""
    document: int
    """Or -1 for a folder."""
    place: int
    detail: int
    """0 for the line itself."""
    folder: str
    price: int


@dataclass(slots=True)
class Basket:
    """What was bought, and what printing it costs."""

    folders: dict[str, int]
    """The folders that have a line, and how many of their documents are hidden."""
    details: dict[int, dict[int, int]] = field(default_factory=dict)
    """By document and section, as bits, because a `Flag` takes its time."""
    spent: int = 0


def buy(market: Market, room: int) -> Basket:
    """The best that `room` tokens can print."""
    bought: list[tuple[_Offer, int]] = []
    basket = market.empty()
    misses, is_cut = 0, False
    heap = market.below(None)
    heapify(heap)
    while heap:
        offer = heappop(heap)
        cost = market.cost(basket, offer)
        if basket.spent + cost > room:
            is_cut = True
            misses += 1
            if misses > _MOST_MISSES:
                break
            continue
        misses = 0
        market.add(basket, offer, cost)
        bought.append((offer, basket.spent))
        market.expect(offer, heap)
        for one in market.below(offer):
            heappush(heap, one)
    if not is_cut:
        return basket
    kept = market.empty()
    for offer, _ in bought[: _milestone(bought, room)]:
        market.add(kept, offer, market.cost(kept, offer))
    return kept


def _milestone(bought: Sequence[tuple[_Offer, int]], room: int) -> int:
    """How many of what was bought to keep."""
    for end in range(len(bought), 0, -1):
        offer, spent = bought[end - 1]
        if spent < room * (1 - _MOST_LOST):
            break
        if not (offer.spread * 31 + offer.place * 7 + offer.detail) % _SPACING:
            return end
    return len(bought)


class _Inside(Struct, frozen=True):
    """A document as `Market` needs it, worked out once."""

    depths: Sequence[int]
    worth: Sequence[float]
    """Of each section with what is below it."""
    own: Sequence[float]
    """Of each section without; of the root, whose line stands for the file, all of it."""
    children: Mapping[int, list[int]]
    arrows: Mapping[int, list[str]]


class Market:
    """All that can be bought; what stands under a line is worked out once somebody has bought that."""

    def __init__(self, worth: Worth) -> None:
        self._shelf, self._worth = worth.shelf, worth
        self._plan, self._folders = worth.shelf.plan, worth.shelf.plan.folders
        self._known: dict[tuple[int, int, str], list[_Offer]] = {}
        self._insides: dict[int, _Inside] = {}

    def empty(self) -> Basket:
        """Nothing shown: all documents are counted in one line."""
        count = len(self._shelf.paths)
        return Basket({"": count}, spent=_counted("", count))

    def expect(self, bought: _Offer, heap: list[_Offer]) -> None:
        """Where what was bought is a document that must be fetched, fetch those with it that will probably be next."""
        if bought.document >= 0 and not self._shelf.holds(bought.document):
            wanted = {bought.document}
            for one in nsmallest(_AHEAD, heap):
                if one.document < 0:  # many folders hold nothing but an index
                    wanted.update(self._plan.documents.get(one.folder, ())[:_AHEAD_IN_FOLDER])
                elif not one.place and not one.detail:
                    wanted.add(one.document)
            self._shelf.bring(wanted)

    def below(self, bought: _Offer | None) -> list[_Offer]:
        """What can be bought once something was, or at the start."""
        if bought is None:
            return self._in_folder("", _FIRST)
        if bought.detail:
            return []
        key = (bought.document, bought.place, bought.folder)
        if key not in self._known:
            is_folder = bought.document < 0
            self._known[key] = self._in_folder(bought.folder, bought.order) if is_folder else self._in_section(bought)
        return self._known[key]

    def cost(self, basket: Basket, offer: _Offer) -> int:
        """What printing it adds, counts of what is left out included."""
        if offer.document < 0:
            folder = self._folders[offer.folder]
            count = folder.documents
            return offer.price + _counted(offer.folder, count) + self._less(basket, folder.above, count)
        if offer.detail:
            return offer.price
        shown, total = len(basket.details.get(offer.document, ())), self._shelf.sections[offer.document]
        cost = offer.price + _tail(total, shown + 1) - _tail(total, shown)
        return cost if offer.place else cost + self._less(basket, offer.folder, 1)

    def add(self, basket: Basket, offer: _Offer, cost: int) -> None:
        basket.spent += cost
        if offer.document < 0:
            folder = self._folders[offer.folder]
            basket.folders[folder.above] -= folder.documents
            basket.folders[offer.folder] = folder.documents
            return
        details = basket.details.setdefault(offer.document, {})
        details[offer.place] = details.get(offer.place, 0) | offer.detail
        if not offer.place and not offer.detail:
            basket.folders[offer.folder] -= 1

    def _less(self, basket: Basket, path: str, fewer: int) -> int:
        hidden = basket.folders[path]
        return _counted(path, hidden - fewer) - _counted(path, hidden)

    def _in_folder(self, path: str, order: int) -> list[_Offer]:
        depth, standing = self._folders[path].depth, self._worth.standing
        found = []
        for below in self._plan.subfolders.get(path, ()):
            price = count_tokens(folder_line(self._folders[below], 0)) + 1
            value = max(standing.folders[below] * self._worth.of_folders, standing.best[below] * FURTHER)
            found.append(_Offer(_order(value, price, order), depth, _spread(below), -1, 0, 0, below, price))
        for document in self._plan.documents.get(path, ()):
            file = self._shelf.paths[document]
            price = count_tokens("  " * depth + file_name(file)) + 1
            rated = _order(standing.files[document], price, order)
            found.append(_Offer(rated, depth, _spread(file), document, 0, 0, path, price))
        return found

    def _in_section(self, bought: _Offer) -> list[_Offer]:
        document, place = bought.document, bought.place
        file, inside = self._shelf.file(document), self._inside(document)
        indent = "  " * self._folders[bought.folder].depth
        found = []
        for child in inside.children.get(place, ()):
            price = count_tokens(indent + first_piece(file, child, inside.depths[child])) + 1
            value = self._worth.heading(document, child, inside.worth[child])
            found.append(_under(bought, value, price, child, 0))
        said = 0
        for detail in _DETAILS:
            price = count_tokens(piece(file, place, detail))
            if detail in KEYWORD_DETAILS:
                price, said = max(price - said, 0), max(price, said)
            for line in lines_below(file, place, detail, inside.depths[place], inside.arrows):
                price += count_tokens(indent + line) + 1
            if price:
                value = self._worth.detail(document, place, detail, inside.own[place])
                found.append(_under(bought, value, price, place, detail.value))
        return found

    def _inside(self, document: int) -> _Inside:
        if document not in self._insides:
            outline = self._shelf.file(document).outline
            title = title_place(outline)  # the file's name stands for it: what is below may be shown without
            children: dict[int, list[int]] = {}
            for place, section in enumerate(outline.sections[1:], 1):
                children.setdefault(0 if section.parent == title else section.parent, []).append(place)
            worth = self._worth.sections(document)
            own = worth[:]
            for place, section in enumerate(outline.sections[1:], 1):
                if section.parent:
                    own[section.parent] -= worth[place]
            arrows = arrows_of(outline, NO_NAMES) if outline.references else {}
            self._insides[document] = _Inside(depths(outline.sections), worth, own, children, arrows)
        return self._insides[document]


def _counted(path: str, hidden: int) -> int:
    """What the count at the end of a folder's line costs; the root's has a line for itself."""
    if not hidden:
        return 0
    return count_tokens(left_out(hidden)) if path else count_tokens(left_out(hidden).lstrip()) + 1


def _under(above: _Offer, value: float, price: int, place: int, detail: int) -> _Offer:
    order = _order(value, price, above.order)
    return _Offer(order, above.depth + 1, above.spread, above.document, place, detail, above.folder, price)


def _order(value: float, price: int, above: int) -> int:
    """The order of an offer that stands under one with the order `above`."""
    return max(-round(2 * log2(value / price)) if value > 0 else 1 << 20, above)


def _spread(path: str) -> int:
    return crc32(path.encode("utf-8", "surrogateescape"))


def _tail(total: int, shown: int) -> int:
    """What counting the missing sections at the end of a file's line costs."""
    return count_tokens(left_out(total - shown)) if shown else 0
