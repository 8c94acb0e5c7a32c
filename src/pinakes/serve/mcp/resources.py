"""Documents and sections as resources: ``pinakes://library/path/to.md#anchor``, percent-encoded.

What is kept beside the documents has its corpus in front, ``pinakes://library/memories:plan.md``; a colon in the name
of a document is always encoded, so the two are never mistaken for each other.

A URI or a cursor enters, protocol records leave. An address must be exact here: clients keep URIs, so guessing what was
meant would give one thing many names.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from urllib.parse import quote, unquote_to_bytes

from mcp import types

from pinakes.errors import BadAddress, NotFound
from pinakes.library import Library
from pinakes.outline import MapRequest
from pinakes.records import ADDED, DOCS, HISTORY, MEMORIES, Layout, Passage, Ref, formats, media_of, possible_media_of
from pinakes.render import safe
from pinakes.serve.libraries import Libraries
from pinakes.serve.mcp.answers import passage_for_model
from pinakes.serve.mcp.quoting import META_NOTICE

SCHEME = "pinakes://"
PAGE = 200
"""Resources in one answer."""
OFFERED = 100
"""Values in one completion; the protocol allows no more."""
LONGEST = 5_000
"""Characters of a URI."""

DOCUMENT = "pinakes://{library}/{+path}"
SECTION = "pinakes://{library}/{+path}{#anchor}"

_ADDRESSES = ("address", "under", "focus", "linked_to")
"""Arguments of tools that name a document or section."""
_CORPUS = re.compile(rf"({MEMORIES}|{HISTORY}|{ADDED}|{DOCS}@[^:/]+):")


def uri_of(library: str, ref: Ref) -> str:
    """The URI of a document or section."""
    front = "" if ref.corpus == DOCS else f"{quote(ref.corpus, safe='@')}:"
    path = front + quote(os.fsencode(ref.path), safe="/")
    anchor = f"#{quote(os.fsencode(ref.anchor), safe='')}" if ref.anchor else ""
    return f"{SCHEME}{quote(library, safe='')}/{path}{anchor}"


def parse(uri: str) -> tuple[str, Ref]:
    """The library's name and the address that a URI names; nothing is looked up."""
    rest = uri.removeprefix(SCHEME)
    whole, _, anchor = rest.partition("#")
    library, slash, path = whole.partition("/")
    if len(uri) > LONGEST or rest == uri or not slash or not path or not library:
        raise BadAddress(
            f"“{safe(uri[:200])}” is no resource of ours.", f"Resources are called {SCHEME}library/path#anchor."
        )
    corpus = DOCS
    if (front := _CORPUS.match(path)) and len(path) > front.end():
        corpus, path = front[1], path[front.end() :]
    return _plain(library), Ref(corpus, _plain(path), _plain(anchor))


def with_plain_addresses(library: str, given: Mapping[str, object]) -> tuple[str, dict[str, object]]:
    """Arguments of a tool in which a URI of ours stands as the address it means, and the library it is of."""
    plain = dict(given)
    for name, value in given.items():
        if isinstance(value, str) and value.startswith(SCHEME) and name in _ADDRESSES:
            named, ref = parse(value)
            library, plain[name] = library or named, str(ref)
    return library, plain


def contents(libraries: Libraries, uri: str) -> types.ReadResourceResult:
    """The text of a document or section, quoted: what a client attaches, its model reads."""
    name, ref = parse(uri)
    passage = libraries.get(name).read(str(ref))
    if passage.ref != ref:
        raise NotFound(f"There is no resource “{uri[:200]}”.", f"Did you mean {uri_of(name, passage.ref)}?")
    return types.ReadResourceResult(contents=[attached(uri, passage)])


def attached(uri: str, passage: Passage, notes: Sequence[str] = ()) -> types.TextResourceContents:
    """A passage as the content of a resource, between marks, with what is to be said of it."""
    return types.TextResourceContents(
        uri=uri,
        # A drawing with marks around it is no drawing.
        mime_type="text/plain" if _is_drawing(passage.ref) else mime_type(passage.ref.path),
        text="\n".join((passage_for_model(passage), *notes)),
        _meta={**META_NOTICE, "pinakes/digest": passage.digest, "pinakes/lines": passage.lines.outside()},
    )


