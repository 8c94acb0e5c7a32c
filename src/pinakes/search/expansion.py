"""Other words for a question: synonyms by a list of the user's own, and the long forms of words that people shorten.

A project's root enters, the table of its ``synonyms.toml`` leaves. The file is a stranger's, read with the care of
`pinakes.toml_file`.

    same = [["k8s", "kubernetes"], ["login", "sign in", "authentication"]]

    [means]                      # one way only: who asks for the left also finds the right
    auth = ["authentication", "authorization"]

Short words of a question and a word index enter `long_forms`; the words of the index that each may be short for leave,
with their nearness, so that `auth` finds *authentication* and `db` finds *database*. The index names those that are
written like it, the vectors of words tell which of them mean the same: *authentication*, not *author*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from pinakes.errors import ConfigError
from pinakes.ports import WordIndex
from pinakes.toml_file import read_toml
from pinakes.words.query import STOPWORDS

if TYPE_CHECKING:
    from pinakes.ports import Embedder, Vectors

    Encode = Callable[[Sequence[str]], Vectors]

NAME = "synonyms.toml"
_LONGEST_TERM = 4
"""Words of a synonym."""
MOST_SAME = 100
"""Words of one list in `same`: each is stored with all others, so that the table grows by their square."""
_MARKS = ".,;:!?\"'()"


class Synonyms(Struct, frozen=True):
    """What each word or phrase may be called besides, all in lower case."""

    table: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def of(self, text: str) -> Mapping[str, tuple[str, ...]]:
        """What of a text can be said otherwise, and how."""
        if not self.table:
            return {}
        words = text.lower().split()
        runs = (words[at : at + length] for at in range(len(words)) for length in range(1, _LONGEST_TERM + 1))
        said = dict.fromkeys(" ".join(run).strip(_MARKS) for run in runs)
        return {one: self.table[one] for one in said if one in self.table}


def load_synonyms(root: Path) -> Synonyms:
    """The table of a project's file, empty without one; raises `ConfigError` naming what is wrong with it."""
    file = read_toml(root / NAME, within=root)
    if file is None:
        return Synonyms()
    same, means = file.tables.pop("same", []), file.tables.pop("means", {})
    if file.tables or not isinstance(same, list) or not isinstance(means, dict):
        raise ConfigError(f"{file.path} has an unknown key.", "It takes `same`, lists of words, and `[means]`.")
    table: dict[str, dict[str, None]] = {}
    for group in same:
        words = _words(group, file.path)
        if len(words) > MOST_SAME:
            raise ConfigError(f"{file.path} has {len(words):,} words in one list.", f"Give {MOST_SAME} at most.")
        for word in words:
            table.setdefault(word, {}).update((other, None) for other in words if other != word)
    for word, others in means.items():
        table.setdefault(word.lower(), {}).update(dict.fromkeys(_words(others, file.path)))
    return Synonyms({word: tuple(others) for word, others in table.items()})


def _words(group: object, file: Path) -> Sequence[str]:
    if not isinstance(group, list) or not all(isinstance(word, str) and word.strip() for word in group):
        raise ConfigError(
            f"{file}: {repr(group)[:80]} is not a list of words.", 'Write for example ["k8s", "kubernetes"].'
        )
    return [" ".join(word.lower().split()) for word in group]


LONGEST_SHORT = 6
"""Letters of a word that may stand for a longer one."""
_SHORTEST = 2
_CANDIDATES = 16
"""Words that are compared with one of the question: those that occur most."""
_MOST_FORMS = 3
NEAR = 0.4
"""The least cosine of a word and its long form. Measured; see docs/search.md."""


def long_forms(terms: Iterable[str], words: WordIndex, embedder: Embedder) -> dict[str, dict[str, float]]:
    """For each term that may be short for others, those and how near each is, the nearest first."""
    found: dict[str, dict[str, float]] = {}
    for term in terms:
        if _SHORTEST <= len(term) <= LONGEST_SHORT and term.isascii() and term.isalpha() and term not in STOPWORDS:
            forms = words.longer(term, _CANDIDATES)
            if forms and (near := _nearest(embedder.encode, term, tuple(forms))):
                found[term] = dict(near)
    return found


# The same few hundred short words stand in most questions, and what they mean does not change.
@lru_cache(maxsize=1_000)
def _nearest(encode: Encode, term: str, forms: tuple[str, ...]) -> tuple[tuple[str, float], ...]:
    """Those forms that mean what the term means, with their nearness, the nearest first."""
    own, *others = encode([term, *forms])
    near = sorted(((float(other @ own), form) for other, form in zip(others, forms, strict=True)), reverse=True)
    return tuple((form, cosine) for cosine, form in near[:_MOST_FORMS] if cosine >= NEAR)
