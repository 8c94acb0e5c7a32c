"""Searching a published folder by words, offline: the files of its search page, read by a program.

A question enters, chunks by how well they hold its words leave, ranked as the page ranks them (see `static/search.js`
of `publish` for the form of the files and for the weights). Only the files that a question needs are fetched.
"""

from __future__ import annotations

import json
from base64 import b64decode
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from math import log
from typing import Any, NamedTuple

from pinakes.client.fetching import Fetch
from pinakes.client.shards import TermPlaces, UnpackedShard, unfolded
from pinakes.errors import NotFound

_HOME = "search"
_FORMAT = 2
_K1, _B = 1.2, 0.75
_IN_TITLE, _GUESSED = 0.5, 0.8
_ONE_SLIP_FROM, _TWO_SLIPS_FROM = 5, 8
_LENGTH_STEPS = 24
_SHORTEST_BEGINNING = 3


class Ranked(NamedTuple):
    """A chunk that holds words of a question."""

    place: str
    """Where its document is published."""
    stem: str
    """What the files of its chunks begin with."""
    number: int
    """Of the chunk in its document, from 0."""
    title: str
    """Of the document."""
    score: float


class Answer(NamedTuple):
    """All chunks that hold words of a question, the best first."""

    ranked: Sequence[Ranked]
    instead: Mapping[str, str]
    """Words that occur nowhere, and those that were looked for in their place; both are stems."""


class WordSearch:
    """The index of words of one folder; shards are kept once they were fetched."""

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch
        (self._root,) = self._script("index")
        if self._root.get("format") != _FORMAT:
            raise NotFound("This folder was published by another version of Pinakes.", "Publish it again.")
        self._documents: list[list[Any]] = self._root["documents"]
        self._first = [0, *accumulate(int(one[3]) for one in self._documents)]
        lengths = [2 ** (byte / _LENGTH_STEPS) - 1 for byte in b64decode(self._root["lengths"])]
        mean = sum(lengths) / len(lengths) if lengths else 1.0
        self._norms = [_K1 * (1 - _B + _B * length / mean) for length in lengths]
        self._places = self._folders()
        self._firsts = [_order(str(term)) for term in self._root["shards"]]
        self._shards: dict[int, UnpackedShard] = {}

    def find(self, question: str) -> Answer:
        """Chunks that hold words of a question; a word that occurs nowhere stands for the nearest that does."""
        scores: dict[int, float] = defaultdict(float)
        instead: dict[str, str] = {}
        found: list[tuple[str, float, TermPlaces]] = []
        for term in self._terms(question):
            held, weight, known = self._postings(term), 1.0, term
            if held is None and (near := self._nearest(term)):
                held, weight, known = self._postings(near), _GUESSED, near
                instead[term] = near
            if held is not None:
                found.append((known, weight, held))
        for _, weight, held in found:
            factor = weight * self._rarity(len(held)) * (_K1 + 1)
            for chunk, often in held:
                scores[chunk] += factor * often / (often + self._norms[chunk])
        for term, weight, held in found:
            for number in self._titled.get(term, ()):
                for chunk in range(self._first[number], self._first[number + 1]):
                    if chunk in scores:
                        scores[chunk] += weight * _IN_TITLE * self._rarity(len(held))
        best = sorted(scores, key=lambda chunk: (-scores[chunk], chunk))
        return Answer([self._described(chunk, scores[chunk]) for chunk in best], instead)

    def _terms(self, question: str) -> list[str]:
        from pinakes.words.query import STOPWORDS

        found = list(dict.fromkeys(_split(question)))
        return [term for term in found if term not in STOPWORDS] or found

    def _rarity(self, count: int) -> float:
        return log(1 + (self._root["chunks"] - count + 0.5) / (count + 0.5))

    def _postings(self, term: str) -> TermPlaces | None:
        if not self._firsts:
            return None
        number = max(0, bisect_left(self._firsts, _order(f"{term}\0")) - 1)
        if number not in self._shards:
            _, written, bits = self._script(f"words-{number}")
            self._shards[number] = UnpackedShard(written, bits, int(self._root["chunks"]))
        return self._shards[number].of(term)

    def _nearest(self, term: str) -> str:
        """The nearest known word, the most frequent of several; else the most frequent that begins like it."""
        slips = 0 if len(term) < _ONE_SLIP_FROM or not term.isalpha() else 1 if len(term) < _TWO_SLIPS_FROM else 2
        near = [
            (away, -often, name)
            for name, often in self._vocabulary
            if slips and abs(len(name) - len(term)) <= slips and (away := distance(term, name, slips)) <= slips
        ]
        if near:
            return min(near)[2]
        longer = [(-often, name) for name, often in self._vocabulary if name.startswith(term)]
        return min(longer)[1] if longer and len(term) >= _SHORTEST_BEGINNING else ""

    @cached_property
    def _vocabulary(self) -> list[tuple[str, int]]:
        written, counts = self._script("spelling")
        return [(name, int(digit, 36)) for name, digit in zip(unfolded(written), counts, strict=True)]

    @cached_property
    def _titled(self) -> dict[str, list[int]]:
        """The words of titles, and the documents that have each in theirs."""
        found: dict[str, list[int]] = {}
        for number, document in enumerate(self._documents):
            for term in dict.fromkeys(_split(str(document[2]))):
                found.setdefault(term, []).append(number)
        return found

    def _folders(self) -> list[str]:
        places: list[str] = []
        for above, name, *_ in self._root["folders"]:
            parent = places[above] if above >= 0 else ""
            places.append(f"{parent}/{name}" if parent else str(name))
        return places

    def _described(self, chunk: int, score: float) -> Ranked:
        from pinakes.publish.searching import said_name

        number = bisect_left(self._first, chunk + 1) - 1
        folder, file, title, _, _, *rest = self._documents[number]
        name = said_name(title) if file == 0 else "index.md" if file == 1 else str(file)
        stem = str(rest[1]) if len(rest) > 1 else name.removesuffix(".md") or name
        home = self._places[folder]
        return Ranked(f"{home}/{name}" if home else name, stem, chunk - self._first[number], str(title), score)

    def _script(self, name: str) -> list[Any]:
        """The values that a file of data hands to the script of the page."""
        try:
            text = self._fetch(f"{_HOME}/{name}.js").decode("utf-8")
            held = json.loads(f"[{text[text.index('(') + 1 : text.rindex(')')]}]")
        except (ValueError, RecursionError) as error:
            raise NotFound(f"{_HOME}/{name}.js is not what pinakes publish writes.", "Publish it again.") from error
        if not isinstance(held, list) or not held:
            raise NotFound(f"{_HOME}/{name}.js holds nothing.", "Publish it again.")
        return held


def _order(text: str) -> bytes:
    """As JavaScript compares texts."""
    return text.encode("utf-16-be", "surrogatepass")


def _split(text: str) -> Iterator[str]:
    """The terms of a text by the rules of the library."""
    from pinakes.words.tokenize import Terms, english

    line, besides = Terms(english()).of(text)
    yield from line.split()
    yield from filter(str.isalnum, besides.split())


def distance(one: str, other: str, most: int) -> int:
    """Letters left out, added, replaced or exchanged with their neighbour between two words; above `most` just more."""
    earlier: list[int] = []
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        earlier, before, row = before, row, [at]
        for place, held in enumerate(other, 1):
            cost = min(before[place] + 1, row[place - 1] + 1, before[place - 1] + (letter != held))
            if at > 1 and place > 1 and letter == other[place - 2] and one[at - 2] == held:
                cost = min(cost, earlier[place - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]
