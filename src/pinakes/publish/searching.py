"""A page that searches the published folder where nothing runs but a browser, from `file://` too.

The material enters, parts leave: the page and its two scripts, which are the same everywhere; the texts of the chunks,
from which snippets are taken; and the index of words. All data is in scripts, because a page from `file://` may load
scripts and may not fetch anything. How words are found and weighed is said in `static/search.js`.

    search/index.html  search.css  search.js
    search/index.js          documents, lengths of chunks
    search/words-<n>.js      terms and where they stand
    search/prompts.js        questions as hashes, where they are published
    search/spelling.js       all words, for those that are spelled otherwise
    search/text/<name>.js    texts of the chunks of some documents of one folder: an edit changes one

"""

from __future__ import annotations

import json
import re
from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from importlib.resources import files
from posixpath import splitext
from typing import NamedTuple

from pinakes.publish.counting import ChunkWords, Counting
from pinakes.publish.cutting import cut
from pinakes.publish.material import Material, Piece, pieces
from pinakes.publish.names import stem
from pinakes.publish.packing import packed_lengths, shards, vocabulary
from pinakes.publish.part import Facts, FolderPart, PartFiles, digest_of
from pinakes.publish.prompts import AT_MOST, RADIUS
from pinakes.publish.shape import plain
from pinakes.publish.topics import Member, Topic
from pinakes.render import Json, one_line

HOME = "search"
PAGE = f"{HOME}/index.html"
_STATIC = {"search.css": ("search.css",), "search.js": ("search.js", "page.js"), "index.html": ("search.html",)}
"""Files of the page, and what they are made of: each file less is a request less."""
_FORMAT = 2
_TEXT_BYTES = 20_000
"""Of sources whose texts lie in one file, about."""
_CHUNKS_A_FILE = 16
"""Of one document."""
_SPARE = re.compile(r"[^a-z0-9]+")


class _Found(NamedTuple):
    """A document that is cut."""

    member: Member
    folder: str
    """Where its topic is published."""
    bucket: int
    """Which documents of its topic it shares files of texts with."""


def search_parts(material: Material, known: Mapping[str, Facts]) -> Iterator[FolderPart]:
    """The page, the texts, and the index that names them."""
    found = [one for topic in material.topics for one in _cut_members(topic)]
    home = files("pinakes.publish").joinpath("static")
    static = [
        (f"{HOME}/{name}", b"".join(_bare(home.joinpath(source).read_bytes()) for source in sources))
        for name, sources in _STATIC.items()
    ]
    yield FolderPart("search page", digest_of(static), lambda: PartFiles(static, {"links": {"search": PAGE}}))
    settings = digest_of(material.version, material.options.min_tokens, material.options.max_tokens, _FORMAT)
    keys = _keys(found)
    some: dict[tuple[str, int], list[_Found]] = {}
    for one in found:
        some.setdefault((one.folder, one.bucket), []).append(one)
    for (folder, number), held in some.items():
        name = f"{keys[folder]}-{number}"
        inputs = digest_of(settings, [_inputs(one) for one in held])
        yield FolderPart(f"search text {name}", inputs, partial(_texts, name, held, material))
    pages = [material.site.pages[one.member.outline.ref.path].place for one in found] if material.site.pages else []
    titles = digest_of(material.site_title, [_inputs(one) for one in found], pages, material.questions is None)
    yield FolderPart("search words", settings + titles, partial(_index, found, settings, material))


def _bare(source: bytes) -> bytes:
    """A script or a style without the lines that are comments, and without indentation: a sixth of it."""
    lines = (line.strip() for line in source.split(b"\n"))
    return b"\n".join(line for line in lines if line and not line.startswith((b"//", b"/*"))) + b"\n"


