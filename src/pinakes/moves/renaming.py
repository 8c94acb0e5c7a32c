"""The names of a corpus as they will be, while everything is still as it was.

A reader and what is to get another name enter; a `Renaming` leaves: where each path and anchor will be found, and a
table in which every link can be looked up as if the move had happened. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from msgspec.structs import replace

from pinakes.errors import NotFound
from pinakes.graph.names import names_of
from pinakes.graph.resolve import NameTable
from pinakes.graph.site_anchors import with_site_anchors
from pinakes.parse import parse
from pinakes.ports import Reader
from pinakes.records import CorpusName, Document, Name, NameForm, Raw, Ref, Stamp, media_of, name_key
from pinakes.records.sites import NO_SITES, SITES, Sites


class Renaming:
    """What some paths and anchors of a corpus become."""

    def __init__(self, reader: Reader, corpus: CorpusName, old: str = "", new: str = "") -> None:
        """`old` is a file or folder that moves to `new`; both are empty when only headings change."""
        self.reader = reader
        self.corpus = corpus
        self._old, self._new = old, new
        self.sites = Sites.parse(reader.setting(SITES))
        self._last: tuple[str, Document | None] | None = None
        self.paths: dict[str, str] = {}
        """Every file that moves, and where to."""
        self.documents: dict[str, Document] = {}
        """By their present paths, documents as they will be read: moved, or with another heading."""
        self.anchors: dict[str, Mapping[str, str]] = {}
        """By the present path of a document, anchors that change."""
        if old:
            self._read_moved()

    def _read_moved(self) -> None:
        for path, known in self.reader.files(self.corpus, [self._old]).items():
            self.paths[path] = self.path(path)
            if known.digest and (document := self.reader.document(known.stamp.ref)) is not None:
                self.documents[path] = parsed(self.ref(path), document.source, document, self.sites)
        if not self.paths:
            raise NotFound(f"There is no file or folder “{self._old}”.", "pinakes status --files lists all files.")

    def path(self, path: str) -> str:
        """Where a file or folder will be."""
        if not self._old:
            return path
        if path == self._old:
            return self._new
        return f"{self._new}/{path[len(self._old) + 1 :]}" if path.startswith(f"{self._old}/") else path

    def ref(self, path: str) -> Ref:
        """The address that the document at `path` will have."""
        return Ref(self.corpus, self.path(path))

    def target(self, to: Ref) -> Ref:
        """The address that a document, folder or section will have."""
        anchor = self.anchors.get(to.path, {}).get(to.anchor, to.anchor)
        return Ref(to.corpus, self.path(to.path), anchor)

    def is_touched(self, path: str) -> bool:
        """Whether a file or folder moves, or anchors of it change."""
        return path in self.anchors or path == self._old or path.startswith(f"{self._old}/" if self._old else "\0")

    def document(self, path: str) -> Document | None:
        """The document now at `path`, as it will be read."""
        return self.documents.get(path) or self.present(path)

    def present(self, path: str) -> Document | None:
        """The document now at `path`, as it is. Many links may lead to one, so the last one is remembered."""
        if self._last is None or self._last[0] != path:
            self._last = path, self.reader.document(Ref(self.corpus, path))
        return self._last[1]

    @cached_property
    def _before(self) -> frozenset[Name]:
        return frozenset(self.reader.names(self.corpus))

    @cached_property
    def _after(self) -> frozenset[Name]:
        files = [self.path(name.path) for name in self._before if name.form is NameForm.PATH]
        named = [
            name
            for name in self._before
            if name.form not in (NameForm.PATH, NameForm.FOLDER) and name.path not in self.documents
        ]
        ours = (name for document in self.documents.values() for name in names_of(document, self.sites))
        return frozenset((*_path_names(files), *named, *ours))

    @cached_property
    def places(self) -> frozenset[str]:
        """Every file and folder that will be there."""
        return frozenset(name.path for name in self._after)

    @cached_property
    def changed_keys(self) -> frozenset[str]:
        """The keys under which a link may find something else than before."""
        return frozenset(name.key for name in self._before ^ self._after)

    @cached_property
    def table(self) -> NameTable:
        """Every name as it will be."""
        earlier = {new: old for old, new in self.paths.items()}

        def anchors(path: str) -> Mapping[str, str]:
            old = earlier.get(path, path)
            if (document := self.documents.get(old)) is not None:
                return document.anchors()
            return self.reader.anchors(Ref(self.corpus, old))

        return NameTable(self._after, anchors, self.sites)


def _path_names(files: Iterable[str]) -> set[Name]:
    """The names of files and of the folders that hold them."""
    found, folders = set(), set()
    for path in files:
        found.add(Name(name_key(path), NameForm.PATH, path, path))
        while path:
            path = path.rpartition("/")[0]
            if path in folders:
                break
            folders.add(path)
            found.add(Name(name_key(path), NameForm.FOLDER, path, path))
    return found


def parsed(ref: Ref, source: bytes, like: Document, sites: Sites = NO_SITES) -> Document:
    """A text as a document at this address, with what a site makes of it."""
    media = media_of(ref.path.rpartition("/")[2])
    stamp = Stamp(ref, like.stamp.version, media if media.is_document else like.stamp.media)
    document = with_site_anchors(parse(Raw(stamp, source, like.digest)), sites.of(ref.path))
    return replace(document, digest=like.digest)
