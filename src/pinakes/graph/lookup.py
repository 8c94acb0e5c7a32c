"""Where a target leads among the names that share its key.

A `Target` and its `Namesakes` enter, a `Landing` leaves. Exact spelling always comes before a different case, and an
answer that is not the only one is no answer but a list of candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from pinakes.graph.anchors import fold
from pinakes.graph.names import index_order, one_line
from pinakes.graph.targets import Manner, Target
from pinakes.records import Name, NameForm, Outcome
from pinakes.records.graph import MARKDOWN_ENDINGS

MOST_CANDIDATES = 20
"""Of an ambiguous link; a corpus may hold ten thousand files called index.md."""

_PAGE_ENDINGS = (".html", ".htm")


class Landing(NamedTuple):
    """Where the path of a link leads."""

    path: str | None
    """A file or folder; None when nothing was found, or when `FOUND` means the document the link stands in."""
    outcome: Outcome
    candidates: tuple[str, ...] = ()


_MISSING = Landing(None, Outcome.MISSING)
_NO_FILE = Landing(None, Outcome.NO_FILE)


class Namesakes:
    """All names under one key, by what a link may say."""

    __slots__ = ("files", "folded_files", "folded_folders", "folders", "spoken")

    def __init__(self, names: Iterable[Name]) -> None:
        self.files: set[str] = set()
        self.folders: dict[str, str] = {}
        """Each folder and where a link to it leads: its index, else itself."""
        self.folded_files: dict[str, list[str]] = {}
        self.folded_folders: dict[str, list[str]] = {}
        self.spoken: dict[str, dict[str, set[str]]] = {}
        """Aliases and titles, folded; for each spelling the documents called so."""
        indexes: dict[str, list[str]] = {}
        for name in names:
            if name.form is NameForm.PATH:
                self.files.add(name.path)
            elif name.form is NameForm.FOLDER:
                self.folders[name.path] = name.path
            elif name.form is NameForm.INDEX:
                indexes.setdefault(name.text, []).append(name.path)
            else:
                spellings = self.spoken.setdefault(fold(name.text), {})
                spellings.setdefault(name.text, set()).add(name.path)
        for folder, paths in indexes.items():
            self.folders[folder] = min(paths, key=index_order)
        for path in self.files:
            self.folded_files.setdefault(fold(path), []).append(path)
        for folder in self.folders:
            self.folded_folders.setdefault(fold(folder), []).append(folder)


def look_up(manner: Manner, target: Target, names: Namesakes) -> Landing:
    """Where a target leads, each manner of writing in its own order."""
    for way in _WAYS[manner]:
        found = way(target, names)
        if found is not None:
            return found
    return _NO_FILE if manner is Manner.MENTION else _MISSING


def _by_exact_file(target: Target, names: Namesakes) -> Landing | None:
    for path in target.tries:
        if path in names.files and not target.is_folder:
            return Landing(path, Outcome.FOUND)
    return None


def _by_path(target: Target, names: Namesakes) -> Landing | None:
    """A file, a page without its ending, or a folder at one of the paths tried."""
    for path in target.tries:
        if target.is_folder and path in names.folders:
            return Landing(names.folders[path], Outcome.FOUND)
        for spelled in _spellings(path, target):
            if spelled in names.files:
                return Landing(spelled, Outcome.FOUND)
        if path in names.folders:
            return Landing(names.folders[path], Outcome.FOUND)
    for path in target.tries:
        in_other_case = [folder for folder in names.folded_folders.get(fold(path), ())]
        folders = [names.folders[folder] for folder in in_other_case]
        files = [file for spelled in _spellings(path, target) for file in names.folded_files.get(fold(spelled), ())]
        for found in (folders, files) if target.is_folder else (files, folders):
            if found:
                return _only(found)
    return None


def _by_page(target: Target, names: Namesakes) -> Landing | None:
    """Like `_by_path`, but folders wait: between double brackets any document of that name comes first."""
    for path in target.tries:
        for spelled in _spellings(path, target):
            if spelled in names.files:
                return Landing(spelled, Outcome.FOUND)
    for path in target.tries:
        found = [file for spelled in _spellings(path, target) for file in names.folded_files.get(fold(spelled), ())]
        if found:
            return _only(found)
    return None


def _by_ending(target: Target, names: Namesakes) -> Landing | None:
    """The only file anywhere whose path ends like the target; documents before other files."""
    if not target.tail or target.is_folder:
        return None
    spellings = _spellings(target.tail, target)
    pages = [spelled for spelled in spellings if spelled.casefold().endswith(MARKDOWN_ENDINGS)]
    for wanted in (pages, [target.tail]):
        if exact := _ending_with(wanted, names.files):
            return _only(exact)
        folded = _ending_with([fold(spelled) for spelled in wanted], names.folded_files)
        if folded:
            return _only(path for key in folded for path in names.folded_files[key])
    return None


def _ending_with(endings: list[str], paths: Iterable[str]) -> list[str]:
    behind_folders = tuple("/" + ending for ending in endings)
    return [path for path in paths if path.endswith(behind_folders) or path in endings]


def _by_alias_or_title(target: Target, names: Namesakes) -> Landing | None:
    said = one_line(target.said)
    spellings = names.spoken.get(fold(said), {})
    if said in spellings:
        return _only(spellings[said])
    return _only(path for paths in spellings.values() for path in paths) if spellings else None


def _spellings(path: str, target: Target) -> tuple[str, ...]:
    """The files a path may mean: itself, itself with a page's ending, the page that its ``.html`` is made from.

    All of them share the target's key; that is why a path with such an ending does not get another one.
    """
    folded = path.casefold()
    file = folded.rpartition("/")[2]
    for ending in (*_PAGE_ENDINGS, *MARKDOWN_ENDINGS):
        if file.endswith(ending) and len(file) > len(ending):
            stem = path[: -len(ending)]
            return (path, *(stem + page for page in MARKDOWN_ENDINGS)) if ending in _PAGE_ENDINGS else (path,)
    pages = tuple(path + page for page in MARKDOWN_ENDINGS)
    return pages if target.is_folder else (path, *pages)


def _only(paths: Iterable[str]) -> Landing:
    found = sorted(set(paths))
    if len(found) == 1:
        return Landing(found[0], Outcome.FOUND)
    return Landing(None, Outcome.AMBIGUOUS, tuple(found[:MOST_CANDIDATES]))


_Way = Callable[[Target, Namesakes], Landing | None]
_WAYS: dict[Manner, tuple[_Way, ...]] = {
    Manner.ADDRESS: (_by_path,),
    Manner.NOTE: (_by_page, _by_ending, _by_alias_or_title, _by_path),
    Manner.FIELD: (_by_path, _by_ending, _by_alias_or_title),
    Manner.MENTION: (_by_exact_file,),
}