def _cut_members(topic: Topic) -> Iterator[_Found]:
    """The documents of a topic that are cut, each with its bucket. Their number is a power of two, so that it seldom
    changes: then all texts of the topic are written anew."""
    members = [member for member in topic.members if member.stem]
    size = sum(member.outline.sections[0].span.end for member in members)
    buckets = 1 << max(0, size // _TEXT_BYTES).bit_length()
    for member in members:
        yield _Found(member, topic.place, bucket(member.place, buckets))


def bucket(place: str, buckets: int) -> int:
    """Which of so many buckets a place falls into."""
    digest = blake2b(place.encode("utf-8", "surrogatepass"), digest_size=4).digest()
    return int.from_bytes(digest, "big") % buckets


def _keys(found: Sequence[_Found]) -> dict[str, str]:
    """A short name for each folder, the same wherever it is published, no two of them alike."""
    keys: dict[str, str] = {}
    used: set[str] = set()
    for folder in sorted({one.folder for one in found}):
        key = _hashed(folder)
        while key in used:
            key += "x"
        used.add(key)
        keys[folder] = key
    return keys


def _hashed(place: str) -> str:
    """FNV-1a of 32 bits, which a script makes in three lines."""
    value = 0x811C9DC5
    for byte in place.encode("utf-8", "surrogatepass"):
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return f"{value:08x}"


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


def _texts(name: str, found: Sequence[_Found], material: Material) -> PartFiles:
    held: dict[int, list[Json]] = {}
    for one in found:
        _, chunks = _read(one, material)
        for first in range(0, len(chunks), _CHUNKS_A_FILE):
            rows: list[Json] = [
                [list(piece.trail), [[anchor, title, _below(title, text)] for anchor, title, text in piece.parts]]
                for piece in chunks[first : first + _CHUNKS_A_FILE]
            ]
            held.setdefault(first // _CHUNKS_A_FILE, []).append([one.member.place, first, rows])
    made = [
        (f"{HOME}/text/{name}-{number}.js", _script("text", f"{name}-{number}", rows))
        for number, rows in sorted(held.items())
    ]
    return PartFiles(made, {})


def _index(found: Sequence[_Found], settings: str, material: Material) -> PartFiles:
    counting = Counting(material.memory)
    postings: dict[str, array[int]] = defaultdict(partial(array, "I"))
    lengths: list[int] = []
    documents: list[Json] = []
    folders = _Folders(_keys(found))
    for one in found:
        chunks = counting.of(digest_of(settings, _inputs(one)), partial(_to_count, one, material))
        for chunk in chunks:
            number = len(lengths)
            for term, times in zip(chunk.terms, chunk.times, strict=True):
                postings[term].extend((number, times))
            lengths.append(chunk.length)
        documents.append(_row(one, folders.number(one.folder), len(chunks), material))
    counting.remember()
    packed = list(shards(postings, len(lengths)))
    root: Json = {
        "format": _FORMAT,
        "title": material.site_title,
        "pages": bool(material.site.pages),
        "prompts": material.questions is not None,
        "chunks": len(lengths),
        "shards": [shard.first for shard in packed],
        "folders": folders.rows,
        "documents": documents,
        "lengths": packed_lengths(lengths),
    }
    made = [
        (f"{HOME}/words-{number}.js", _script("words", number, shard.terms, shard.bits))
        for number, shard in enumerate(packed)
    ]
    made.append((f"{HOME}/spelling.js", _script("vocabulary", *vocabulary(postings))))
    return PartFiles((*made, (f"{HOME}/index.js", _script("begin", root))), {})


class _Folders:
    """Folders in the order in which documents need them, each after the one above it."""

    def __init__(self, keys: Mapping[str, str]) -> None:
        self._keys = keys
        self._numbers: dict[str, int] = {}
        self.rows: list[Json] = []

    def number(self, place: str) -> int:
        """The position of a folder."""
        if place not in self._numbers:
            above, _, name = place.rpartition("/")
            row: list[Json] = [self.number(above) if place else -1, name]
            if self._keys.get(place, _hashed(place)) != _hashed(place):
                row.append(self._keys[place])
            self._numbers[place] = len(self.rows)
            self.rows.append(row)
        return self._numbers[place]


def prompt_script(rows: Sequence[Sequence[Json]]) -> tuple[str, bytes]:
    """The hashes of questions for the page: digest, simhash, and the places of the chunks, the best first."""
    best: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for digest, simhash, similarity, place, _ in rows:
        best.setdefault((str(digest), str(simhash)), []).append((-float(str(similarity)), str(place)))
    held: list[Json] = [[*key, [place for _, place in sorted(found)[:AT_MOST]]] for key, found in sorted(best.items())]
    return f"{HOME}/prompts.js", _script("prompts", RADIUS, held)


def said_name(title: str) -> str:
    """The name that a file has when it is called like its title."""
    return f"{_SPARE.sub('-', title.lower().replace(chr(39), '')).strip('-')}.md"


def _below(title: str, text: str) -> str:
    """A section's text in one line, without the title, which is shown before it."""
    return " ".join(text.split()).removeprefix(" ".join(title.split())).lstrip()


def _row(one: _Found, folder: int, chunks: int, material: Material) -> Json:
    """A document as the index names it; what can be told from the rest is left out."""
    name = one.member.place.rpartition("/")[2]
    at = material.site.pages.get(one.member.outline.ref.path)
    page = at.place.rpartition("/")[2] if at else ""
    title = one_line(one.member.outline.title)
    is_said = title.isascii() and name == said_name(title)
    file: Json = 0 if is_said else 1 if name == "index.md" else name
    row: list[Json] = [folder, file, title, chunks, one.bucket]
    is_plain = not page or page == f"{splitext(name)[0]}.html"
    is_stem = one.member.stem == stem(name)
    if not (is_plain and is_stem):
        row.append(0 if is_plain else page)
    if not is_stem:
        row.append(one.member.stem)
    return row


def _script(name: str, *held: Json) -> bytes:
    """A call with plain data, on one line."""
    shown = (json.dumps(plain(one), ensure_ascii=False, separators=(",", ":")) for one in held)
    return f"Pinakes.{name}({','.join(shown)});\n".encode()
