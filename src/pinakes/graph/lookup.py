"""Finds the name a link target means, among the names that share its key.

A `LinkTarget` and its `Namesakes` enter, a `Landing` leaves. Exact spelling comes before a different case. When several
names match equally well, the link is ambiguous and the `Landing` lists the candidates.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from pinakes.graph.anchors import fold
from pinakes.graph.names import index_order, one_line
from pinakes.graph.targets import LinkTarget, TargetSyntax
from pinakes.records import Name, NameForm, Outcome
from pinakes.records.graph import MARKDOWN_ENDINGS

_FEW = 64
"""Up to so many paths, comparing each is quicker than a sorted index."""


class SuffixIndex:
    """A fixed set of paths, searchable by suffix.

    A large set is sorted by reversed spelling, so that ten thousand links to ten thousand files of one name cost the
    sum of both numbers and not the product.
    """

    __slots__ = ("_backwards", "_paths")

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = paths
        self._backwards: list[str] | None = None

    def of(self, endings: Sequence[str]) -> list[str]:
        """The paths that are one of `endings` or end with one behind a slash, in no particular order."""
        if len(self._paths) <= _FEW:
            behind_folders = tuple(["/" + ending for ending in endings])
            return [path for path in self._paths if path.endswith(behind_folders) or path in endings]
        if self._backwards is None:
            self._backwards = sorted([path[::-1] for path in self._paths])
        found = [ending for ending in endings if ending in self._paths]
        for ending in endings:
            found += self._behind_folders(self._backwards, f"{ending[::-1]}/")
        return found

    def _behind_folders(self, backwards: list[str], start: str) -> list[str]:
        first = end = bisect_left(backwards, start)
        while end < len(backwards) and backwards[end].startswith(start):
            end += 1
        return [path[::-1] for path in backwards[first:end]]


MOST_CANDIDATES = 20
"""Of an ambiguous link; a corpus may hold ten thousand files called index.md."""

_PAGE_ENDINGS = (".html", ".htm")
_UNTOLD_ENDINGS = frozenset((*_PAGE_ENDINGS, *MARKDOWN_ENDINGS))
_LONGEST_PREFIX = 2
"""Names a site's addresses may have in front of its folders, such as a language and a section."""


class Landing(NamedTuple):
    """Where the path of a link leads."""

    path: str | None
    """A file or folder; None when nothing was found, or when `FOUND` means the document the link stands in."""
    outcome: Outcome
    candidates: tuple[str, ...] = ()


_MISSING = Landing(None, Outcome.MISSING)
_NO_FILE = Landing(None, Outcome.NO_FILE)


class Namesakes:
    """All names under one key, grouped by the ways a link may spell them."""

    __slots__ = (
        *("files", "folders", "folded_files", "folded_folders", "aliases_and_titles"),
        *("file_ends", "folded_file_ends", "folded_folder_ends", "published", "by_suffix", "by_name", "addresses"),
    )

    def __init__(self, names: Iterable[Name]) -> None:
        self.files: set[str] = set()
        self.folders: dict[str, str] = {}
        """Each folder and where a link to it leads: its index, else itself."""
        self.folded_files: dict[str, list[str]] = {}
        self.folded_folders: dict[str, list[str]] = {}
        self.aliases_and_titles: dict[str, dict[str, set[str]]] = {}
        """Aliases and titles, folded; for each spelling the documents that have it."""
        self.addresses: dict[str, set[str]] = {}
        """Addresses on a site, folded, and the documents that are published there."""
        self.published: dict[tuple[str, bool], tuple[str, ...]] = {}
        self.by_suffix: dict[str, Landing | None] = {}
        self.by_name: dict[str, Landing | None] = {}
        """Caches for site addresses, path suffixes and names: their result does not depend on the linking document."""
        indexes: dict[str, list[str]] = {}
        for name in names:
            if name.form is NameForm.PATH:
                self.files.add(name.path)
            elif name.form is NameForm.FOLDER:
                self.folders[name.path] = name.path
            elif name.form is NameForm.INDEX:
                indexes.setdefault(name.text, []).append(name.path)
            elif name.form is NameForm.ADDRESS:
                self.addresses.setdefault(fold(name.text), set()).add(name.path)
            else:
                spellings = self.aliases_and_titles.setdefault(fold(name.text), {})
                spellings.setdefault(name.text, set()).add(name.path)
        for folder, paths in indexes.items():
            self.folders[folder] = min(paths, key=index_order)
        for path in self.files:
            self.folded_files.setdefault(fold(path), []).append(path)
        for folder in self.folders:
            self.folded_folders.setdefault(fold(folder), []).append(folder)
        self.file_ends = SuffixIndex(self.files)
        self.folded_file_ends = SuffixIndex(self.folded_files)
        self.folded_folder_ends = SuffixIndex(self.folded_folders)

    def may_hold(self, spellings: Spellings) -> bool:
        """Whether any path could end like the target; cheap where few share a name, as nearly always."""
        if len(self.folded_files) + len(self.folded_folders) > _FEW:
            return True
        ends = spellings.folded
        return any(path.endswith(ends) for paths in (self.folded_files, self.folded_folders) for path in paths)


