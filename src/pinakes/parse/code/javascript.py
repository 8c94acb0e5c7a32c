"""The rows of JavaScript and TypeScript, which adds types to it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pinakes.parse.code.definitions import Definition, Import
from pinakes.parse.code.nodes import children, dotted, has_word, part, text, type_of, words
from pinakes.records import Symbol, SymbolKind, SymbolParameter
from pinakes.records.module_paths import ANY_NAME, PathTable, mapped

if TYPE_CHECKING:
    from tree_sitter import Node

JSX = """
(jsx_opening_element name: [(identifier) (member_expression)] @call)
(jsx_self_closing_element name: [(identifier) (member_expression)] @call)
"""
_SHARED = """
(class_declaration) @symbol
(function_declaration) @symbol
(generator_function_declaration) @symbol
(class_body (method_definition) @symbol)
(program [(lexical_declaration (variable_declarator) @symbol) (variable_declaration (variable_declarator) @symbol)])
(export_statement
  [(lexical_declaration (variable_declarator) @symbol) (variable_declaration (variable_declarator) @symbol)])
(program (expression_statement (assignment_expression left: (member_expression)) @symbol))
(export_statement "default" value: [(object) (array) (call_expression) (arrow_function) (function_expression) (class)]
  @symbol)
(import_statement) @import
(export_statement source: (string)) @import
(call_expression function: [(identifier) (import)] arguments: (arguments . (string))) @import
(export_statement !source (export_clause (export_specifier) @export))
(export_statement value: (identifier) @export)
(export_statement "default" declaration: (_ name: (_) @export))
(assignment_expression left: (member_expression) right: (object (shorthand_property_identifier) @export))
(call_expression function: [(identifier) (member_expression)] @call)
(new_expression constructor: [(identifier) (member_expression)] @call)
(comment) @comment
"""
QUESTION = (
    _SHARED
    + JSX
    + """
(class_body (field_definition) @symbol)
(class_heritage [(identifier) (member_expression)] @base)
"""
)
TYPED_QUESTION = (
    _SHARED
    + """
(abstract_class_declaration) @symbol
(interface_declaration) @symbol
(enum_declaration) @symbol
(internal_module) @symbol
(module) @symbol
(program (type_alias_declaration) @symbol)
(export_statement (type_alias_declaration) @symbol)
(ambient_declaration (type_alias_declaration) @symbol)
(internal_module (statement_block (type_alias_declaration) @symbol))
(module (statement_block (type_alias_declaration) @symbol))
(function_signature) @symbol
(class_body (public_field_definition) @symbol)
(class_body [(method_signature) (abstract_method_signature)] @symbol)
(interface_body [(method_signature) (property_signature)] @symbol)
(enum_body [(property_identifier) (string) (enum_assignment)] @symbol)
(ambient_declaration
  [(lexical_declaration (variable_declarator) @symbol) (variable_declaration (variable_declarator) @symbol)])
(internal_module (statement_block
  [(lexical_declaration (variable_declarator) @symbol) (variable_declaration (variable_declarator) @symbol)]))
(module (statement_block
  [(lexical_declaration (variable_declarator) @symbol) (variable_declaration (variable_declarator) @symbol)]))
(ambient_declaration (statement_block
  [(lexical_declaration (variable_declarator) @symbol) (variable_declaration (variable_declarator) @symbol)]))
