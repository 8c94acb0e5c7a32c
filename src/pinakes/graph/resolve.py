"""Links as understood.

A link, its document's address and a table of names enter; an `Edge` leaves. Everything a link can mean shares one key
(`pinakes.graph.names`), and a lookup never leaves the names under that key: so a table that holds only the keys asked
for answers exactly as a table of everything. Nothing is written here, and the section a link stands in is left to the
store, which knows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from pinakes.graph.anchors import Anchors
from pinakes.graph.lookup import Landing, Namesakes, look_up
from pinakes.graph.names import key_of
from pinakes.graph.org_ids import is_org
from pinakes.graph.sphinx import is_cross_reference
from pinakes.graph.symbols import CodeNames, symbol_key
from pinakes.graph.targets import TargetSyntax, read_link, read_target
from pinakes.ports import Reader
from pinakes.records import CorpusName, Edge, Link, LinkForm, Name, Outcome, Ref
from pinakes.records.graph import MARKDOWN_ENDINGS
from pinakes.records.sites import NO_SITES, AnchorStyle, Sites

_RST = ".rst"
_OTHER_PAGES = (".rst", ".adoc", ".asciidoc", ".org")
"""Drawings are not among them: their readers jump to any shape, and only groups with text are sections here."""
_BY_ANCHOR = (TargetSyntax.ADDRESS, TargetSyntax.PAGE)
_NO_TARGET = Landing(None, Outcome.MISSING)
_HERE = Landing(None, Outcome.FOUND)


class NameTable:
    """The names of a corpus, or those under some keys of it, and what was already found with them."""

    def __init__(
        self, names: Iterable[Name], anchors: Callable[[str], Mapping[str, str]], sites: Sites = NO_SITES
    ) -> None:
        self._names: dict[str, list[Name]] = {}
        for name in names:
            self._names.setdefault(name.key, []).append(name)
        self._read_anchors = anchors
        self.sites = sites
        self._namesakes: dict[str, Namesakes] = {}
        self._code_names: dict[str, CodeNames] = {}
        self._landings: dict[tuple[TargetSyntax, str, str, str], Landing] = {}
        self._anchors: dict[str, Anchors] = {}
        self._plain_anchors: dict[str, Mapping[str, str]] = {}

    @classmethod
    def of(
        cls, reader: Reader, corpus: CorpusName, keys: Iterable[str] | None = None, sites: Sites = NO_SITES
    ) -> NameTable:
        """The names under `keys`, or all of them; anchors are asked for one document at a time, when needed."""
        return cls(reader.names(corpus, keys), lambda path: reader.anchors(Ref(corpus, path)), sites)

    def landing(self, syntax: TargetSyntax, text: str, folder: str, page: str = "") -> Landing:
        """Where a target without its fragment leads, seen from a document in `folder`, published as `page`."""
        known = self._landings.get((syntax, folder, page, text))
        if known is None:
            target = read_target(syntax, text, folder, page)
            if target.decided is not None:
                known = Landing(None, target.decided)
            else:
                known = look_up(target, self._under(target.key))
            self._landings[syntax, folder, page, text] = known
        return known

    def is_in_sphinx(self, path: str) -> bool:
        """Whether a document belongs to a site of Sphinx."""
        site = self.sites.of(path) if self.sites else None
        return site is not None and site.style is AnchorStyle.SPHINX

    def label(self, path: str, text: str) -> str:
        """The section that a label means, where a link found a document of Sphinx or org by it, and not by its name."""
        is_name = text.rpartition("/")[2] in (stem := path.rpartition("/")[2], stem.rpartition(".")[0])
        return "" if is_name or not (is_org(path) or self.is_in_sphinx(path)) else self.anchors(path).exactly(text)

    def anchors(self, path: str) -> Anchors:
        """The anchors of a document; none for other files."""
        known = self._anchors.get(path)
        if known is None:
            known = self._anchors[path] = Anchors(self.plain_anchors(path))
        return known

    def code_names(self, key: str) -> CodeNames:
        """The names of source code under a key."""
        known = self._code_names.get(key)
        if known is None:
            known = self._code_names[key] = CodeNames(self._names.get(key, ()))
        return known

    def plain_anchors(self, path: str) -> Mapping[str, str]:
        """The anchors of a document, exactly as they are."""
        known = self._plain_anchors.get(path)
        if known is None:
            known = self._plain_anchors[path] = self._read_anchors(path)
        return known

    def _under(self, key: str) -> Namesakes:
        known = self._namesakes.get(key)
        if known is None:
            known = self._namesakes[key] = Namesakes(self._names.get(key, ()))
        return known


def resolve(origin: Ref, link: Link, table: NameTable) -> Edge:
    """Look a link up. `origin` is its document; the edge starts there and not yet at a section."""
    if link.form is LinkForm.SYMBOL:
        return _resolve_symbol(origin, link, table)
    syntax, text, fragment = read_link(link)
    if text:
        landing = table.landing(syntax, text, origin.path.rpartition("/")[0], table.sites.page(origin.path))
    elif fragment is not None:
        landing = _HERE
    else:
        landing = _NO_TARGET
    is_sphinx = table.is_in_sphinx(origin.path) or origin.path.casefold().endswith(_RST)  # where its roles are used
    if landing.outcome is Outcome.MISSING and is_sphinx and is_cross_reference(text):
        return Edge(origin, link, None, Outcome.EXTERNAL)
    if landing.outcome is not Outcome.FOUND:
        return Edge(origin, link, None, landing.outcome, landing.candidates)
    path = origin.path if landing.path is None else landing.path
    if not fragment:
        return Edge(origin, link, Ref(origin.corpus, path, table.label(path, text)), Outcome.FOUND)
    anchors = table.anchors(path)
    is_page = path.casefold().endswith(MARKDOWN_ENDINGS)
    anchor = anchors.find(fragment, by_heading=syntax not in _BY_ANCHOR or not is_page)
    is_judged = is_page or path.casefold().endswith(_OTHER_PAGES)
    if anchor is None and is_judged and (anchors or path == origin.path):
        return Edge(origin, link, Ref(origin.corpus, path), Outcome.BROKEN_ANCHOR)
    # In other files a fragment is a page, a view or a shape, which nobody here can judge; and what has no anchors may
    # be a file that could not be read.
    return Edge(origin, link, Ref(origin.corpus, path, anchor or ""), Outcome.FOUND)


def _resolve_symbol(origin: Ref, link: Link, table: NameTable) -> Edge:
    key = symbol_key(link.target)
    if not key:
        anchor = link.target.removeprefix("#")
        is_here = anchor in table.plain_anchors(origin.path)
        here = Ref(origin.corpus, origin.path, anchor) if is_here else None
        return Edge(origin, link, here, Outcome.FOUND if is_here else Outcome.NO_FILE)
    place = table.code_names(key).find(link.target, origin.path, table.plain_anchors)
    if place.outcome is not Outcome.FOUND:
        return Edge(origin, link, None, place.outcome)
    return Edge(origin, link, Ref(origin.corpus, place.path, place.anchor), Outcome.FOUND)


def resolve_pending(
    reader: Reader,
    corpus: CorpusName,
    pending: Sequence[tuple[Ref, Link]],
    table: NameTable | None = None,
    sites: Sites = NO_SITES,
) -> tuple[Edge, ...]:
    """Look up links in their order.

    Without a `table` only the names these links could mean are read, which suits a few links; for a whole corpus pass
    one table of everything (`NameTable.of`). A table is good for as long as names and anchors do not change.
    """
    if table is None:
        keys = {key_of(link, origin, sites) for origin, link in pending}
        table = NameTable.of(reader, corpus, keys - {""}, sites)
    return tuple([resolve(origin, link, table) for origin, link in pending])
