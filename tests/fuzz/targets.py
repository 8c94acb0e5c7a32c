"""What is fuzzed. Each target takes any bytes and raises when a promise is broken; our own refusals are answers."""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from html_to_markdown import ConversionError

from fuzz.editor_talk import EditorTalk
from fuzz.wire import Wire
from kits.parsed import check_document
from pinakes.added.site import Robots, SiteScope, linked_pages, listed_pages, mapped_pages
from pinakes.added.urls import read_url
from pinakes.chunk import chunk
from pinakes.config import load_config
from pinakes.config.change import changed
from pinakes.conversion.page import page_text
from pinakes.edits import EditStream, blocks_of, plan_edits, unified
from pinakes.errors import PinakesError
from pinakes.memories.head import Value, appended, read_head, rewritten
from pinakes.parse import parse
from pinakes.parse.code.module_paths import read_module_paths
from pinakes.prose import chunk_text, first_sentence
from pinakes.records import CODE, Document, Media, Raw, Ref, Stamp, formats
from pinakes.search.expansion import load_synonyms
from pinakes.sites import listed_documents, recognise
from pinakes.words.query import fits, held_terms, marks, parse_question

_LANGUAGES = tuple(one for one in formats.FORMATS.values() if one.code is not None)
_SITES = (
    *("mkdocs.yml", "hugo.toml", "config.yaml", "hugo.json"),
    *("docusaurus.config.ts", "conf.py", ".vitepress/config.mts"),
)
_OTHERS = (formats.RST, formats.ASCIIDOC, formats.ORG, formats.TEXT, formats.SVG, formats.COMMIT)


def markdown(data: bytes) -> None:
    """Any bytes are a Markdown document whose positions are true and whose pieces can be cut out."""
    for path in ("a.md", "a.mdx"):
        document = _parsed(data, formats.MARKDOWN, path)
        check_document(document)
        _check_pieces(document)


def other_formats(data: bytes) -> None:
    """The first byte chooses a format; any bytes are a document of it."""
    if data:
        document = _parsed(data[1:], _OTHERS[data[0] % len(_OTHERS)], "a")
        end = len(document.source)
        assert all(0 <= one.span.start <= one.span.end <= end for one in document.sections)
        assert all(0 <= one.span.start <= one.span.end <= end for one in document.links)
        _check_pieces(document)


def code(data: bytes) -> None:
    """The first byte chooses a language; any bytes are a file of source code whose symbols and links lie in it."""
    if data:
        media = _LANGUAGES[data[0] % len(_LANGUAGES)]
        document = parse(Raw(Stamp(Ref(CODE, f"a.{media.endings[0]}"), "1", media), data[1:], "digest"))
        end = len(document.source)
        assert all(0 <= one.span.start <= one.span.end <= end for one in document.sections)
        assert all(0 <= one.span.start <= one.span.end <= end for one in document.links)
        _check_pieces(document)


def site(data: bytes) -> None:
    """The first byte chooses a generator; any bytes are its configuration, and list some of the documents or none. They
    are one of TypeScript, too, which maps names of modules to paths below the root."""
    if data:
        config, name = _SITES[data[0] % len(_SITES)], data[1:]
        files = {config: name, "sidebars.js": name, "docs/a.md": name, "docs/a b/index.rst": name}
        found = recognise(files)
        documents = {"docs/a.md", "docs/a b/index.rst", "content/_index.md", "a.md"}
        assert listed_documents(found, documents, files.get) <= documents
        for one in found.all:
            assert not one.folder.startswith(("/", ".."))
        modules = read_module_paths(("tsconfig.json", "a/b/tsconfig.json"), lambda path: name)
        places = [place for table in modules.tables for _, targets in table for place in targets]
        assert not any(place.startswith(("/", "..")) for place in places)


def editor(data: bytes) -> None:
    """Any bytes are messages of an editor, the same however they come; a request that is one gets one answer."""
    _conversation().hear(data)


def page(data: bytes) -> None:
    """Any bytes are a web page, or refused by its converter."""
    with suppress(ConversionError):
        page_text(data, "page", "https://a.example/")


def followed_site(data: bytes) -> None:
    """The first byte chooses a folder; any bytes are what a site on the web says of itself. Only addresses below its
    folder are taken from it."""
    if data:
        start = ("https://docs.example/guide/", "https://docs.example/")[data[0] % 2]
        text, scope = data[1:].decode("utf-8", "replace"), SiteScope(read_url(start))
        robots = Robots(text)
        assert 0 <= robots.delay_s <= 30
        assert all(robots.sitemaps)
        pages = [*linked_pages(text, start, scope), *listed_pages(text, start, scope)]
        pages += mapped_pages(text, start, scope)[0]
        for page in pages:
            assert page.startswith(start)
            robots.allows(page)


