"""What was probably meant: the nearest existing path or anchor.

Links that lead nowhere enter, something to paste in their place leaves, or nothing when nothing comes close. A corpus
may hold tens of thousands of files and as many broken links, so a target is only compared with names that share its
key, differ from it in a letter or two, or stand in the folder it points to, and every answer is kept. Names can be as
long and as many as a stranger likes; what is spent on them together is bounded, and who comes later gets no offer.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from urllib.parse import unquote

from pinakes.fuzzy import FuzzyMatcher
from pinakes.graph.names import key_of
from pinakes.ports import Reader
from pinakes.records import CorpusName, Link, LinkForm, Name, NameForm, Ref
from pinakes.records.graph import MARKDOWN_ENDINGS
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
_CLOSE = 0.8
"""How alike two names must be, from 0 to 1."""
_MOST_NAMESAKES = 3
"""Files that share nothing but the name; with more of them (``data.md``) the name alone says nothing."""
_NOT_IN_AN_ADDRESS = re.compile("[%#?()<> ]")
_FORMS = (NameForm.INDEX, NameForm.PATH, NameForm.FOLDER, NameForm.ALIAS, NameForm.TITLE)
"""What to offer first among equals."""


class Nearest:
    """Answers for one corpus as it is now."""

    def __init__(self, reader: Reader, corpus: CorpusName) -> None:
        fuzzy = FuzzyMatcher()
        names = cache(lambda: _Names(reader.names(corpus), fuzzy))
        anchors = cache(lambda to: sorted(reader.anchors(to))[:_MOST_ANCHORS])

        @cache
        def path(key: str, wanted: str) -> str:
            return names().nearest(key, wanted)

        @cache
        def anchor(to: Ref, wanted: str) -> str:
            return next(iter(fuzzy.closest(wanted, anchors(to), count=1, at_least=_CLOSE)), "")

        self._path, self._anchor = path, anchor

    def path(self, link: Link, origin: Ref) -> str:
        """A target that exists and is most like the one written."""
        key = key_of(link, origin)
        if not key:
            return ""
        written = posixpath.join("/", posixpath.dirname(origin.path), _path_of(link))
        known = self._path(key, posixpath.normpath(written).strip("/"))
        return _spelled(link, origin, known) if known and known != origin.path else ""

    def candidate(self, link: Link, origin: Ref, candidates: Sequence[str]) -> str:
        """The candidate that stands closest to the document the link is in."""
        here = origin.path.split("/")
        best = min(candidates, key=lambda path: (-_shared(here, path.split("/")), path.count("/"), path), default="")
        return _spelled(link, origin, best) if best else ""

    def anchor(self, link: Link, to: Ref) -> str:
        """The target with the anchor of `to` that is most like the one written."""
        before, _, fragment = link.target.partition("#")
        known = self._anchor(to.document, slug(unquote(fragment.rpartition("#")[2])))
        return f"{before}#{known}" if known else ""


class _Names:
    """All names of a corpus, by key, by folder, and by what is left of a key without one of its letters."""

    def __init__(self, names: Iterable[Name], fuzzy: FuzzyMatcher) -> None:
        self._fuzzy = fuzzy
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
    def _shortened(self) -> dict[str, list[str]]:
        """The keys that are left when one letter is taken away, and what they were; none where there are too many."""
        typed = [key for key in self._by_key if len(key) <= _LONGEST_TYPO]
        found: dict[str, list[str]] = {}
        for known in typed if sum(map(len, typed)) <= _MOST_SHORTENED else ():
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
            return -_shared(up, there[::-1]), -_shared(down, there), _FORMS.index(name.form), name.path

        best = min(names, key=distance)
        is_only_a_name = distance(best)[0] >= -1 and len({name.path for name in names}) > _MOST_NAMESAKES
        return "" if is_only_a_name else best.path

    def _a_typo_away(self, key: str) -> list[Name]:
        shorter = _without_a_letter(key)
        keys = {other for short in (key, *shorter) for other in self._shortened.get(short, ())}
        keys.update(short for short in shorter if short in self._by_key)
        return [name for other in sorted(keys) for name in self._by_key[other]]

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


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many leading names two paths share."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _path_of(link: Link) -> str:
    before = link.target.strip().partition("#")[0]
    return before if link.form in (*_NOTES, LinkForm.FRONTMATTER) else unquote(before.partition("?")[0])


def _spelled(link: Link, origin: Ref, path: str) -> str:
    """A path as it has to be written in place of the target, its fragment kept."""
    before, hash_sign, fragment = link.target.strip().partition("#")
    if link.form in _NOTES:
        ending = posixpath.splitext(path)[1]
        spelled = path.removesuffix(ending) if ending in MARKDOWN_ENDINGS else path
    else:
        if before.startswith("/"):
            spelled = "/" + path
        else:
            spelled = posixpath.relpath("/" + path, "/" + posixpath.dirname(origin.path))
        spelled = _NOT_IN_AN_ADDRESS.sub(lambda found: f"%{ord(found[0]):02X}", spelled)
    return spelled + hash_sign + fragment
