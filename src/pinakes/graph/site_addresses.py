"""Where a site publishes a document, when that is not where it lies.

A document and its site enter; addresses leave, as paths from the root without an ending. Frontmatter may choose another
name or place, and Docusaurus leaves out the numbers that sort files. What links make of it is decided elsewhere.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator

from pinakes.graph.sphinx import labels_of
from pinakes.records import Document
from pinakes.records.graph import INDEX_STEMS, MARKDOWN_ENDINGS
from pinakes.records.sites import AnchorStyle, Site

_NUMBER = re.compile(r"\d+\s*[-_.]+\s*(?=[^-_.\s])")
_DATE_OR_VERSION = re.compile(r"\d+[-_.]\d")
"""Such names begin with numbers that say something."""
_DATED_POST = re.compile(r"(?:\d{4})-(?:\d{2})-(?:\d{2})-")


def addresses_of(document: Document, site: Site) -> tuple[str, ...]:
    """The addresses of a document that its path does not tell, sorted."""
    path = document.ref.path
    stem, ending = posixpath.splitext(path)
    if site.style is AnchorStyle.SPHINX:
        # Documents are named without an ending there: reStructuredText means its own kind first, Markdown likewise.
        other = stem if ending == ".rst" else f"{stem}.rst" if path.casefold().endswith(MARKDOWN_ENDINGS) else ""
        return tuple(sorted({other, *[label for _, label in labels_of(document)]} - {""}))
    if not path.casefold().endswith(MARKDOWN_ENDINGS):
        return ()
    ways = {AnchorStyle.DOCUSAURUS: _docusaurus, AnchorStyle.HUGO: _hugo}
    way = ways.get(site.style)
    found = {posixpath.normpath(address).strip("/") for address in way(document, site, stem)} if way else set()
    lies = posixpath.dirname(stem) if posixpath.basename(stem).casefold() in INDEX_STEMS else stem
    return tuple(sorted(found - {lies, ".", ""}))


def _docusaurus(document: Document, site: Site, stem: str) -> Iterator[str]:
    """By `slug`, else by `id`, else by the name. A slug with a slash in front starts at the top of its part, `docs`."""
    inner = stem.removeprefix(f"{site.folder}/") if site.folder else stem
    part = posixpath.join(site.folder, inner.partition("/")[0])
    names = [unnumbered(name) for name in inner.split("/")]
    folder = posixpath.join(site.folder, *names[:-1])
    if inner.startswith("blog/"):
        folder, names[-1] = part, _DATED_POST.sub("", inner.removeprefix("blog/").removesuffix("/index"))
    slug = _field(document, "slug")
    if slug:
        yield posixpath.join(part, slug.lstrip("/")) if slug.startswith("/") else posixpath.join(folder, slug)
        return
    name = _field(document, "id") or names[-1]
    is_folder = name.casefold() in INDEX_STEMS or (len(names) > 1 and name == names[-2])
    yield folder if is_folder else posixpath.join(folder, name)


def _hugo(document: Document, site: Site, stem: str) -> Iterator[str]:
    """By `url`, else by `slug` in its folder; and the old addresses that lead here."""
    is_index = posixpath.basename(stem) in INDEX_STEMS
    folder = posixpath.dirname(posixpath.dirname(stem) if is_index else stem)
    if url := _field(document, "url"):
        yield posixpath.join(site.folder, url.lstrip("/"))
    elif slug := _field(document, "slug"):
        yield posixpath.join(folder, slug)
    for alias in document.metadata.aliases:
        if "/" in alias and "://" not in alias:
            yield (
                posixpath.join(site.folder, alias.lstrip("/"))
                if alias.startswith("/")
                else posixpath.join(folder, alias)
            )


def unnumbered(name: str) -> str:
    """The name of a file or folder as Docusaurus publishes it, without the number that sorts it."""
    return name if _DATE_OR_VERSION.match(name) else _NUMBER.sub("", name, count=1) if _NUMBER.match(name) else name


def _field(document: Document, name: str) -> str:
    """A text of the frontmatter that Pinakes has no use for otherwise."""
    if f'"{name}"' not in document.metadata.extra:
        return ""
    value = json.loads(document.metadata.extra).get(name)
    return value.strip() if isinstance(value, str) else ""
