"""The words of code in colours, as markup.

Code and the name of its language enter, escaped markup leaves with a class for each kind of word. What is too long, in
a language that is not known, or not read in time stays in one colour: colours are comfort, and documents may be
hostile.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache
from typing import Any

from pinakes.html.markup import Markup, text, visible

LONGEST = 30_000
"""Letters of a block that is coloured."""
_LONGEST_LINE = 2_000
_MOST_LETTERS = 200_000
"""Of all blocks of one document: a number and no time, so that a document looks the same whenever it is drawn."""
SECONDS = 1.0
"""Of processor time for all blocks of one document, for those that are written to take long."""
LANGUAGES = frozenset(
    """apache asm awk bash bat batch c c# c++ clj clojure cmake console cpp cs csharp css cxx dart diff docker
    dockerfile dotenv elixir elm erl erlang ex exs fish fsharp gherkin go golang gql graphql groovy h haskell hcl hpp hs
    html http ini java javascript jinja js json json5 jsonc jsx julia kotlin kt latex less lisp lua make makefile
    markdown matlab md mysql nginx nim nix objc objective-c ocaml patch perl php pgsql pl plsql postgres powershell
    prolog properties proto protobuf ps1 pwsh py pycon python python3 r rb rego rs rst ruby rust sass scala scheme scss
    sh shell shell-session solidity sql sqlite svelte swift systemd terraform tex tf toml ts tsx twig typescript
    vb vim vue wasm xml xhtml yaml yml zig zsh""".split()  # noqa: SIM905 - a hundred words in a list would fill the screen
)
"""Those that documentation is written with; others have readers that fewer people have looked at."""
_SPELLED = {
    "cxx": "cpp",
    "dotenv": "ini",
    "gql": "graphql",
    "h": "c",
    "hpp": "cpp",
    "json5": "json",
    "jsonc": "json",
    "kt": "kotlin",
    "patch": "diff",
    "pgsql": "sql",
    "plsql": "sql",
    "sqlite": "sql",
    "svelte": "html",
    "vb": "vb.net",
    "wasm": "wast",
    "xhtml": "html",
}
"""Names that the readers of languages do not know."""
_CLASSES = (
    ("Comment.Preproc", "m"),
    ("Comment", "c"),
    ("Keyword.Type", "b"),
    ("Keyword.Constant", "n"),
    ("Keyword", "k"),
    ("Operator.Word", "k"),
    ("Name.Tag", "k"),
    ("Name.Attribute", "a"),
    ("Name.Property", "a"),
    ("Name.Builtin", "b"),
    ("Name.Class", "f"),
    ("Name.Function", "f"),
    ("Name.Decorator", "m"),
    ("Name.Exception", "b"),
    ("Name.Namespace", "b"),
    ("Name.Variable", "a"),
    ("Literal.String", "s"),
    ("Literal.Number", "n"),
    ("Literal.Date", "n"),
    ("Generic.Deleted", "d"),
    ("Generic.Inserted", "i"),
    ("Generic.Heading", "f"),
    ("Generic.Subheading", "f"),
    ("Generic.Prompt", "c"),
    ("Generic.Output", "o"),
    ("Generic.Error", "d"),
)
"""Kinds of tokens and their class, the narrower first: k keyword, s string, c comment, n number, f what is defined,
b what is built in, a attribute or variable, m what speaks to the compiler, d gone, i added, o output."""


class Colours:
    """The colours of one document's code; holds how much time and how many letters are left."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._left = seconds
        self._letters = _MOST_LETTERS

    def coloured(self, code: str, language: str) -> Markup:
        """Code as markup, in colours where that can be had."""
        lexer = _lexer(language.lower()) if self._left > 0 else None
        is_long = len(code) > min(LONGEST, self._letters) or any(len(line) > _LONGEST_LINE for line in code.split("\n"))
        if lexer is None or is_long:
            return text(code)
        self._letters -= len(code)
        started = time.thread_time()
        made: list[str] = []
        for looks, words in _joined(lexer.get_tokens_unprocessed(visible(code))):
            made.append(f'<span class="{looks}">{text(words)}</span>' if looks else text(words))
            if time.thread_time() - started > self._left:
                self._left = 0.0
                return text(code)
        self._left -= time.thread_time() - started
        return Markup("".join(made))


def _joined(tokens: Iterator[Any]) -> Iterator[tuple[str, str]]:
    """Neighbours of one class as one; blanks belong to what stands before them."""
    looks, words = "", ""
    for _, kind, value in tokens:
        found = looks if value.isspace() else _class(kind)
        if found != looks and words:
            yield looks, words
            words = ""
        looks, words = found, words + value
    if words:
        yield looks, words


@cache
def _class(kind: Any) -> str:
    name = str(kind).removeprefix("Token.")
    return next((looks for prefix, looks in _CLASSES if name == prefix or name.startswith(f"{prefix}.")), "")


@cache
def _lexer(language: str) -> Any:
    """What reads a language; None for those that are not known."""
    if language not in LANGUAGES:
        return None
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(_SPELLED.get(language, language), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
