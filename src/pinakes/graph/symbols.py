"""Names of source code: what a file is called by imports, and where a name leads.

Documents and links as written enter; `Name`s and places leave. A target is ``MODULE#NAME.NAME``, or several with ``|``
between them. A module with a leading slash is named from the root; any other is the one whose path ends so. All that
decides about a target shares the key of its first name, or else of the module's last segment: what defines that name,
what hands it on, and the module that is called so. A name that several files define stays unresolved. The module ``*``
is any file of C, where headers do not say which file defines what they announce: its key is that of the last name.

Names of languages that call their files in different ways never meet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from pinakes.records import (
    Document,
    Media,
    Name,
    NameForm,
    Outcome,
    Relation,
    Section,
    SymbolKind,
    code_media_of,
    name_key,
)
from pinakes.records.document import LinkForm

_DEEPEST = 8
"""Files that may hand a name on before it is defined."""

_ANYWHERE = "*"
_SOURCE_FOLDERS = ("src", "lib", "python")

ReadAnchors = Callable[[str], Mapping[str, str]]
"""The anchors of a document, by its path."""


class SymbolTarget(NamedTuple):
    """Where a name of code may lead."""

    module: str
    """Without the leading slash; empty for the file itself."""
    is_rooted: bool
    names: tuple[str, ...]
    """What is wanted of the module: a name and the names behind its dots."""


class SymbolPlace(NamedTuple):
    """Where a name leads."""

    path: str
    anchor: str
    outcome: Outcome = Outcome.FOUND


NOWHERE = SymbolPlace("", "", Outcome.NO_FILE)


def symbol_key(target: str) -> str:
    """The key of every name that could change where a target leads; empty for one in its own file."""
    first = read_symbol_target(target.partition("|")[0])
    if not first.module:
        return ""
    if first.module == _ANYWHERE:
        return name_key(first.names[-1])
    return name_key(first.names[0] if first.names else first.module)


def read_symbol_target(text: str) -> SymbolTarget:
    """One target as it is written, ``/src/ac/history#History.load``, in its parts. Any text gives one."""
    module, _, name = text.partition("#")
    return SymbolTarget(module.strip("/"), module.startswith("/"), tuple(filter(None, name.split("."))))


def module_of(path: str, media: Media) -> str:
    """What imports call a file of source code, from the root; ``.`` is the root itself."""
    language = media.code
    assert language is not None
    folder, _, file = path.rpartition("/")
    if language.keeps_ending:
        return path
    stem = file.rpartition(".")[0].removesuffix(".d")  # index.d.ts declares what index.js holds
    if stem in language.folder_stems or "*" in language.folder_stems:
        return folder or "."
    return f"{folder}/{stem}" if folder else stem


def code_names(document: Document) -> Iterator[Name]:
    """What a file of source code answers to besides its path: its module, its symbols, what it hands on."""
    path, module = document.ref.path, module_of(document.ref.path, document.stamp.media)
    language = document.stamp.media.code
    assert language is not None
    yield Name(name_key(module), NameForm.MODULE, module, path)
    for section in document.sections[1:]:
        if language.keeps_ending:
            if _is_seen_elsewhere(section):
                form = NameForm.EXPORT if _is_announced(document, section) else NameForm.SYMBOL
                last = section.anchor.rpartition(".")[2]
                yield Name(name_key(last), form, f"{module}#{section.anchor}", path)
        elif section.parent == 0 and "." not in section.title:
            for called in (section.title, *section.aliases):
                yield Name(name_key(called), NameForm.SYMBOL, f"{module}#{called}", path)
    if (
        path.rpartition("/")[2].rpartition(".")[0] in language.folder_stems
    ):  # others are seldom asked for what they took
        for link in document.links:
            if link.relation is Relation.IMPORTS and link.form is LinkForm.SYMBOL and "#" in link.target:
                yield Name(name_key(link.text), NameForm.EXPORT, f"{module}#{link.text}\t{link.target}", path)


def _is_seen_elsewhere(section: Section) -> bool:
    """Whether other files of C can mean it by its name alone."""
    symbol = section.symbol
    return symbol is not None and symbol.is_public and symbol.kind is not SymbolKind.PROPERTY


def _is_announced(document: Document, section: Section) -> bool:
    """Whether only the signature of a function stands there; where it is defined, its body is the end."""
    symbol = section.symbol
    is_function = symbol is not None and symbol.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD)
    return is_function and document.source.endswith(b";", 0, section.span.end)


class CodeNames:
    """The names of source code that share a key, by the way in which their languages call files."""

    def __init__(self, names: Iterable[Name]) -> None:
        grouped: dict[object, list[Name]] = {}
        for name in names:
            if name.form in _FORMS:
                grouped.setdefault(_convention(name.path), []).append(name)
        self._families = {convention: _Family(members) for convention, members in grouped.items()}

    def find(self, text: str, origin: str, anchors: ReadAnchors) -> SymbolPlace:
        """Where a target leads, seen from the file at `origin`: the first of its alternatives that leads anywhere."""
        family = self._families.get(_convention(origin))
        return family.find(text, origin, anchors) if family is not None else NOWHERE


_FORMS = (NameForm.MODULE, NameForm.SYMBOL, NameForm.EXPORT)


def _convention(path: str) -> object:
    """How the language of a file calls files: TypeScript as JavaScript, C++ as C."""
    language = code_media_of(path.rpartition("/")[2]).code
    return (language.folder_stems, language.keeps_ending) if language is not None else None