class Spellings(NamedTuple):
    """The files a path may mean: itself, itself with a page's ending, the page that its ``.html`` is made from.

    All of them share one key; that is why a path with such an ending does not get another one. They differ in their
    ending alone, so one answer serves all the places a target is tried at.
    """

    cut: int
    """How many letters each ending replaces."""
    endings: tuple[str, ...]
    folded: tuple[str, ...]
    """The folded tails of all files and folders meant."""

    def of(self, path: str) -> list[str]:
        """The files that a path ending like the target may mean, the likeliest first."""
        stem = path[: len(path) - self.cut]
        return [stem + ending for ending in self.endings]


def _spellings(tail: str, *, is_folder: bool) -> Spellings:
    folded = fold(tail)
    stem, dot, last = folded.rpartition(".")
    ending = dot + last
    endings: tuple[str, ...]
    if not stem or stem.endswith("/") or ending not in _UNTOLD_ENDINGS:
        endings = MARKDOWN_ENDINGS if is_folder else ("", *MARKDOWN_ENDINGS)
        return Spellings(0, endings, (folded, *[folded + ending for ending in endings]))
    written = tail[-len(ending) :]
    endings = (written, *MARKDOWN_ENDINGS) if ending in _PAGE_ENDINGS else (written,)
    return Spellings(len(ending), endings, (folded, *[stem + ending for ending in endings]))


def look_up(target: LinkTarget, names: Namesakes) -> Landing:
    """Where a target leads, each manner of writing in its own order."""
    if target.syntax is TargetSyntax.MENTION:
        exact = (path for path in target.possible_paths() if path in names.files and not target.is_folder)
        return next((Landing(path, Outcome.FOUND) for path in exact), _NO_FILE)
    spellings = _spellings(target.tail, is_folder=target.is_folder)
    for way in _WAYS[target.syntax]:
        found = way(target, spellings, names)
        if found is not None:
            return found
    return _MISSING


def _by_path(target: LinkTarget, spellings: Spellings, names: Namesakes) -> Landing | None:
    """A file, a page without its ending, or a folder at one of the paths tried."""
    if not names.may_hold(spellings):
        return None
    possible_paths = target.possible_paths()
    for path in possible_paths:
        if target.is_folder and path in names.folders:
            return Landing(names.folders[path], Outcome.FOUND)
        for spelled in spellings.of(path):
            if spelled in names.files:
                return Landing(spelled, Outcome.FOUND)
        if path in names.folders:
            return Landing(names.folders[path], Outcome.FOUND)
    for path in possible_paths:
        folders = [names.folders[folder] for folder in names.folded_folders.get(fold(path), ())]
        files = [file for spelled in spellings.of(path) for file in names.folded_files.get(fold(spelled), ())]
        for found in (folders, files) if target.is_folder else (files, folders):
            if found:
                return _landing_at(found)
    return None


def _by_address(target: LinkTarget, spellings: Spellings, names: Namesakes) -> Landing | None:
    """A document whose site publishes it at one of the paths tried."""
    del spellings  # an address has no ending
    for path in target.possible_paths() if names.addresses else ():
        if found := names.addresses.get(fold(path)):
            return _landing_at(found)
    return None


