"""What the site calls the sections of its pages, for links that stand on other pages of it.

A reader enters; the ids of the generator that makes the site leave. Links resolve by GitHub's anchors as well, so that
the graph is whole; a reader of the site who follows such a link stays at the top of the page, and that is a finding.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import copy
from functools import cache
from urllib.parse import unquote

from pinakes.graph.site_anchors import site_anchors
from pinakes.ports import Reader
from pinakes.records import CorpusName, Document, Edge, Ref
from pinakes.records.sites import SITES, STYLE_NAMES, AnchorStyle, Site, Sites

_ID = re.compile(rb"""\b(?:id|name)\s*=\s*["']?([^"'\s>]{1,200})""", re.IGNORECASE)
"""An anchor in HTML, which GitHub and every site have."""
OpenDocument = Callable[[Ref], Document | None]
"""A document as it is in an editor; None when it is not open there."""


class SitePages:
    """The pages of a corpus as their sites make them."""

    def __init__(self, reader: Reader, corpus: CorpusName) -> None:
        self.sites = Sites.parse(reader.setting(SITES))
        self._corpus = corpus

        @cache
        def ids(path: str) -> Mapping[str, str]:
            return _ids(reader.document(Ref(corpus, path)), self.sites.of(path))

        @cache
        def others(path: str) -> frozenset[str]:
            return _others(reader.anchors(Ref(corpus, path)))

        @cache
        def written(path: str) -> frozenset[str]:
            return _written(reader.document(Ref(corpus, path)))

        self._ids, self._others, self._written = ids, others, written

    def with_open(self, opened: OpenDocument) -> SitePages:
        """These pages, with the text of open documents in place of the stored one."""
        other = copy(self)

        @cache
        def ids(path: str) -> Mapping[str, str]:
            document = opened(Ref(self._corpus, path))
            return _ids(document, self.sites.of(path)) if document is not None else self._ids(path)

        @cache
        def others(path: str) -> frozenset[str]:
            document = opened(Ref(self._corpus, path))
            return _others(document.anchors()) if document is not None else self._others(path)

        @cache
        def written(path: str) -> frozenset[str]:
            document = opened(Ref(self._corpus, path))
            return _written(document) if document is not None else self._written(path)

        other._ids, other._others, other._written = ids, others, written
        return other

    def judge(self, edge: Edge) -> Site | None:
        """The site by whose rules the anchor of a link is judged: both ends are pages of it.

        Sphinx looks labels and its own slugs up when it builds, so several anchors are right there.
        """
        if not self.sites or edge.to is None:
            return None
        site = self.sites.of(edge.to.path)
        is_judge = site is not None and site.rule and site.style is not AnchorStyle.SPHINX
        return site if is_judge and self.sites.of(edge.origin.path) is site else None

    def is_of_its_site_only(self, edge: Edge) -> bool:
        """Whether a link from outside of every site, which is read on GitHub, leads to a section by a name that only
        the site gives it."""
        to, target = edge.to, edge.link.target
        site = self.sites.of(to.path) if to is not None else None
        if to is None or site is None or site.style is AnchorStyle.SPHINX or self.sites.of(edge.origin.path):
            return False
        plain, ids = unquote(target.partition("#")[2]), self._ids(to.path)
        is_made = plain != to.anchor and plain not in ids and ids.get(to.anchor) == plain
        return is_made and plain not in self._written(to.path)

    def knows(self, to: Ref, fragment: str) -> bool:
        """Whether a page has this id: of a heading, or one that its author wrote."""
        ids = self._ids(to.path)
        plain = unquote(fragment)
        return not ids or plain in ids.values() or plain in self._others(to.path)

    def called(self, to: Ref, anchor: str) -> str:
        """What the site calls the section that has this anchor for us; the anchor itself where it says nothing else."""
        return self._ids(to.path).get(anchor, anchor) if self.sites else anchor


def _ids(document: Document | None, site: Site | None) -> Mapping[str, str]:
    """The id that a site makes for each section of a page, by our anchor of it."""
    if document is None or site is None or not (made := site_anchors(document, site)):
        return {}
    return {section.anchor: one for section, one in zip(document.sections[1:], made, strict=True)}


def _others(anchors: Mapping[str, str]) -> frozenset[str]:
    """Names of sections that are not our anchors of them."""
    return frozenset(name for name, anchor in anchors.items() if name != anchor)


def _written(document: Document | None) -> frozenset[str]:
    """The anchors that stand in a page as HTML."""
    found = _ID.findall(document.source) if document is not None else ()
    return frozenset(one.decode("utf-8", "replace") for one in found)


def by_rules_of(site: Site) -> str:
    """Who judges and why, for a message."""
    return f"{STYLE_NAMES[site.style]} ({site.config or 'check.anchors'})"
