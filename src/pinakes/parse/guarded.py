"""Formats whose files are read in a process of their own: web pages, PDF, office documents, formats of plug-ins.

Bytes as found enter, a `Document` leaves. A file that its converter cannot read has no text, and says why.
"""

from __future__ import annotations

from msgspec.structs import replace

from pinakes.conversion import convert
from pinakes.errors import Unfit
from pinakes.parse.converted import converted
from pinakes.parse.decode import decode
from pinakes.records import Document, Raw
from pinakes.records.made_text import MadeText

_FRONTMATTER = ("---", "+++")


def parse_guarded(raw: Raw) -> Document:
    """Read a file with the converter of its format."""
    media = raw.stamp.media
    data = raw.data
    warnings: tuple[str, ...] = ()
    if media.mime_type.startswith("text/"):
        decoded = decode(raw.data)
        data, warnings = decoded.source[decoded.start :], decoded.warnings
    try:
        made = convert(media.converter, data, "The file")
    except Unfit as unfit:
        by = f" The plug-in {media.plugin} reads it." if media.plugin else ""
        made = MadeText("", warnings=(f"{unfit}{by}",))
    if made.text.startswith(_FRONTMATTER):  # a rule, not the fields of a document
        made = replace(made, text=f"\n{made.text}", places=tuple((line + 1, name) for line, name in made.places))
    document = converted(raw, replace(made, warnings=made.warnings + warnings))
    first = next((section.title for section in document.sections if section.level == 1), "")
    return replace(document, title=first or made.title or raw.stamp.ref.path.rpartition("/")[2])
