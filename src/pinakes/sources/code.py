"""Which files of source code can be read: those of languages whose grammar is installed.

A file's name enters, its format leaves. Grammars are only looked for here, never loaded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.util import find_spec

from pinakes.records import Media, code_media_of, formats

GENERATED = ("*.min.js", "*.min.mjs", "*.min.cjs", "*-min.js", "*.bundle.js")
"""Files that programs make of others, by their names."""


def readable_code(name: str) -> Media:
    """The language of a file, by its name alone; one that is not installed makes it an asset."""
    media = code_media_of(name)
    return media if media.code is None or _is_installed(media.code.grammar) else formats.ASSET


def unread_languages(names: Iterable[str]) -> Mapping[str, int]:
    """The languages of files that cannot be read, and how many files of each there are."""
    found = (code_media_of(name) for name in names)
    return Counter(media.name for media in found if media.code is not None and not _is_installed(media.code.grammar))


def installed_grammars() -> tuple[str, ...]:
    """The grammars that files of source code can be read by."""
    grammars = {media.code.grammar for media in formats.FORMATS.values() if media.code is not None}
    return tuple(sorted(filter(_is_installed, grammars)))


def not_read_as_code(name: str) -> str:
    """Why a file of source code is not read, by its name alone; empty for every other file."""
    media = code_media_of(name)
    if media.code is None:
        return ""
    if _is_installed(media.code.grammar):
        return f"it is source code ({media.name}), which is read where code.enabled is true"
    return f'the grammar of {media.name} is not installed. Run: pip install "pinakes[code]"'


@cache
def _is_installed(grammar: str) -> bool:
    return find_spec("tree_sitter") is not None and find_spec(grammar) is not None
