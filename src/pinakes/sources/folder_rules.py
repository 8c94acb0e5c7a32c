"""What is left out of a folder, and why.

A folder and a name in it enter; a place with its rules, or the reason for leaving something out, leaves. The scan and
the explanation of the scan both ask here, so they cannot disagree.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple, Protocol

from pinakes.records import Media, formats, media_of
from pinakes.sources import rulebook
from pinakes.sources.ignore import Rule, Rules, as_bytes, rules_of
from pinakes.sources.options import FolderOptions
from pinakes.sources.rulebook import Rulebook, RuleFiles, ScanProblem
from pinakes.sources.telling import ContentTeller

NEVER_ENTERED = {
    ".git": "it holds git's own files",
    ".hg": "it holds Mercurial's own files",
    ".svn": "it holds Subversion's own files",
    ".pinakes": "it holds the index itself",
    "node_modules": "it holds installed packages",
}
"""Names that are never listed, and why."""
SHUT = {
    "pyvenv.cfg": "it is a virtual environment (it holds pyvenv.cfg)",
    ".pinakes-published": "it is published output (it holds .pinakes-published)",
}
"""Files that say what the folder around them is."""
MARKERS = rulebook.MARKERS | SHUT.keys()
"""Names whose coming and going changes what is listed of the folder they are in."""


class FolderEntry(Protocol):
    """What stands in a folder, as `os.DirEntry` tells it."""

    @property
    def name(self) -> str: ...

    def is_dir(self, *, follow_symlinks: bool = True) -> bool: ...

    def is_file(self, *, follow_symlinks: bool = True) -> bool: ...

    def is_symlink(self) -> bool: ...

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result: ...


class RuledFolder(NamedTuple):
    """A folder, and what holds for everything in it."""

    path: str
    """Empty for the root, else with a slash at the end."""
    book: Rulebook
    is_hidden: bool
    is_included: bool
    """What holds for files that no pattern of the `include` option speaks of."""


class FolderRules:
    """The folders of one root under one set of options."""

    def __init__(
        self,
        root: str,
        options: FolderOptions,
        media_by_name: Callable[[str], Media] = media_of,
        generated: Collection[str] | None = None,
        *,
        above: Collection[str] | None = None,
        files: RuleFiles = rulebook.ON_DISK,
    ) -> None:
        """`generated` are patterns of files that programs make; None where it does not matter who made a file. `above`
        and `files` are for folders that are not on disk, see `rulebook_above`."""
        self.root = root
        self._by_content = ContentTeller(root) if media_by_name is media_of else None
        self._above = above
        self._files = files
        self._generated = generated
        self.media_by_name = media_by_name
        self._include = Rules(rules_of(options.include, "the include option")) if options.include else None
        self._exclude = options.exclude

    def top(self) -> RuledFolder:
        """The root, before it is entered."""
        book = rulebook.rulebook_above(self.root, self._exclude, self._generated, self._above, self._files)
        return RuledFolder("", book, is_hidden=False, is_included=self._include is None)

    def entries(self, place: RuledFolder) -> Sequence[FolderEntry]:
        """What is in a folder; raises `OSError`."""
        with os.scandir(f"{self.root}/{place.path}") as entries:
            return list(entries)

    def entered(
        self, place: RuledFolder, entries: Iterable[FolderEntry], problems: list[ScanProblem]
    ) -> RuledFolder | str:
        """The place with the rules of its own ignore files added, or the reason for staying out of it."""
        markers = [entry.name for entry in entries if entry.name in MARKERS]
        if not markers:
            return place
        if place.path:
            for name in markers:
                if name in SHUT:
                    return SHUT[name]
        book = rulebook.rulebook_in(place.book, self.root, place.path, markers, problems, self._files)
        return place._replace(book=book)

    def below(self, place: RuledFolder, name: str) -> RuledFolder | str:
        """A folder inside a place, or the reason for leaving it out."""
        path = place.path + name
        if name in NEVER_ENTERED:
            return NEVER_ENTERED[name]
        if place.book.order and (rule := place.book.ignoring_folder(name, path)) is not None:
            return cited(rule)
        is_included = place.is_included
        if self._include is not None and (rule := self._include.of_folder(as_bytes(name), as_bytes(path))) is not None:
            is_included = not rule.keeps
        return RuledFolder(path + "/", place.book, place.is_hidden or name[0] == ".", is_included)

    def left_out(self, place: RuledFolder, name: str) -> str:
        """The reason for leaving a file out altogether; empty when it is listed."""
        if name in NEVER_ENTERED:
            return NEVER_ENTERED[name]
        rule = place.book.ignoring_file(name, place.path + name) if place.book.order else None
        return cited(rule) if rule is not None else ""

    def media(self, place: RuledFolder, name: str) -> Media:
        """What a listed file counts as: a document by its name or content, unless it is hidden or not included."""
        if place.is_hidden or (self._include is not None and not self.is_included(place, name)):
            return formats.ASSET
        media = self.media_by_name(name)
        if media.is_document or self._by_content is None:
            return media
        return self._by_content.media(place.path + name)

    def is_included(self, place: RuledFolder, name: str) -> bool:
        """Whether the `include` option lets a file be a document."""
        if self._include is None:
            return True
        rule = self._include.of_file(as_bytes(name), as_bytes(place.path + name))
        return place.is_included if rule is None else not rule.keeps


def cited(rule: Rule) -> str:
    """The rule as a reason."""
    if rule.where.startswith("the "):
        return f"{rule.where} says “{rule.text}”"
    return f"{rule.where}, line {rule.line}, says “{rule.text}”"
