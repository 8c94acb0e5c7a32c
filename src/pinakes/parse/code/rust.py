"""The row of Rust."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pinakes.parse.code.definitions import Definition, Import
from pinakes.parse.code.nodes import children, dotted, part, plain_parameters, text, type_of, words
from pinakes.records import Symbol, SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Node

_KINDS = {
    "function_item": SymbolKind.FUNCTION,
    "function_signature_item": SymbolKind.FUNCTION,
    "macro_definition": SymbolKind.FUNCTION,
    "struct_item": SymbolKind.CLASS,
    "enum_item": SymbolKind.CLASS,
    "union_item": SymbolKind.CLASS,
    "trait_item": SymbolKind.CLASS,
    "mod_item": SymbolKind.CLASS,
    "const_item": SymbolKind.VARIABLE,
    "static_item": SymbolKind.VARIABLE,
    "type_item": SymbolKind.VARIABLE,
    "associated_type": SymbolKind.VARIABLE,
    "field_declaration": SymbolKind.PROPERTY,
    "enum_variant": SymbolKind.PROPERTY,
}
_OUTSIDE = ("const_item", "static_item", "type_item", "associated_type")
QUESTION = (
    "".join(f"({kind}) @symbol\n" for kind in _KINDS if kind not in (*_OUTSIDE, "mod_item"))
    + "".join(f"(source_file ({kind}) @symbol)\n(declaration_list ({kind}) @symbol)\n" for kind in _OUTSIDE)
    + """
(mod_item body: (_)) @symbol
(mod_item !body) @import
(use_declaration) @import
(call_expression function: [(identifier) (scoped_identifier) (field_expression)] @call)
(call_expression function: (generic_function function: (_) @call))
(struct_expression name: (_) @call)
(macro_invocation macro: (_) @call)
(type_identifier) @call
(scoped_type_identifier) @call
(impl_item trait: [(type_identifier) (scoped_type_identifier)] @base)
(impl_item trait: (generic_type type: (_) @base))
(trait_item bounds: (trait_bounds [(type_identifier) (scoped_type_identifier)] @base))
[(line_comment) (block_comment)] @comment
"""
)
BUILTINS = words(
    "std core alloc Vec Box String Option Some None Result Ok Err Rc Arc Clone Copy Debug Default Drop Eq PartialEq Ord"
    " PartialOrd Hash Send Sync Sized From Into Iterator IntoIterator Fn FnMut FnOnce ToString AsRef AsMut Display"
    " println print format vec panic assert assert_eq assert_ne debug_assert matches write writeln todo unreachable"
    " eprintln eprint dbg"
)


def define(node: Node) -> Iterator[Definition]:
    """A function, type, trait, module, macro, field, variant, or a constant outside of functions."""
    name = part(node, "name")
    if not name:
        return
    home = node.parent.parent if node.parent is not None and node.parent.type == "declaration_list" else None
    owner = _owner(home) if home is not None and home.type == "impl_item" else ""
    kind = _KINDS[node.type]
    if home is not None and home.type in ("impl_item", "trait_item"):
        kind = {SymbolKind.FUNCTION: SymbolKind.METHOD, SymbolKind.VARIABLE: SymbolKind.PROPERTY}.get(kind, kind)
    is_called = kind in (SymbolKind.FUNCTION, SymbolKind.METHOD) and node.type != "macro_definition"
    symbol = Symbol(
        kind,
        node.start_point[0],
        plain_parameters(node.child_by_field_name("parameters"), "pattern") if is_called else None,
        part(node, "return_type") or ("" if kind is SymbolKind.CLASS else type_of(node)),
        tuple(text(one) for one in _bounds(node)),
        attributes := tuple(_attributes(node)),
        is_async="async" in text(next(children(node, "function_modifiers"), None)),
        is_public=_is_public(node, home, attributes),
    )
    start = _first_attribute(node).start_byte
    yield Definition(start, node.end_byte, f"{owner}.{name}" if owner else name, symbol)


def _owner(node: Node) -> str:
    """The type that an implementation is for, by its own name."""
    shape = node.child_by_field_name("type")
    return dotted(shape).rpartition(".")[2] if shape is not None else ""


def _bounds(node: Node) -> Sequence[Node]:
    bounds = node.child_by_field_name("bounds") if node.type == "trait_item" else None
    return bounds.named_children if bounds is not None else ()


def _is_public(node: Node, home: Node | None, attributes: Sequence[str]) -> bool:
    if any(children(node, "visibility_modifier")) or "macro_export" in attributes:
        return True
    implements = home is not None and home.type == "impl_item" and home.child_by_field_name("trait") is not None
    return implements or (home is not None and home.type == "trait_item") or node.type == "enum_variant"


def _attributes(node: Node) -> Iterator[str]:
    above = node.prev_named_sibling
    while above is not None and above.type == "attribute_item":
        yield text(above).removeprefix("#[").removesuffix("]")
        above = above.prev_named_sibling


def _first_attribute(node: Node) -> Node:
    above = node.prev_named_sibling
    while above is not None and above.type == "attribute_item":
        node, above = above, above.prev_named_sibling
    return node


def imports(node: Node, path: str) -> Iterator[Import]:
    """``mod x;`` is the file of that name; ``use`` takes names from modules of this crate or of a neighbour."""
    start, end = node.start_byte, node.end_byte
    if node.type == "mod_item":
        name = part(node, "name")
        yield Import(start, end, f"/{_home(path)}/{name}", "", name)
        return
    for segments, local in _used(node.child_by_field_name("argument"), ()):
        if (found := _place(segments, path)) is not None:
            yield Import(start, end, *found, local)


def _used(node: Node | None, before: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each path of a tree of ``use``, and what its last name is called here."""
    if node is None:
        return
    if node.type in ("use_list", "scoped_use_list"):
        inner = (*before, *_segments(node.child_by_field_name("path")))
        listed = node.child_by_field_name("list") if node.type == "scoped_use_list" else node
        for one in listed.named_children if listed is not None else ():
            yield from _used(one, inner)
    elif node.type == "use_as_clause":
        whole = (*before, *_segments(node.child_by_field_name("path")))
        yield whole, part(node, "alias")
    elif node.type == "use_wildcard":
        yield (*before, *_segments(node.named_children[0] if node.named_children else None), "*"), ""
    else:
        whole = (*before, *_segments(node))
        whole = whole[:-1] if len(whole) > 1 and whole[-1] == "self" else whole
        yield whole, whole[-1] if whole else ""