def _by_page(target: LinkTarget, spellings: Spellings, names: Namesakes) -> Landing | None:
    """Like `_by_path`, but folders wait: between double brackets any document of that name comes first."""
    possible_paths = target.possible_paths()
    for path in possible_paths:
        for spelled in spellings.of(path):
            if spelled in names.files:
                return Landing(spelled, Outcome.FOUND)
    for path in possible_paths:
        found = [file for spelled in spellings.of(path) for file in names.folded_files.get(fold(spelled), ())]
        if found:
            return _landing_at(found)
    return None


def _by_ending(target: LinkTarget, spellings: Spellings, names: Namesakes) -> Landing | None:
    """The only file anywhere whose path ends like the target; documents before other files.

    Hidden files are only meant by those who write their whole path: a note in a hidden folder must not make the name
    of a document ambiguous.
    """
    if target.is_relative or target.is_folder:
        return None
    if target.tail not in names.by_suffix:
        names.by_suffix[target.tail] = _file_ending_like(target.tail, spellings, names)
    return names.by_suffix[target.tail]


def _file_ending_like(tail: str, spellings: Spellings, names: Namesakes) -> Landing | None:
    pages = [spelled for spelled in spellings.of(tail) if spelled.casefold().endswith(MARKDOWN_ENDINGS)]
    for wanted in (pages, [tail]):
        if exact := [path for path in names.file_ends.of(wanted) if not _is_hidden(path)]:
            return _landing_at(exact)
        folded = names.folded_file_ends.of([fold(spelled) for spelled in wanted])
        if found := [path for key in folded for path in names.folded_files[key] if not _is_hidden(path)]:
            return _landing_at(found)
    return None


def _is_hidden(path: str) -> bool:
    return path.startswith(".") or "/." in path


def _by_published_path(target: LinkTarget, spellings: Spellings, names: Namesakes) -> Landing | None:
    """The only page whose path ends like an address of a site, once the site's own prefix is dropped.

    Sites are published under prefixes that no folder has: ``/en-US/docs/web/css`` is made from ``files/web/css``. Two
    names must still agree, and a second page that fits means that nobody knows.
    """
    if not target.is_rooted:
        return None
    for prefix in range(1, _LONGEST_PREFIX + 1):
        rest = target.tail.split("/", prefix)[prefix:]
        if not rest or "/" not in rest[0]:
            return None
        asked = rest[0], target.is_folder
        if asked not in names.published:
            names.published[asked] = _published(rest[0], spellings, names)
        if found := names.published[asked]:
            return Landing(found[0], Outcome.FOUND) if len(found) == 1 else None
    return None


def _published(tail: str, spellings: Spellings, names: Namesakes) -> tuple[str, ...]:
    """Up to two pages that end so."""
    wanted = [fold(spelled) for spelled in spellings.of(tail)]
    found = {file for key in names.folded_file_ends.of(wanted) for file in names.folded_files[key]}
    for key in names.folded_folder_ends.of([fold(tail)]):
        found.update(names.folders[folder] for folder in names.folded_folders[key])
    return tuple(sorted(found)[:2])


def _by_alias_or_title(target: LinkTarget, spellings: Spellings, names: Namesakes) -> Landing | None:
    del spellings  # an alias or title is compared as a whole
    name = one_line(target.text)
    if name not in names.by_name:
        names.by_name[name] = _document_called(name, names)
    return names.by_name[name]


def _document_called(name: str, names: Namesakes) -> Landing | None:
    same = names.aliases_and_titles.get(fold(name), {})
    if name in same:
        return _landing_at(same[name])
    return _landing_at(path for paths in same.values() for path in paths) if same else None


def _landing_at(paths: Iterable[str]) -> Landing:
    found = sorted(set(paths))
    if len(found) == 1:
        return Landing(found[0], Outcome.FOUND)
    return Landing(None, Outcome.AMBIGUOUS, tuple(found[:MOST_CANDIDATES]))


_Way = Callable[[LinkTarget, Spellings, Namesakes], Landing | None]
_WAYS: dict[TargetSyntax, tuple[_Way, ...]] = {
    TargetSyntax.ADDRESS: (_by_path, _by_address, _by_published_path),
    TargetSyntax.PAGE: (_by_path, _by_address, _by_ending),
    TargetSyntax.NOTE: (_by_page, _by_ending, _by_alias_or_title, _by_path),
    TargetSyntax.FIELD: (_by_path, _by_ending, _by_alias_or_title),
}
