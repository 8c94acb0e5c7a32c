"""Words that mean the same, by a list of the user's own: ``synonyms.toml``.

    same = [["k8s", "kubernetes"], ["login", "sign in", "authentication"]]

    [means]                      # one way only: who asks for the left also finds the right
    auth = ["authentication", "authorization"]

Files enter, a table leaves.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pinakes.errors import ConfigError

NAME = "synonyms.toml"
_LONGEST_TERM = 4
"""Words of a synonym."""
_MARKS = ".,;:!?\"'()"


@dataclass(frozen=True, slots=True)
class Synonyms:
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


def load_synonyms(files: Iterable[Path]) -> Synonyms:
    """The tables of those files that are there, added up; raises `ConfigError` naming what is wrong with one."""
    table: dict[str, dict[str, None]] = {}
    for file in files:
        if not file.is_file():
            continue
        try:
            held = tomllib.loads(file.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise ConfigError(f"{file} cannot be read: {error}.", "Mend it or take it away.") from error
        same, means = held.pop("same", []), held.pop("means", {})
        if held or not isinstance(same, list) or not isinstance(means, dict):
            raise ConfigError(f"{file} holds more than synonyms.", "It takes `same`, lists of words, and `[means]`.")
        for group in same:
            words = _words(group, file)
            for word in words:
                table.setdefault(word, {}).update((other, None) for other in words if other != word)
        for word, others in means.items():
            table.setdefault(word.lower(), {}).update(dict.fromkeys(_words(others, file)))
    return Synonyms({word: tuple(others) for word, others in table.items()})


def _words(group: object, file: Path) -> Sequence[str]:
    if not isinstance(group, list) or not all(isinstance(word, str) and word.strip() for word in group):
        raise ConfigError(f"{file}: {group!r} is no list of words.", 'Write for example ["k8s", "kubernetes"].')
    return [" ".join(word.lower().split()) for word in group]
