"""What a section-level chunk is found by.

A numbered document enters, the `ChunkTerms` of each of its section-level chunks leave. The field decides how much a
term counts: `words` holds everything, so that how rare a term is and how long a chunk is are judged once for all of it;
`about` repeats what the chunk is called and what its page says of itself, each field as often as it weighs; `code` has
the text of code blocks in its order, for phrases; `spelled` has the words of the chunk's own text as they are written,
for those that are rare, misspelt or not typed to their end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from pinakes.prose import captions, chunk_text, visible
from pinakes.records import Chunk, Document, Layout, NumberedDocument, Span, repeated_title
from pinakes.words.tokenize import BREAK, STEMMED, Terms, language_term, spellings

_BREAK = f" {BREAK} "
BESIDES = "|"
"""Before a word in `spelled` that stands not in the chunk's visible text but in captions, in links to it or in what its
page says of itself."""
_ENDING = re.compile(r"\.[A-Za-z]{1,9}\Z")
_MOST_CALLS = 2000
"""Characters of link texts: what a thousand pages call a section says no more about it than what fifty do."""


FIELDS: Mapping[str, int] = MappingProxyType(
    {"title": 3, "headings": 2, "keywords": 2, "tags": 2, "description": 1, "aliases": 1, "path": 1, "author": 1}
)
"""How often the terms of a field stand in `about`. Measured, each by itself; see docs/search.md."""


class ChunkTerms(NamedTuple):
    """The terms of one chunk, joined by spaces."""

    ordinal: int
    section: int
    words: str
    about: str
    code: str
    spelled: str


def rows(
    numbered: NumberedDocument, prose: Terms, code: Terms, weights: Mapping[str, int] = FIELDS
) -> Iterator[ChunkTerms]:
    """One row for each section-level chunk."""
    document = numbered.document
    page_title = repeated_title(document.title)
    told = _page(document, numbered.called[0] if numbered.called else "")
    page = "\n".join(told.values())
    named = " ".join(weighed for field, text in told.items() for weighed in [prose.of(text)[0]] * weights.get(field, 0))
    titles: dict[str, tuple[str, str]] = {}
    for chunk in numbered.chunks:
        if chunk.parent != chunk.ordinal:
            continue
        trail = document.trail(chunk.section)
        called = numbered.called[chunk.section][:_MOST_CALLS] if chunk.section and numbered.called else ""
        names = []
        about = [named] if named and page else []
        for title in trail if page_title in trail else (page_title, *trail):
            if title not in titles:
                titles[title] = prose.of(title)
            names.append(titles[title])
            about += [titles[title][0]] * weights["title" if title == page_title else "headings"]
        plain, captioned, languages, listed = map(spellings, _parted(document, chunk))
        blocks = languages + listed
        others = [spellings(text) for text in (page, called) if text]
        lines = [*names, *map(prose.of_spellings, filter(None, [*others, plain + captioned]))]
        besides = chain(captioned, languages, *others, spellings(page_title) if page else ())
        yield ChunkTerms(
            chunk.ordinal,
            chunk.section,
            f"{_words(lines, prose.of_spellings(blocks))}{_in_its_language(document, code, [*plain, *captioned])}",
            " ".join(about),
            code.line(blocks),
            _spelled(code, [*plain, *listed], [*besides]),
        )
        page = ""


def _page(document: Document, called: str) -> dict[str, str]:
    """What a document says about itself as a whole, by field; its first chunk is found by it."""
    known = document.metadata
    # A hash is nobody's word, and a hundred thousand of them would be as many terms.
    path = "" if document.stamp.media.layout is Layout.COMMIT else _ENDING.sub("", document.ref.path)
    fields = {
        "keywords": "\n".join(known.keywords),
        "tags": "\n".join(document.tags),
        "aliases": "\n".join(known.aliases),
        "description": known.description,
        "author": known.author,
        "path": path,
        "called": called[:_MOST_CALLS],
    }
    return {field: text for field, text in fields.items() if text}


def _words(texts: Sequence[tuple[str, str]], code: tuple[str, str]) -> str:
    """Everything a chunk is found by: its texts, and what has no place in them.

    Each term of code counts once: a variable's name is no more what a section is about for being used ten times. Parts
    of names count where they are not words of the chunk already. Both stand at the end and, so that no phrase can seem
    to be there, in falling order.
    """
    lines = _BREAK.join([line for line, _ in texts])
    besides = " ".join([more for _, more in texts if more]).split()
    once = {*code[0].split(), *code[1].split()}
    if parts := {term for term in besides if term.isalnum()} - once:
        once |= parts.difference(lines.split())
    rest = sorted([*once, *[term for term in besides if not term.isalnum()]], reverse=True)
    return f"{lines}{_BREAK}{' '.join(rest)}" if rest else lines


def _in_its_language(document: Document, code: Terms, written: Sequence[str]) -> str:
    """The stems of the words of a document in another language than English, each once, behind a break."""
    language = document.metadata.language
    if language not in STEMMED:
        return ""
    words = {word for word in code.line(written).split() if word.isalpha()}
    terms = {language_term(language), *(language_term(language, word) for word in words)}
    return f"{_BREAK}{' '.join(sorted(terms, reverse=True))}"


def _spelled(code: Terms, own: Sequence[str], besides: Sequence[str]) -> str:
    """Each word once, as it is written; those that only stand besides the text with their sign."""
    seen = dict.fromkeys(" ".join(code.of_spellings(own)).split())
    rest = dict.fromkeys(" ".join(code.of_spellings(besides)).split())
    return " ".join([*seen, *[BESIDES + word for word in rest if word not in seen]])


def _parted(document: Document, chunk: Chunk) -> tuple[str, str, str, str]:
    """A chunk's visible prose, its captions, the names of the languages of its code, and the code."""
    if document.stamp.media.layout is Layout.DRAWING:
        return chunk_text(document, chunk), "", "", ""
    start, end = chunk.span
    code = [block for block in document.code if block.span.end > start and block.span.start < end]
    texts = [visible(document, Span(max(start, block.span.start), min(end, block.span.end))) for block in code]
    return (
        visible(document, chunk.span, [block.span for block in code]),
        "\n".join(captions(document, chunk.span)),
        "\n".join([block.language for block in code]),
        "\n".join(texts),
    )
