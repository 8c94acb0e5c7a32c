"""The row of Java."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pinakes.parse.code.definitions import Definition, Import
from pinakes.parse.code.nodes import children, dotted, has_word, part, stretch, text, type_of, words
from pinakes.records import Symbol, SymbolKind, SymbolParameter

if TYPE_CHECKING:
    from tree_sitter import Node

_KINDS = {
    "class_declaration": SymbolKind.CLASS,
    "interface_declaration": SymbolKind.CLASS,
    "enum_declaration": SymbolKind.CLASS,
    "record_declaration": SymbolKind.CLASS,
    "annotation_type_declaration": SymbolKind.CLASS,
    "method_declaration": SymbolKind.METHOD,
    "constructor_declaration": SymbolKind.METHOD,
    "compact_constructor_declaration": SymbolKind.METHOD,
    "annotation_type_element_declaration": SymbolKind.METHOD,
    "field_declaration": SymbolKind.PROPERTY,
    "constant_declaration": SymbolKind.PROPERTY,
    "enum_constant": SymbolKind.PROPERTY,
}
QUESTION = (
    "".join(f"({kind}) @symbol\n" for kind in _KINDS)
    + """
(import_declaration) @import
(method_invocation) @call
(type_identifier) @call
(superclass [(type_identifier) (scoped_type_identifier)] @base)
(superclass (generic_type . (_) @base))
(type_list [(type_identifier) (scoped_type_identifier)] @base)
(type_list (generic_type . (_) @base))
[(line_comment) (block_comment)] @comment
"""
)

BUILTINS = words(
    "String Object Integer Long Double Float Boolean Character Byte Short Number Math System Override Deprecated"
    " FunctionalInterface SuppressWarnings SafeVarargs Exception RuntimeException Throwable Error Iterable Comparable"
    " Runnable Thread Class Void StringBuilder CharSequence Enum Record AutoCloseable IllegalArgumentException"
    " IllegalStateException NullPointerException UnsupportedOperationException InterruptedException"
)


def define(node: Node) -> Iterator[Definition]:
    """A type and what it holds."""
    kind = _KINDS[node.type]
    modifiers = next(children(node, "modifiers"), None)
    parameters = node.child_by_field_name("parameters")
    declarators = node.children_by_field_name("declarator")
    for place, named in enumerate(declarators or [node]):
        symbol = Symbol(
            kind,
            (named.child_by_field_name("name") or named).start_point[0],
            tuple(_parameters(parameters)) if kind is SymbolKind.METHOD else None,
            "" if kind is SymbolKind.CLASS else type_of(node),
            tuple(_bases(node)),
            tuple(text(one).lstrip("@") for one in children(modifiers, "annotation", "marker_annotation")),
            is_public=_is_public(node, modifiers),
        )
        start, end = stretch(node, declarators or [node], place)
        yield Definition(start, end, part(named, "name"), symbol)


def _is_public(node: Node, modifiers: Node | None) -> bool:
    in_interface = node.parent is not None and node.parent.type in ("interface_body", "annotation_type_body")
    return node.type == "enum_constant" or in_interface or (modifiers is not None and has_word(modifiers, "public"))


def _bases(node: Node) -> Iterator[str]:
    for one in children(node, "superclass", "super_interfaces", "extends_interfaces"):
        listed = next(children(one, "type_list"), one)
        yield from (text(base) for base in listed.named_children)


def _parameters(node: Node | None) -> Iterator[SymbolParameter]:
    for one in children(node, "formal_parameter", "spread_parameter"):
        if one.type == "formal_parameter":
            yield SymbolParameter(part(one, "name"), type_of(one))
        else:
            named = next(children(one, "variable_declarator"), one)
            shape = next((each for each in one.named_children if each.type != "modifiers"), None)
            yield SymbolParameter(f"...{text(named)}", text(shape))


def imports(node: Node, path: str) -> Iterator[Import]:
    """A class is a file of its name."""
    written = next((one for one in node.named_children if one.type in ("scoped_identifier", "identifier")), None)
    segments = text(written).replace(" ", "").split(".")
    start, end = node.start_byte, node.end_byte
    if segments[0] in ("java", "javax") or not segments[0]:
        return
    if any(children(node, "asterisk")):
        yield Import(start, end, "/".join(segments), "*", "")
        return
    # The class is the first name that is written with a capital; what follows is inside of it.
    at = next((at for at, one in enumerate(segments) if one[:1].isupper()), len(segments) - 1)
    yield Import(start, end, "/".join(segments[: at + 1]), ".".join(segments[at:]), segments[-1])


def name(node: Node) -> str:
    """A method with what it is called on."""
    if node.type != "method_invocation":
        return dotted(node)
    called, method = node.child_by_field_name("object"), part(node, "name")
    if called is None:
        return method
    before = dotted(called)
    return f"{before}.{method}" if before else ""


def elsewhere(path: str, name: str) -> str:
    """A class of the same package is the file of its name beside this one."""
    first = name.partition(".")[0]
    folder = path.rpartition("/")[0]
    return f"/{folder}/{first}#{name}".replace("//", "/") if first[:1].isupper() else ""