def question(data: bytes) -> None:
    """Any text is a question; what it marks lies in the text."""
    asked, _, text = data.decode("utf-8", "replace").partition("\n")
    parsed = parse_question(asked)
    reached = 0
    for span in marks(text, parsed):
        assert reached <= span.start < span.end <= len(text)
        reached = span.end
    fits(text, parsed)
    held_terms(text, parsed)


def edit(data: bytes) -> None:
    """A memory's fields, or one setting, change; everything else stays as it was."""
    text = data.decode("utf-8", "replace")
    fields: dict[str, Value | None] = {"title": text[:40], "tags": tuple(text.split()[:3]), "type": None}
    try:
        after = rewritten(data, fields, None, "a.md")
    except PinakesError:
        pass
    else:
        before, head = read_head(data), read_head(after)
        titles = [value for key, value in head.fields.items() if key.lower() == "title"]
        assert text[:40] in titles or not text[:40].strip()
        assert after[head.body :].endswith(data[before.body :])
    assert appended(data, "more").endswith(b"more\n") or b"\r\n" in data
    try:
        held = tomllib.loads(text)
    except (ValueError, RecursionError):
        return
    try:
        rewritten_settings = tomllib.loads(changed(text, "map", "budget = 5"))
    except ValueError:  # which the caller notices too, and refuses
        return
    if isinstance(held.get("other"), dict):
        assert rewritten_settings.get("other") == held["other"]


def answer(data: bytes) -> None:
    """The blocks of any answer are the same however it is cut, and each changes a file or is refused with a reason."""
    text = data.decode("utf-8", "replace")
    blocks, stream = blocks_of(text), EditStream()
    cut = [block for letter in text for block in stream.feed(letter)]
    assert (*cut, *stream.finish()) == blocks
    root = _edited_folder()
    plan = plan_edits(root, blocks, lambda path: "")
    assert all(one.reason for one in plan.refused)
    assert len(plan.changes) + len(plan.refused) <= len(blocks)
    for change in plan.changes:
        assert not change.path.startswith((".", "/")) and (root / change.path).resolve().is_relative_to(root)
        assert (change.before is not None) == (root / change.path).exists()
    unified(plan).encode()


def settings(data: bytes) -> None:
    """Any bytes are a project's settings, shared settings, synonyms and environment: read or refused."""
    root = _folder()
    for name in ("pinakes.toml", "pyproject.toml"):
        (root / name).write_bytes(data)
        _answered(lambda: load_config(root, {}, {"HOME": str(root)}))
        (root / name).unlink()
    (root / "synonyms.toml").write_bytes(data)
    _answered(lambda: load_synonyms(root).of("auth of the k8s"))


def wire(data: bytes) -> None:
    """Any request over HTTP, MCP and the page's own among them, gets a whole answer that is no failure of ours."""
    _wire().ask(data)


TARGETS: Mapping[str, Callable[[bytes], None]] = {
    one.__name__: one
    for one in (
        *(markdown, other_formats, code, site, page, followed_site),
        *(question, edit, answer, settings, wire, editor),
    )
}


def _parsed(data: bytes, media: Media, path: str) -> Document:
    return parse(Raw(Stamp(Ref("docs", path), "1", media), data, "digest"))


def _check_pieces(document: Document) -> None:
    reached = 0
    for piece in chunk(document):
        assert 0 <= piece.span.start <= piece.span.end <= len(document.source)
        assert piece.span.start >= reached or document.stamp.media is formats.TEXT  # whose windows overlap
        reached = piece.span.start
        chunk_text(document, piece).encode()
    for position in range(len(document.sections)):
        first_sentence(document, position).encode()


def _answered(work: Callable[[], object]) -> None:
    try:
        work()
    except PinakesError as error:
        assert str(error).strip()


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="pinakes-fuzz-"))


@cache
def _edited_folder() -> Path:
    root = Path(tempfile.mkdtemp(prefix="pinakes-fuzz-")).resolve()
    (root / "a.md").write_bytes(b"# A\r\n\r\ntext\r\nmore text\r\n")
    (root / "b.md").write_text("Heading\n=======\n\ntext", encoding="utf-8")
    return root


@cache
def _wire() -> Wire:
    return Wire(_folder() / "docs")


@cache
def _conversation() -> EditorTalk:
    return EditorTalk(Path(tempfile.mkdtemp(prefix="pinakes-fuzz-")))
