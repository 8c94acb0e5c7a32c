"""The files of added documents, and their texts as a source.

    <folder>/<project>/<id>.md or .txt    the text, as it is indexed
    <folder>/<project>/<id>.json          what is known of it (`AddedDocument`)
    <folder>/store.json                   {"id": …}: a random number, so that a record of one store vouches in no other
    <folder>/<project>/.<id>.text         the next text, and
    <folder>/<project>/.<id>.pending      the next record, while they are being put

Two files cannot be replaced in one step. So both are first written under other names, the text before the record: once
the record is there the document is kept, and all that is left to do is to give both their names, which takes no room on
a disk. Whoever comes next does that should the writer be killed. A text without a record is what is left of a document
that was dropped. One process writes at a time. As a source, the folder holds the texts and nothing else. A link in it
is nothing of ours: it is neither followed nor removed, and refused with a sentence.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import to_builtins
from msgspec.structs import replace

from pinakes.added.identity import is_ours, voucher
from pinakes.errors import StoreError
from pinakes.folder_lock import exclusive_lock
from pinakes.own_folder import OwnFolder
from pinakes.records import ADDED, Scan
from pinakes.records.added import AddedDocument, Origin, TextType
from pinakes.sources.own_texts import OwnTexts

_RECORD, _PENDING, _NEXT = ".json", ".pending", ".text"
_TEXTS = (".md", ".txt")
_MOST_RECORD_BYTES = 100_000
_NAMES = AddedDocument.__struct_fields__
_STORE = "store.json"
_NO_TEXTS = ("*.json", "*.lock", "*.lock-*")


class AddedFiles:
    """Added documents below one folder, which is made when the first is put."""

    def __init__(self, folder: OwnFolder) -> None:
        self.folder = folder

    def documents(self, project: str = "") -> tuple[AddedDocument, ...]:
        """What is known of every document of a project, or of all; by project and title."""
        self.settle()
        found = []
        for home in self._projects(project):
            for name in _listed(home):
                if name.endswith(_RECORD) and (record := _read_record(home, name)):
                    found.append(record)
        return tuple(sorted(found, key=lambda one: (one.project, one.title, one.id)))

    def known(self, project: str, identity: str) -> AddedDocument | None:
        """What is known of one document whose text is there."""
        home = self.folder.folder(project)
        found = _read_record(home, f"{identity}{_RECORD}")
        return found if found and home.holds(_text_name(found)) else None

    def has(self, project: str) -> bool:
        """Whether there is a document in a project."""
        return any(name.endswith((_RECORD, _PENDING)) for name in _listed(self.folder.folder(project)))

    def text(self, document: AddedDocument) -> bytes:
        """The text as it is indexed; raises `OSError`."""
        return self.folder.folder(document.project).read(_text_name(document))

    def is_ours(self, document: AddedDocument) -> bool:
        """Whether this user added the document, into this store, and its text is what was kept then."""
        try:
            return is_ours(document, self.store_id(), self.text(document))
        except OSError:
            return False

    def store_id(self) -> str:
        """The number of this store; empty before the first document is put."""
        try:
            return str(json.loads(self.folder.read(_STORE, _MOST_RECORD_BYTES))["id"])
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            return ""

    @contextmanager
    def writing(self) -> Iterator[AddedFilesWriter]:
        """Be the only one who writes; raises `StoreError` when that cannot be."""
        try:
            self.folder.make(unseen=True)
        except OSError as error:
            raise StoreError(
                f"The folder {self.folder.path} for added documents could not be made: {error.strerror}.",
                "Check its permissions.",
            ) from error
        with exclusive_lock(self.folder, "added documents"):
            try:
                self._settle()
                if not self.store_id():
                    self.folder.replace(_STORE, json.dumps({"id": secrets.token_hex(16)}).encode())
                yield AddedFilesWriter(self)
            except OSError as error:
                if error.errno is None:
                    raise
                raise StoreError(
                    f"Added documents cannot be written in {self.folder.path}: {error.strerror}.",
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
                    home.remove(name)  # half of something that was never acknowledged
            known = {Path(name).stem for name in _listed(home) if name.endswith(_RECORD)}
            for name in _listed(home):
                if name.endswith(_TEXTS) and Path(name).stem not in known:
                    home.remove(name)

    def _projects(self, project: str = "") -> list[OwnFolder]:
        if project:
            return [self.folder.folder(project)]
        try:
            return [self.folder.folder(name) for name in self.folder.names()[0]]
        except OSError:
            return []


class AddedFilesWriter:
    """Writes and removes added documents, while `AddedFiles.writing` holds the lock."""

    def __init__(self, files: AddedFiles) -> None:
        self._folder = files.folder
        self._store = files.store_id()
        self.known = files.known

    def put(self, document: AddedDocument, text: bytes) -> None:
        """Keep a document and vouch for it; when this returns, it is on disk."""
        document = replace(document, voucher=voucher(document, self._store, text))
        home = self._folder.folder(document.project).make()
        home.replace(f".{document.id}{_NEXT}", text)
        pending = f".{document.id}{_PENDING}"
        home.replace(pending, json.dumps(to_builtins(document), ensure_ascii=False).encode("utf-8", "backslashreplace"))
        _finish(home, pending)

    def drop(self, document: AddedDocument) -> None:
        """Remove a document."""
        home = self._folder.folder(document.project)
        home.remove(f"{document.id}{_RECORD}", durable=True)
        home.remove(_text_name(document))


def _finish(home: OwnFolder, pending: str) -> None:
    """Give a document that is pending its names."""
    with home.open(pending) as file:
        document = _record(file.read(_MOST_RECORD_BYTES))
    if document is None or f".{document.id}{_PENDING}" != pending or document.project != home.path.name:
        home.remove(pending)
        return
    kept = _text_name(document)
    with suppress(FileNotFoundError):  # when it has its name already
        home.move(f".{document.id}{_NEXT}", home, kept, durable=False)
    for ending in _TEXTS:
        if not kept.endswith(ending):
            home.remove(f"{document.id}{ending}")
    home.move(pending, home, f"{document.id}{_RECORD}")  # last: until then it is all done again


def _text_name(document: AddedDocument) -> str:
    return document.path.rpartition("/")[2]


def _is_unsettled(names: list[str]) -> bool:
    """Whether something is pending, or a text has no record. A record without its text is nobody's half-done work."""
    records = {name.removesuffix(_RECORD) for name in names if name.endswith(_RECORD)}
    return any(
        name.startswith(".") or (name.endswith(_TEXTS) and name.rpartition(".")[0] not in records) for name in names
    )


def _listed(folder: OwnFolder) -> list[str]:
    try:
        return folder.names()[1]
    except OSError:
        return []


def _read_record(home: OwnFolder, name: str) -> AddedDocument | None:
    """The record in a file, if it is the record of what the file is named after: others could lead elsewhere."""
    try:
        found = _record(home.read(name, _MOST_RECORD_BYTES))
    except OSError:
        return None
    return found if found and (found.project, f"{found.id}{_RECORD}") == (home.path.name, name) else None


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


class AddedSource(OwnTexts):
    """The texts that were added. Each scan first finishes what a writer left half done."""

    def __init__(self, folder: OwnFolder) -> None:
        self._files = AddedFiles(folder)
        super().__init__(folder.path, self._texts, ADDED, _NO_TEXTS)

    def _texts(self) -> OwnFolder:  # a function of its own could not be sent to a worker
        return self._files.folder

    def scan(self, paths: Collection[str] | None = None) -> Scan:
        self._files.settle()
        return super().scan(paths)
