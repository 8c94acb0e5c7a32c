"""What docutils sees in a file of reStructuredText: its headings, and how many blocks of code it has.

Directives and roles of Sphinx are unknown to docutils. So what stands in a directive is read as text of the document,
directives of code hold code, and a role shows its words.
"""

from __future__ import annotations

import re
from importlib import import_module
from io import StringIO
from typing import Any

PROGRAM = "docutils"
_CODE = frozenset(
    ("code-block", "sourcecode", "code", "productionlist", "doctest", "testcode", "testoutput", "ipython")
)
_SHOWS_NOTHING = frozenset(("toctree", "index", "highlight", "literalinclude", "testsetup", "testcleanup"))
_KNOWN = frozenset(
    (
        *("note", "warning", "image", "table", "list-table", "rubric", "topic", "replace", "tip", "parsed-literal"),
        *("math", "admonition", "hint", "important", "caution"),
    )
)
_TARGET = re.compile(r"\A(.*) <[^<>]*>\Z", re.DOTALL)
_QUIET = {
    "report_level": 5,
    "halt_level": 5,
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "doctitle_xform": False,
}


class _AnyOption(dict[str, Any]):
    """Whatever a directive is given is taken."""

    def __getitem__(self, name: str) -> Any:
        return str

    def __contains__(self, name: object) -> bool:
        return True

    def get(self, name: str, default: Any = None) -> Any:
        return str


def prepare() -> str:
    """Teach docutils what it does not know of Sphinx; a sentence where there is no docutils."""
    try:
        rst, nodes = import_module("docutils.parsers.rst"), import_module("docutils.nodes")
    except ImportError:
        return "reStructuredText is compared with docutils: pip install docutils"
    known = rst.directives.directive

    def run(self: Any) -> list[Any]:
        if self.name in _SHOWS_NOTHING:
            return []
        if self.name in _CODE:
            return [nodes.literal_block("", "\n".join(self.content))]
        box = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, box, match_titles=0)
        return [box]

    facts = {"has_content": True, "optional_arguments": 100, "final_argument_whitespace": True}
    unknown = type("Unknown", (rst.Directive,), {**facts, "option_spec": _AnyOption(), "run": run})

    def directive(name: str, *more: Any) -> Any:
        return known(name, *more) if name in _KNOWN else (unknown, [])

    def show(name: str, raw: str, text: str, *_: Any, **__: Any) -> Any:
        words = _TARGET.sub(r"\1", text)
        return [nodes.inline(raw, words if name == "command" else words.lstrip("!~"))], []

    rst.directives.directive = directive
    rst.roles.role = lambda *_: (show, [])
    return ""


def seen(data: bytes) -> dict[str, Any]:
    """The headings with their level, and the number of blocks of code; `error` where docutils fails."""
    nodes = import_module("docutils.nodes")
    read = import_module("docutils.core").publish_doctree
    try:
        tree = read(data.decode("utf-8"), settings_overrides={**_QUIET, "warning_stream": StringIO()})
    except (UnicodeDecodeError, ValueError, TypeError, AttributeError, LookupError) as trouble:
        return {"error": str(trouble)}
    sections = list(tree.findall(nodes.section))
    blocks = [*tree.findall(nodes.literal_block), *tree.findall(nodes.doctest_block)]
    return {"headings": [(_level(one, nodes), one[0].astext()) for one in sections], "blocks": len(blocks)}


def _level(node: Any, nodes: Any) -> int:
    return int(isinstance(node, nodes.section)) + (_level(node.parent, nodes) if node.parent is not None else 0)
