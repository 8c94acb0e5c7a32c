"""Other words for a question: synonyms by a list of the user's own, and words of the corpus near to those asked.

A project's root enters, the table of its ``synonyms.toml`` leaves. The file is a stranger's, read with the care of
`pinakes.toml_file`.

    same = [["k8s", "kubernetes"], ["login", "sign in", "authentication"]]

    [means]                      # one way only: who asks for the left also finds the right
    auth = ["authentication", "authorization"]

A vocabulary of terms with their vectors enters once; for each question the nearest few terms leave, with weights, so
that `auth` finds *authentication*. That is off in the usual profiles: fused with meaning, which knows the same vectors,
it gained nothing (docs/search.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from pinakes.errors import ConfigError
from pinakes.toml_file import read_toml

if TYPE_CHECKING:
    from pinakes.ports import Embedder, Vectors

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


MOST_TERMS = 10_000
"""Of a vocabulary, the most frequent ones."""
NEAREST = 3
"""So many terms are added for each word of the question."""
NEAR = 0.6
"""The least cosine."""


class Vocabulary(Struct, frozen=True):
    """The corpus's own terms and a vector for each."""

    terms: Sequence[str]
    vectors: Vectors
    embedder: Embedder
    """Which made them."""


def expansion(words: Sequence[str], vocabulary: Vocabulary) -> Mapping[str, float]:
    """Terms near to these words and how near each is; the words themselves are left out."""
    asked = [word for word in words if word.isalpha()]
    if not asked or not vocabulary.terms:
        return {}
    cosines = vocabulary.embedder.encode(asked) @ vocabulary.vectors.T
    near: dict[str, float] = {}
    for row in cosines:
        best = row.argsort()[::-1][: NEAREST + len(asked)]
        fitting = [(vocabulary.terms[at], float(row[at])) for at in best.tolist() if row[at] >= NEAR]
        for term, cosine in [(term, cosine) for term, cosine in fitting if term not in asked][:NEAREST]:
            near[term] = max(near.get(term, 0.0), cosine)
    return near
