"""The documents that are open in the editor, with their unsaved text.

Notifications about documents enter; immutable `Buffer`s leave, so that a request is answered from the text it was asked
about while the next keys are pressed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from threading import Lock
from urllib.parse import unquote_to_bytes, urlsplit

from lsprotocol.types import TextDocumentContentChangeEvent, TextDocumentContentChangePartial, TextDocumentItem

from pinakes.errors import Unreadable
from pinakes.file_changes import digest_of
from pinakes.index.apart import parse_apart
from pinakes.parse import parse
from pinakes.records import CODE, Document, Raw, Ref, Stamp
from pinakes.records.formats import ASSET, FORMATS, code_media_of, media_of, possible_media_of
from pinakes.serve.lsp.positions import TextPositions

MOST_BYTES = 10_000_000
"""Larger documents are not read; the index leaves them out by default, too."""
_LANGUAGES = {"restructuredtext": "rst", "plaintext": "text"}
"""What editors call a format that has another name here."""


def path_of(uri: str) -> str:
    """The file that a URI means, absolute; empty when it means none."""
    parts = urlsplit(uri)
    path = os.fsdecode(unquote_to_bytes(parts.path))
    if parts.scheme != "file" or "\0" in path:
        return ""
    if os.name == "nt":
        path = path.removeprefix("/")
    return path if os.path.isabs(path) else ""


def uri_of(path: str) -> str:
    """The URI of a file."""
    return Path(path).as_uri()


class Buffer:
    """One version of the text of an open document. It never changes."""

    def __init__(self, uri: str, version: int | None, text: bytes, encoding: str, language: str = "") -> None:
        """`language` is what the editor calls the format."""
        self.uri = uri
        self.version = version
        self.text = text
        self.path = path_of(uri)
        self._encoding = encoding
        self._language = language
        self._parsed: Document | None = None
        self._failed: tuple[Ref, Unreadable] | None = None
        self._parsing = Lock()

    @cached_property
    def positions(self) -> TextPositions:
        return TextPositions(self.text, self._encoding)

    @property
    def name(self) -> str:
        """What the document is called. One without a file has a name that shows its language, as a file would."""
        name = os.path.basename(self.path or urlsplit(self.uri).path) or "untitled"
        media = FORMATS.get(_LANGUAGES.get(self._language, self._language), ASSET)
        is_told = self.path or media_of(name).is_document or not media.endings
        return name if is_told else f"{name}.{media.endings[0]}"

    def changed(self, version: int | None, changes: Iterable[TextDocumentContentChangeEvent]) -> Buffer:
        """The next version, each change made to what the one before it left."""
        buffer = self
        for change in changes:
            text = encoded(change.text)
            if isinstance(change, TextDocumentContentChangePartial):
                start = buffer.positions.offset(change.range.start)
                end = max(start, buffer.positions.offset(change.range.end))
                text = buffer.text[:start] + text + buffer.text[end:]
            buffer = Buffer(self.uri, version, text, self._encoding, self._language)
        return buffer

    def document(self, ref: Ref) -> Document:
        """The text as a document at an address. Raises `Unreadable` when it is too large, and when it is source code
        on which its grammar fails: that is parsed in a process of its own, as files are."""
        if len(self.text) > MOST_BYTES:
            problem = f"{ref.path} has {len(self.text) / 1e6:.0f} MB; at most {MOST_BYTES / 1e6:.0f} are read."
            raise Unreadable(problem, "Split the document.")
        with self._parsing:  # several requests about one version come at once
            if self._failed is not None and self._failed[0] == ref:
                raise self._failed[1]  # the same text fails again, after the same long time
            if self._parsed is None or self._parsed.ref != ref:
                name = os.path.basename(ref.path)
                media = code_media_of(name) if ref.corpus == CODE else media_of(name)
                raw = Raw(Stamp(ref, "", media), self.text, digest_of(self.text))
                try:
                    self._parsed = parse(raw) if media.code is None else parse_apart(raw)
                except Unreadable as error:
                    self._failed = ref, error
                    raise
            return self._parsed


class Buffers:
    """The open documents by URI. Used on the event loop."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding
        self._open: dict[str, Buffer] = {}

    def all(self) -> tuple[Buffer, ...]:
        return tuple(self._open.values())

    def get(self, uri: str) -> Buffer | None:
        return self._open.get(uri)

    def open(self, item: TextDocumentItem) -> None:
        # A text that is made from the file has no places in it. The file counts as it is on disk.
        if not possible_media_of(os.path.basename(path_of(item.uri))).is_converted:
            self._open[item.uri] = Buffer(item.uri, item.version, encoded(item.text), self.encoding, item.language_id)

    def change(self, uri: str, version: int | None, changes: Iterable[TextDocumentContentChangeEvent]) -> None:
        """Make changes to an open document; those to a document that is not open are left alone."""
        if (buffer := self._open.get(uri)) is not None:
            self._open[uri] = buffer.changed(version, changes)

    def close(self, uri: str) -> None:
        self._open.pop(uri, None)


def encoded(text: str) -> bytes:
    """Text as UTF-8, with every byte where the parser will see it. Half a letter, which JSON can spell, becomes a
    question mark, and NUL becomes U+FFFD as in the parser: both are as long as they were in UTF-16."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace")
