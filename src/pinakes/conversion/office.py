"""Word, PowerPoint and Excel as Markdown, by way of markitdown.

Bytes enter; `MadeText` leaves, in which slides (``slide=3``) and sheets (``sheet=Prices``) are places.
"""

from __future__ import annotations

import io
import re

from pinakes.conversion.archive import member, opened
from pinakes.conversion.writing import Writer, heading
from pinakes.conversion.xml_tree import declares_entities, local, parsed
from pinakes.errors import Unfit
from pinakes.records.made_text import MadeText

_SLIDE = re.compile(r"(?m)^<!-- Slide number: (\d{1,6}) -->[ \t]*\n?")
_SLIDE_TITLE = re.compile(r"\A\s*#{1,6} (.+)\n?")
_SHEET = re.compile(r"(?m)^## (.+)$")
_DATA_PICTURE = re.compile(r"!\[([^\]\n]{0,500})\]\((?:data:[^)\s]*|[^)\s]*\.(?:jpg|png|gif|emf|wmf))\)")


def word_text(data: bytes, name: str, base: str) -> MadeText:
    """The text of a Word document."""
    del name, base
    text = _converted("DocxConverter", data, ".docx", "word/document.xml")
    return MadeText(text, title=_title(data))


def slides_text(data: bytes, name: str, base: str) -> MadeText:
    """The text of a PowerPoint presentation: a section for each slide."""
    del name, base
    writer = Writer()
    parts = _SLIDE.split(_converted("PptxConverter", data, ".pptx", "ppt/presentation.xml"))
    for number, text in zip(parts[1::2], parts[2::2], strict=True):
        title = _SLIDE_TITLE.match(text)
        writer.place(f"slide={number}")
        writer.block(heading(2, f"Slide {number}: {title[1]}" if title else f"Slide {number}"))
        writer.block(_DEEPER.sub("###", text[title.end() :] if title else text))
    return MadeText(writer.text(), tuple(writer.places), title=_title(data), is_addressed=True)


def sheets_text(data: bytes, name: str, base: str) -> MadeText:
    """The text of an Excel workbook: a section with a table for each sheet."""
    del name, base
    writer = Writer()
    parts = _SHEET.split(_converted("XlsxConverter", data, ".xlsx", "xl/workbook.xml"))
    for sheet, text in zip(parts[1::2], parts[2::2], strict=True):
        writer.place(f"sheet={sheet.strip()}")
        writer.block(heading(2, sheet))
        writer.block(text.replace(" NaN |", "  |"))
    return MadeText(writer.text(), tuple(writer.places), title=_title(data))


_DEEPER = re.compile(r"(?m)^#{1,3}(?= )")


def _converted(converter: str, data: bytes, ending: str, main: str) -> str:
    import markitdown.converters

    archive = opened(data)
    if main not in archive.namelist():
        raise Unfit(f"is no {ending} file, whatever its name says.", "Give it the ending of its format.")
    for part in archive.namelist():
        if part.endswith((".xml", ".rels")) and declares_entities(member(archive, part)):
            raise Unfit("declares XML entities, which documents of this format do not.", "Take in its text instead.")
    about = markitdown.StreamInfo(extension=ending)
    text: str = getattr(markitdown.converters, converter)().convert(io.BytesIO(data), about).markdown
    return _DATA_PICTURE.sub(r"\1", text.replace("\r\n", "\n"))


def _title(data: bytes) -> str:
    """What the properties of the document call it."""
    properties = member(opened(data), "docProps/core.xml")
    if not properties:
        return ""
    return next((" ".join((one.text or "").split()) for one in parsed(properties).iter() if local(one) == "title"), "")
