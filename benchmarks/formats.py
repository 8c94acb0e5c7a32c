"""How fast is each format read, and what memory does that take? The texts of one folder, written in every format.

Markdown enters, figures leave. Each format is measured in a process of its own, so that the memory is its own; that of
the process which converts is counted with it. The files are made here, so they are plain: a text of the same words in
each format, without pictures.
"""

from __future__ import annotations

import html
import json
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.child import peak_bytes
from benchmarks.folder import Documents
from benchmarks.table import Figure, Group
from pinakes.conversion import end_idle_converters
from pinakes.parse import parse
from pinakes.records import Raw, Ref, Stamp, possible_media_of

HERE = Path(__file__).resolve().parents[1]
sys.path.append(str(HERE / "tests"))  # where small office files are made

MOST_BYTES = 2_000_000
"""Of Markdown that is written in each format."""
MOST_OFFICE_BYTES = 200_000
"""The same for office files, which take longer to make than to read."""
_HEADING = re.compile(r"(#{1,6})[ \t]+(.+)")
_ORNAMENTS = '#=-~^"'
Blocks = list[tuple[int, str]]
"""Levels of headings, 0 for paragraphs, with their texts."""


def measure_formats(documents: Documents) -> Group:
    """A row for each format."""
    texts = [raw.data.decode("utf-8", "replace") for raw in documents.raws]
    figures = [_figure(name, texts) for name in WRITERS]
    return Group("Formats, one core", tuple(replace(one, beside=_beside(one, figures[0])) for one in figures))


def _beside(one: Figure, markdown: Figure) -> str:
    return f"{one.value / markdown.value:.2g} × Markdown" if one.value and markdown.value else ""


def _figure(name: str, texts: Sequence[str]) -> Figure:
    most = MOST_BYTES if WRITERS[name][1] else MOST_OFFICE_BYTES
    chosen: list[str] = []
    for text in texts:
        if sum(map(len, chosen)) < most:
            chosen.append(text)
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.formats", name],
        input=json.dumps(chosen),
        capture_output=True,
        text=True,
        cwd=HERE,
        check=True,
    )
    told = json.loads(done.stdout)
    megabytes, memory = told["text_bytes"] / 1e6, told["peak_bytes"] / 1e6
    files = f"{told['file_bytes'] / 1e6:,.2f} MB of files"
    note = f"{files}, {told['first_s']:.2f} s for the first; {memory:,.0f} MB of memory"
    return Figure(
        name, megabytes / told["seconds"], "MB/s", f"{megabytes:,.2f} MB of text in {told['files']} files", note=note
    )


def main() -> None:
    """Write the texts on standard input in one format, read them, and print what that took."""
    name = sys.argv[1]
    write, _ = WRITERS[name]
    files = [write(_blocks(text)) for text in json.load(sys.stdin)]
    raws = [
        Raw(Stamp(Ref("docs", f"{n}.{name}"), "1", possible_media_of(f"a.{name}")), data, "")
        for n, data in enumerate(files)
    ]
    before = peak_bytes()
    began = time.perf_counter()
    size = len(parse(raws[0]).source)
    first = time.perf_counter() - began
    began = time.perf_counter()
    size += sum(len(parse(raw).source) for raw in raws[1:])
    seconds = max(time.perf_counter() - began, 1e-6)
    peak = peak_bytes()
    end_idle_converters()
    helper = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    taken = peak - before + (helper if raws[0].stamp.media.converter else 0)
    print(
        json.dumps(
            {
                "seconds": seconds,
                "first_s": first,
                "files": len(files),
                "text_bytes": size,
                "file_bytes": sum(map(len, files)),
                "peak_bytes": taken,
            }
        )
    )


def _blocks(text: str) -> Blocks:
    found: Blocks = []
    for block in re.split(r"\n\s*\n", text):
        heading = _HEADING.match(block.strip())
        plain = " ".join(block.replace("\\", " ").split())
        if plain:
            found.append((len(heading[1]), heading[2]) if heading else (0, plain))
    return found


