"""A page that searches the published folder where nothing runs but a browser, from `file://` too.

The material enters, parts leave: the page and its two scripts, which are the same everywhere; the texts of the chunks,
from which snippets are taken; and the index of words. All data is in scripts, because a page from `file://` may load
scripts and may not fetch anything. How words are found and weighed is said in `static/search.js`.

    search/index.html  search.css  search.js  page.js
    search/index.js          documents, titles of chunks, lengths
    search/words-<n>.js      terms and where they stand
    search/text/<n>.js       texts of the chunks of some documents, by a digest of their paths: an edit changes one

"""

from __future__ import annotations

import json
from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from importlib.resources import files
from typing import NamedTuple

from pinakes.publish.counting import ChunkWords, Counting
from pinakes.publish.cutting import cut
from pinakes.publish.material import Material, Piece, pieces
from pinakes.publish.names import stem
from pinakes.publish.packing import shards
from pinakes.publish.part import Facts, FolderPart, PartFiles, digest_of
from pinakes.publish.shape import plain
from pinakes.publish.topics import Member
from pinakes.render import Json, one_line

HOME = "search"
PAGE = f"{HOME}/index.html"
_STATIC = {"search.css": "search.css", "search.js": "search.js", "page.js": "page.js", "search.html": "index.html"}
_FORMAT = 1
_DOCUMENTS_A_TEXT = 4


class _Found(NamedTuple):
    """A document that is cut."""

    member: Member
    folder: str
    """Where its topic is published."""


def search_parts(material: Material, known: Mapping[str, Facts]) -> Iterator[FolderPart]:
    """The page, the texts, and the index that names them."""
    found = [_Found(member, topic.place) for topic in material.topics for member in topic.members if member.stem]
    buckets = _buckets(len(found))
    home = files("pinakes.publish").joinpath("static")
    static = [(f"{HOME}/{name}", home.joinpath(source).read_bytes()) for source, name in _STATIC.items()]
    yield FolderPart("search page", digest_of(static), lambda: PartFiles(static, {"links": {"search": PAGE}}))
    settings = digest_of(material.version, material.options.min_tokens, material.options.max_tokens, _FORMAT)
    some: dict[int, list[_Found]] = {}
    for one in found:
        some.setdefault(bucket(one.member.place, buckets), []).append(one)
    for number in sorted(some):
        inputs = digest_of(settings, [_inputs(one) for one in some[number]])
        yield FolderPart(f"search text {number}", inputs, partial(_texts, number, some[number], material))
    titles = digest_of(material.topics[0].title, [_inputs(one) for one in found])
    yield FolderPart("search words", settings + titles, partial(_index, found, buckets, settings, material))


def bucket(place: str, buckets: int) -> int:
    """Which file of texts a document's chunks are in."""
    return int.from_bytes(blake2b(place.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "big") % buckets


def _buckets(documents: int) -> int:
    """A power of two, so that it seldom changes: then all of the texts are written anew."""
    return max(1, 1 << max(0, (documents - 1) // _DOCUMENTS_A_TEXT).bit_length())


def _inputs(one: _Found) -> tuple[object, ...]:
    outline = one.member.outline
    return outline.ref.path, outline.digest, outline.title, one.member.place, one.member.stem


def _read(one: _Found, material: Material) -> tuple[bytes, tuple[Piece, ...]]:
    """A document with its chunks, from memory where it was cut in this run."""
    recent, ref = material.recent, one.member.outline.ref
    if ref not in recent.pieces or ref not in recent.held:
        document = next(material.documents([one.member.outline])).document
        cuts = cut(document, material.options.min_tokens, material.options.max_tokens)
        recent.keep(document)
        recent.pieces[ref] = pieces(document, cuts)
        return document.source, recent.pieces[ref]
    return recent.held[ref], recent.pieces[ref]


def _to_count(one: _Found, material: Material) -> list[ChunkWords]:
    _, chunks = _read(one, material)
    title = one_line(one.member.outline.title)
    return [ChunkWords(piece.title, "\n".join((title, *piece.trail)), piece.searchable) for piece in chunks]


def _texts(number: int, found: Sequence[_Found], material: Material) -> PartFiles:
    held: list[Json] = []
    for one in found:
        source, chunks = _read(one, material)
        rows: list[Json] = [[list(piece.trail), _text(source, piece)] for piece in chunks]
        held.append([one.member.place, rows])
    return PartFiles(((f"{HOME}/text/{number}.js", _script("text", number, held)),), {})


def _index(found: Sequence[_Found], buckets: int, settings: str, material: Material) -> PartFiles:
    counting = Counting(material.memory)
    postings: dict[str, array[int]] = defaultdict(partial(array, "I"))
    lengths: list[Json] = []
    documents: list[Json] = []
    folders: dict[str, int] = {}
    for one in found:
        place, title = one.member.place, one_line(one.member.outline.title)
        name = place.rpartition("/")[2]
        chunks = counting.of(digest_of(settings, _inputs(one)), partial(_to_count, one, material))
        for chunk in chunks:
            number = len(lengths)
            for term, times in zip(chunk.terms, chunk.times, strict=True):
                postings[term].extend((number, times))
            lengths.append(chunk.length)
        titles: list[Json] = [0 if chunk.title == title else chunk.title for chunk in chunks]
        row: list[Json] = [folders.setdefault(one.folder, len(folders)), name, title, bucket(place, buckets), titles]
        if one.member.stem != stem(name):
            row.append(one.member.stem)
        documents.append(row)
    counting.remember()
    packed = list(shards(postings, len(lengths)))
    root: Json = {
        "format": _FORMAT,
        "title": one_line(material.topics[0].title),
        "chunks": len(lengths),
        "shards": [shard.first for shard in packed],
        "folders": list(folders),
        "documents": documents,
        "lengths": lengths,
    }
    made = [
        (f"{HOME}/words-{number}.js", _script("words", number, shard.terms, shard.bits))
        for number, shard in enumerate(packed)
    ]
    return PartFiles((*made, (f"{HOME}/index.js", _script("begin", root))), {})


def _text(source: bytes, piece: Piece) -> str:
    return source[piece.start : piece.end].decode("utf-8", "replace")


def _script(name: str, *held: Json) -> bytes:
    """A call with plain data, on one line."""
    shown = (json.dumps(plain(one), ensure_ascii=False, separators=(",", ":")) for one in held)
    return f"Pinakes.{name}({','.join(shown)});\n".encode()
