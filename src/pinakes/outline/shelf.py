"""All documents of a map, as much of them as must be known before one is looked into.

Paths, counts and ranks of every document enter, and a way to get the outline of some of them. There may be twenty
thousand, of which a budget looks into a few hundred: only these are ever fetched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from pinakes.cancelling import checked
from pinakes.outline.lines import with_children
from pinakes.outline.map import Shown
from pinakes.outline.paths import FolderCalls, files_below, folder_of
from pinakes.outline.tree import NO_NOTES, FolderLine, folder_tree, place_in_map
from pinakes.records import Layout, Outline, SymbolKind, is_test_file

FetchShown = Callable[[Sequence[str]], Iterable[Shown]]
"""The documents at some paths, in any order; one that is gone by now is left out."""


class ShelfMoved(LookupError):
    """A document went while the map was drawn."""


class Standing(Struct, frozen=True):
    """What documents and folders are worth by some ranks."""

    ranks: Sequence[float]
    files: Sequence[float]
    """Of each document."""
    folders: Mapping[str, float]
    """Of all documents in each folder that has a line, and below it."""
    best: Mapping[str, float]
    """Of the best of them, less for every line of a folder that comes first."""


class FolderPlan:
    """The folders that hold some documents: as long as no document comes or goes, the same ones."""

    def __init__(self, paths: Iterable[str], notes: Mapping[str, str] = NO_NOTES) -> None:
        self.paths: Sequence[str] = sorted(paths, key=place_in_map)
        """In the order of the map."""
        self.notes = notes
        """What somebody wrote about some folders, by their paths."""
        self._noted: FolderPlan | None = None
        self.standing: Standing | None = None
        """By the ranks of the last map: those of the next are mostly the same."""

    @cached_property
    def documents(self) -> Mapping[str, Sequence[int]]:
        """In each folder itself."""
        found: dict[str, list[int]] = {}
        for document, path in enumerate(self.paths):
            found.setdefault(folder_of(path), []).append(document)
        return found

    @cached_property
    def subfolders(self) -> Mapping[str, Sequence[str]]:
        """Those whose lines stand under the line of each."""
        found: dict[str, list[str]] = {}
        for one in reversed(list(self.folders.values())):
            if one.path:
                found.setdefault(one.above, []).append(one.path)
        return found

    @cached_property
    def _below(self) -> Mapping[str, int]:
        return files_below(self.paths)

    @cached_property
    def folders(self) -> Mapping[str, FolderLine]:
        return folder_tree(self.documents.keys(), self._below, self.notes)

    def noted(self, notes: Mapping[str, str]) -> FolderPlan:
        """A plan of these folders with other notes; what is asked for again is not made again."""
        if notes == self.notes:
            return self
        if self._noted is None or self._noted.notes != notes:
            self._noted = FolderPlan(self.paths, notes)
        return self._noted

    @cached_property
    def calls(self) -> FolderCalls:
        return FolderCalls(self._below)


@dataclass(slots=True)
class Shelf:
    """Documents in the order of the map; a position among them stands for each."""

    plan: FolderPlan
    sections: Sequence[int]
    """How many each has, the root among them."""
    ranks: Callable[[], Sequence[float]]
    """Of each, all its sections together; empty where nobody knows. Asked for where something must be left out."""
    repeats: Callable[[str], int]
    """How many sections have a heading, upper and lower case alike."""
    fetch: FetchShown
    _shown: dict[int, Shown] = field(default_factory=dict)

    @property
    def paths(self) -> Sequence[str]:
        return self.plan.paths

    def bring(self, documents: Iterable[int]) -> None:
        """Fetch these, together; a document at a time costs several times as much."""
        wanted = {self.paths[document]: document for document in documents if document not in self._shown}
        for shown in self.fetch(tuple(wanted)) if wanted else ():
            self._shown[wanted[shown.path]] = shown

    def holds(self, document: int) -> bool:
        """Whether it was fetched."""
        return document in self._shown

    def file(self, document: int) -> Shown:
        """A document, whole."""
        if document not in self._shown:
            self.bring((document,))
            if document not in self._shown:
                raise ShelfMoved(self.paths[document])
        return self._shown[document]

    def files(self) -> Iterator[Shown]:
        """All of them."""
        self.bring(range(len(self.paths)))
        return map(self.file, range(len(self.paths)))


def shelf_of(
    outlines: Sequence[Outline],
    ranks: Mapping[str, Sequence[float]],
    summaries: Mapping[str, Sequence[str]],
    sizes: Mapping[str, Sequence[int]],
) -> Shelf:
    """Outlines that are all at hand. `ranks`, `summaries` and `sizes` hold a value per section by path."""
    by_path = {}
    titles: Counter[str] = Counter()
    for outline in checked(outlines):
        path = outline.ref.path
        by_path[path] = shown = whole(outline, summaries.get(path, ()), sizes.get(path, ()))
        titles.update(section.title.casefold() for section in shown.outline.sections[1:])
    plan = FolderPlan(by_path)
    return Shelf(
        plan,
        [len(by_path[path].outline.sections) for path in plan.paths],
        lambda: [sum(ranks.get(path, ())) for path in plan.paths] if ranks else (),
        lambda title: titles[title.casefold()],
        lambda paths: [by_path[path] for path in paths],
    )


def whole(outline: Outline, summaries: Sequence[str] = (), own_sizes: Sequence[int] = ()) -> Shown:
    """A document of which everything is shown that maps show; `own_sizes` are of each section without what is below."""
    sizes = with_children(outline.sections, own_sizes) if own_sizes else ()
    if outline.media.layout is Layout.CODE and is_test_file(outline.ref.path):
        return _collapsed(outline, summaries[:1], sizes[:1])
    return Shown(outline, None, summaries, sizes)


def _collapsed(outline: Outline, summary: Sequence[str], tokens: Sequence[int]) -> Shown:
    """A file of tests, of which a map says only how many there are."""
    symbols = [(section.title, section.symbol) for section in outline.sections if section.symbol is not None]
    classes = sum(symbol.kind is SymbolKind.CLASS for _, symbol in symbols)
    tests = sum(title.lower().startswith("test") for title, symbol in symbols if symbol.parameters is not None)
    counts = [
        f"{count} {one}{'' if count == 1 else more}"
        for count, one, more in ((classes, "class", "es"), (tests, "test", "s"))
        if count
    ]
    bare = replace(outline, sections=outline.sections[:1], cited_sections=outline.cited_sections[:1])
    bare = replace(bare, references=tuple(one for one in outline.references if not one.section))
    return Shown(bare, None, summary, tokens, ", ".join(filter(None, counts)))
