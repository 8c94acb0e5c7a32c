"""Which sections hold these words?

A store's chunks enter, section-level chunks by how well they hold a question's words leave. Derived: the index can be
thrown away at any time and is made again from the store. What words mean, and how their scores are weighed against
other evidence, is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pinakes.words.query import fits, held_terms, is_day, marks, parse_question, unknown_words

if TYPE_CHECKING:
    from pinakes.own_folder import OwnFolder
    from pinakes.words.index import TantivyWords

__all__ = [
    "copy_words",
    "damaged_words",
    "fits",
    "held_terms",
    "is_day",
    "marks",
    "open_words",
    "parse_question",
    "unknown_words",
]


def open_words(folder: OwnFolder) -> TantivyWords:
    """The word index kept in `folder`, which need not be there yet."""
    from pinakes.words.index import TantivyWords

    return TantivyWords(folder)


def damaged_words(folder: OwnFolder) -> str:
    """What is wrong with the word index in `folder`, after reading every byte of it; empty when nothing is."""
    from pinakes.words.manifest import damage

    name = damage(folder)
    return f"{name} is not what was written." if name else ""


def copy_words(source: OwnFolder, target: OwnFolder) -> None:
    """Put a copy of the index in `source` into `target`, which has none, for a copy of the same store. Nothing is
    copied that is damaged, or being replaced: it will be made anew."""
    from pinakes.words.manifest import copy

    copy(source, target)
