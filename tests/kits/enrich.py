"""Parsed documents for the enrich room's tests."""

from __future__ import annotations

import hashlib

from pinakes.enrich import KeywordOptions, Statistics, count, keywords
from pinakes.neural import load_embedder
from pinakes.parse import parse
from pinakes.records import Document, Media, Raw, Ref, Stamp, formats

STATIC = load_embedder()


def parsed(text: str | bytes, path: str = "page.md", media: Media = formats.MARKDOWN) -> Document:
    data = text if isinstance(text, bytes) else text.encode()
    return parse(Raw(Stamp(Ref("docs", path), "1", media), data, hashlib.sha256(data).hexdigest()))


def found(
    text: str, options: KeywordOptions | None = None, statistics: Statistics | None = None
) -> dict[str, list[str]]:
    """By heading, the keywords of a page that is its own corpus unless `statistics` tell of another."""
    document = parsed(text)
    counted = statistics or count([document])
    (made,) = keywords([document], counted, STATIC, options or KeywordOptions())
    return {section.title: list(words) for section, words in zip(document.sections, made, strict=True)}
