"""What a parser noted down about blocks and marks becomes a `Structure`.

Contents and their body enter. What stands inside of what else was found is settled here: the brackets of wikilinks,
code in elements of HTML.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pinakes.parse.html import code_stretches
from pinakes.parse.stream import Contents
from pinakes.records import LinkForm, Structure
from pinakes.records.structure import pack_blocks, pack_spans


def structure(found: Contents, body: bytes, begin: int) -> Structure:
    """The structure of a body that begins at `begin`; what stands before it is hidden."""
    gaps, verbatim = found.gaps, found.verbatim
    if b"[[" in body:
        found.hidden += _wikilink_marks(found, body)
    if b"</" in body:
        found.formulas += code_stretches(body)
    if found.hidden:
        gaps = _united([*zip(gaps[::2], gaps[1::2], strict=True), *found.hidden])
    if found.formulas:
        verbatim = _united([*zip(verbatim[::2], verbatim[1::2], strict=True), *found.formulas])
    if begin and gaps[:1] == [0]:
        gaps[0] = -begin
    elif begin:
        gaps[:0] = (-begin, 0)
    return Structure(pack_blocks(found.blocks, begin), pack_spans(gaps, begin), pack_spans(verbatim, begin))


def _wikilink_marks(found: Contents, body: bytes) -> Iterator[tuple[int, int]]:
    """The brackets, and the target where it has another name."""
    for start, end, form, _, texts in found.links:
        if form is LinkForm.WIKILINK or form is LinkForm.EMBED:
            text = texts[0].encode()
            shown = body.rfind(text, start, end)
            if shown > 0:
                yield start, shown
                yield shown + len(text), end


def _united(spans: Iterable[tuple[int, int]]) -> list[int]:
    """Starts and ends by turns; stretches that meet are one."""
    edges: list[int] = []
    for start, end in sorted(spans):
        if edges and start <= edges[-1]:
            edges[-1] = max(edges[-1], end)
        elif end > start:
            edges += (start, end)
    return edges
