"""The notes of folders: from the table ``[folders]`` of a project's settings, and from files `_context.md`.

A corpus enters; the note of a folder leaves, or those of all folders of a map. Files are read from the index, so a past
revision has the notes of its own time. Where both speak of a folder, the settings count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from pinakes.library.corpus import Corpus
from pinakes.ports import Store
from pinakes.prose import leaves, visible
from pinakes.records import DOCS, BlockKind, Document, Hit, Ref, Span
from pinakes.records.folder_notes import CONTEXT_FILE, FolderNote, folders_above

LONGEST = 400
"""Characters of a note; more would stand before every answer."""
_MOST_FILES = 1_000


class FolderNotes:
    """The notes of one state of a corpus, each looked up once."""

    def __init__(self, home: Corpus) -> None:
        self._home = home
        self._settings = home.config.folders if home.name == DOCS else {}
        self._known: dict[str, str] = {}
        self._nearest: dict[str, FolderNote | None] = {}
        """Of folders that were asked for, the note that holds there."""

    @cached_property
    def _index(self) -> Store:
        """Opened once: whether it is there is looked at on the disk."""
        return self._home.index

    def look_for(self, paths: Iterable[str]) -> None:
        """Find out at once which folders above these paths have a file with a note: hardly any has."""
        new = {path.rpartition("/")[0]: path for path in paths}.items()
        folders = {above for folder, path in new if folder not in self._nearest for above in folders_above(path)}
        files = {folder: self._file(folder) for folder in folders if folder not in self._known}
        there = self._index.places([*files.values()]) if files else {}
        self._known.update({one: self._settings.get(one, "") for one, file in files.items() if file not in there})

    def of_folder(self, folder: str) -> str:
        """Its own note; empty when it has none."""
        if folder not in self._known:
            self._known[folder] = self._settings.get(folder) or self._from_file(folder)
        return self._known[folder]

    def above(self, path: str) -> FolderNote | None:
        """The note of the nearest folder around a path that has one."""
        home = path.rpartition("/")[0]
        if home not in self._nearest:
            notes = ((folder, self.of_folder(folder)) for folder in folders_above(path))
            self._nearest[home] = next((FolderNote(folder, note) for folder, note in notes if note), None)
        return self._nearest[home]

    def _from_file(self, folder: str) -> str:
        document = self._index.document(self._file(folder))
        return _text(document) if document is not None else ""

    def _file(self, folder: str) -> Ref:
        return Ref(self._home.name, f"{folder}/{CONTEXT_FILE}" if folder else CONTEXT_FILE)


class NotesOfHits:
    """The notes of the folders that hits lie in, remembered until the documents change."""

    def __init__(self, home: Corpus) -> None:
        self._home = home
        self._known: tuple[object, FolderNotes] | None = None

    def of(self, hits: Iterable[Hit]) -> tuple[FolderNote, ...]:
        """Each note once, in the order of the hits."""
        paths = [hit.ref.path for hit in hits if hit.ref.corpus == self._home.name]
        if not paths:
            return ()
        notes = self._notes()
        notes.look_for(paths)
        found = map(notes.above, paths)
        return tuple(dict.fromkeys(note for note in found if note is not None))

    def _notes(self) -> FolderNotes:
        state = self._home.generation, self._home.place.identity
        known = self._known
        if known is None or known[0] != state:
            known = self._known = state, FolderNotes(self._home)
        return known[1]


def notes_on_map(home: Corpus, paths: Sequence[str]) -> Mapping[str, str]:
    """The notes of all folders of a map of these documents."""
    if home.name != DOCS:
        return {}
    notes = FolderNotes(home)
    files = [path.rpartition("/")[0] for path in paths if path.rpartition("/")[2] == CONTEXT_FILE][:_MOST_FILES]
    found = {folder: notes.of_folder(folder) for folder in (*home.config.folders, *files)}
    return {folder: note for folder, note in found.items() if note}


def _text(document: Document) -> str:
    """What a reader sees of it, without headings, on one line."""
    whole = Span(document.body, len(document.source))
    blocks = (one for one in leaves(document, whole) if one.kind is not BlockKind.HEADING)
    text = " ".join(" ".join(visible(document, one.span).split()) for one in blocks)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1].rstrip()}…"
