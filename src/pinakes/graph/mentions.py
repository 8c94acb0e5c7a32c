"""Names of source code that documents mention in code type, and the symbols they mean.

Documents and outlines of code enter, mentions and addresses leave. A name counts only where it can mean one thing: it
is qualified, or it is defined once and no everyday word. Whatever is doubtful means nothing here.
"""

from __future__ import annotations

import builtins
import posixpath
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pinakes.graph.symbols import module_of
from pinakes.prose import code_spans
from pinakes.records import Document, Outline, Ref, Span, Symbol, SymbolKind, is_test_file

_NAME = re.compile(
    r"(?:(?:await|async|def|class|function|fn|func|new|@)\s*)?"
    r"(?:(?P<path>[\w./-]*[\w-]\.[A-Za-z]\w{0,4})(?:\#|::))?"
    r"(?P<name>[^\W\d][\w$]*(?:(?:\.|::|\#)[^\W\d][\w$]*)*)"
    r"(?P<call>\(.*\))?;?\Z"
)
_BETWEEN = re.compile(r"::|#|\.")
_EVERYDAY = re.compile(r"[a-z0-9]+\Z")
_BUILT_IN = frozenset(dir(builtins))
_MOST_PARTS = 12
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++")
_C_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".c++")


class NamedSymbol(NamedTuple):
    """A name in code type that may be one of a symbol."""

    section: int
    """Position of the section it stands in."""
    line: int
    """From 0."""
    start: int
    """Byte of the document's source, behind the opening mark."""
    end: int
    name: str
    """With dots: ``ContextManager.compact``."""
    is_called: bool = False
    path: str = ""
    """The file it is said to be in, as written."""

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


def mentions_of(document: Document) -> Iterator[NamedSymbol]:
    """The names in code type, in reading order."""
    starts = [section.span.start for section in document.sections]
    line_ends = [found.start() for found in re.finditer(b"\n", document.source)]
    for span in code_spans(document):
        named = _NAME.match(document.text(span).strip())
        if named is None or span.length == 1:  # a letter may be anything
            continue
        parts = _BETWEEN.split(named["name"])
        mention = NamedSymbol(
            max(bisect_right(starts, span.start) - 1, 0),
            bisect_left(line_ends, span.start),
            span.start,
            span.end,
            ".".join(parts),
            bool(named["call"]),
            named["path"] or "",
        )
        if len(parts) <= _MOST_PARTS and _may_be_a_symbol(mention):
            yield mention


def _may_be_a_symbol(mention: NamedSymbol) -> bool:
    """Whether a name is written like one of code: a plain word in code type may be anything."""
    if mention.path or "." in mention.name:
        return True
    if mention.is_called:
        return mention.name not in _BUILT_IN
    return not _EVERYDAY.match(mention.name)


class _Definition(NamedTuple):
    module: tuple[str, ...]
    names: tuple[str, ...]
    """From the top of the file."""
    ref: Ref
    is_test: bool
    symbol: Symbol | None = None
    """None for a file."""

    def ends_with(self, parts: tuple[str, ...]) -> bool:
        return (*self.module, *self.names)[-len(parts) :] == parts

    @property
    def call(self) -> tuple[tuple[str, ...], int] | None:
        """The name and the number of parameters, which C's declaration of a function has in common with its
        definition; None for what is not called."""
        if self.symbol is None or self.symbol.parameters is None:
            return None
        return self.names, len(self.symbol.parameters)

    def is_handed_on_as(self, parts: tuple[str, ...]) -> bool:
        """Whether a package around the module could offer it by this name: ``ac.History`` of ``ac/history.py``."""
        package = parts[: -len(self.names)]
        if not package or parts[-len(self.names) :] != self.names:
            return False
        size = len(package)
        return any(self.module[at : at + size] == package for at in range(len(self.module) - size + 1))

    def is_of_an_object(self, parts: tuple[str, ...]) -> bool:
        """Whether the name is that of an object called like the class: ``library.search`` of ``Library``."""
        if len(parts) != 2 or len(self.names) != 2 or self.symbol is None:
            return False
        if self.symbol.kind is not SymbolKind.METHOD:
            return False  # `server.port` is as often a setting as a property
        return parts[1] == self.names[1] and parts[0].replace("_", "") == self.names[0].lower()