def _segments(node: Node | None) -> tuple[str, ...]:
    return tuple(one for one in text(node).replace(" ", "").split("::") if one)


def _place(segments: Sequence[str], path: str) -> tuple[str, str] | None:
    """Module and name of a path; None for what comes with Rust. Modules are written small, and what they hold is not,
    unless it comes last."""
    first = segments[0] if segments else ""
    if not first or first in ("std", "core", "alloc"):
        return None
    rest = list(segments[1:])
    base: list[str] = []
    if first == "crate":
        base = _crate(path)
    elif first in ("self", "super"):
        base = _home(path).split("/")
        while first == "super":
            base = base[:-1]
            first = rest.pop(0) if rest and rest[0] == "super" else ""
    end = next((at for at, one in enumerate(rest) if one[:1].isupper() or one == "*"), len(rest) - 1)
    inside, names = rest[: max(end, 0)], rest[max(end, 0) :]
    if segments[0] in ("crate", "self", "super"):
        return "/" + ("/".join([*filter(None, base), *inside]) or "."), ".".join(names)
    tail = "/".join(["src", *inside])
    return "|".join(dict.fromkeys((f"{first}/{tail}", f"{first.replace('_', '-')}/{tail}"))), ".".join(names)


def _crate(path: str) -> list[str]:
    """The folder of a crate: the nearest ``src``, or else that of the file."""
    folders = path.split("/")[:-1]
    at = max((at for at, one in enumerate(folders) if one == "src"), default=len(folders) - 1)
    return folders[: at + 1]


def _home(path: str) -> str:
    """What a file is called as a module."""
    folder, _, file = path.rpartition("/")
    stem = file.removesuffix(".rs")
    return folder if stem in ("mod", "lib", "main") else f"{folder}/{stem}".lstrip("/")


def elsewhere(path: str, name: str) -> str:
    """A path that begins at the crate or beside this module."""
    if not name.startswith(("crate.", "super.")):
        return ""
    found = _place(name.split("."), path)
    return "#".join(found) if found is not None else ""
