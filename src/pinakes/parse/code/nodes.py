"""What the rows of all languages share: the text of a node, its names with dots, its parameters, its type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pinakes.records import SymbolParameter

if TYPE_CHECKING:
    from tree_sitter import Node

_JOINTS = re.compile(r"::|->|[?!]\.")
_NOT_NAMED = re.compile(r"\s+|<[^()]*>")
_DOTTED = re.compile(r"[\w$#]+(?:\.[\w$#]+)*\Z")
_LONGEST_NAME = 200
_SPACES = re.compile(r"\s+")
_STRINGS = ("string", "string_literal", "char_literal")
"""How the types of nodes end that are strings."""


def text(node: Node | None) -> str:
    """What is written at a node, on one line and without comments; a string keeps its spaces."""
    if node is None:
        return ""
    written = (node.text or b"").decode("utf-8", "replace")
    line = " ".join(written.split())
    if line == written:
        return line
    pieces, between, end = [], "", node.start_byte
    for inner in _strings_and_comments(node):
        between += _written(node, end, inner.start_byte)
        end = inner.end_byte
        if "comment" not in inner.type:
            shown = _written(node, inner.start_byte, end)
            pieces += [_SPACES.sub(" ", between), " ".join(shown.split()) if "\n" in shown else shown]
            between = ""
    return "".join((*pieces, _SPACES.sub(" ", between + _written(node, end, node.end_byte)))).strip()


def _strings_and_comments(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if "comment" in one.type or one.type.endswith(_STRINGS):
            yield one
        else:
            waiting.extend(reversed(one.children))


def _written(node: Node, start: int, end: int) -> str:
    return (node.text or b"")[start - node.start_byte : end - node.start_byte].decode("utf-8", "replace")


def part(node: Node, name: str) -> str:
    """What is written at a field of a node, on one line; empty where there is none."""
    return text(node.child_by_field_name(name))


def type_of(node: Node, name: str = "type") -> str:
    """A type as written, without the colon or arrow that leads to it."""
    return part(node, name).lstrip(":->").strip()


def dotted(node: Node) -> str:
    """A name, or names joined by dots, however a language joins them; what came out of a call or an index is none."""
    written = node.text or b""
    if len(written) > _LONGEST_NAME or b"(" in written:
        return ""
    name = written.decode("utf-8", "replace")
    if name.isidentifier():
        return name
    name = _JOINTS.sub(".", _NOT_NAMED.sub("", name))
    return name if _DOTTED.match(name) else ""


def children(node: Node | None, *types: str) -> Iterator[Node]:
    """The named children of some types."""
    if node is not None:
        yield from (one for one in node.named_children if one.type in types)


def words(listed: str) -> frozenset[str]:
    """Names that are written one behind the other."""
    return frozenset(listed.split())


def has_word(node: Node, *words: str) -> bool:
    """Whether a keyword stands directly in a node."""
    return any(one.type in words for one in node.children)


def holder(node: Node, *types: str) -> Node | None:
    """The nearest of some types around a node."""
    above = node.parent
    while above is not None and above.type not in types:
        above = above.parent
    return above


def stretch(outer: Node, parts: Sequence[Node], place: int) -> tuple[int, int]:
    """Where one of the names stands that a statement defines: the whole of it where it is the only one."""
    if len(parts) == 1:
        return outer.start_byte, outer.end_byte
    return (parts[place] if place else outer).start_byte, parts[place].end_byte


def plain_parameters(node: Node | None, named: str = "name") -> tuple[SymbolParameter, ...]:
    """Parameters of a language whose grammar has a node for each, with names, a type and a value."""
    made: list[SymbolParameter] = []
    for one in node.named_children if node is not None else ():
        if "comment" in one.type:
            continue
        kind, default = type_of(one), part(one, "value")
        names = [text(name) for name in one.children_by_field_name(named)]
        made += [SymbolParameter(name, kind, default) for name in names or [text(one)]]
    return tuple(made)
