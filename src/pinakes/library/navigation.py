"""Navigations of sites that name a document which moves.

Sites and paths enter; a sentence for each path that a configuration names leaves. Pinakes rewrites documents and not
the configuration of other programs, so it says where somebody must look.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from pinakes.records.sites import Site, Sites
from pinakes.sites import MOST_BYTES, SIDEBARS
from pinakes.sources import FolderSource


def named_in_navigation(source: FolderSource, sites: Sites, moved: Iterable[str]) -> Iterator[str]:
    """A sentence for each document that moves and that the configuration of its site names."""
    texts: dict[str, str] = {}
    for path in moved:
        site = sites.of(path)
        for file in _files(site) if site else ():
            if file not in texts:
                texts[file] = (source.small_file(file, MOST_BYTES) or b"").decode("utf-8", "replace")
            if site and texts[file] and (name := _name_in(texts[file], path, site)):
                yield f"{file} names “{name}”; change it by hand."


def _files(site: Site) -> tuple[str, ...]:
    return tuple(filter(None, (site.config, *(posixpath.join(site.folder, name) for name in SIDEBARS))))


def _name_in(text: str, path: str, site: Site) -> str:
    """How a text names a document: by its path in the site, or without the ending as in sidebars."""
    inner = path.removeprefix(f"{site.folder}/") if site.folder else path
    stem = posixpath.splitext(inner)[0].removeprefix("docs/")
    for name, around in ((inner, r"[\w/.-]"), (stem, r"[^'\"`]")):
        if re.search(rf"(?<!{around}){re.escape(name)}(?!{around})", text):
            return name
    return ""
