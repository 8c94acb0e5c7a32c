"""Sites: which generator makes web pages of which documents.

A site is recognised by its configuration; what links may say about its pages follows from that.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import astuple

from pinakes.records.graph import INDEX_STEMS

SITES = "sites"
"""The setting of a store that holds the sites by which its documents were read."""


class AnchorStyle(StrEnum):
    """Who makes the anchors of a page."""

    GITHUB = "github"
    MKDOCS = "mkdocs"
    HUGO = "hugo"
    DOCUSAURUS = "docusaurus"
    VITEPRESS = "vitepress"
    SPHINX = "sphinx"


STYLE_NAMES = {
    AnchorStyle.GITHUB: "GitHub",
    AnchorStyle.MKDOCS: "MkDocs",
    AnchorStyle.HUGO: "Hugo",
    AnchorStyle.DOCUSAURUS: "Docusaurus",
    AnchorStyle.VITEPRESS: "VitePress",
    AnchorStyle.SPHINX: "Sphinx",
}
"""As their makers write them."""


class Site(Struct, frozen=True):
    """A folder of documents that a generator makes a site of."""

    style: AnchorStyle
    folder: str
    """Documents in it and below belong to the site; empty for the root."""
    config: str = ""
    """The file by which it was recognised; empty when the settings say so."""
    rule: str = ""
    """How ids are made of headings (`pinakes.slugs.generators.RULES`); empty when the configuration names a rule that
    is not known here."""
    has_folder_addresses: bool = False
    """Whether ``guide/auth.md`` is published as ``guide/auth/``, so that its relative links start there."""

    def holds(self, path: str) -> bool:
        """Whether a document belongs to the site."""
        return not self.folder or path.startswith(f"{self.folder}/")

    def sentence(self) -> str:
        """What it is and why, such as “mkdocs in docs/ (by mkdocs.yml)”."""
        where = f" in {self.folder}/" if self.folder else ""
        return f"{self.style.value}{where} (by {self.config or 'the setting check.anchors'})"


class Sites(Struct, frozen=True):
    """The sites of a corpus, the innermost first."""

    all: tuple[Site, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.all)

    def of(self, path: str) -> Site | None:
        """The site that a document belongs to."""
        return next((site for site in self.all if site.holds(path)), None)

    def page(self, path: str) -> str:
        """The folder that a document is published as, from which its relative links start; empty where that is the
        folder it lies in."""
        site = self.of(path)
        if site is None or not site.has_folder_addresses:
            return ""
        stem = path.rpartition(".")[0]
        return "" if stem.rpartition("/")[2].casefold() in INDEX_STEMS else stem

    def text(self) -> str:
        """As kept in the settings of a store; empty for none."""
        return json.dumps([astuple(site) for site in self.all]) if self.all else ""

    @staticmethod
    def parse(text: str) -> Sites:
        """From what `text` gave."""
        rows = json.loads(text) if text else []
        return Sites(tuple([Site(AnchorStyle(style), *rest) for style, *rest in rows]))


NO_SITES = Sites()


def innermost_first(sites: Sequence[Site]) -> Sites:
    """Those that lie inside others come first."""
    return Sites(tuple(sorted(sites, key=lambda site: (-len(site.folder), site.folder, site.style, site.config))))
