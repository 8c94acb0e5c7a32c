"""Builders for linked documents: pages made of headings and links, and a store that holds them, looked up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kits.scratch import ScratchStore
from pinakes.graph.names import keys_of, names_of
from pinakes.graph.resolve import resolve_pending
from pinakes.records import (
    DOCS,
    Change,
    Document,
    Entry,
    Kind,
    Link,
    LinkForm,
    Metadata,
    Ref,
    Section,
    Span,
    Stamp,
    formats,
)
from pinakes.slugs import Slugger

_MEDIA = {"md": formats.MARKDOWN, "mdx": formats.MARKDOWN, "svg": formats.SVG, "txt": formats.TEXT, "rst": formats.RST}


def link(target: str, form: LinkForm = LinkForm.LINK, ordinal: int = 0, section: int = 0) -> Link:
    """A link on the line of its number."""
    return Link(ordinal, section, Span(0, 0), ordinal, form, target, text="")


def wiki(target: str) -> Link:
    return link(target, LinkForm.WIKILINK)


def mention(path: str) -> Link:
    return link(path, LinkForm.PATH)


def page(
    path: str,
    links: Iterable[str | Link] = (),
    headings: Sequence[str] = (),
    title: str = "",
    aliases: tuple[str, ...] = (),
) -> Document:
    """A document whose headings all stand under the root and whose links stand in the last section."""
    slugger = Slugger()
    sections = [Section("", "", 0, -1, Span(0, 0), Span(0, 1))]
    for heading in headings:
        text, _, explicit = heading.partition(" {#")
        other = (explicit.rstrip("}"),) if explicit else ()
        sections.append(Section(slugger.anchor(text), text, 1, 0, Span(0, 0), Span(0, 1), aliases=other))
    made = [one if isinstance(one, Link) else link(one) for one in links]
    return Document(
        stamp=Stamp(Ref(DOCS, path), "1", _MEDIA.get(path.rpartition(".")[2], formats.TEXT)),
        digest=path,
        title=title or (headings[0] if headings else path.rpartition("/")[2]),
        kind=Kind.UNKNOWN,
        source=b"",
        sections=tuple(sections),
        links=tuple(link(one.target, one.form, at, len(sections) - 1) for at, one in enumerate(made)),
        metadata=Metadata(aliases=aliases),
    )


def shelf(*documents: Document, assets: Iterable[str] = ()) -> ScratchStore:
    """A store that holds the documents and files, every link looked up."""
    store = ScratchStore()
    store.write(
        Change(
            put=tuple(Entry(document, names_of(document), keys_of(document)) for document in documents),
            assets=tuple(Stamp(Ref(DOCS, path), "1", formats.ASSET) for path in assets),
        )
    )
    store.write(Change(edges=resolve_pending(store, DOCS, store.pending_links(DOCS, 100_000))))
    return store