(extends_clause value: [(identifier) (member_expression)] @base)
(implements_clause [(type_identifier) (nested_type_identifier)] @base)
(implements_clause (generic_type name: (_) @base))
(extends_type_clause type: [(type_identifier) (nested_type_identifier)] @base)
(extends_type_clause type: (generic_type name: (_) @base))
(type_annotation (type_identifier) @call)
(type_annotation (generic_type name: (type_identifier) @call))
(type_arguments (type_identifier) @call)
(union_type (type_identifier) @call)
(array_type (type_identifier) @call)
"""
)
_CLASSES = (
    *("class_declaration", "abstract_class_declaration", "class", "interface_declaration"),
    *("enum_declaration", "internal_module", "module"),
)
_FUNCTIONS = ("function_expression", "arrow_function", "generator_function", "function")
_METHODS = ("method_definition", "method_signature", "abstract_method_signature")
_FIELDS = ("field_definition", "public_field_definition", "property_signature")
_ENDINGS = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
BUILTINS = words(
    "require import super Object Array String Number Boolean Symbol BigInt Function Promise Map Set WeakMap WeakSet"
    " WeakRef Date RegExp Error TypeError RangeError SyntaxError Math JSON Reflect Proxy Intl Atomics console process"
    " window document global globalThis setTimeout setInterval setImmediate clearTimeout clearInterval parseInt"
    " parseFloat isNaN isFinite encodeURIComponent decodeURIComponent structuredClone queueMicrotask fetch Record"
    " Partial Required Readonly Pick Omit Exclude Extract NonNullable Parameters ReturnType InstanceType Awaited"
    " Iterable Iterator AsyncIterable PromiseLike ArrayLike Buffer Uint8Array"
)


def define(node: Node) -> Iterator[Definition]:
    """A class, interface, enumeration, namespace, function, member, or a variable at the top level."""
    if node.type == "assignment_expression":
        yield from _assigned(node)
    elif node.type == "variable_declarator":
        target = node.child_by_field_name("name")
        if target is not None and target.type == "identifier":
            outer = node.parent if node.parent is not None and node.parent.named_child_count == 1 else node
            yield _definition(node, outer, text(target), _value(node))
    elif node.type in ("property_identifier", "string", "enum_assignment"):
        name = part(node, "name") or text(node)
        yield _made(node, node, name.strip("\"'"), Symbol(SymbolKind.PROPERTY, node.start_point[0]))
    else:
        above = node.parent
        is_default = above is not None and above.type == "export_statement" and has_word(above, "default")
        name = part(node, "name") or part(node, "property") or ("default" if is_default else "")
        if name:
            yield _definition(node, node, name.strip("\"'"), _value(node) if node.type in _FIELDS else None)


def _value(node: Node) -> Node | None:
    """What is assigned, where that is a function or a class."""
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    return value if value is not None and value.type in (*_FUNCTIONS, "class") else None


def _assigned(node: Node) -> Iterator[Definition]:
    """A function that becomes a property of something, and whatever a module gives to others that way."""
    target = node.child_by_field_name("left")
    name = dotted(target) if target is not None else ""
    value = _value(node)
    is_export = name.startswith(("exports.", "module.exports."))
    right = node.child_by_field_name("right")
    if is_export:
        name = name.removeprefix("module.").removeprefix("exports.")
        if value is None and (right is None or right.type in ("identifier", "assignment_expression", "undefined")):
            return  # defined where it is called so
    elif value is None or not name or name == "module.exports":
        return
    name = name.replace(".prototype.", ".")
    outer = node.parent if node.parent is not None else node
    yield _definition(node, outer, name, value)


def _definition(node: Node, outer: Node, name: str, value: Node | None) -> Definition:
    if outer.parent is not None and outer.parent.type in ("export_statement", "ambient_declaration"):
        outer = outer.parent
        if outer.parent is not None and outer.parent.type == "export_statement":
            outer = outer.parent
    shape = value if value is not None else node
    kind = _kind(node, value)
    if "." in name and kind is SymbolKind.FUNCTION:
        kind = SymbolKind.METHOD
    parameters = shape.child_by_field_name("parameters") or shape.child_by_field_name("parameter")
    is_called = kind in (SymbolKind.FUNCTION, SymbolKind.METHOD)
    symbol = Symbol(
        kind,
        node.start_point[0],
        tuple(_parameters(parameters)) if is_called else None,
        type_of(shape, "return_type") or type_of(node),
        tuple(_bases(shape)),
        tuple(text(one).lstrip("@") for place in {node, outer} for one in children(place, "decorator")),
        is_async=has_word(shape, "async"),
        is_public=_is_public(node, outer, name),
    )
    return _made(node, outer, name, symbol)


def _made(node: Node, outer: Node, name: str, symbol: Symbol) -> Definition:
    is_announced = node.type in ("function_signature", "method_signature", "abstract_method_signature")
    end = max(node.end_byte, outer.end_byte)
    return Definition(outer.start_byte, end, name, symbol, is_announced=is_announced)


def _kind(node: Node, value: Node | None) -> SymbolKind:
    if node.type in ("object", "array", "call_expression"):
        return SymbolKind.VARIABLE
    if node.type in _CLASSES or (value is not None and value.type == "class"):
        return SymbolKind.CLASS
    if node.type in _METHODS:
        return SymbolKind.PROPERTY if has_word(node, "get", "set") else SymbolKind.METHOD
    if node.type in _FIELDS:
        return SymbolKind.PROPERTY if value is None else SymbolKind.METHOD
    if node.type in ("variable_declarator", "assignment_expression"):
        return SymbolKind.VARIABLE if value is None else SymbolKind.FUNCTION
    return SymbolKind.VARIABLE if node.type == "type_alias_declaration" else SymbolKind.FUNCTION


def _is_public(node: Node, outer: Node, name: str) -> bool:
    if node.type in (*_METHODS, *_FIELDS):
        words = {text(one) for one in children(node, "accessibility_modifier")}
        return not name.startswith("#") and not words & {"private", "protected"}
    return outer.type in ("export_statement", "expression_statement")


def _bases(node: Node) -> Iterator[str]:
    for one in children(node, "class_heritage", "extends_type_clause"):
        clauses = list(children(one, "extends_clause", "implements_clause"))
        for clause in clauses or [one]:
            value = clause.child_by_field_name("value")
            yield from (text(base) for base in ([value] if value is not None else clause.named_children))


def _parameters(node: Node | None) -> Iterator[SymbolParameter]:
    if node is not None and node.type == "identifier":  # x => …
        yield SymbolParameter(text(node))
        return
    for one in node.named_children if node is not None else ():
        if one.type in ("comment", "decorator"):
            continue
        name = part(one, "pattern") or part(one, "left") or text(one)
        default = part(one, "value") or part(one, "right")
        yield SymbolParameter(name, type_of(one), default, is_optional=one.type == "optional_parameter")


def imports(node: Node, path: str) -> Iterator[Import]:
    """The names that an import, a re-export or a call of ``require`` binds."""
    if node.type == "call_expression":
        yield from _required(node, path)
        return
    clause = next(children(node, "import_require_clause"), node)
    module = _module(part(clause, "source"), path)
    if not module:
        return
    start, end = node.start_byte, node.end_byte
    taken = list(_taken(node))
    for name, local in taken:
        yield Import(start, end, module, name, local)
    if not taken:
        yield Import(start, end, module, "", "")


def _taken(node: Node) -> Iterator[tuple[str, str]]:
    """What a statement takes and what it calls it."""
    for one in node.named_children:
        if one.type in ("import_clause", "named_imports", "export_clause"):
            yield from _taken(one)
        elif one.type in ("import_specifier", "export_specifier"):
            name = part(one, "name")
            yield name, part(one, "alias") or name
        elif one.type in ("namespace_import", "namespace_export", "import_require_clause"):
            yield "", text(next(children(one, "identifier"), None))
        elif one.type == "identifier":
            yield "default", text(one)
    if node.type == "export_statement" and has_word(node, "*"):
        yield "", ""


def _required(node: Node, path: str) -> Iterator[Import]:
    called, given = part(node, "function"), node.child_by_field_name("arguments")
    module = _module(text(given.named_children[0]), path) if given is not None else ""
    if called not in ("require", "import") or not module:
        return
    start, end = node.start_byte, node.end_byte
    above = node.parent
    if above is not None and above.type == "await_expression":
        above = above.parent
    target = above.child_by_field_name("name") if above is not None and above.type == "variable_declarator" else None
    bound = list(_destructured(target)) if target is not None else []
    for name, local in bound:
        yield Import(start, end, module, name, local)
    if not bound:
        yield Import(start, end, module, "", text(target) if target is not None else "")


def _destructured(node: Node) -> Iterator[tuple[str, str]]:
    for one in children(node, "shorthand_property_identifier_pattern", "pair_pattern"):
        yield part(one, "key") or text(one), part(one, "value") or text(one)


def _module(source: str, path: str) -> str:
    """A relative module is named from the root; another one stays as it is written until `settle`."""
    name = source.strip("\"'`")
    if not name or "|" in name or "#" in name[1:]:
        return ""
    if name.startswith("."):
        found = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
        return "" if found.startswith("..") else "/" + _stem(found)
    return name.lstrip("/")


def settle(imports: list[Import], path: str, modules: PathTable) -> list[Import]:
    """Modules that are not relative, by the paths that the project's configuration maps them to."""
    del path
    settled = (one if one.module[:1] == "/" else one._replace(module=_mapped(one.module, modules)) for one in imports)
    return [one for one in settled if one.module]


def _mapped(name: str, modules: PathTable) -> str:
    """Where a module may lie: at those of the mapped places that end in one name, because one key stands for all."""
    pattern, targets = mapped(modules, name)
    places = [f"/{_stem(posixpath.normpath(target))}" for target in targets]
    if pattern in ("", ANY_NAME):
        places.append(_usual(name))
    alike = [place for place in dict.fromkeys(places) if place.rpartition("/")[2] == places[0].rpartition("/")[2]]
    return "|".join(filter(None, alike))


def _usual(name: str) -> str:
    """Without a configuration that says more, the alias in front is dropped, as ``@/`` and ``~/`` are in projects that
    map them, and what is left must be the end of one path; a single name is a package of others."""
    alias, slash, rest = name.partition("/")
    if slash and alias.startswith(("@", "~", "#")):
        name = rest
    elif not slash or ":" in alias:
        return ""
    return _stem(posixpath.normpath(name.strip("/")))


def _stem(path: str) -> str:
    """A path as modules are called: without its ending, and an index by its folder."""
    for ending in _ENDINGS:
        path = path.removesuffix(ending)
    folder, _, name = path.rpartition("/")
    return (folder or ".") if name == "index" else path
