"""Where documents are cut, shown on small documents: each case is a title with options, a document and its chunks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pinakes.chunk import ChunkOptions, chunk
from pinakes.parse import parse
from pinakes.records import FORMATS, Document, Raw, Ref, Stamp

CASES = Path(__file__).parent / "cases"
MEDIA = {name: FORMATS[name] for name in ("markdown", "rst", "asciidoc", "org", "text")}
OPTION = re.compile(r" (\w+)=([\d.]+)")


def cases() -> list[tuple[str, str, str]]:
    """The notation, the title line and the rest of every case."""
    found = []
    for name in MEDIA:
        path = CASES / f"{name}.txt"
        for case in re.split(r"^@@ ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            title, _, rest = case.partition("\n")
            found.append((name, title, rest))
    return found


def shown(document: Document, options: ChunkOptions) -> str:
    """Chunks as text; passages are indented."""
    rows = []
    for each in chunk(document, options):
        is_passage = each.parent != each.ordinal
        head = f"§{each.section} lines {each.lines.outside()}" + (
            f" code {each.code_ratio:.2f}" * bool(each.code_ratio)
        )
        text = document.text(each.span)
        rows.append(f"@ {each.ordinal} {f'in {each.parent} ' if is_passage else ''}{head}\n{text}\n")
    return "".join(rows)


@pytest.mark.parametrize(
    ("notation", "title", "rest"), cases(), ids=lambda part: OPTION.sub("", part.partition("\n")[0])
)
def test_it_is_cut_as_shown(notation: str, title: str, rest: str) -> None:
    written, _, expected = rest.partition("@=\n")
    numbers = {name: float(value) if "." in value else int(value) for name, value in OPTION.findall(title)}
    raw = Raw(Stamp(Ref("docs", f"page.{notation}"), "1", MEDIA[notation]), written.encode(), "digest")
    assert shown(parse(raw), ChunkOptions(**numbers)) == expected.rstrip("\n") + "\n"  # type: ignore[arg-type]