class _Family:
    """The names of languages that call files alike."""

    def __init__(self, names: Iterable[Name]) -> None:
        self._modules: dict[str, list[str]] = {}
        """Paths by module."""
        self._symbols: dict[str, dict[str, list[str]]] = {}
        """Paths by symbol and module."""
        self._exports: dict[str, dict[str, str]] = {}
        """Targets by symbol and module; empty for what is announced there."""
        for name in names:
            if name.form is NameForm.MODULE:
                self._modules.setdefault(name.text, []).append(name.path)
            elif name.form is NameForm.SYMBOL:
                module, _, symbol = name.text.rpartition("#")
                self._symbols.setdefault(symbol, {}).setdefault(module, []).append(name.path)
            else:
                named, _, target = name.text.partition("\t")
                module, _, symbol = named.rpartition("#")
                self._exports.setdefault(symbol, {})[module] = target

    def find(self, text: str, origin: str, anchors: ReadAnchors) -> SymbolPlace:
        """Where a target leads, seen from the file at `origin`: the first of its alternatives that leads anywhere."""
        places = (self._find(read_symbol_target(one), origin, anchors, _DEEPEST) for one in text.split("|"))
        return next((place for place in places if place is not NOWHERE), NOWHERE)

    def _find(self, target: SymbolTarget, origin: str, anchors: ReadAnchors, depth: int) -> SymbolPlace:
        if target.module == _ANYWHERE:
            return self._anywhere(target.names, anchors)
        if not target.names:
            return self._module(target, origin)
        symbol = target.names[0]
        defined = self._symbols.get(symbol, {})
        if module := _chosen(target, defined, origin):
            paths = defined[module]
            # A module of several files may define a name in each of them, for other systems.
            return _inside(paths[0], target.names, anchors) if len(paths) == 1 else NOWHERE
        handed = self._exports.get(symbol, {})
        if depth and (module := _chosen(target, handed, origin)):
            further = read_symbol_target(handed[module].partition("|")[0])
            if further.names and name_key(further.names[0]) == name_key(symbol):
                names = (*further.names, *target.names[1:])
                return self._find(further._replace(names=names), module, anchors, depth - 1)
        below = target._replace(module=f"{target.module}/{symbol}", names=())
        place = self._module(below, origin)
        if place is not NOWHERE:  # in Java a class is in the file of its name
            inside = _inside(place.path, target.names, anchors)
            return inside if inside.anchor else _inside(place.path, target.names[1:], anchors)
        return self._below_package(target, defined, anchors)

    def _module(self, target: SymbolTarget, origin: str) -> SymbolPlace:
        known = self._modules
        is_single = not target.is_rooted and "/" not in target.module
        if is_single:
            known = {one: paths for one, paths in known.items() if _is_in_reach(one, target.module, origin)}
        module = _chosen(target, known, origin)
        paths = [path for path in known.get(module, ()) if not (is_single and path == origin)]
        return SymbolPlace(min(paths), "") if paths else NOWHERE

    def _anywhere(self, names: tuple[str, ...], anchors: ReadAnchors) -> SymbolPlace:
        """The only file that defines a name, or else the only one that announces it."""
        wanted = ".".join(names)
        for known in (self._symbols, self._exports):
            found = {
                (module, symbol)
                for symbol, modules in known.items()
                if symbol == wanted or symbol.endswith(f".{wanted}")
                for module in modules
            }
            if len({module for module, _ in found}) == 1:
                path, symbol = min(found)
                return _inside(path, tuple(symbol.split(".")), anchors)
            if found:
                return NOWHERE
        return NOWHERE

    def _below_package(
        self, target: SymbolTarget, defined: Mapping[str, list[str]], anchors: ReadAnchors
    ) -> SymbolPlace:
        """The only definition in a package's own files: packages hand on in more ways than are read here."""
        wanted = f"{target.module}/" if target.is_rooted else f"/{target.module}/"
        inside = [
            path
            for module, paths in defined.items()
            for path in paths
            if (f"{module}/" if target.is_rooted else f"/{module}/").startswith(wanted)
        ]
        return _inside(inside[0], target.names, anchors) if len(inside) == 1 else NOWHERE


def _chosen(target: SymbolTarget, modules: Iterable[str], origin: str) -> str:
    """The module that is meant among some; of several the one whose root is nearest above the file; else none."""
    if target.is_rooted:
        return target.module if target.module in modules else ""
    ending = f"/{target.module}"
    found = [module for module in modules if module == target.module or module.endswith(ending)]
    if len(found) <= 1:
        return found[0] if found else ""
    roots = {module: module[: len(module) - len(target.module)] for module in found}
    near = [module for module in found if origin.startswith(roots[module])]
    return max(near, key=lambda module: len(roots[module])) if near else ""


def _is_in_reach(module: str, name: str, origin: str) -> bool:
    """Whether a file can mean a module by a single name. Most such names are packages of others, so the module must lie
    in a folder around the file, in the folder of sources of one, or in a project that is called so, too."""
    if "." in name:
        return True  # a header, which is looked for everywhere
    root = module[: len(module) - len(name)].rstrip("/")
    folder, _, last = root.rpartition("/")
    if last in _SOURCE_FOLDERS:
        root, (folder, _, last) = folder, folder.rpartition("/")
    return f"{origin}/".startswith(f"{root}/" if root else "") or last.replace("-", "_") == name


def _inside(path: str, names: tuple[str, ...], anchors: ReadAnchors) -> SymbolPlace:
    """The symbol behind as many of these names as the file defines."""
    known = anchors(path)
    for end in range(len(names), 0, -1):
        if anchor := known.get(".".join(names[:end])):
            return SymbolPlace(path, anchor)
    return SymbolPlace(path, "")
