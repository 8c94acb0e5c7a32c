"""What was probably meant: the nearest existing path or anchor.

Links that lead nowhere enter, something to paste in their place leaves, or nothing when nothing comes close. A corpus
may hold tens of thousands of files and as many broken links, so a target is only compared with names that share its
key, differ from it in a letter or two, or stand in the folder it points to, and every answer is kept. Names can be as
long and as many as a stranger likes; what is spent on them together is bounded, and who comes later gets no offer.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from functools import cache, cached_property
from urllib.parse import unquote

from pinakes.check.site_pages import OpenDocument, SitePages
from pinakes.fuzzy import FuzzyMatcher
from pinakes.graph.names import key_of
from pinakes.graph.targets import TargetSyntax, address_signs, read_link, relative_address, shared_names
from pinakes.ports import Reader
from pinakes.records import CorpusName, Link, LinkForm, Name, NameForm, Ref
from pinakes.records.graph import MARKDOWN_ENDINGS
from pinakes.records.sites import Sites
from pinakes.slugs import slug

_NOTES = (LinkForm.WIKILINK, LinkForm.EMBED)
_MOST_COMPARED = 64
"""Names that are compared one by one."""
_MOST_ANCHORS = 1000
_SHORTEST_TYPO = 4
"""Letters a name needs before a similar one counts as meant."""
_LONGEST_TYPO = 40
_MOST_SHORTENED = 1_000_000
"""Letters a name may have, and entries the index of names without a letter may have: it is for names people type."""
_FEW_ASKED = 20
"""So often, looking through all names is quicker than an index of them: an editor asks about a few links, and the index
takes 150 ms for 5,000 names."""
_CLOSE = 0.8
"""How alike two names must be, from 0 to 1."""
_MOST_NAMESAKES = 3
"""Files that share nothing but the name; with more of them (``data.md``) the name alone says nothing."""
_FORMS = (NameForm.INDEX, NameForm.PATH, NameForm.FOLDER, NameForm.ADDRESS, NameForm.ALIAS, NameForm.TITLE)
"""What to offer first among equals."""


class Nearest:
    """Answers for one corpus as it is now."""

    def __init__(self, reader: Reader, corpus: CorpusName) -> None:
        self.pages = SitePages(reader, corpus)
        self.fuzzy = FuzzyMatcher()
        names = cache(lambda: _Names(reader.names(corpus), self.fuzzy))

        @cache
        def path(key: str, wanted: str) -> str:
            return names().nearest(key, wanted)

        self._path, self._anchor = path, self._finder_of(reader.anchors)

    def with_open(self, opened: OpenDocument) -> Nearest:
        """These names, with the anchors of open documents: an editor knows some that are not stored yet."""
        other = copy(self)
        unsaved = self._finder_of(lambda to: document.anchors() if (document := opened(to)) is not None else ())
        other._anchor = lambda to, wanted: (self._anchor if opened(to) is None else unsaved)(to, wanted)
        other.pages = self.pages.with_open(opened)
        return other

    def _finder_of(self, anchors: Callable[[Ref], Iterable[str]]) -> Callable[[Ref, str], str]:
        known = cache(lambda to: sorted(anchors(to))[:_MOST_ANCHORS])

        @cache
        def anchor(to: Ref, wanted: str) -> str:
            return next(iter(self.fuzzy.closest(wanted, known(to), count=1, at_least=_CLOSE)), "")

        return anchor

    def path(self, link: Link, origin: Ref) -> str:
        """A target that exists and is most like the one written."""
        key = key_of(link, origin, self.pages.sites)
        if not key:
            return ""
        written = posixpath.join("/", posixpath.dirname(origin.path), _path_of(link))
        known = self._path(key, posixpath.normpath(written).strip("/"))
        return _spelled(link, origin, known, self.pages.sites) if known and known != origin.path else ""

    def candidate(self, link: Link, origin: Ref, candidates: Sequence[str]) -> str:
        """The candidate that stands closest to the document the link is in."""
        here = origin.path.split("/")
        best = min(
            candidates, key=lambda path: (-shared_names(here, path.split("/")), path.count("/"), path), default=""
        )
        return _spelled(link, origin, best, self.pages.sites) if best else ""

    def anchor(self, link: Link, to: Ref) -> str:
        """The target with the anchor of `to` that is most like the one written, as its site calls it."""
        fragment = link.target.partition("#")[2]
        known = self._anchor(to.document, slug(unquote(fragment.rpartition("#")[2])))
        return with_fragment(link, self.pages.called(to, known)) if known else ""


class _Names:
    """All names of a corpus, by key, by folder, and by what is left of a key without one of its letters."""

    def __init__(self, names: Iterable[Name], fuzzy: FuzzyMatcher) -> None:
        self._fuzzy = fuzzy
        self._asked = 0
        """How often a typo was looked for."""
        self._by_key: dict[str, list[Name]] = {}
        self._by_folder: dict[str, list[Name]] = {}
        for name in names:
            self._by_key.setdefault(name.key, []).append(name)
            if name.form is NameForm.PATH:
                self._by_folder.setdefault(posixpath.dirname(name.path), []).append(name)

    def nearest(self, key: str, wanted: str) -> str:
        """The path whose name is like the one wanted: the same elsewhere, a typo away, or alike in that folder."""
        namesakes = self._by_key.get(key, [])
        if len(namesakes) > _MOST_COMPARED:
            namesakes = self._by_parent.get((key, _parent(wanted)), [])
        return (
            self._closest(namesakes, wanted)
            or self._closest(self._a_typo_away(key), wanted)
            or self._similar_in_folder(key, wanted)
        )

    @cached_property
    def _by_parent(self) -> dict[tuple[str, str], list[Name]]:
        """Crowds of namesakes, apart by what their folders are called."""
        found: dict[tuple[str, str], list[Name]] = {}
        for names in self._by_key.values():
            for name in names if len(names) > _MOST_COMPARED else ():
                found.setdefault((name.key, _parent(name.text)), []).append(name)
        return found

    @cached_property
    def _typed(self) -> list[str]:
        """The keys that people type; none where there are too many."""
        typed = [key for key in self._by_key if len(key) <= _LONGEST_TYPO]
        return typed if sum(map(len, typed)) <= _MOST_SHORTENED else []

    @cached_property
    def _shortened(self) -> dict[str, list[str]]:
        """The keys that are left when one letter is taken away, and what they were."""
        found: dict[str, list[str]] = {}
        for known in self._typed:
            for short in _without_a_letter(known):
                found.setdefault(short, []).append(known)
        return found

    def _closest(self, names: Sequence[Name], wanted: str) -> str:
        if not names or len(names) > _MOST_COMPARED:
            return ""
        down = wanted.casefold().split("/")
        up = down[::-1]

        def distance(name: Name) -> tuple[int, int, int, str]:
            there = name.text.casefold().split("/")
            return -shared_names(up, there[::-1]), -shared_names(down, there), _FORMS.index(name.form), name.path

        best = min(names, key=distance)
        is_only_a_name = distance(best)[0] >= -1 and len({name.path for name in names}) > _MOST_NAMESAKES
        return "" if is_only_a_name else best.path

    def _a_typo_away(self, key: str) -> list[Name]:
        shorter = _without_a_letter(key)
        self._asked += 1
        if self._asked <= _FEW_ASKED:
            keys = self._looked_through({key, *shorter}, frozenset(key))
        else:
            keys = {other for short in (key, *shorter) for other in self._shortened.get(short, ())}
        keys.update(short for short in shorter if short in self._by_key)
        return [name for other in sorted(keys) for name in self._by_key[other]]

    def _looked_through(self, wanted: set[str], letters: frozenset[str]) -> set[str]:
        """What `_shortened` would give. A letter that is taken from each of two keys changes what letters they have by
        two at most, so few keys are looked at closely."""
        near = (other for other in self._typed if len(letters.symmetric_difference(other)) <= 2)
        return {other for other in near if not wanted.isdisjoint(_without_a_letter(other))}

    def _similar_in_folder(self, key: str, wanted: str) -> str:
        beside = self._by_folder.get(posixpath.dirname(wanted), [])
        if not beside or len(beside) > _MOST_COMPARED:
            return ""
        keys = {name.key: name.path for name in reversed(beside)}
        found = self._fuzzy.closest(key, keys, count=1, at_least=_CLOSE)
        return keys[found[0]] if found else ""


def _without_a_letter(key: str) -> set[str]:
    if not _SHORTEST_TYPO <= len(key) <= _LONGEST_TYPO:
        return set()
    return {key[:at] + key[at + 1 :] for at in range(len(key))}


def _parent(path: str) -> str:
    return posixpath.basename(posixpath.dirname(path)).casefold()


def with_fragment(link: Link, anchor: str) -> str:
    """The target of a link with another fragment."""
    syntax, _, fragment = read_link(link)
    if syntax is TargetSyntax.PAGE:  # which goes on behind the fragment
        return link.target.replace(f"#{fragment}", f"#{anchor}", 1)
    return f"{link.target.partition('#')[0]}#{anchor}"


def _path_of(link: Link) -> str:
    syntax, text, _ = read_link(link)
    if syntax is TargetSyntax.PAGE:
        return text
    before = link.target.strip().partition("#")[0]
    return before if link.form in (*_NOTES, LinkForm.FRONTMATTER) else unquote(before.partition("?")[0])


def _spelled(link: Link, origin: Ref, path: str, sites: Sites) -> str:
    """A path as it has to be written in place of the target, its fragment kept."""
    syntax, text, _ = read_link(link)
    rooted = f"/{_inside_site(path, origin, sites)}"
    if syntax is TargetSyntax.PAGE:
        relative = posixpath.relpath(f"/{path}", f"/{posixpath.dirname(origin.path)}")
        return link.target.replace(text, rooted if text.startswith("/") else relative, 1)
    before, hash_sign, fragment = link.target.strip().partition("#")
    if link.form in _NOTES:
        ending = posixpath.splitext(path)[1]
        spelled = path.removesuffix(ending) if ending in MARKDOWN_ENDINGS else path
    else:
        is_rooted = before.startswith("/")
        spelled = address_signs(rooted) if is_rooted else relative_address(path, posixpath.dirname(origin.path))
    return spelled + hash_sign + fragment


def _inside_site(path: str, origin: Ref, sites: Sites) -> str:
    """A path from the top of the site that both documents are pages of, else from the root."""
    site = sites.of(origin.path)
    return path.removeprefix(f"{site.folder}/") if site is not None and site.folder and site.holds(path) else path