def _joined(blocks: Blocks, draw: Callable[[int, str], str], between: str = "\n\n") -> bytes:
    return between.join(draw(level, text) for level, text in blocks).encode()


def _page(blocks: Blocks) -> bytes:
    return b"<!doctype html><body>" + _joined(blocks, _element, "\n")


def _element(level: int, text: str) -> str:
    name = f"h{level}" if level else "p"
    return f"<{name}>{html.escape(text)}</{name}>"


def _rst(level: int, text: str) -> str:
    return f"{text}\n{_ORNAMENTS[level - 1] * max(4, len(text))}" if level else text


def _notebook(blocks: Blocks) -> bytes:
    cells = [{"cell_type": "markdown", "source": f"{'#' * level} {text}" if level else text} for level, text in blocks]
    return json.dumps({"cells": cells, "metadata": {}}).encode()


def _values(blocks: Blocks) -> bytes:
    return "".join(f'{level},"{text.replace(chr(34), chr(39))}"\n' for level, text in blocks).encode()


def _manual(blocks: Blocks) -> bytes:
    return b".TH A 1\n" + _joined(
        blocks, lambda level, text: f".SH {text}" if level else f".PP\n{text.lstrip('.')}", "\n"
    )


def _interface(blocks: Blocks) -> bytes:
    paths = {f"/{n}": {"get": {"summary": text[:80], "description": text}} for n, (_, text) in enumerate(blocks)}
    return json.dumps({"openapi": "3.0.0", "paths": paths}).encode()


def _office(kind: str) -> Callable[[Blocks], bytes]:
    def write(blocks: Blocks) -> bytes:
        from kits import office

        match kind:
            case "docx":
                return office.docx(
                    *((f"Heading{min(level, 3)}" if level else "", html.escape(text)) for level, text in blocks)
                )
            case "pptx":
                return office.pptx(*((text[:60], text) for _, text in blocks))
            case "xlsx":
                return office.xlsx(
                    {"Texts": [["level", "text"], *([level, text.lstrip("=")] for level, text in blocks)]}
                )
            case "epub":
                return office.epub("Book", "".join(_element(level, text) for level, text in blocks))
            case "odt":
                return office.odt("".join(_odt(level, html.escape(text)) for level, text in blocks))
        return office.pdf(*_pages(blocks))

    return write


def _odt(level: int, text: str) -> str:
    return f'<text:h text:outline-level="{level}">{text}</text:h>' if level else f"<text:p>{text}</text:p>"


def _pages(blocks: Blocks) -> Iterator[list[str]]:
    lines = [
        re.sub(r"[^\x20-\x7e]|[()\\]", " ", line)
        for _, text in blocks
        for line in re.findall(r".{1,90}(?:\s|\Z)", text)
    ]
    for at in range(0, len(lines), 45):
        yield lines[at : at + 45]


_PLAIN: dict[str, Callable[[Blocks], bytes]] = {
    "md": lambda blocks: _joined(blocks, lambda level, text: f"{'#' * level} {text}" if level else text),
    "rst": lambda blocks: _joined(blocks, _rst),
    "adoc": lambda blocks: _joined(blocks, lambda level, text: f"{'=' * level} {text}" if level else text),
    "org": lambda blocks: _joined(blocks, lambda level, text: f"{'*' * level} {text}" if level else text),
    "txt": lambda blocks: _joined(blocks, lambda _, text: text),
    "ipynb": _notebook,
    "csv": _values,
    "1": _manual,
    "json": _interface,
    "html": _page,
}
WRITERS: dict[str, tuple[Callable[[Blocks], bytes], bool]] = {
    **{name: (write, True) for name, write in _PLAIN.items()},
    **{name: (_office(name), False) for name in ("pdf", "docx", "pptx", "xlsx", "epub", "odt")},
}
"""What writes a text in each format, by its ending, and whether that is quick."""


if __name__ == "__main__":
    main()