def page(libraries: Libraries, cursor: str) -> types.ListResourcesResult:
    """The documents after `cursor`, in order; sections are reached by the template."""
    seen = _position(cursor) if cursor else ("", "")
    found: list[types.Resource] = []
    for place, name, ref in _documents(libraries):
        if (place, ref.path) <= seen:
            continue
        if len(found) == PAGE:
            return types.ListResourcesResult(resources=found, next_cursor=_cursor(*seen), _meta=dict(META_NOTICE))
        seen = (place, ref.path)
        found.append(types.Resource(uri=uri_of(name, ref), name=safe(_named(ref)), mime_type=mime_type(ref.path)))
    return types.ListResourcesResult(resources=found, _meta=dict(META_NOTICE))


def names(library: Library) -> frozenset[str]:
    """Everything that is listed, to see whether that changed."""
    return frozenset(map(_named, _refs(library)))


def templates() -> types.ListResourceTemplatesResult:
    """How addresses become URIs."""
    return types.ListResourceTemplatesResult(
        resource_templates=[
            types.ResourceTemplate(
                name="document",
                title="A document",
                uri_template=DOCUMENT,
                description="A whole document. `path` is as in an address: guide/auth.md",
            ),
            types.ResourceTemplate(
                name="section",
                title="A section",
                uri_template=SECTION,
                description="A section with what is below it. `anchor` is as in guide/auth.md#tokens",
            ),
        ]
    )


def completion(libraries: Libraries, name: str, value: str, known: Mapping[str, str]) -> types.CompleteResult:
    """What could be meant by the beginning of an argument of a template or a prompt."""
    library = known.get("library", "")
    match name:
        case "library":
            choices: Iterable[str] = libraries.names
        case "path" | "address" | "under":
            choices = map(_named, _refs(libraries.get(library)))
        case "question" | "topic":
            choices = libraries.get(library).completions(value)
        case "anchor" if known.get("path"):
            choices = _anchors(libraries, library, known["path"])
        case _:
            choices = ()
    wanted = value.casefold()
    # What holds letters that nobody sees cannot be chosen by what is seen.
    fitting = [choice for choice in choices if wanted in choice.casefold() and safe(choice) == choice]
    fitting.sort(key=lambda choice: (not choice.casefold().startswith(wanted), choice))
    offered = types.Completion(values=fitting[:OFFERED], total=len(fitting), has_more=len(fitting) > OFFERED)
    return types.CompleteResult(completion=offered, _meta=dict(META_NOTICE))


def mime_type(path: str) -> str:
    media = possible_media_of(os.path.basename(path))
    if media.is_converted:  # what is sent is the text that was made of it
        return formats.MARKDOWN.mime_type if media.is_markdown else formats.TEXT.mime_type
    return media.mime_type


def _is_drawing(ref: Ref) -> bool:
    return media_of(os.path.basename(ref.path)).layout is Layout.DRAWING


def _anchors(libraries: Libraries, library: str, path: str) -> Iterator[str]:
    drawn = libraries.get(library).map(path, MapRequest())
    for outline in (block.file.outline for block in drawn.blocks):
        if _named(outline.ref) == path:
            yield from (section.anchor for section in outline.sections if section.anchor)


def _documents(libraries: Libraries) -> Iterator[tuple[str, str, Ref]]:
    """Every document: the place of its corpus in the order of all, the library's name, its address."""
    for place, name in enumerate(libraries.names):
        for ref in _refs(libraries.get(name)):
            yield f"{place:04d}{'' if ref.corpus == DOCS else ref.corpus}", name, ref


def _refs(library: Library) -> Iterator[Ref]:
    """Documents, then those of further roots, added ones and memories; commits are too many to be listed."""
    yield from (Ref(DOCS, path) for path in sorted(library.corpus().digests()))
    for corpus in sorted(library.corpora):
        if corpus not in (DOCS, HISTORY) and (home := library.corpus(corpus)).is_indexed:
            yield from (Ref(corpus, path) for path in sorted(home.digests()))


def _cursor(place: str, path: str) -> str:
    return base64.urlsafe_b64encode(json.dumps([place, path]).encode()).decode()


def _position(cursor: str) -> tuple[str, str]:
    try:
        match json.loads(base64.urlsafe_b64decode(cursor.encode())):
            case [str() as place, str() as path]:
                return place, path
    except (binascii.Error, ValueError, RecursionError):
        pass
    raise BadAddress("This is not a cursor of ours.", "Ask for the list without a cursor.")


def _plain(text: str) -> str:
    return os.fsdecode(unquote_to_bytes(text.encode("utf-8", "surrogateescape")))


def _named(ref: Ref) -> str:
    """An address as the protocol can carry it, without the corpus where that is the documents: bytes that are no UTF-8
    are percent-encoded."""
    return ref.label if ref.path.isascii() else str(ref).removeprefix(f"{DOCS}:")
