"""The row of Python."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pinakes.parse.code.definitions import Definition, Import
from pinakes.parse.code.nodes import children, dotted, has_word, part, stretch, text
from pinakes.records import Symbol, SymbolKind, SymbolParameter
from pinakes.records.module_paths import PathTable

if TYPE_CHECKING:
    from tree_sitter import Node

QUESTION = """
(function_definition) @symbol
(class_definition) @symbol
(module (expression_statement (assignment) @symbol))
(class_definition body: (block (expression_statement (assignment) @symbol)))
(type_alias_statement) @symbol
(import_statement) @import
(import_from_statement) @import
(call function: [(identifier) (attribute)] @call)
(decorator [(identifier) (attribute)] @call)
(type (identifier) @call)
(class_definition superclasses: (argument_list [(identifier) (attribute)] @base))
(module . (comment)* . (expression_statement (string) @prose))
(module (expression_statement (assignment)) . (expression_statement (string) @prose))
(function_definition body: (block . (comment)* . (expression_statement (string) @prose)))
(class_definition body: (block . (comment)* . (expression_statement (string) @prose)))
(class_definition body: (block (expression_statement (assignment)) . (expression_statement (string) @prose)))
(comment) @comment
"""
BUILTINS = frozenset(dir(builtins))
_PROPERTIES = ("property", "cached_property", "functools.cached_property", "abc.abstractproperty")


def define(node: Node) -> Iterator[Definition]:
    """A function, a class, or a name that is assigned at the top level of a module or class."""
    if node.type in ("assignment", "type_alias_statement"):
        yield from _variables(node)
        return
    name = part(node, "name")
    outer = node.parent if node.parent is not None and node.parent.type == "decorated_definition" else node
    decorators = tuple(text(one).lstrip("@").strip() for one in children(outer, "decorator"))
    line, is_public = node.start_point[0], _is_public(name)
    if node.type == "class_definition":
        bases = node.child_by_field_name("superclasses")
        named = tuple(text(one) for one in bases.named_children if one.type != "comment") if bases else ()
        symbol = Symbol(SymbolKind.CLASS, line, None, "", named, decorators, is_public=is_public)
        yield Definition(outer.start_byte, node.end_byte, name, symbol)
        return
    kind = SymbolKind.METHOD if _holder(outer) == "class_definition" else SymbolKind.FUNCTION
    if kind is SymbolKind.METHOD and any(one in _PROPERTIES for one in decorators):
        kind = SymbolKind.PROPERTY
    symbol = Symbol(
        kind,
        line,
        tuple(_parameters(node.child_by_field_name("parameters"))),
        part(node, "return_type"),
        (),
        decorators,
        is_async=has_word(node, "async"),
        is_public=is_public,
    )
    yield Definition(outer.start_byte, node.end_byte, name, symbol)


def _variables(node: Node) -> Iterator[Definition]:
    """Each name that is assigned: one, several in a row, or several at once."""
    kind = SymbolKind.PROPERTY if _holder(node.parent) == "class_definition" else SymbolKind.VARIABLE
    named = list(_assigned(node))
    for place, one in enumerate(named):
        name = text(one).partition("[")[0]
        symbol = Symbol(kind, one.start_point[0], None, part(node, "type"), is_public=_is_public(name))
        yield Definition(*stretch(node, named, place), name, symbol)


def _assigned(node: Node) -> Iterator[Node]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is not None and left.type in ("identifier", "type"):
        if dotted(left).isidentifier():
            yield left
    elif left is not None and left.type in ("pattern_list", "tuple_pattern"):
        yield from children(left, "identifier")
    if right is not None and right.type == "assignment":
        yield from _assigned(right)


def _holder(node: Node | None) -> str:
    """The type of the function, class or module directly around a statement."""
    node = node.parent if node is not None else None
    while node is not None and node.type not in ("class_definition", "function_definition", "module"):
        node = node.parent
    return node.type if node is not None else "module"


def _is_public(name: str) -> bool:
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _parameters(node: Node | None) -> Iterator[SymbolParameter]:
    for one in node.named_children if node is not None else ():
        if one.type == "comment":
            continue
        named = one.child_by_field_name("name") or (one.named_children[0] if one.type == "typed_parameter" else one)
        yield SymbolParameter(text(named), part(one, "type"), part(one, "value"))


def imports(node: Node, path: str) -> Iterator[Import]:
    """The names that an import statement binds. Relative modules are named from the root."""
    start, end = node.start_byte, node.end_byte
    module = node.child_by_field_name("module_name")
    if node.type == "import_statement":
        for one in node.children_by_field_name("name"):
            name, alias = _aliased(one)
            if not _is_standard(name):
                # `import a.b` binds `a`, and then `a.b` is written out where it is used.
                yield Import(start, end, name.replace(".", "/"), "", alias or name)
    elif module is not None and not _is_standard(text(module)):
        place = _module_path(module, path)
        if not place:
            return
        names = node.children_by_field_name("name")
        for one in names:
            name, alias = _aliased(one)
            yield Import(start, end, place, name, alias or name)
        if not names:
            yield Import(start, end, place, "*", "")


def settle(imports: list[Import], path: str, modules: PathTable = ()) -> list[Import]:
    """A file that imports from the package it lies in shows where packages begin: a single name is looked for there,
    and not beside the file, where one of its own package may be called as a package of others."""
    del modules  # of other languages
    begins = [f"/{path}".find(f"/{one.module.partition('/')[0]}/") for one in imports if one.module[:1] != "/"]
    root = min((begin for begin in begins if begin >= 0), default=-1)
    if root < 0:
        return imports
    folder = f"/{path[:root]}".rstrip("/")
    return [
        one._replace(module=f"{folder}/{one.module}") if "/" not in one.module and one.module else one
        for one in imports
    ]


def _aliased(node: Node) -> tuple[str, str]:
    if node.type == "aliased_import":
        return part(node, "name"), part(node, "alias")
    return text(node), ""


def _is_standard(module: str) -> bool:
    """Whether a module comes with Python. A file of ours that is called so, too, is imported from its package."""
    return module.partition(".")[0] in sys.stdlib_module_names


def _module_path(node: Node, path: str) -> str:
    """Where a module is looked for; empty for one that would lie above the root."""
    written = text(node).replace(" ", "")
    if node.type != "relative_import":
        return written.replace(".", "/")
    name = written.lstrip(".")
    folders = path.split("/")[:-1]
    climbs = len(written) - len(name) - 1
    if climbs > len(folders):
        return ""
    folders = folders[: len(folders) - climbs]
    return "/" + ("/".join([*folders, *filter(None, name.split("."))]) or ".")
