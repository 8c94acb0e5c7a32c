"""EPUB as Markdown: its chapters in the order of reading, each read as a web page is.

Bytes enter; `MadeText` leaves, in which the ids of the chapters' elements and ``chapter=1`` and so on are places.
"""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

from pinakes.conversion.archive import member, opened
from pinakes.conversion.page import page_text
from pinakes.conversion.writing import Writer
from pinakes.conversion.xml_tree import attribute, local, parsed
from pinakes.errors import Unfit
from pinakes.records.made_text import MadeText

_CONTAINER = "META-INF/container.xml"


def epub_text(data: bytes, name: str, base: str) -> MadeText:
    """The text of a book; raises `Unfit` for what is none, or is locked."""
    del base
    archive = opened(data)
    if member(archive, "META-INF/rights.xml") or _is_encrypted(member(archive, "META-INF/encryption.xml")):
        raise Unfit("is locked: its chapters are encrypted.", "Take in its text instead.")
    container = member(archive, _CONTAINER)
    if not container:
        raise Unfit("is no EPUB: it does not say where its chapters are.", "Get it again.")
    files = [attribute(one, "full-path") for one in parsed(container).iter() if local(one) == "rootfile"]
    package = member(archive, files[0]) if files else b""
    if not package:
        raise Unfit("is no EPUB: its list of chapters is missing.", "Get it again.")
    tree = parsed(package)
    title = next(("".join(one.itertext()) for one in tree.iter() if local(one) == "title"), "")
    listed = {attribute(one, "id"): attribute(one, "href") for one in tree.iter() if local(one) == "item"}
    order = [listed.get(attribute(one, "idref"), "") for one in tree.iter() if local(one) == "itemref"]
    writer = Writer()
    missing = 0
    for number, href in enumerate(dict.fromkeys(filter(None, order)), 1):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(files[0]), unquote(href)))
        chapter = member(archive, path)
        missing += not chapter
        if chapter:
            made = page_text(chapter, name, "")
            writer.place(f"chapter={number}")
            writer.add(made)
    warnings = (f"{missing:,} of its chapters are missing in the file.",) if missing else ()
    return MadeText(writer.text(), tuple(writer.places), warnings, " ".join(title.split()))


def _is_encrypted(listed: bytes) -> bool:
    """Whether more is encrypted than fonts, which is usual and hides no text."""
    if not listed:
        return False
    paths = [attribute(one, "URI") for one in parsed(listed).iter() if local(one) == "CipherReference"]
    return any(not path.lower().endswith((".ttf", ".otf", ".woff", ".woff2")) for path in paths)
