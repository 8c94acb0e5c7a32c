"""Questions that are taken out of documents, which then no longer hold them.

A library of documents enters; questions, and the documents without what became a question, leave. A question that
repeats words of its answer is answered best by words alone, so it tells nothing about embedders. People ask
in words of their own; what comes nearest to that and needs nobody's judgement is what an author wrote about a section,
when the section has to be found by the rest of what it says:

    heading    a heading, its section now called “Part 7”
    sentence   a sentence, its section now without it
    around     a sentence around a link, now gone from where it stood, for what the link led to
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice

from pinakes.evaluation.questions import Judgement, Question
from pinakes.ports import Reader
from pinakes.records import DOCS, Document, Outcome, Ref, Span
from pinakes.slugs import slug
from training.material import plain

STYLES = ("heading", "sentence", "around")
_HEADING = re.compile(rb"(#{2,6})[ \t]+[^\n]*")
_BLOCK = re.compile(rb"\n(?=[ \t]*(?:\n|[-*+#>|:!<{]|\d+[.)]|```|~~~))")
_SENTENCE_END = re.compile(rb"(?<=[.!?])\s+(?=[A-Z])")
_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_WORD = re.compile(r"[^\W\d_]{3,}")
_SHORTEST, _LONGEST = 50, 260
"""Characters of a sentence that can be asked."""
_LEFT = 200
"""Characters that a section must keep to be found by."""


@dataclass(frozen=True, slots=True)
class Taken:
    """One question and the stretch of a document that goes for it."""

    question: Question
    section: tuple[str, str]
    """Path and anchor, before anything was taken, of the section that loses something."""
    span: Span
    instead: bytes = b""


def take_out(reader: Reader, per_style: int) -> tuple[tuple[Question, ...], Mapping[str, bytes]]:
    """At most so many questions of each style, the same ones for the same documents, and by path what is left of every
    document."""
    documents = {
        document.ref.path: document
        for known in reader.files(DOCS).values()
        if known.digest and (document := reader.document(known.stamp.ref)) is not None
    }
    edges = [edge for edge in reader.edges(DOCS, outcomes=(Outcome.FOUND,)) if edge.to is not None]
    linked = {edge.to for edge in edges if edge.to is not None}
    chosen: list[Taken] = []
    for made in (_headings(documents, linked), _sentences(documents), _around(reader, documents)):
        ordered = sorted(made, key=lambda one: one.question.id)
        chosen += islice((one for one in ordered if not _is_touched(one, chosen)), per_style)
    by_path: dict[str, list[Taken]] = defaultdict(list)
    for one in chosen:
        by_path[one.section[0]].append(one)
    left = {path: _without(document.source, by_path[path]) for path, document in documents.items()}
    return tuple(one.question for one in chosen), left


def _headings(documents: Mapping[str, Document], linked: set[Ref]) -> Iterator[Taken]:
    """Headings of several words, but none that links lead to by its anchor, which goes with it."""
    for path, document in documents.items():
        for position, section in enumerate(document.sections[1:], 1):
            found = _HEADING.match(document.source, section.span.start)
            is_telling = len(_WORD.findall(section.title)) > 1 and section.level > 1 and not section.aliases
            if found and is_telling and _is_enough(document, position) and document.section_ref(position) not in linked:
                name = f"Part {position}"
                yield Taken(
                    _question("heading", plain(section.title), path, slug(name)),
                    (path, section.anchor),
                    Span(found.start(), found.end()),
                    found[1] + b" " + name.encode(),
                )


def _sentences(documents: Mapping[str, Document]) -> Iterator[Taken]:
    for path, document in documents.items():
        for position, section in enumerate(document.sections):
            own = document.own(position)
            if not _is_enough(document, position):
                continue
            for span in _sentence_spans(document.source, own):
                text = _said(document.source, span)
                if text:
                    yield Taken(_question("sentence", text, path, section.anchor), (path, section.anchor), span)
                    break  # the first is what it is about


def _around(reader: Reader, documents: Mapping[str, Document]) -> Iterator[Taken]:
    for edge in reader.edges(DOCS, outcomes=(Outcome.FOUND,)):
        target, origin = edge.to, documents.get(edge.origin.path)
        if target is None or origin is None or target.path == edge.origin.path or target.path not in documents:
            continue
        start, end = edge.link.span
        before = max([0, *(found.end() for found in _BLOCK.finditer(origin.source, 0, start))])
        behind = _BLOCK.search(origin.source, end)
        block = Span(before, behind.start() if behind else len(origin.source))
        for span in _sentence_spans(origin.source, block):
            text = _said(origin.source, span) if span.start <= start and end <= span.end else ""
            if text:
                question = _question("around", text, target.path, target.anchor)
                yield Taken(question, (edge.origin.path, edge.origin.anchor), span)


def _sentence_spans(source: bytes, within: Span) -> Iterator[Span]:
    start = within.start
    for block in (*_BLOCK.finditer(source, within.start, within.end), None):
        end = block.start() if block else within.end
        at = start
        for found in (*_SENTENCE_END.finditer(source, start, end), None):
            yield Span(at, found.start() if found else end)
            at = found.end() if found else end
        start = end + 1


def _said(source: bytes, span: Span) -> str:
    """A sentence as somebody would say it; nothing when it is no sentence."""
    text = source[span.start : span.end].decode("utf-8", "replace").strip()
    if not text[:1].isalpha() or text[-1:] not in ".!?:":
        return ""
    said = plain(_LINK.sub(r"\1", text))
    is_prose = not set(said) & set("{}=;<>") and len(_WORD.findall(said)) >= 6
    return said if is_prose and _SHORTEST <= len(said) <= _LONGEST else ""


def _is_enough(document: Document, position: int) -> bool:
    return document.own(position).length >= _LEFT + _LONGEST


def _is_touched(one: Taken, chosen: Sequence[Taken]) -> bool:
    """Whether the stretch is gone already, or something else is taken from what answers."""
    return any(
        (other.section[0] == one.section[0] and other.span.start < one.span.end and one.span.start < other.span.end)
        or _places(one) & {*_places(other), other.section}
        or one.section in _places(other)
        for other in chosen
    )


def _places(one: Taken) -> set[tuple[str, str]]:
    return {(each.path, each.heading) for each in one.question.relevant}


def _without(source: bytes, taken: Sequence[Taken]) -> bytes:
    for one in sorted(taken, key=lambda one: -one.span.start):
        source = source[: one.span.start] + one.instead + source[one.span.end :]
    return source


def _question(style: str, text: str, path: str, anchor: str) -> Question:
    name = sha256(f"{style}\n{text}\n{path}#{anchor}".encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return Question(f"{style}-{name}", text, style, (Judgement(path, anchor, 2),))
