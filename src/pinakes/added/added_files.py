"""The files of added documents, and their texts as a source.

    <folder>/<project>/<id>.md or .txt    the text, as it is indexed
    <folder>/<project>/<id>.json          what is known of it (`AddedDocument`)
    <folder>/<project>/.<id>.text         the next text, and
    <folder>/<project>/.<id>.pending      the next record, while they are being put

Two files cannot be replaced in one step. So both are first written under other names, the text before the record: once
the record is there the document is kept, and all that is left to do is to give both their names, which takes no room on
a disk. Whoever comes next does that should the writer be killed. A text without a record is what is left of a document
that was dropped. One process writes at a time. As a source, the folder holds the texts and nothing else.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, fields
from pathlib import Path

from pinakes.atomic import make_unseen, replace_file, sync_folder
from pinakes.errors import StoreError
from pinakes.folder_lock import exclusive_lock
from pinakes.records import ADDED, Scan
from pinakes.records.added import AddedDocument, Origin, TextType
from pinakes.sources import FolderOptions, FolderSource

_RECORD, _PENDING, _NEXT = ".json", ".pending", ".text"
_TEXTS = (".md", ".txt")
_MOST_RECORD_BYTES = 100_000
_NAMES = tuple(field.name for field in fields(AddedDocument))
_TEXTS_ALONE = FolderOptions(exclude=("!*", ".*", "*.json", "*.lock", "*.lock-*"))
"""Whatever git ignores: the folder lies in the store, which git is told to leave alone."""


class AddedFiles:
    """Added documents below one folder, which is made when the first is put."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def documents(self, project: str = "") -> tuple[AddedDocument, ...]:
        """What is known of every document of a project, or of all; by project and title."""
        self.settle()
        found = []
        for home in self._projects(project):
            for name in _listed(home):
                if name.endswith(_RECORD) and (record := _read_record(home / name)):
                    found.append(record)
        return tuple(sorted(found, key=lambda one: (one.project, one.title, one.id)))

    def known(self, project: str, identity: str) -> AddedDocument | None:
        """What is known of one document whose text is there."""
        found = _read_record(self.folder / project / f"{identity}{_RECORD}")
        return found if found and os.path.exists(self.folder / found.path) else None

    def has(self, project: str) -> bool:
        """Whether there is a document in a project."""
        return any(name.endswith((_RECORD, _PENDING)) for name in _listed(self.folder / project))

    def text(self, document: AddedDocument) -> bytes:
        """The text as it is indexed; raises `OSError`."""
        return (self.folder / document.path).read_bytes()

    @contextmanager
    def writing(self) -> Iterator[AddedFilesWriter]:
        """Be the only one who writes; raises `StoreError` when that cannot be."""
        try:
            make_unseen(self.folder.parent)
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"The folder {self.folder} for added documents could not be made: {error.strerror}.",
                "Check its permissions.",
            ) from error
        with exclusive_lock(self.folder, "added documents"):
            try:
                self._settle()
                yield AddedFilesWriter(self)
            except OSError as error:
                if error.errno is None:
                    raise
                raise StoreError(
                    f"Added documents cannot be written in {self.folder}: {error.strerror}.",
                    "Check its permissions and the free space on its disk.",
                ) from error

    def settle(self) -> None:
        """Finish what a writer who was killed had begun. Where nothing can be written it stays as it is."""
        if any(_is_unsettled(_listed(home)) for home in self._projects()):
            with suppress(StoreError), self.writing():
                pass

    def _settle(self) -> None:
        for home in self._projects():
            names = _listed(home)
            if not _is_unsettled(names):
                continue
            for name in names:
                if name.endswith(_PENDING):
                    _finish(home, name)
            for name in names:
                if name.startswith("."):
                    (home / name).unlink(missing_ok=True)  # half of something that was never acknowledged
            known = {Path(name).stem for name in _listed(home) if name.endswith(_RECORD)}
            for name in _listed(home):
                if name.endswith(_TEXTS) and Path(name).stem not in known:
                    (home / name).unlink(missing_ok=True)

    def _projects(self, project: str = "") -> list[Path]:
        if project:
            return [self.folder / project]
        return [self.folder / name for name in _listed(self.folder) if (self.folder / name).is_dir()]


class AddedFilesWriter:
    """Writes and removes added documents, while `AddedFiles.writing` holds the lock."""

    def __init__(self, files: AddedFiles) -> None:
        self._folder = files.folder
        self.known = files.known

    def put(self, document: AddedDocument, text: bytes) -> None:
        """Keep a document; when this returns, it is on disk."""
        home = self._folder / document.project
        home.mkdir(exist_ok=True)
        replace_file(home / f".{document.id}{_NEXT}", text)
        pending = f".{document.id}{_PENDING}"
        replace_file(
            home / pending, json.dumps(asdict(document), ensure_ascii=False).encode("utf-8", "backslashreplace")
        )
        _finish(home, pending)

    def drop(self, document: AddedDocument) -> None:
        """Remove a document."""
        record = self._folder / f"{document.project}/{document.id}{_RECORD}"
        record.unlink(missing_ok=True)
        sync_folder(record.parent)
        (self._folder / document.path).unlink(missing_ok=True)


def _finish(home: Path, pending: str) -> None:
    """Give a document that is pending its names."""
    document = _record((home / pending).read_bytes())
    if document is None or f".{document.id}{_PENDING}" != pending or document.project != home.name:
        (home / pending).unlink(missing_ok=True)
        return
    kept = home / Path(document.path).name
    with suppress(FileNotFoundError):  # when it has its name already
        os.replace(home / f".{document.id}{_NEXT}", kept)
    for ending in _TEXTS:
        if ending != kept.suffix:
            (home / f"{document.id}{ending}").unlink(missing_ok=True)
    os.replace(home / pending, home / f"{document.id}{_RECORD}")  # last: until then it is all done again
    sync_folder(home)


def _is_unsettled(names: list[str]) -> bool:
    records = sum(name.endswith(_RECORD) for name in names)
    return any(name.startswith(".") for name in names) or records != sum(name.endswith(_TEXTS) for name in names)


def _listed(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _read_record(path: Path) -> AddedDocument | None:
    """The record in a file, if it is the record of what the file is named after: others could lead elsewhere."""
    try:
        with path.open("rb") as file:
            found = _record(file.read(_MOST_RECORD_BYTES))
    except OSError:
        return None
    return found if found and (found.project, found.id) == (path.parent.name, path.stem) else None


def _record(data: bytes) -> AddedDocument | None:
    """A record as it was written; None for anything else that somebody put there."""
    try:
        held = json.loads(data)
        values = {name: held[name] for name in _NAMES}
        values |= {"origin": Origin(held["origin"]), "type": TextType(held["type"])}
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    kinds = {"size": int, "is_titled": bool}
    if not all(isinstance(value, kinds.get(name, str)) for name, value in values.items()):
        return None
    return AddedDocument(**values)


class AddedSource(FolderSource):
    """The texts that were added. Each scan first finishes what a writer left half done."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, _TEXTS_ALONE, ADDED, is_optional=True)
        self._files = AddedFiles(folder)

    def scan(self, paths: Collection[str] | None = None) -> Scan:
        self._files.settle()
        return super().scan(paths)
