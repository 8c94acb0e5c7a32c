"""The row of Go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pinakes.parse.code.definitions import Definition, Import
from pinakes.parse.code.nodes import children, part, plain_parameters, stretch, text, type_of, words
from pinakes.records import Symbol, SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Node

QUESTION = """
(function_declaration) @symbol
(method_declaration) @symbol
(source_file (type_declaration [(type_spec) (type_alias)] @symbol))
(source_file (const_declaration (const_spec) @symbol))
(source_file (var_declaration (var_spec) @symbol))
(source_file (var_declaration (var_spec_list (var_spec) @symbol)))
(source_file (type_declaration (type_spec
  type: (struct_type (field_declaration_list (field_declaration name: (_)) @symbol)))))
(source_file (type_declaration (type_spec type: (interface_type (method_elem) @symbol))))
(import_spec) @import
(call_expression function: [(identifier) (selector_expression)] @call)
(call_expression function: (index_expression operand: [(identifier) (selector_expression)] @call))
(type_identifier) @call
(qualified_type) @call
(field_declaration !name type: [(type_identifier) (qualified_type)] @base)
(interface_type (type_elem [(type_identifier) (qualified_type)] @base))
(comment) @comment
"""
BUILTINS = words(
    "any append bool byte cap clear close comparable complex complex128 complex64 copy delete error float32 float64"
    " imag int int16 int32 int64 int8 len make max min new panic print println real recover rune string uint uint16"
    " uint32 uint64 uint8 uintptr"
)


def define(node: Node) -> Iterator[Definition]:
    """A function, a method of a type, a type, its fields and methods, and variables outside of functions."""
    named = node.children_by_field_name("name")
    outer = node.parent if node.parent is not None and _is_alone(node) else node
    kind = _kind(node)
    is_called = kind in (SymbolKind.FUNCTION, SymbolKind.METHOD)
    owner = _owner(node)
    for place, name in enumerate(map(text, named)):
        symbol = Symbol(
            kind,
            node.start_point[0],
            plain_parameters(node.child_by_field_name("parameters")) if is_called else None,
            part(node, "result") if is_called else "" if kind is SymbolKind.CLASS else type_of(node),
            tuple(_embedded(node)) if kind is SymbolKind.CLASS else (),
            is_public=name[:1].isupper(),
        )
        itself = _receiver(node)
        start, end = stretch(outer, named, place)
        yield Definition(start, end, f"{owner}.{name}" if owner else name, symbol, itself)


def _is_alone(node: Node) -> bool:
    """Whether a definition is all that its statement says."""
    above = node.parent
    return above is not None and above.type.endswith("_declaration") and above.named_child_count == 1


def _kind(node: Node) -> SymbolKind:
    kinds = {
        "function_declaration": SymbolKind.FUNCTION,
        "method_declaration": SymbolKind.METHOD,
        "method_elem": SymbolKind.METHOD,
        "type_spec": SymbolKind.CLASS,
        "field_declaration": SymbolKind.PROPERTY,
    }
    return kinds.get(node.type, SymbolKind.VARIABLE)


def _owner(node: Node) -> str:
    """The type that a method belongs to."""
    given = next(children(node.child_by_field_name("receiver"), "parameter_declaration"), None)
    return part(given, "type").lstrip("*").partition("[")[0].strip() if given is not None else ""


def _receiver(node: Node) -> str:
    """What a method calls the value it is called on."""
    given = next(children(node.child_by_field_name("receiver"), "parameter_declaration"), None)
    return part(given, "name") if given is not None else ""


def _embedded(node: Node) -> Iterator[str]:
    """What a struct or an interface takes over from others."""
    shape = node.child_by_field_name("type")
    fields = next(children(shape, "field_declaration_list"), None)
    yield from (text(one) for one in children(fields, "field_declaration") if one.child_by_field_name("name") is None)
    if shape is not None and shape.type == "interface_type":
        yield from (text(one) for one in children(shape, "type_elem"))


def imports(node: Node, path: str) -> Iterator[Import]:
    """A package, by its folder. Of one with a version behind it, the folder may be called so or without the version."""
    name = part(node, "path").strip('"`')
    segments = [one for one in name.split("/") if one]
    if (len(segments) < 2 and "." not in name) or "|" in name or "#" in name:
        return  # a single word comes with Go
    is_versioned = len(segments) > 1 and _is_version(segments[-1])
    plain = segments[:-1] if is_versioned else segments
    local = part(node, "name") or plain[-1]
    everything = "*" if local == "." else ""
    places = list(dict.fromkeys((*_places(segments), *_places(plain))))
    yield Import(node.start_byte, node.end_byte, "|".join(places), everything, "" if everything else local)
    if is_versioned:  # names in a package are found by their own key, the package itself by that of its folder
        yield Import(node.start_byte, node.end_byte, "|".join(_places(plain)), "", "")


def _places(segments: list[str]) -> list[str]:
    """Where a package may be. A path that begins with a host is also looked for without it, and below the root."""
    places = ["/".join(segments)]
    if "." in segments[0]:
        places += ["/".join(segments[start:]) for start in range(1, len(segments) - 1)]
        own = [one for one in segments[3:-1] if not _is_version(one)] + segments[3:][-1:]
        places += ["/" + "/".join(own)] if own else []
    return places


def _is_version(segment: str) -> bool:
    return segment[0] == "v" and segment[1:].isdigit()


def elsewhere(path: str, name: str) -> str:
    """The files of a folder share their names."""
    return f"/{path.rpartition('/')[0] or '.'}#{name}" if "." not in name else ""
