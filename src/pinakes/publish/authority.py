"""Which words is a topic about, and which of them occur in a chunk?

The keywords of a topic's sections enter, a table of words with scores from 1 to 10 leaves. A word counts once for each
section it is a keyword of, the more the nearer it stands to the front; the foremost of the topic has a 10.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct

from pinakes.publish.names import markdown_text
from pinakes.records import Outline
from pinakes.records.publish import Rated

MOST = 100
"""Words in a table. A folder of hundreds of pages has thousands of keywords, most of them of one section."""
_HIGHEST = 10


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
        self._folded = [(word.name.casefold(), Rated(word.name, word.score)) for word in self.words]

    def of(self, text: str) -> tuple[Rated, ...]:
        """Those that occur in a text as whole words, in upper or lower case."""
        folded = " ".join(text.casefold().split())
        return tuple(rated for name, rated in self._folded if name in folded and _stands_alone(name, folded))

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


def _table(outlines: Sequence[Outline]) -> tuple[IndexWord, ...]:
    weights: dict[str, float] = defaultdict(float)
    sections: dict[str, int] = defaultdict(int)
    names: dict[str, str] = {}
    for outline in outlines:
        for section in outline.sections:
            for place, keyword in enumerate(section.keywords):
                plain = " ".join(keyword.split())
                key = plain.casefold()
                if key:
                    names[key] = min(names.get(key, plain), plain)
                    weights[key] += 1 / (1 + place)
                    sections[key] += 1
    best = sorted(weights, key=lambda key: (-weights[key], key))[:MOST]
    highest = weights[best[0]] if best else 1.0
    return tuple(
        IndexWord(names[key], 1 + round((_HIGHEST - 1) * weights[key] / highest), sections[key]) for key in best
    )
