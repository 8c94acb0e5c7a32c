"""A decoded text and what was found in it become a document.

The formats that are not Markdown end here, so that sections, anchors, links and their relations are made by one set of
rules for all of them.
"""

from __future__ import annotations

import os
import re

from pinakes.parse.contents import Contents
from pinakes.parse.decode import Decoded
from pinakes.parse.kind import kind_of
from pinakes.parse.sections import body_of, code_blocks, links, sections
from pinakes.parse.structure import note_blocks, structure
from pinakes.records import Document, Raw, Relation

_LONE_CR = re.compile(rb"\r(?!\n)")


def assemble(raw: Raw, decoded: Decoded, found: Contents, title: str) -> Document:
    """The document; positions in `found` count from where the text starts. Without a title it is called by its file."""
    text = decoded.source[decoded.start :]
    body = body_of(found, _LONE_CR.sub(b"\n", text) if b"\r" in text else text, decoded.start, decoded.start, 0)
    tree = sections(found, body)
    document_links = links(found, body, tree, Relation.LINKS_TO, ())
    note_blocks(found, body.text)
    return Document(
        raw.stamp,
        raw.digest,
        title=title or os.fsencode(raw.stamp.ref.path.rpartition("/")[2]).decode("utf-8", "replace"),
        kind=kind_of(raw.stamp.ref.path, tree),
        source=decoded.source,
        sections=tree,
        links=document_links,
        code=code_blocks(found, decoded.start),
        tags=tuple(sorted(found.tags)),
        warnings=decoded.warnings,
        body=decoded.start,
        structure=structure(found, body.text, decoded.start),
    )
