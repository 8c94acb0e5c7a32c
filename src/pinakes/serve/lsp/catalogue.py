"""What the documents of a corpus are called, ready for completion: made once for each state of the index."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Mapping

from msgspec import Struct

from pinakes.ports import Reader
from pinakes.records import CorpusName, NameForm, media_of
from pinakes.records.graph import MARKDOWN_ENDINGS


class NoteName(Struct, frozen=True):
    """A document as it is called between double brackets."""

    text: str
    """What to write: it leads to this document and no other."""
    title: str
    path: str


class Catalogue(Struct, frozen=True):
    """The names of one corpus."""

    paths: tuple[str, ...]
    """Every file, sorted."""
    titles: Mapping[str, str]
    """By path, where a document has one that is not its file's name."""
    notes: tuple[NoteName, ...]
    tags: Mapping[str, int]

    @classmethod
    def of(cls, reader: Reader, corpus: CorpusName) -> Catalogue:
        """Read the names of a corpus."""
        names = tuple(reader.names(corpus))
        holders = Counter(key for key, _ in {(name.key, name.path) for name in names})
        paths = tuple(sorted(name.path for name in names if name.form is NameForm.PATH))
        titles = {name.path: name.text for name in names if name.form is NameForm.TITLE}
        keys = {name.path: name.key for name in names if name.form is NameForm.PATH}
        notes = []
        for path in paths:
            whole, ending = posixpath.splitext(path)
            if ending.casefold() in MARKDOWN_ENDINGS and media_of(posixpath.basename(path)).is_document:
                is_alone = holders[keys[path]] == 1
                stem = posixpath.basename(whole)
                notes.append(NoteName(stem if is_alone else whole, titles.get(path, stem), path))
        for name in names:
            if name.form is NameForm.ALIAS and holders[name.key] == 1:
                notes.append(NoteName(name.text, titles.get(name.path, name.text), name.path))
        return cls(paths, titles, tuple(notes), reader.tags(corpus))
