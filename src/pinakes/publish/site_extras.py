"""What a site has besides its pages: style, logo, scripts, a page for what is not there, and what robots read.

The material enters, parts leave. A file that the owner of the documents wrote under one of these names stays the only
one of that name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from importlib.resources import files

from pinakes.html.markup import tag
from pinakes.html.scripts import DIAGRAMS, FORMULAS
from pinakes.publish.material import Material
from pinakes.publish.names import href, joined
from pinakes.publish.page_frame import OWN_FILES, STYLE, PageFrame, SitePage, address
from pinakes.publish.page_lists import start_of
from pinakes.publish.part import SCRIPTS, Facts, FolderPart, PartFiles, digest_of, held_texts
from pinakes.publish.searching import PAGE

NOT_FOUND, SITEMAP, ROBOTS = "404.html", "sitemap.xml", "robots.txt"
_LICENCES = "licences.txt"
_MOST_ADDRESSES = 50_000
"""What one sitemap may hold."""


def extra_parts(material: Material, known: Mapping[str, Facts]) -> Iterator[FolderPart]:
    """The style, the logo and the scripts that pages need; then the page for what is not there, `sitemap.xml` and
    `robots.txt`."""
    if not material.site.pages:
        return
    style = _style()
    yield FolderPart("style", digest_of(style), lambda: PartFiles(((STYLE, style),), {}))
    if material.logo:
        name, data = material.logo
        yield FolderPart("logo", digest_of(name, data), lambda: PartFiles(((joined(OWN_FILES, name), data),), {}))
    if scripts := _scripts(known):
        yield FolderPart(SCRIPTS, digest_of(scripts), lambda: PartFiles(scripts, {}))
    made = {NOT_FOUND: _not_found(material), SITEMAP: _sitemap(material), ROBOTS: _robots(material)}
    taken = {*material.site.files.values(), *material.site.sources.values()}
    for name, held in made.items():
        if held and name not in taken:
            part = f"page {name}" if name == NOT_FOUND else name
            yield FolderPart(part, digest_of(held), partial(PartFiles, ((name, held),), {}))


def _style() -> bytes:
    """The style of the served page, that of documents, and what is different on published pages."""
    shared = files("pinakes.html").joinpath("static")
    own = files("pinakes.publish").joinpath("static", "site.css")
    return b"\n".join(
        [*(shared.joinpath(name).read_bytes() for name in ("page.css", "document.css")), own.read_bytes()]
    )


def _scripts(known: Mapping[str, Facts]) -> list[tuple[str, bytes]]:
    """The files that pages name, with the licences of what is in them; most sites need few, and some none."""
    named = {name for facts in known.values() for name in held_texts(facts, SCRIPTS)}
    home = files("pinakes.html").joinpath("static")
    if not named.isdisjoint((DIAGRAMS, FORMULAS)):
        named.add(_LICENCES)
    return [(joined(OWN_FILES, name), home.joinpath(name).read_bytes()) for name in sorted(named)]


def _not_found(material: Material) -> bytes:
    base = material.options.base_url
    search = tag("a", "Search", href=href(PAGE, "", base))
    start = tag("a", "begin at the front page", href=href(start_of(material.site), "", base))
    main = tag(
        "article",
        tag("h1", "There is no such page"),
        tag("p", "The address is wrong, or the page was moved. ", search, " for it, or ", start, "."),
        class_="reader",
    )
    return PageFrame(material).page(SitePage("Not found", NOT_FOUND, main, anywhere=True))


def _sitemap(material: Material) -> bytes:
    """All pages by their whole addresses; nothing when nobody said where the site will be."""
    base = material.options.base_url
    if not base.startswith(("http://", "https://")):
        return b""
    places = dict.fromkeys((*(one.place for one in material.site.pages.values()), *material.site.folders.values()))
    rows = [f"<url>{tag('loc', address(place, base))}</url>" for place in list(places)[:_MOST_ADDRESSES]]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">']
    return "\n".join([*lines, *rows, "</urlset>", ""]).encode()


def _robots(material: Material) -> bytes:
    base = material.options.base_url
    lines = ["User-agent: *", "Allow: /"]
    if base.startswith(("http://", "https://")):
        lines.append(f"Sitemap: {href(SITEMAP, '', base)}")
    return ("\n".join(lines) + "\n").encode()
