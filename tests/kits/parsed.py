"""What holds for every parsed Markdown document, whatever its bytes: positions are true and texts can be encoded."""

from __future__ import annotations

import json

from pinakes.records import Document, LinkForm
from pinakes.records.structure import unpacked_spans


def check_document(found: Document) -> None:
    source = found.source
    source.decode("utf-8")
    root = found.sections[0]
    assert (root.level, root.parent, root.anchor) == (0, -1, "")
    assert root.span.end == len(source)
    assert source[: root.span.start] in (b"", b"\xef\xbb\xbf")
    line_count = len(source[root.span.start :].splitlines())
    assert (root.lines.start, root.lines.end) == (0, line_count)
    _check_sections(found)
    for packed in (found.structure.hidden, found.structure.verbatim):
        starts, ends = unpacked_spans(packed)
        edges = [edge for span in zip(starts, ends, strict=True) for edge in span]
        assert edges == sorted(edges)
        assert not edges or edges[-1] <= len(source)
    names = [name for section in found.sections for name in (section.anchor, *section.aliases)]
    assert len(names) == len(set(names))
    for number, link in enumerate(found.links):
        assert link.ordinal == number
        if link.form is not LinkForm.FRONTMATTER:
            own = found.own(link.section)
            assert own.start <= link.span.start < own.end
            assert link.span.start < link.span.end <= len(source)
            assert link.line == len(source[root.span.start : link.span.start + 1].splitlines()) - 1
    for block in found.code:
        assert found.own(block.section).start <= block.span.start <= block.span.end <= len(source)
    for text in (found.title, found.metadata.extra, *found.tags, *names, *(link.target for link in found.links)):
        text.encode("utf-8")
    assert isinstance(json.loads(found.metadata.extra), dict)


def _check_sections(found: Document) -> None:
    reached = found.sections[0].span.start
    for position, section in enumerate(found.sections[1:], 1):
        parent = found.sections[section.parent]
        assert section.parent < position
        assert parent.level < section.level <= 6
        assert parent.span.start <= section.span.start < section.span.end <= parent.span.end
        assert parent.lines.start <= section.lines.start < section.lines.end <= parent.lines.end
        assert section.span.start >= reached
        reached = section.span.start
        written = found.text(found.own(position))
        # A heading begins with its marks, or, underlined, with its own first word.
        assert written.startswith("#" * section.level) or (section.level <= 2 and written[0] not in " \t\r\n")
