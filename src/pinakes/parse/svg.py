"""Drawings become documents: what a reader would read in the picture, and where it stands.

SVG bytes enter, a `Document` leaves. The drawing's own ``<title>`` is a heading of level 1 and its ``<desc>`` one of
level 2; a group that somebody named and that holds text is a heading too, up to where the group ends; the labels are
the keywords of the section they stand in, complete and in reading order, each once. Behind those of the whole drawing
stand the arrows that Graphviz and mermaid name: ``a → b``. The XML is read as a stream of events: nothing is nested in
memory, no entity is expanded, nothing is loaded, and a drawing that breaks off keeps what was read until then.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html.entities import html5

from msgspec.structs import replace

from pinakes.parse.decode import Decoded, decode
from pinakes.parse.doctype import declared_encoding, without_doctype
from pinakes.parse.drawing import Drawing
from pinakes.parse.plain import assemble
from pinakes.records import Document, Metadata, Raw, Section, Span, Structure
from pinakes.records.structure import pack_spans

_ENCODINGS = re.compile(
    r"(?:(?:us-)?ascii|latin1|iso-8859-(?:[1-9]|1[013456])|windows-125[0-8]|shift_jis|gb2312|gbk|gb18030|big5|euc-(?:jp|kr)"
    r"|koi8-[ru])\Z"
)
"""Besides the Unicode ones. UTF-7 is not among them: it hides markup in innocent letters."""


def parse_svg(raw: Raw) -> Document:
    """Read a drawing."""
    decoded = _decoded(raw.data)
    body, declares_entities = without_doctype(decoded.source[decoded.start :])
    drawing = Drawing()
    problem = _read(body, drawing)
    document = assemble(raw, decoded, drawing.found, drawing.title)
    warnings = [*document.warnings]
    if declares_entities:
        warnings.append("The drawing declares XML entities; they were not expanded.")
    if problem:
        warnings.append(problem)
    if len(document.sections) == 1 and not any(drawing.labels):
        warnings.append("The drawing holds no text, so nothing but its name can be found.")
    relations = [f"{origin} → {target}" for origin, target in drawing.arrows.pairs()]
    sections = tuple(
        _completed(document, place, tuple(dict.fromkeys((*labels, *(() if place else relations)))), drawing.ends)
        for place, labels in enumerate(drawing.labels)
    )
    links = tuple(
        replace(link, section=drawing.link_sections.get(link.span.start - decoded.start, link.section))
        for link in document.links
    )
    whole = Structure(hidden=pack_spans((0, len(document.source)), 0))
    made = replace(document, sections=sections, links=links, warnings=tuple(warnings), structure=whole)
    return replace(made, metadata=Metadata())


def _completed(document: Document, place: int, labels: tuple[str, ...], ends: Mapping[int, int]) -> Section:
    """A section with its labels, which reaches to the end of its group and no further."""
    section = document.sections[place]
    end = ends.get(place, -1) + document.body
    if place not in ends or end <= section.span.start:
        return replace(section, keywords=labels) if labels else section
    last = section.lines.start + document.source.count(b"\n", section.span.start, end) + 1
    return replace(section, keywords=labels, span=Span(section.span.start, end), lines=Span(section.lines.start, last))


def _decoded(data: bytes) -> Decoded:
    encoding = declared_encoding(data)
    is_known = _ENCODINGS.match(encoding) is not None
    if encoding in ("", "utf-8", "utf8", "utf-16", "utf-32") or (is_known and data.isascii()):
        return decode(data)
    if is_known:
        decoded = decode(data.decode(encoding, "replace").encode())
        said = f"The file is {encoding}; it was read as text and its positions are those of the UTF-8 form."
    else:
        decoded = decode(data)
        said = f"The encoding {encoding} is not known here; the file was read as UTF-8."
    return replace(decoded, warnings=(said, *decoded.warnings))


def _read(body: bytes, drawing: Drawing) -> str:
    """Lead the drawing through the events of its XML; what went wrong, or nothing."""
    from xml.parsers import expat

    parser = expat.ParserCreate("utf-8")
    # Lets a name that was declared nowhere pass as a gap instead of ending the reading.
    parser.UseForeignDTD(True)  # noqa: FBT003 - takes no keyword
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, attributes: drawing.start(name, attributes, parser.CurrentByteIndex, body)
    parser.EndElementHandler = lambda _: drawing.end(parser.CurrentByteIndex)
    parser.CharacterDataHandler = drawing.text
    parser.SkippedEntityHandler = lambda name, is_parameter: drawing.text(
        "" if is_parameter else html5.get(f"{name};", "")
    )
    problem = ""
    try:
        parser.Parse(body, True)  # noqa: FBT003 - takes no keyword
    except expat.ExpatError as error:
        parser.buffer_text = False  # hands over the text that was waiting for more
        reason = expat.ErrorString(error.code)
        problem = f"The drawing is broken XML at line {error.lineno} ({reason}); what stands behind was not read."
    drawing.finish()
    return problem
