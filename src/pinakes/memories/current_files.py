"""The present content of addresses, read from disk.

A root and addresses below it enter; anchors and short digests leave. No file outside the root is opened, and an
unchanged file is read once. The index is not used: it knows the content of the last sync, not the present one.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path

from pinakes.parse import parse
from pinakes.records import Document, Raw, Ref, Stamp, media_of
from pinakes.sources.inside import open_inside

LARGEST = 10_000_000
"""Bytes of a file that are compared; of larger ones the beginning and the size are."""
_LINE_END = re.compile(rb"\r\n?")
_MOST_CACHED = 1000
"""Most documents held in memory."""
_DIGEST_BYTES = 8


class CurrentFiles:
    """The files below a root."""

    def __init__(self, root: Path) -> None:
        self._root = os.path.realpath(root)
        self._known: dict[str, tuple[tuple[int, ...], Document | None, str]] = {}

    def is_file(self, path: str) -> bool:
        """Whether there is a file that may be pointed at: hidden ones may not."""
        is_there = "\0" not in path and os.path.isfile(os.path.join(self._root, path))
        return is_there and self._look(path) is not None

    def anchors(self, path: str) -> Mapping[str, str]:
        """Every anchor of a document and the section it leads to; none for other files."""
        known = self._look(path)
        document = known[1] if known else None
        return {} if document is None else document.anchors()

    def digest(self, ref: Ref) -> str:
        """A short digest of a file, or of a section with its children; empty when it is not there.

        Line ends and white space at the end do not count: the last section of a file would change with every new one.
        """
        known = self._look(ref.path)
        if known is None:
            return ""
        _, document, whole = known
        if not ref.anchor:
            return whole
        if document is None:
            return ""
        return digest_in(document, ref.anchor)

    def _look(self, path: str) -> tuple[tuple[int, ...], Document | None, str] | None:
        if path.startswith(".") or "/." in path:
            return None  # hidden; a digest of a short secret, written into a note, would give it away
        try:
            descriptor = open_inside(self._root, path)
        except (OSError, ValueError):
            return None
        try:
            facts = os.fstat(descriptor)
            version = (facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)
            known = self._known.get(path)
            if known is not None and known[0] == version:
                return known
            with os.fdopen(os.dup(descriptor), "rb") as file:
                data = file.read(LARGEST)
        except OSError:  # a folder, a pipe, something that cannot be read
            return None
        finally:
            os.close(descriptor)
        media = media_of(path.rpartition("/")[2])
        if not media.is_document or facts.st_size > LARGEST:
            found: tuple[tuple[int, ...], Document | None, str] = (
                version,
                None,
                _digest(data + (str(facts.st_size).encode() if facts.st_size > LARGEST else b"")),
            )
        else:
            document = parse(Raw(Stamp(Ref("docs", path), "", media), data, ""))
            found = version, document, _digest(data)
        if len(self._known) >= _MOST_CACHED:
            self._known.clear()
        self._known[path] = found
        return found


def digest_in(document: Document, anchor: str) -> str:
    """The short digest of a document, or of the section with this anchor; empty when there is none."""
    if not anchor:
        return _digest(document.source)
    section = next((section for section in document.sections if section.anchor == anchor), None)
    return "" if section is None else _digest(document.source[section.span.start : section.span.end])


def _digest(data: bytes) -> str:
    text = data if b"\0" in data[:8000] else _LINE_END.sub(b"\n", data).rstrip()
    return hashlib.blake2b(text, digest_size=_DIGEST_BYTES).hexdigest()
