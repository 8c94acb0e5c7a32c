"""Which words is a topic about, and which of them occur in a chunk?

The keywords of a topic's sections enter, a table of words with scores from 1 to 10 leaves. A word counts for each
section it is a keyword of, the more the nearer it stands to the front, and more when several documents or a heading
have it. The score is its tenth of the table: the foremost tenth has a 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from msgspec import Struct

from pinakes.publish.names import markdown_text
from pinakes.records import Outline
from pinakes.records.publish import Rated

MOST = 100
"""Words in a table. A folder of hundreds of pages has thousands of keywords, most of them of one section."""
_HIGHEST = 10
_FEW = 10
"""So many words even a topic has whose words tell nothing."""
_PLACEHOLDERS = frozenset(("foo", "bar", "baz", "qux", "example", "examples", "lorem ipsum"))
_IN_HEADING = 1.5
"""How much more a word counts that stands in a heading."""


class IndexWord(Struct, frozen=True):
    """A keyword of a topic."""

    name: str
    score: int
    sections: int
    """Of which it is a keyword."""


class Authority:
    """The words of one topic, the foremost first."""

    def __init__(self, outlines: Sequence[Outline]) -> None:
        self.words = _table(outlines)
        self.rated = tuple(Rated(word.name, word.score) for word in self.words)
        self._folded = [word.name.casefold() for word in self.words]

    def of(self, text: str) -> tuple[int, ...]:
        """The positions of those that occur in a text as whole words, in upper or lower case."""
        folded = " ".join(text.casefold().split())
        return tuple(place for place, name in enumerate(self._folded) if name in folded and _stands_alone(name, folded))

    def markdown(self, title: str) -> str:
        """The table as a page."""
        lines = [f"# Keywords of {markdown_text(title)}", "", "| keyword | score | sections |", "|---|---:|---:|"]
        lines += [f"| {markdown_text(word.name)} | {word.score} | {word.sections} |" for word in self.words]
        return "\n".join(lines) + "\n"


def _stands_alone(name: str, text: str) -> bool:
    """Whether a text has a name between two signs that belong to no word. A pattern for each name would take longer to
    make than to use."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if not (at and _is_letter(text[at - 1])) and not (end < len(text) and _is_letter(text[end])):
            return True
        at = text.find(name, at + 1)
    return False


def _is_letter(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


class _Tally:
    """What is known of one keyword of a topic."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.weight = 0.0
        self.sections = 0
        self.documents: set[str] = set()


def _table(outlines: Sequence[Outline]) -> tuple[IndexWord, ...]:
    tallies: dict[str, _Tally] = {}
    for outline in outlines:
        for section in outline.sections:
            for place, keyword in enumerate(section.keywords):
                plain = " ".join(keyword.split())
                if plain:
                    tally = tallies.setdefault(plain.casefold(), _Tally(plain))
                    tally.name = min(tally.name, plain)
                    tally.weight += 1 / (1 + place)
                    tally.sections += 1
                    tally.documents.add(outline.ref.path)
    headings = _Headings(outlines)
    ranked = sorted(tallies, key=lambda key: (-_worth(tallies[key], headings.hold(key)), key))
    telling = [key for key in ranked if _tells(tallies[key], is_heading=headings.hold(key))]
    if len(telling) < _FEW:
        telling += [key for key in ranked if key not in telling][: _FEW - len(telling)]
    best = telling[:MOST]
    return tuple(
        IndexWord(tallies[key].name, _score(place, len(best)), tallies[key].sections) for place, key in enumerate(best)
    )


def _score(place: int, count: int) -> int:
    """By the place in the table and not by weight: most words of a topic weigh nearly the same, and scores that are all
    alike would tell nothing."""
    return _HIGHEST - (place * _HIGHEST // max(count, _HIGHEST) if count > 1 else 0)


def _worth(tally: _Tally, is_heading: bool) -> float:  # noqa: FBT001 - one fact of the word
    return tally.weight * (1 + log(len(tally.documents))) * (_IN_HEADING if is_heading else 1.0)


def _tells(tally: _Tally, *, is_heading: bool) -> bool:
    """Whether a word says what the topic is about: a heading holds it, several documents are about it, or it is a name.
    Any other plain word stood out in its section by chance."""
    if tally.name.casefold() in _PLACEHOLDERS:
        return False
    is_name = not tally.name.replace(" ", "").isalpha() or any(sign.isupper() for sign in tally.name[1:])
    return is_heading or is_name or len(tally.documents) > 1 or (" " in tally.name and tally.sections > 1)


class _Headings:
    """All headings of a topic."""

    def __init__(self, outlines: Sequence[Outline]) -> None:
        titles = (title for one in outlines for title in (one.title, *(section.title for section in one.sections)))
        self._text = "\n".join(" ".join(title.casefold().split()) for title in titles)
        self._known: dict[str, bool] = {}

    def hold(self, name: str) -> bool:
        if name not in self._known:
            self._known[name] = _stands_alone(name, self._text)
        return self._known[name]
