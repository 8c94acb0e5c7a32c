"""Office documents, books and PDF of a few lines, made from nothing but their parts."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence

_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_RELATED = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def archive(parts: Mapping[str, str | bytes]) -> bytes:
    """A ZIP archive of these members."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in parts.items():
            file.writestr(name, data)
    return packed.getvalue()


def docx_parts(*blocks: tuple[str, str]) -> dict[str, str | bytes]:
    """The members of a Word document: styles (`Heading1`, or nothing) with their texts."""
    body = "".join(
        f'<w:p>{f"""<w:pPr><w:pStyle w:val="{style}"/></w:pPr>""" if style else ""}'
        f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'
        for style, text in blocks
    )
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/></w:style>'
        for level in range(1, 4)
    )
    return {
        "[Content_Types].xml": (
            f'<Types xmlns="{_TYPES}"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Default Extension="xml" ContentType="application/xml"/>'
            '<Override PartName="/word/document.xml" ContentType='
            '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>'
            '<Override PartName="/word/styles.xml" ContentType='
            '"application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/></Types>'
        ),
        "_rels/.rels": (
            f'<Relationships xmlns="{_RELATED}"><Relationship Id="r1" Type="{_OFFICE}/officeDocument" '
            'Target="word/document.xml"/></Relationships>'
        ),
        "word/_rels/document.xml.rels": (
            f'<Relationships xmlns="{_RELATED}"><Relationship Id="r1" Type="{_OFFICE}/styles" Target="styles.xml"/>'
            "</Relationships>"
        ),
        "word/styles.xml": f'<w:styles xmlns:w="{_WORD}">{styles}</w:styles>',
        "word/document.xml": f'<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>',
    }


def docx(*blocks: tuple[str, str]) -> bytes:
    """A Word document."""
    return archive(docx_parts(*blocks))


def pptx(*slides: tuple[str, str]) -> bytes:
    """A presentation: a title and a text for each slide."""
    from pptx import Presentation

    made = Presentation()
    for title, text in slides:
        slide = made.slides.add_slide(made.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = text
    packed = io.BytesIO()
    made.save(packed)
    return packed.getvalue()


def xlsx(sheets: Mapping[str, Sequence[Sequence[object]]]) -> bytes:
    """A workbook: rows for each sheet."""
    from openpyxl import Workbook

    made = Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    packed = io.BytesIO()
    made.save(packed)
    return packed.getvalue()


def epub_parts(title: str, *chapters: str) -> dict[str, str | bytes]:
    """The members of a book: the bodies of its chapters."""
    items = "".join(f'<item id="c{n}" href="c%20{n}.xhtml"/>' for n in range(len(chapters)))
    order = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    return {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": (
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="OPS/book.opf"/></rootfiles></container>'
        ),
        "OPS/book.opf": (
            '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
            f"<metadata><dc:title>{title}</dc:title></metadata><manifest>{items}</manifest><spine>{order}</spine></package>"
        ),
        **{f"OPS/c {n}.xhtml": f"<html><body>{text}</body></html>" for n, text in enumerate(chapters)},
    }


def epub(title: str, *chapters: str) -> bytes:
    """A book."""
    return archive(epub_parts(title, *chapters))


def odt_parts(body: str, title: str = "") -> dict[str, str | bytes]:
    """The members of an OpenDocument text whose body is given as XML."""
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "text", "table", "meta")
    )
    others = 'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    return {
        "mimetype": "application/vnd.oasis.opendocument.text",
        "content.xml": (
            f"<office:document-content {spaces} {others}><office:body><office:text>{body}</office:text>"
            "</office:body></office:document-content>"
        ),
        "meta.xml": (
            f"<office:document-meta {spaces} {others}><office:meta><dc:title>{title}</dc:title></office:meta>"
            "</office:document-meta>"
        ),
    }


def odt(body: str, title: str = "") -> bytes:
    """An OpenDocument text."""
    return archive(odt_parts(body, title))


def pdf(*pages: Sequence[str], title: str = "", outline: Sequence[tuple[str, int]] = ()) -> bytes:
    """A PDF: the lines of each page, and titles with the number of the page they begin on."""
    first = 4 + len(outline)
    numbers = [first + 2 * at for at in range(len(pages))]
    kids = " ".join(f"{number} 0 R" for number in numbers)
    entries = [
        f"<< /Title ({name}) /Parent 3 0 R /Dest [{numbers[page - 1]} 0 R /Fit]"
        f"{f' /Next {5 + at} 0 R' if at + 1 < len(outline) else ''}{f' /Prev {3 + at} 0 R' if at else ''} >>"
        for at, (name, page) in enumerate(outline)
    ]
    listed = f"/First 4 0 R /Last {3 + len(outline)} 0 R /Count {len(outline)}" if outline else ""
    objects = [
        "<< /Type /Catalog /Pages 2 0 R /Outlines 3 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        f"<< /Type /Outlines {listed} >>",
        *entries,
    ]
    for number, lines in zip(numbers, pages, strict=True):
        shown = "BT /F1 12 Tf 14 TL 72 720 Td " + " ".join(f"({line}) Tj T*" for line in lines) + " ET" if lines else ""
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {number + 1} 0 R "
            "/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>"
        )
        objects.append(f"<< /Length {len(shown)} >>\nstream\n{shown}\nendstream")
    written, places = "%PDF-1.7\n", []
    for number, text in enumerate([*objects, f"<< /Title ({title}) >>"], 1):
        places.append(len(written))
        written += f"{number} 0 obj\n{text}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(places) + 1
    written += f"xref\n0 {size}\n0000000000 65535 f \n{table}"
    written += (
        f"trailer << /Size {size} /Root 1 0 R /Info {size - 1} 0 R >>\nstartxref\n{written.rindex('xref')}\n%%EOF\n"
    )
    return written.encode("latin-1")
