"""Imports, uses of names and mentions of documents become links.

A name is followed only as far as this file shows where it comes from: it is defined here, or an import lends it. Names
of the language, parameters and anything that came out of a call stay out. Whether a module exists is settled by
`pinakes.graph`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence

from pinakes.parse.code.definitions import Found, Import, LineNumbers, section_at
from pinakes.parse.code.languages import LanguageRules
from pinakes.records import Link, LinkForm, Relation, Section, Span, SymbolKind

_DOCUMENT = re.compile(
    rb"(?<![\w./-])(?:\.{0,2}/)?(?:[\w.-]+/)*[\w.-]+\.(?:md|mdx|rst|adoc|org|txt|svg)\b(?:#[\w.-]*\w)?"
)
"""A document, as comments name it."""
_OURSELVES = frozenset(("self", "this", "cls", "Self"))
_MOST_ALTERNATIVES = 8


def links_of(
    found: Found, sections: Sequence[Section], text: bytes, lines: LineNumbers, *, rules: LanguageRules, path: str
) -> tuple[Link, ...]:
    """The links of a file in reading order, each target once for a section and relation."""
    noted = [*_imported(found.imports), *_used(found, sections, rules, path), *_mentioned(found, text)]
    made: list[Link] = []
    seen: set[tuple[int, str, Relation]] = set()
    for start, end, form, target, shown, relation in sorted(noted):
        section = section_at(sections, start)
        if (section, target, relation) not in seen:
            seen.add((section, target, relation))
            place = Span(start, end)
            made.append(Link(len(made), section, place, lines.of(start), form, target, shown, relation))
    return tuple(made)


_Noted = tuple[int, int, LinkForm, str, str, Relation]
"""Start, end, form, target, text and relation of a link."""


def _imported(imports: Sequence[Import]) -> Iterator[_Noted]:
    """An import leads to the module, and to the name that is taken from it."""
    for start, end, module, name, local in imports:
        yield start, end, LinkForm.SYMBOL, module, _file_of(module), Relation.IMPORTS
        if name not in ("", "*"):
            yield start, end, LinkForm.SYMBOL, _of(module, name), local, Relation.IMPORTS


def _used(found: Found, sections: Sequence[Section], rules: LanguageRules, path: str) -> Iterator[_Noted]:
    lent = {one.local: _of(one.module, one.name) for one in found.imports if one.local}
    everything = [one.module for one in found.imports if one.name == "*"][:_MOST_ALTERNATIVES]
    own = {section.anchor for section in sections[1:]}
    receivers = {one.start: one.itself for one in found.definitions if one.itself}
    for start, end, name, relation in found.uses:
        first, _, rest = name.partition(".")
        place = section_at(sections, start)
        if first in _OURSELVES or (receivers and first == receivers.get(sections[place].span.start)):
            target = _in_class(sections, place, rest, own)
        elif _is_parameter(sections, place, first):
            continue
        elif lender := _longest(name, lent):
            target = _behind(lent[lender], name[len(lender) + 1 :])
        elif defined := _in_scope(sections, place, name, own, rules):
            target = f"#{defined}"
        elif len(name) == 1:
            continue  # a parameter of a type
        else:
            possible = [_of(module, name) for module in everything]
            target = "|".join(filter(None, [*possible, rules.elsewhere(path, name)]))
        if target and target != f"#{sections[place].anchor}":
            yield start, end, LinkForm.SYMBOL, target, name, relation


def _file_of(module: str) -> str:
    """What an import calls its file: the last name of the first place to look for it."""
    return module.partition("|")[0].rpartition("/")[2]


def _of(module: str, name: str) -> str:
    """The address of a name in a module, or in each of several."""
    return "|".join(f"{one}#{name}" for one in module.split("|")) if name else module


def _behind(lent: str, rest: str) -> str:
    """The address of what is written behind a name that was imported."""
    if not rest:
        return lent if "#" in lent else ""  # a module that is only named says nothing more than its import
    return "|".join(f"{one}.{rest}" if "#" in one else f"{one}#{rest}" for one in lent.split("|"))


def _in_class(sections: Sequence[Section], place: int, name: str, own: set[str]) -> str:
    """What a class calls on itself, if it defines it."""
    while place > 0 and not _is_class(sections[place]) and "." not in sections[place].title:
        place = sections[place].parent
    owner = sections[place].anchor
    owner = owner if _is_class(sections[place]) else owner.rpartition(".")[0]
    anchor = f"{owner}.{name.partition('.')[0]}"
    return f"#{anchor}" if place > 0 and anchor in own else ""


def _in_scope(sections: Sequence[Section], place: int, name: str, own: Container[str], rules: LanguageRules) -> str:
    """The definition in this file that a name means where it is written, from the inside to the outside."""
    while place > 0:
        section = sections[place]
        scope = section.anchor
        if not rules.knows_itself:
            found = "" if _is_class(section) else f"{scope}.{name}"
            if found in own:
                return found
        while rules.knows_itself and scope:
            if (found := f"{scope}.{name}") in own:
                return found
            scope = scope.rpartition(".")[0]
        place = 0 if rules.knows_itself else section.parent
    return _longest(name, own)


def _is_class(section: Section) -> bool:
    return section.symbol is not None and section.symbol.kind is SymbolKind.CLASS


def _is_parameter(sections: Sequence[Section], place: int, name: str) -> bool:
    while place > 0:
        symbol = sections[place].symbol
        if symbol is not None and any(one.name.lstrip("*.&") == name for one in symbol.parameters or ()):
            return True
        place = sections[place].parent
    return False


def _longest(name: str, known: Container[str]) -> str:
    """As much of a name as is known; empty for none of it."""
    while name and name not in known:
        name = name.rpartition(".")[0]
    return name


def _mentioned(found: Found, text: bytes) -> Iterator[_Noted]:
    """Documents that comments and documentation name."""
    for start, end in found.prose:
        for mention in _DOCUMENT.finditer(text, start, end):
            shown = mention[0].decode("utf-8", "replace")
            yield *mention.span(), LinkForm.PATH, shown, shown, Relation.LINKS_TO
