"""PDF as Markdown: a section for each page, called by what the outline of the file says begins there.

Bytes enter; `MadeText` with the places ``page=1`` and so on leaves, as browsers and readers of PDF understand them. A
file whose pages hold no text says so: it was scanned. PDFium reads the text, which is what Chromium shows PDF with.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from pinakes.conversion.writing import Writer, heading, plain
from pinakes.errors import Unfit
from pinakes.records.made_text import MadeText

_MOST_PAGES = 5_000
_MOST_ENTRIES = 10_000
_NAMED = 3
"""Entries of the outline that are named in the heading of a page."""
_RUNNING_FROM = 4
"""Pages from which on a line that most of them begin or end with is a running head."""
_HYPHENATED = re.compile("[\ufffe\x02]\n?")
_NUMBER = re.compile(r"\d+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_BLANKS = re.compile(r"[ \t]{2,}")


def pdf_text(data: bytes, name: str, base: str) -> MadeText:
    """The text of a PDF; raises `Unfit` for one that is locked or damaged."""
    import pypdfium2

    del name, base
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise Unfit("is locked with a password.", "Save it without one.") from None
        raise Unfit("is damaged: no PDF can be read in it.", "Get it again.") from None
    count = len(document)
    pages = _without_running_heads([_page(document, number) for number in range(min(count, _MOST_PAGES))])
    begins = _outline(document, count)
    writer = Writer()
    for number, text in enumerate(pages, 1):
        if text.strip():
            writer.place(f"page={number}")
            names = f": {' · '.join(begins[number - 1][:_NAMED])}" if begins.get(number - 1) else ""
            writer.block(heading(2, f"Page {number}{names}"))
            writer.block(plain(text))
    title = " ".join(str(document.get_metadata_dict().get("Title") or "").split())[:200]
    return MadeText(writer.text(), tuple(writer.places), _warnings(pages, count), title, is_addressed=True)


def _warnings(pages: Sequence[str], count: int) -> tuple[str, ...]:
    said = []
    empty = sum(not text.strip() for text in pages)
    if pages and empty == len(pages):
        said.append(f"None of its {count:,} pages holds text: it was probably scanned. Run OCR on it first.")
    elif empty:
        said.append(f"{empty:,} of its {count:,} pages hold no text; they were probably scanned, or show a picture.")
    if count > len(pages):
        said.append(f"Only the first {len(pages):,} of its {count:,} pages were read.")
    return tuple(said)


def _page(document: object, number: int) -> str:
    from pypdfium2 import PdfiumError

    try:
        page = document[number]  # type: ignore[index]
        text = page.get_textpage().get_text_range()
        page.close()
    except PdfiumError:
        return ""
    text = _HYPHENATED.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return "\n".join(_BLANKS.sub(" ", line).strip() for line in _CONTROL.sub("", text).split("\n")).strip("\n")


def _outline(document: object, count: int) -> dict[int, list[str]]:
    """The titles that begin on each page."""
    from pypdfium2 import PdfiumError

    begins: dict[int, list[str]] = {}
    try:
        for position, entry in enumerate(document.get_toc(max_depth=6)):  # type: ignore[attr-defined]
            if position >= _MOST_ENTRIES:
                break
            target = entry.get_dest()
            page = target.get_index() if target else None
            title = " ".join(_CONTROL.sub("", entry.get_title()).split())[:200]
            if page is not None and 0 <= page < count and title:
                begins.setdefault(page, []).append(title)
    except PdfiumError:
        pass
    return begins


def _without_running_heads(pages: list[str]) -> list[str]:
    """The pages without the line that most of them begin or end with, whatever number stands in it."""
    if len(pages) < _RUNNING_FROM:
        return pages
    for at in (0, -1):
        lines = [text.split("\n") for text in pages]
        seen = Counter(_NUMBER.sub("0", one[at]) for one in lines if one[at].strip())
        running = {line for line, times in seen.items() if times * 5 > len(pages) * 3}
        if running:
            kept = [one[1:] if at == 0 else one[:-1] for one in lines]
            pages[1:] = [  # the first page may have it as its title
                "\n".join(rest) if _NUMBER.sub("0", one[at]) in running else text
                for text, one, rest in zip(pages[1:], lines[1:], kept[1:], strict=True)
            ]
    return pages
