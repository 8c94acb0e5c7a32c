"""How fast is Markdown read, and what does one get for it? Pinakes beside its peers, on the same files in the same run.

Documents enter, figures leave. Peers get text that is already decoded; Pinakes gets bytes and decodes them itself. A
peer that is not installed becomes a row that says how to get it.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

from benchmarks.clock import Times, Work, in_turns, repeated
from benchmarks.folder import Documents
from benchmarks.table import Figure, Group, not_installed, ratio
from pinakes.parse import parse
from pinakes.records import Document

PINAKES, MARKDOWN_IT, MISTUNE, PYROMARK, SCANNER = "Pinakes", "markdown-it-py", "mistune", "pyromark", "line scanner"
MARKDOWN_IT_PLAIN = "markdown-it-py, commonmark"
MOST_WHOLE = 2
"""Rounds over everything: a large folder takes a while, and the sample has shown the noise already."""
PACKAGES = {MARKDOWN_IT: "linkify_it", MARKDOWN_IT_PLAIN: "markdown_it", MISTUNE: "mistune", PYROMARK: "pyromark"}
PRODUCES = {
    PINAKES: "records: sections with anchors and spans, links, code blocks, frontmatter, tags",
    MARKDOWN_IT: "flat tokens of blocks, nested tokens of inlines; its preset gfm-like, which finds in Markdown what "
    "Pinakes finds: tables, strikethrough, bare web addresses; no anchors or frontmatter",
    MARKDOWN_IT_PLAIN: "the same without bare addresses and strikethrough",
    MISTUNE: "syntax tree of dictionaries (its AST renderer), tables; no positions, anchors or frontmatter",
    PYROMARK: "events with byte ranges, nothing built from them: what Pinakes stands on",
}
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*\Z")
_FENCE = re.compile(r"(```|~~~)")

Headings = list[tuple[int, int, str]]
"""Line, counted from 0, level and text."""


def measure_parsing(chosen: Documents, everything: Documents, rounds: int) -> Group:
    """All contenders on `chosen`, taking turns, and Pinakes once more on everything."""
    texts = [raw.data.decode("utf-8", "replace") for raw in chosen.raws]
    contenders = _contenders(chosen, texts)
    times = in_turns(contenders, rounds)
    whole = repeated(lambda: _parse_all(everything), min(rounds, MOST_WHOLE))
    figures = [
        _figure(name, times, chosen) for name in (PINAKES, MARKDOWN_IT, MARKDOWN_IT_PLAIN, MISTUNE, SCANNER, PYROMARK)
    ]
    figures[-2] = _scanner_figure(figures[-2], chosen, texts)
    return Group(
        "Parsing, one core",
        (
            *figures,
            Figure(
                "Pinakes on everything",
                everything.megabytes / whole.best,
                "MB/s",
                everything.per,
                note=f"best of {len(whole.rounds)}, median {everything.megabytes / whole.median:.1f} MB/s",
            ),
        ),
    )


def scan_headings(text: str) -> Headings:
    """Headings as a regular expression per line sees them, fenced code skipped: what many tools do."""
    found: Headings = []
    fence = ""
    for number, line in enumerate(text.splitlines()):
        if opening := _FENCE.match(line):
            if not fence:
                fence = opening[1]
            elif line.startswith(fence):
                fence = ""
        elif not fence and (heading := _HEADING.match(line)):
            found.append((number, len(heading[1]), heading[2]))
    return found


def headings(document: Document) -> Headings:
    """The same as Pinakes reads them."""
    return [(section.lines.start, section.level, section.title) for section in document.sections[1:]]


def _contenders(chosen: Documents, texts: list[str]) -> dict[str, Work]:
    found: dict[str, Work] = {
        PINAKES: lambda: _parse_all(chosen),
        SCANNER: lambda: _each(scan_headings, texts),
    }
    makers: dict[str, Callable[[], Callable[[str], object]]] = {
        MARKDOWN_IT: _markdown_it,
        MARKDOWN_IT_PLAIN: _markdown_it_plain,
        MISTUNE: _mistune,
        PYROMARK: _pyromark,
    }
    for name, maker in makers.items():
        if find_spec(PACKAGES[name]):
            found[name] = _reader(maker(), texts)
    return found


def _reader(read: Callable[[str], object], texts: list[str]) -> Work:
    return lambda: _each(read, texts)


def _each(read: Callable[[str], object], texts: list[str]) -> None:
    # One result alive at a time, for every contender: nobody pays for keeping thousands of trees.
    for text in texts:
        read(text)


def _parse_all(documents: Documents) -> None:
    for raw in documents.raws:
        parse(raw)


def _markdown_it() -> Callable[[str], object]:
    parser = import_module("markdown_it").MarkdownIt("gfm-like")
    return lambda text: parser.parse(text)


def _markdown_it_plain() -> Callable[[str], object]:
    parser = import_module("markdown_it").MarkdownIt("commonmark").enable("table")
    return lambda text: parser.parse(text)


def _mistune() -> Callable[[str], object]:
    read = import_module("mistune").create_markdown(renderer="ast", plugins=["table"])
    return lambda text: read(text)


def _pyromark() -> Callable[[str], object]:
    pyromark = import_module("pyromark")
    engine = pyromark.Markdown(options=pyromark.Options.ENABLE_TABLES)
    # Events are made as they are asked for, so they have to be asked for.
    return lambda text: deque(engine.events_with_range(text, merge_text=True), maxlen=0)


def _figure(name: str, times: dict[str, Times], chosen: Documents) -> Figure:
    if name not in times:
        return not_installed(name, "MB/s", "markdown-it-py linkify-it-py" if name.startswith(MARKDOWN_IT) else name)
    found, peer = times[name], times.get(MARKDOWN_IT)
    beside = ratio(peer.best, found.best, MARKDOWN_IT) if peer and name != MARKDOWN_IT else ""
    middle = f"median {chosen.megabytes / found.median:.1f} MB/s"
    note = "; ".join(part for part in (PRODUCES.get(name, ""), middle) if part)
    return Figure(name, chosen.megabytes / found.best, "MB/s", chosen.per, beside, note)


def _scanner_figure(timed: Figure, chosen: Documents, texts: list[str]) -> Figure:
    total, misplaced, misread = len(texts), 0, 0
    for raw, text in zip(chosen.raws, texts, strict=True):
        seen, right = scan_headings(text), headings(parse(raw))
        misplaced += [heading[:2] for heading in seen] != [heading[:2] for heading in right]
        misread += seen != right
    note = (
        f"headings only; of {total:,} files {misplaced:,} ({100 * misplaced / total:.1f} %) with a heading missed or "
        "invented, "
        f"{misread:,} ({100 * misread / total:.1f} %) with any difference from Pinakes, such as markup left in the text"
    )
    return Figure(timed.name, timed.value, timed.unit, timed.per, timed.beside, f"{note}; {timed.note}")
