"""The rows of C and of C++, which is nearly all of it and more."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from pinakes.parse.code.definitions import Definition, Import
from pinakes.parse.code.nodes import children, holder, part, stretch, text
from pinakes.records import Symbol, SymbolKind, SymbolParameter

if TYPE_CHECKING:
    from tree_sitter import Node

QUESTION = """
(function_definition) @symbol
(translation_unit (declaration) @symbol)
(declaration_list (declaration) @symbol)
(preproc_ifdef (declaration) @symbol)
(preproc_if (declaration) @symbol)
(preproc_else (declaration) @symbol)
(preproc_elif (declaration) @symbol)
(type_definition) @symbol
(struct_specifier body: (_)) @symbol
(union_specifier body: (_)) @symbol
(enum_specifier body: (_)) @symbol
(field_declaration) @symbol
(enumerator) @symbol
(preproc_def) @symbol
(preproc_function_def) @symbol
(preproc_include) @import
(call_expression function: (identifier) @call)
(type_identifier) @call
(comment) @comment
"""
CPP_QUESTION = """
(class_specifier body: (_)) @symbol
(namespace_definition name: (_)) @symbol
(alias_declaration) @symbol
(concept_definition) @symbol
(field_declaration_list (declaration) @symbol)
(template_declaration (declaration) @symbol)
(call_expression function: (qualified_identifier) @call)
(call_expression function: (field_expression argument: (this)) @call)
(call_expression function: (template_function name: (identifier) @call))
(base_class_clause [(type_identifier) (qualified_identifier)] @base)
(base_class_clause (template_type name: (_) @base))
"""
BUILTINS = frozenset(("std",))
_CLASSES = ("struct_specifier", "union_specifier", "enum_specifier", "class_specifier")
_NAMED = (
    *("identifier", "field_identifier", "type_identifier", "qualified_identifier"),
    *("destructor_name", "operator_name", "operator_cast", "template_function"),
)
_MACROS = re.compile(
    rb"(?m)^[A-Z][A-Z0-9_]{2,}[ \t]*\([^{}\n]*\)[ \t]*;?[ \t]*$(?!\n[ \t]*\{)"
    rb"|(?<!define )(?<!define\t)\b[A-Z][A-Z0-9_]{2,}[ \t]+"
    rb"(?=(?:extern|static|inline|const|void|int|char|bool|float|double|long|short|unsigned|signed"
    rb"|struct|union|enum|size_t|class|virtual|explicit|template)\b)"
    rb"|(?<=\bclass )[A-Z][A-Z0-9_]{2,}[ \t]+(?=\w)|(?<=\bstruct )[A-Z][A-Z0-9_]{2,}[ \t]+(?=\w)"
)
"""What only the preprocessor understands: a macro as a whole statement, or in front of a declaration."""


def without_macros(source: bytes) -> bytes:
    """Blanks for macros that would keep the grammar from seeing the declarations around them."""
    return _MACROS.sub(lambda found: b" " * len(found[0]), source)


class _Declared(NamedTuple):
    """What a declarator declares."""

    name: str
    function: Node | None
    """The part with the parameters, for a function."""
    stars: str
    """What stands between the type and the name."""


def define(node: Node) -> Iterator[Definition]:
    """A function or its announcement, a type, a field, a macro, a namespace, or a variable outside of functions."""
    kind = node.type
    if kind in _CLASSES:
        yield from _class(node)
    elif kind in ("namespace_definition", "concept_definition", "alias_declaration", "enumerator"):
        found = {"namespace_definition": SymbolKind.CLASS, "enumerator": SymbolKind.PROPERTY}
        symbol = Symbol(found.get(kind, SymbolKind.VARIABLE), node.start_point[0])
        yield Definition(_outer(node).start_byte, node.end_byte, part(node, "name").replace("::", "."), symbol)
    elif kind.startswith("preproc"):
        yield from _macro(node)
    elif kind == "declaration" and _is_local(node):
        return
    else:
        yield from _declarations(node)


def _class(node: Node) -> Iterator[Definition]:
    name, outer = part(node, "name"), _outer(node)
    above = node.parent
    if not name and above is not None and above.type == "type_definition":
        declared = _declared(above.child_by_field_name("declarator"))  # typedef struct { … } name;
        name, outer = (declared.name if declared is not None else ""), above
    if name:
        clause = next(children(node, "base_class_clause"), None)
        bases = [one for one in clause.named_children if one.type != "access_specifier"] if clause is not None else []
        symbol = Symbol(SymbolKind.CLASS, node.start_point[0], bases=tuple(map(text, bases)))
        yield Definition(outer.start_byte, max(outer.end_byte, node.end_byte), dotted_title(name), symbol)


def _macro(node: Node) -> Iterator[Definition]:
    name = part(node, "name")
    above = node.parent
    if node.child_by_field_name("value") is None and above is not None and part(above, "name") == name:
        return  # it keeps a header from being read twice
    parameters = node.child_by_field_name("parameters")
    kind, given = SymbolKind.VARIABLE, None
    if parameters is not None:
        inside = text(parameters).strip("()").split(",")
        kind, given = SymbolKind.FUNCTION, tuple(SymbolParameter(one.strip()) for one in inside if one.strip())
    yield Definition(node.start_byte, node.end_byte, name, Symbol(kind, node.start_point[0], given))


def _declarations(node: Node) -> Iterator[Definition]:
    shape = node.child_by_field_name("type")
    has_body = shape is not None and shape.type in _CLASSES and shape.child_by_field_name("body") is not None
    declarators = node.children_by_field_name("declarator")
    storage = {text(one) for one in children(node, "storage_class_specifier")}
    for place, one in enumerate(declarators):
        declared = _declared(one)
        if declared is None or not declared.name:
            continue
        if node.type == "type_definition" and has_body and part(shape, "name") in ("", declared.name):  # type: ignore[arg-type]
            continue  # the type itself has that name
        outer = _outer(node)
        start, end = stretch(outer, declarators, place)
        symbol = Symbol(
            _kind(node, declared),
            one.start_point[0] if has_body else node.start_point[0],
            tuple(_parameters(declared.function)) if declared.function is not None else None,
            f"{'' if has_body else text(shape)}{declared.stars}",
            is_public="static" not in storage or "inline" in storage or node.type == "field_declaration",
        )
        is_announced = declared.function is not None and node.type != "function_definition"
        yield Definition(one.start_byte if has_body else start, end, declared.name, symbol, is_announced=is_announced)


def _kind(node: Node, declared: _Declared) -> SymbolKind:
    in_class = node.parent is not None and node.parent.type == "field_declaration_list"
    if declared.function is None:
        if node.type == "type_definition":
            return SymbolKind.VARIABLE
        return SymbolKind.PROPERTY if node.type == "field_declaration" or in_class else SymbolKind.VARIABLE
    above = _outer(node).parent
    in_class = in_class or (above is not None and above.type == "field_declaration_list")
    return SymbolKind.METHOD if in_class or "." in declared.name else SymbolKind.FUNCTION


def _declared(node: Node | None) -> _Declared | None:
    """Down to the name. What is called through a pointer is a variable."""
    function: Node | None = None
    stars = ""
    while node is not None and node.type not in _NAMED:
        if node.type == "function_declarator":
            function = node
        elif node.type in ("pointer_declarator", "reference_declarator"):
            stars += "*" if node.type == "pointer_declarator" else "&"
        elif node.type == "parenthesized_declarator" and any(children(node, "pointer_declarator")):
            function = None
        node = node.child_by_field_name("declarator") or (node.named_children[-1] if node.named_children else None)
    if node is None:
        return None
    if node.type == "operator_cast":
        return _Declared(f"operator {part(node, 'type')}", node.child_by_field_name("declarator"), "")
    return _Declared(dotted_title(text(node)), function, stars)


def dotted_title(name: str) -> str:
    """``Foo<T>::bar`` as ``Foo.bar``."""
    if "operator" in name or "<" not in name:
        return name.replace("::", ".").lstrip(".")
    kept, depth = "", 0
    for letter in name:
        depth += letter == "<"
        kept += letter if not depth else ""
        depth -= letter == ">"
    return kept.replace("::", ".").lstrip(".")


def _outer(node: Node) -> Node:
    """With the template in front of it."""
    above = node.parent
    return above if above is not None and above.type == "template_declaration" else node


def _is_local(node: Node) -> bool:
    return holder(node, "compound_statement") is not None if _is_conditional(node) else False


def _is_conditional(node: Node) -> bool:
    """Only what stands between conditions of the preprocessor may stand in a function."""
    return node.parent is not None and node.parent.type.startswith("preproc")


def _parameters(node: Node | None) -> Iterator[SymbolParameter]:
    listed = node.child_by_field_name("parameters") if node is not None else None
    for one in listed.named_children if listed is not None else ():
        if one.type == "comment" or text(one) == "void":
            continue
        declared = _declared(one.child_by_field_name("declarator"))
        words = [text(each) for each in one.children if each.type in ("type_qualifier", "struct")]
        shape = " ".join([*words, part(one, "type")]).strip()
        if declared is None or not declared.name:
            yield SymbolParameter(text(one))
        else:
            yield SymbolParameter(declared.name, shape + declared.stars, part(one, "default_value"))


def imports(node: Node, path: str) -> Iterator[Import]:
    """An include is looked for beside the file, and then wherever a path ends so."""
    name = part(node, "path").strip('<>"')
    if not name or "|" in name or "#" in name or not node.child_by_field_name("path"):
        return
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
    anywhere = posixpath.normpath(name).lstrip("./")
    modules = ([] if beside.startswith("..") or part(node, "path").startswith("<") else [f"/{beside}"]) + [anywhere]
    yield Import(node.start_byte, node.end_byte, "|".join(filter(None, modules)), "", "")


def elsewhere(path: str, name: str) -> str:
    """Whatever is not defined here is wherever the only definition of that name is; headers say nothing about that."""
    return f"*#{name}" if "." not in name or name[0].isalpha() else ""
