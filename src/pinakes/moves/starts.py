"""Where a relative link starts from: the folder of its document, or the folder that a site publishes it as.

A link as it was, as it shall be and the names to come enter. Pinakes also finds a path that is written from the root,
but other programs do not: a link that was found from the folder of its document must be found from there afterwards.
"""

from __future__ import annotations

import posixpath
from enum import StrEnum
from urllib.parse import unquote

from pinakes.graph.anchors import fold
from pinakes.graph.names import is_index
from pinakes.graph.site_addresses import addresses_of
from pinakes.graph.targets import TargetSyntax, read_link, read_target
from pinakes.moves.renaming import Renaming
from pinakes.records import Edge, Link, LinkForm
from pinakes.records.graph import MARKDOWN_ENDINGS
from pinakes.records.sites import AnchorStyle

_RELATIVE = (TargetSyntax.ADDRESS, TargetSyntax.FIELD)
"""Names between double brackets and in running text are found from the root as well, by everybody who finds them."""
_PAGE_ENDINGS = (".html", ".htm")


class LinkStart(StrEnum):
    """What a relative link starts from."""

    FOLDER = "folder"
    """The folder its document lies in."""
    PAGE = "page"
    """The folder its document is published as."""


def keeps_start(edge: Edge, link: Link, old_origin: str, new_origin: str, names: Renaming) -> bool:
    """Whether a link that was relative is so afterwards, when it is written as `link`."""
    assert edge.to is not None
    wanted = _wanted(edge, old_origin, new_origin, names)
    if wanted is None:
        return True
    return _reaches(link, new_origin, wanted, edge.to.path, names, is_after=True)


def new_start(edge: Edge, old_origin: str, new_origin: str, names: Renaming) -> str | None:
    """The folder that a link will start from; None for one that was not relative."""
    wanted = _wanted(edge, old_origin, new_origin, names)
    if wanted is None:
        return None
    return names.sites.page(new_origin) if wanted is LinkStart.PAGE else posixpath.dirname(new_origin)


def new_addresses(edge: Edge, names: Renaming) -> tuple[str, ...]:
    """Where the site will publish what a link leads to, when the link is not written like the path of it."""
    assert edge.to is not None
    last = fold(posixpath.basename(unquote(read_link(edge.link)[1]).rstrip("/")))
    if last in {posixpath.basename(one) for one in _spelled(edge.to.path)} or last in ("", ".", ".."):
        return ()
    document, site = names.document(edge.to.path), names.sites.of(names.path(edge.to.path))
    return addresses_of(document, site) if document and site and site.style is not AnchorStyle.SPHINX else ()


def _wanted(edge: Edge, old_origin: str, new_origin: str, names: Renaming) -> LinkStart | None:
    """What a link must start from afterwards, which is what it started from where there still is such a thing."""
    assert edge.to is not None
    for start in (LinkStart.PAGE, LinkStart.FOLDER):
        if not _reaches(edge.link, old_origin, start, edge.to.path, names):
            continue
        has_page = bool(names.sites and names.sites.page(new_origin)) and _is_of_pages(edge.link)
        if start is LinkStart.PAGE or not names.sites.page(old_origin):
            names_file = start is LinkStart.FOLDER and edge.link.form is not LinkForm.HTML and _names(edge)
            return LinkStart.PAGE if has_page and not names_file else LinkStart.FOLDER
        return start
    return None


def _is_of_pages(link: Link) -> bool:
    """Whether a site starts such a link at the page: a Markdown file is named by where it lies."""
    syntax, text, _ = read_link(link)
    return syntax is TargetSyntax.ADDRESS and not text.partition("?")[0].casefold().endswith(MARKDOWN_ENDINGS)


def _names(edge: Edge) -> bool:
    """Whether a link is written with the name of the file it leads to, as generators resolve it themselves."""
    assert edge.to is not None
    ending = posixpath.splitext(edge.to.path)[1]
    return bool(ending) and read_link(edge.link)[1].partition("?")[0].casefold().endswith(ending.casefold())


def _reaches(link: Link, origin: str, start: LinkStart, path: str, names: Renaming, *, is_after: bool = False) -> bool:
    """Whether a relative link that starts there leads to what is now at `path`."""
    syntax, text, _ = read_link(link)
    is_name = syntax is TargetSyntax.FIELD and not posixpath.splitext(text)[1]
    if syntax not in _RELATIVE or not text or is_name:
        return False
    page = names.sites.page(origin) if start is LinkStart.PAGE else ""
    target = read_target(syntax, text, posixpath.dirname(origin), page)
    base = target.page if start is LinkStart.PAGE else target.folder
    if target.decided is not None or target.is_rooted or base is None:
        return False
    reached = fold(posixpath.join(base, target.tail).strip("/"))
    place = names.path(path) if is_after else path
    if reached in _spelled(place):
        return True
    site = names.sites.of(place)
    document = (names.document(path) if is_after else names.present(path)) if site else None
    if site is None or document is None:
        return False
    published = {fold(address) for address in addresses_of(document, site)}
    stem = fold(posixpath.splitext(place)[0])
    # A label of Sphinx is found from everywhere; only the name of a document is relative.
    return reached in (published & {stem, f"{stem}.rst"} if site.style is AnchorStyle.SPHINX else published)


def _spelled(path: str) -> set[str]:
    """How a path may be written."""
    found = {fold(path)}
    stem = posixpath.splitext(path)[0]
    if path.casefold().endswith(MARKDOWN_ENDINGS):
        found |= {fold(stem), *[fold(f"{stem}{ending}") for ending in _PAGE_ENDINGS]}
    if is_index(path):
        found.add(fold(posixpath.dirname(path)))
    return found
