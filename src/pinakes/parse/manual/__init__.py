"""Manual pages become documents: the text that a terminal shows, with the sections of ``.SH`` and ``.SS``.

roff enters, a `Document` leaves. Its source is the text that was made, filled as a terminal fills it, without fonts.
Both families of macros are known, man and mdoc. Nothing is included, and what a page defines for itself is not carried
out.
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from pinakes.parse.decode import Decoded, decode
from pinakes.parse.manual.page import ManualReader
from pinakes.parse.marks import note_bare_links
from pinakes.parse.plain import assemble
from pinakes.records import Document, LinkForm, Raw

_PAGE = re.compile(rb"(?<![\w.+-])([A-Za-z_][\w.+:-]{0,80})\(([1-9][a-z]{0,4})\)")


def parse_manual(raw: Raw) -> Document:
    """Read a manual page."""
    decoded = decode(raw.data)
    reader = ManualReader()
    reader.read(decoded.text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    text, found = reader.text(), reader.found
    own = raw.stamp.ref.path.rpartition("/")[2].encode("utf-8", "replace")
    for page in _PAGE.finditer(text):
        name = page[1] + b"." + page[2]
        if name != own:
            target, said = name.decode("ascii", "ignore"), page[0].decode("ascii", "ignore")
            found.links.append((page.start(), page.end(), LinkForm.PATH, target, [said]))
    note_bare_links(found, text)
    made = Decoded(text, text.decode(), 0, decoded.warnings)
    document = assemble(raw, made, found, reader.title)
    return replace(document, metadata=replace(document.metadata, description=reader.description))
