"""Ask the grammar of a language what a file holds.

Text enters, what was `Found` in it leaves. Grammars are loaded when the first file of their language is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pinakes.parse.code.comments import beginning, ending, joined, marks
from pinakes.parse.code.definitions import Found, Use
from pinakes.parse.code.languages import ROWS, LanguageRules
from pinakes.parse.code.nodes import has_word, holder, part, text
from pinakes.records import Media, Relation
from pinakes.records.module_paths import PathTable

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

_RELATIONS = {"call": Relation.CALLS, "base": Relation.EXTENDS}


def read(media: Media, source: bytes, path: str, modules: PathTable = ()) -> Found:
    """What a file of source code holds; `modules` are the paths that its project maps names of modules to."""
    from tree_sitter import QueryCursor

    rules = ROWS[media.name]
    parser, query = _grammar(media)
    tree = parser.parse(rules.prepare(source) if rules.prepare is not None else source)
    captured = QueryCursor(query).captures(tree.root_node)
    comments = joined([(node.start_byte, node.end_byte) for node in captured.get("comment", ())], source)
    found = Found(has_overloads=rules.has_overloads)
    ends = {end: start for start, end in comments}
    for node in captured.get("symbol", ()):
        for made in rules.define(node):
            start, end = beginning(made.start, comments, source), ending(made.end, ends, source)
            found.definitions.append(made._replace(start=start, end=end))
    for node in captured.get("import", ()):
        found.imports += rules.imports(node, path)
    if rules.settle is not None:
        found.imports = rules.settle(found.imports, path, modules)
    found.uses = list(_uses(captured, rules))
    if exports := captured.get("export"):
        _publish(found, exports)
    for start, end in comments:
        found.prose.append((start, end))
        found.marks += marks(source, start, end)
    for node in captured.get("prose", ()):
        found.prose.append((node.start_byte, node.end_byte))
        found.marks += _quotes(node)
    return found


def _uses(captured: Mapping[str, Sequence[Node]], rules: LanguageRules) -> Iterable[Use]:
    """Of names that end in one place only the longest: ``b`` in ``a.b`` is no name of its own."""
    longest: dict[int, Use] = {}
    for capture, relation in _RELATIONS.items():
        for node in captured.get(capture, ()):
            end = node.end_byte
            known = longest.get(end)
            if known is not None and known.start < node.start_byte:
                continue
            name = rules.name(node)
            if name and name.partition(".")[0] not in rules.builtins:
                longest[end] = Use(node.start_byte, end, name, relation)
    return longest.values()


def _publish(found: Found, exports: Sequence[Node]) -> None:
    """What a file names as public, in another place than where it defines it."""
    public: set[str] = set()
    for node in exports:
        name = part(node, "name") or text(node)
        alias = part(node, "alias") if node.type == "export_specifier" else ""
        statement = holder(node, "export_statement", "program")
        if node.type != "export_specifier" and statement is not None and has_word(statement, "default"):
            alias = "default"
        public.add(name)
        if alias:
            found.aliases.setdefault(name, []).append(alias)
    found.definitions = [
        one._replace(symbol=replace(one.symbol, is_public=True)) if one.name in public else one
        for one in found.definitions
    ]


def _quotes(node: Node) -> Iterator[tuple[int, int]]:
    """The quotes of a documentation string."""
    inside = node.named_children
    if len(inside) > 1:
        yield node.start_byte, inside[0].end_byte
        yield inside[-1].start_byte, node.end_byte


@cache
def _grammar(media: Media) -> tuple[Parser, Query]:
    from tree_sitter import Language, Parser, Query

    assert media.code is not None
    rules = ROWS[media.name]
    language = Language(getattr(import_module(media.code.grammar), rules.grammar)())
    return Parser(language), Query(language, rules.question)
