"""Files of other formats that were made to hurt: each is read within its limits, or refused in a sentence."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator

import pytest

from kits import office
from pinakes.conversion import ConversionLimits, convert, end_idle_converters
from pinakes.errors import Unfit
from pinakes.parse import parse
from pinakes.records import Raw, Ref, Stamp, media_of, possible_media_of

LIMITS = ConversionLimits(4.0)
ENTITIES = '<!DOCTYPE x [<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(10)
)
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600


@pytest.fixture(scope="module", autouse=True)
def nothing_is_left_running() -> Iterator[None]:
    yield
    end_idle_converters()


def bomb(name: str) -> bytes:
    """An archive with one member that unpacks to 210 MB."""
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file,
        file.open(name, "w", force_zip64=True) as member,
    ):
        for _ in range(210):
            member.write(b" " * 1_000_000)
    return packed.getvalue()


def claiming(data: bytes, name: str) -> bytes:
    """An archive that says of a member that it holds 300 MB."""
    at = data.rindex(name.encode()) - 46
    return data[: at + 24] + (300_000_000).to_bytes(4, "little") + data[at + 28 :]


def lying(data: bytes, name: bytes) -> bytes:
    """An archive that says of a member that it holds one byte."""
    at = data.rindex(name) - 46
    return data[: at + 24] + (1).to_bytes(4, "little") + data[at + 28 :]


def locked(data: bytes) -> bytes:
    """An archive whose members are marked as encrypted."""
    changed = bytearray(data)
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        changed[at + 8] |= 1
        at = data.find(b"PK\x01\x02", at + 1)
    return bytes(changed)


def docx_with(document: str | bytes) -> bytes:
    return office.archive(office.docx_parts(("", "x")) | {"word/document.xml": document})


def epub_with(parts: dict[str, str | bytes]) -> bytes:
    return office.archive(office.epub_parts("T", "<p>x</p>") | parts)


DOCX, ODT, EPUB = office.docx(("", "words")), office.odt("<text:p>words</text:p>"), office.epub("T", "<p>words</p>")
PDF = office.pdf(["words"])
WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
BODY = f"<w:document {WORD}><w:body><w:p><w:r><w:t>X</w:t></w:r></w:p></w:body></w:document>"
CASES: dict[str, tuple[str, Callable[[], bytes], str]] = {
    # What it is: a file name, its bytes, and what is said of it; nothing where it is read.
    "a page of elements in each other": ("a.html", lambda: b"<div>" * 50_000 + b"words", ""),
    "a page of one open tag": ("a.html", lambda: b"<a " * 200_000, ""),
    "a page of one open comment": ("a.html", lambda: b"<!--" * 100_000, ""),
    "a page of ids": ("a.html", lambda: b"".join(b'<p id="i%d">x' % n for n in range(50_000)), ""),
    "a page of attributes": ("a.html", lambda: b"<p " + b'id="' * 100_000 + b">words", ""),
    "a page of quotation marks": ("a.html", lambda: b'<p id=x "' * 50_000, ""),
    "a page of styles": ("a.html", lambda: b"<style>" + b".a{display:none}" * 50_000 + b"</style>words", ""),
    "a page of our marks": ("a.html", lambda: "\ufdd00\ufdd1words\ufdd0999999\ufdd1".encode() * 1000, ""),
    "a page of zeros": ("a.html", lambda: b"\0" * 1_000_000, ""),
    "a page in UTF-16 that breaks off": ("a.html", lambda: "<p>words".encode("utf-16") + b"\xd8", ""),
    "an archive that unpacks to 210 MB": ("a.docx", lambda: bomb("word/document.xml"), "would unpack to more than"),
    "a sheet that unpacks to 300 MB": (
        "a.xlsx",
        lambda: claiming(office.archive({"xl/workbook.xml": ""}), "xl/workbook.xml"),
        "would unpack to more than",
    ),
    "slides that unpack to 300 MB": (
        "a.pptx",
        lambda: claiming(office.archive({"ppt/presentation.xml": ""}), "ppt/presentation.xml"),
        "would unpack to more than",
    ),
    "a book that unpacks to 300 MB": (
        "a.epub",
        lambda: claiming(EPUB, "META-INF/container.xml"),
        "would unpack to more than",
    ),
    "a text that unpacks to 300 MB": ("a.odt", lambda: claiming(ODT, "content.xml"), "would unpack to more than"),
    "an archive that lies of its sizes": ("a.odt", lambda: lying(bomb("content.xml"), b"content.xml"), "is damaged"),
    "an archive of 20,000 files": (
        "a.docx",
        lambda: office.archive({f"{n}": "" for n in range(20_000)}),
        "would unpack to more than",
    ),
    "a Word document that breaks off": ("a.docx", lambda: DOCX[: len(DOCX) // 2], "is damaged"),
    "an open document that breaks off": ("a.odt", lambda: ODT[:-30], "is damaged"),
    "a book that breaks off": ("a.epub", lambda: EPUB[:100], "is damaged"),
    "a Word document that is locked": ("a.docx", lambda: OLE, "is locked with a password"),
    "an archive that is locked": ("a.odt", lambda: locked(ODT), "is locked with a password"),
    "an open document that is locked": (
        "a.odt",
        lambda: office.archive(office.odt_parts("") | {"META-INF/manifest.xml": "<a><encryption-data/></a>"}),
        "is locked with a password",
    ),
    "a book with a licence": ("a.epub", lambda: epub_with({"META-INF/rights.xml": "<r/>"}), "is locked"),
    "a book whose chapters are encrypted": (
        "a.epub",
        lambda: epub_with({"META-INF/encryption.xml": '<e><CipherReference URI="OPS/c 0.xhtml"/></e>'}),
        "is locked",
    ),
    "entities that multiply in Word": (
        "a.docx",
        lambda: docx_with(
            f"{ENTITIES}]><w:document {WORD}><w:body><w:p><w:r><w:t>&k;</w:t></w:r></w:p></w:body></w:document>"
        ),
        "declares XML entities",
    ),
    "entities that multiply in an open document": (
        "a.odt",
        lambda: office.archive({"content.xml": f"{ENTITIES}]><x>&k;</x>"}),
        "declares XML entities",
    ),
    "entities that multiply in Word, in UTF-16": (
        "a.docx",
        lambda: docx_with(f"{ENTITIES}]><x>&k;</x>".encode("utf-16")),
        "declares XML entities",
    ),
    "an entity that reads a file": (
        "a.docx",
        lambda: docx_with(
            f"{OUTSIDE}<w:document {WORD}><w:body><w:p><w:r><w:t>&a;</w:t></w:r></w:p></w:body></w:document>"
        ),
        "declares XML entities",
    ),
    "a book that names a file of the system": (
        "a.epub",
        lambda: epub_with({"META-INF/container.xml": '<c><rootfile full-path="../../../../etc/passwd"/></c>'}),
        "is no EPUB",
    ),
    "XML in UTF-16 that hides its entities": (
        "a.odt",
        lambda: office.archive({"content.xml": f"{ENTITIES}]><x>&k;</x>".encode("utf-16")}),
        "declares XML entities",
    ),
    "an open document of elements in each other": (
        "a.odt",
        lambda: office.odt("<text:section>" * 30_000 + "</text:section>" * 30_000),
        "is nested too deeply",
    ),
    "an open document of repeated cells": (
        "a.odt",
        lambda: office.odt(
            "<table:table>"
            + '<table:table-row><table:table-cell table:number-columns-repeated="99999999"><text:p>x</text:p>'
            "</table:table-cell></table:table-row>" * 1000 + "</table:table>"
        ),
        "",
    ),
    "a Word document of tables in each other": (
        "a.docx",
        lambda: docx_with(
            f"<w:document {WORD}><w:body>{'<w:tbl><w:tr><w:tc>' * 3000}{'</w:tc></w:tr></w:tbl>' * 3000}"
            "</w:body></w:document>"
        ),
        "?",
    ),
    "an archive that is of another format": ("a.docx", lambda: ODT, "is no .docx file"),
    "a text that is no archive": ("a.pptx", lambda: b"hello", "is damaged"),
    "a PDF that breaks off": ("a.pdf", lambda: PDF[:60], "is damaged"),
    "a PDF of nothing": ("a.pdf", lambda: b"%PDF-1.7\n", "is damaged"),
    "a PDF whose pages are their own children": (
        "a.pdf",
        lambda: PDF.replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]"),
        "?",
    ),
    "a PDF that says it has a million pages": ("a.pdf", lambda: PDF.replace(b"/Count 1 ", b"/Count 9999999 "), "?"),
    "a PDF whose outline has no end": (
        "a.pdf",
        lambda: office.pdf(["x"], outline=[("a", 1), ("b", 1)]).replace(b"/Next 5 0 R", b"/Next 4 0 R"),
        "",
    ),
    "a PDF that is locked": (
        "a.pdf",
        lambda: PDF.replace(
            b"trailer << ",
            b"trailer << /ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -1 /O <"
            + b"00" * 32
            + b"> /U <"
            + b"00" * 32
            + b"> >> ",
        ),
        "is locked with a password",
    ),
    "a notebook of lists in each other": ("a.ipynb", lambda: b'{"cells":' + b"[" * 200_000, ""),
    "values in one row without an end": ("a.csv", lambda: b'"' + b"a," * 2_000_000, ""),
    "a manual page that calls itself": ("a.1", lambda: b".TH A 1\n.de X\n.X\n..\n" + b".X\n" * 50_000, ""),
    "an interface that refers to itself": (
        "a.yaml",
        lambda: b"openapi: 3.0.0\npaths: {}\ncomponents: {schemas: {A: {$ref: '#/components/schemas/A'}}}\n",
        "",
    ),
}


def test_there_are_forty_cases_over_the_formats() -> None:
    assert len(CASES) >= 40
    assert len({name for name, _, _ in CASES.values()}) == 11


@pytest.mark.parametrize("case", CASES)
def test_a_file_made_to_hurt_is_read_or_refused(case: str) -> None:
    name, make, expected = CASES[case]
    media, data = possible_media_of(name), make()
    if not media.converter:
        parse(Raw(Stamp(Ref("docs", name), "1-1", media), data, "digest"))
        return
    try:
        text = convert(media.converter, data, "it", limits=LIMITS).text
        assert expected in ("", "?"), text[:200]
        assert "root:" not in text
    except Unfit as refused:
        assert expected == "?" or f"it {expected}" in refused.problem, refused
        assert refused.next_step


def test_after_all_of_them_a_file_is_read_as_ever() -> None:
    data = office.docx(("", "words"))
    assert parse(Raw(Stamp(Ref("docs", "a.docx"), "1", media_of("a.docx")), data, "")).source.strip() == b"words"
