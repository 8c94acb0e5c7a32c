"""The languages: one row for each, with a question for its grammar and what the answers mean.

A grammar is asked once for a file, for everything that `LanguageRules.question` names. Its captures are:

- ``symbol``: a definition, which `LanguageRules.define` takes apart;
- ``import``: a statement, which `LanguageRules.imports` takes apart;
- ``call`` and ``base``: a name that is called or used, or extended;
- ``export``: a name that is defined in one place and made public in another;
- ``comment``: a comment, and ``prose``: a documentation string.

What stands in a row and not in a field is the same for all languages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from pinakes.parse.code import c, go, java, javascript, nodes, python, rust
from pinakes.parse.code.definitions import Definition, Import
from pinakes.records.module_paths import PathTable

if TYPE_CHECKING:
    from tree_sitter import Node


def _nowhere(path: str, name: str) -> str:
    return ""


class LanguageRules(Struct, frozen=True):
    """How one language is read."""

    question: str
    """For the grammar, in tree-sitter's notation."""
    define: Callable[[Node], Iterable[Definition]]
    imports: Callable[[Node, str], Iterable[Import]]
    """What an import statement of the file at a path binds."""
    settle: Callable[[list[Import], str, PathTable], list[Import]] | None = None
    """The imports of the file at a path, as only all of them together, or the project's configuration, tell where they
    lead."""
    name: Callable[[Node], str] = nodes.dotted
    """A name that is called or extended, with dots; empty for what is no plain name."""
    elsewhere: Callable[[str, str], str] = _nowhere
    """Where the file at a path finds a name that it neither defines nor imports; empty for nowhere."""
    knows_itself: bool = False
    """Whether a class calls its own methods without saying on what, and what stands in it by their plain names."""
    has_overloads: bool = False
    """Whether functions of one name are told apart by the types of their parameters."""
    prepare: Callable[[bytes], bytes] | None = None
    """What a file is changed to before the grammar sees it; every byte stays in its place."""
    builtins: frozenset[str] = frozenset()
    """Names of the language itself, which lead nowhere."""
    grammar: str = "language"
    """The function of the package that gives the grammar."""


ROWS: Mapping[str, LanguageRules] = {
    "python": LanguageRules(python.QUESTION, python.define, python.imports, python.settle, builtins=python.BUILTINS),
    "javascript": LanguageRules(
        javascript.QUESTION, javascript.define, javascript.imports, javascript.settle, builtins=javascript.BUILTINS
    ),
    "typescript": LanguageRules(
        javascript.TYPED_QUESTION,
        javascript.define,
        javascript.imports,
        javascript.settle,
        builtins=javascript.BUILTINS,
        grammar="language_typescript",
    ),
    "tsx": LanguageRules(
        javascript.TYPED_QUESTION + javascript.JSX,
        javascript.define,
        javascript.imports,
        javascript.settle,
        builtins=javascript.BUILTINS,
        grammar="language_tsx",
    ),
    "c": LanguageRules(c.QUESTION, c.define, c.imports, elsewhere=c.elsewhere, prepare=c.without_macros),
    "cpp": LanguageRules(
        c.QUESTION + c.CPP_QUESTION,
        c.define,
        c.imports,
        elsewhere=c.elsewhere,
        knows_itself=True,
        has_overloads=True,
        prepare=c.without_macros,
        builtins=c.BUILTINS,
    ),
    "go": LanguageRules(go.QUESTION, go.define, go.imports, elsewhere=go.elsewhere, builtins=go.BUILTINS),
    "rust": LanguageRules(rust.QUESTION, rust.define, rust.imports, elsewhere=rust.elsewhere, builtins=rust.BUILTINS),
    "java": LanguageRules(
        java.QUESTION,
        java.define,
        java.imports,
        name=java.name,
        elsewhere=java.elsewhere,
        knows_itself=True,
        builtins=java.BUILTINS,
    ),
}
"""By the name of the format."""
