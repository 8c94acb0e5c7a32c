"""Which keys does a change make stale: under which may links elsewhere now find something else, or nothing?

What documents answered to before and after enters, keys leave. Links themselves are not looked at here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from pinakes.records import Section, name_key


class FileNames(Struct, frozen=True):
    """What one file answers to."""

    names: frozenset[tuple[str, str, str]] = frozenset()
    """Form, text and key of what it is called besides its path."""
    anchors: Mapping[str, str] | None = None
    """Every anchor and the canonical one; None where there is no document."""


NO_NAMES = FileNames()


def anchors_of(sections: Iterable[tuple[str, tuple[str, ...]]]) -> dict[str, str]:
    """From each section's anchor and aliases. An anchor wins over an alias, an earlier alias over a later one."""
    pairs = list(sections)
    found = {anchor: anchor for anchor, _ in pairs if anchor}
    for anchor, aliases in pairs:
        for alias in aliases:
            found.setdefault(alias, anchor)
    return found


def section_anchors(sections: Iterable[Section]) -> dict[str, str]:
    return anchors_of((section.anchor, section.aliases) for section in sections)


def stale_keys(path: str, before: FileNames, after: FileNames) -> set[str]:
    """Keys of names that came or went, or all of them where the anchors behind them changed."""
    if before.anchors != after.anchors:
        return {name_key(path)} | {key for _, _, key in before.names | after.names}
    return {key for _, _, key in before.names ^ after.names}


def folders_of(path: str) -> list[str]:
    """Every folder a file lies in, the root last."""
    found = []
    while path:
        path = path.rpartition("/")[0]
        found.append(path)
    return found