class SymbolIndex:
    """Every symbol that a document could mention, by its name."""

    def __init__(self, outlines: Iterable[Outline]) -> None:
        self._defined: dict[str, list[_Definition]] = {}
        self._modules: dict[str, list[_Definition]] = {}
        self._by_path: dict[str, dict[str, _Definition]] = {}
        """By path and dotted name."""
        self._by_ref: dict[Ref, _Definition] = {}
        """An address differs from the name where a class is defined twice: ``A.m`` may be at ``A-1.m``."""
        for outline in outlines:
            self._add(outline)

    def _add(self, outline: Outline) -> None:
        path = outline.ref.path
        module = tuple(part for part in module_of(path, outline.media).split("/") if part not in ("", "."))
        is_test = is_test_file(path)
        file = _Definition(module, (), outline.ref, is_test)
        self._modules.setdefault(module[-1] if module else "", []).append(file)
        here = self._by_path.setdefault(path, {"": file})
        names: list[tuple[str, ...] | None] = [()]
        for section in outline.sections[1:]:
            above = names[section.parent]
            holder = outline.sections[section.parent].symbol
            # What a function defines inside itself nobody outside can name.
            is_local = holder is not None and holder.kind is not SymbolKind.CLASS
            own = None if above is None or is_local else (*above, *section.title.split("."))
            names.append(own)
            # Of several definitions of one name, the first.
            if own is None or section.symbol is None or ".".join(own) in here:
                continue
            ref = Ref(outline.ref.corpus, path, section.anchor)
            made = here[".".join(own)] = self._by_ref[ref] = _Definition(module, own, ref, is_test, section.symbol)
            self._defined.setdefault(own[-1], []).append(made)

    def find(self, mention: NamedSymbol, folder: str = "") -> Ref | None:
        """The one symbol or file that a mention in a document of `folder` means; None where that is not certain."""
        if mention.path:
            return self._in_file(mention, folder)
        parts = tuple(mention.name.split("."))
        found = _without_declarations(self._defined.get(parts[-1], ()))
        if len(parts) == 1:
            return _only(found)
        modules = self._modules.get(parts[-1], ())
        return (
            _only([one for one in found if one.ends_with(parts)])
            or _only([one for one in found if one.is_handed_on_as(parts)])
            or _only([one for one in modules if one.ends_with(parts)])
            or _only([one for one in found if one.is_of_an_object(parts)])
        )

    def holder(self, mention: NamedSymbol, folder: str = "") -> tuple[Ref, str] | None:
        """For a name that means nothing, the class or file that its beginning means, and the rest of it."""
        names = mention.name.split(".")
        for end in range(len(names) - 1, -1 if mention.path else 0, -1):
            found = self.find(mention._replace(name=".".join(names[:end])), folder)
            if found is not None and self._holds_others(found):
                return found, ".".join(names[end:])
        return None

    def symbol(self, ref: Ref) -> Symbol | None:
        """The definition at an address; None for a file, and for what is not defined."""
        found = self._by_ref.get(ref)
        return found.symbol if found is not None else None

    def name(self, ref: Ref) -> str:
        """What the symbol at an address is called, with dots."""
        return ".".join(self._by_ref[ref].names)

    def named(self, name: str) -> tuple[Ref, ...]:
        """Every symbol whose own name this is."""
        return tuple(one.ref for one in _without_declarations(self._defined.get(name, ())))

    def spelled(self, ref: Ref, like: str) -> str:
        """A symbol's name with as many names in front of it as another one has."""
        found = self._by_ref[ref]
        return ".".join((*found.module, *found.names)[-len(like.split(".")) :])

    def _holds_others(self, ref: Ref) -> bool:
        symbol = self.symbol(ref)
        return symbol is None or symbol.kind is SymbolKind.CLASS

    def _in_file(self, mention: NamedSymbol, folder: str) -> Ref | None:
        for base in (folder, ""):
            path = posixpath.normpath(posixpath.join(base, mention.path.lstrip("/")))
            if path in self._by_path:
                found = self._by_path[path].get(mention.name)
                return found.ref if found is not None else None
        return None


def _without_declarations(found: Sequence[_Definition]) -> Sequence[_Definition]:
    """Symbols without the functions that a header of C only declares: they are the ones that a source defines."""
    if len(found) < 2:
        return found
    defined = {one.call for one in found if not one.is_test and one.ref.path.casefold().endswith(_C_SOURCES)} - {None}
    return [one for one in found if one.call not in defined or not one.ref.path.casefold().endswith(_HEADERS)]


def _only(found: Sequence[_Definition]) -> Ref | None:
    """The one that is left when there is but one; of one in the code and others in its tests, that of the code."""
    if len(found) > 1:
        found = [one for one in found if not one.is_test]
    return found[0].ref if len(found) == 1 else None
