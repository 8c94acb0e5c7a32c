"""JavaScript and TypeScript beside the navigation tree of the TypeScript compiler."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.code.symbols import Comparison, Seen, bring, files_below, read_as_code
from pinakes.records import Document, SymbolKind

PACKAGES = ("zod", "preact")
"""One written in TypeScript, one in JavaScript; both carry their sources."""
_KINDS: Mapping[str, SymbolKind] = {
    **dict.fromkeys(("class", "interface", "enum", "module"), SymbolKind.CLASS),
    **dict.fromkeys(("const", "let", "var", "type"), SymbolKind.VARIABLE),
    **dict.fromkeys(("property", "getter", "setter", "enum member", "accessor"), SymbolKind.PROPERTY),
    **dict.fromkeys(("method", "constructor"), SymbolKind.METHOD),
    "function": SymbolKind.FUNCTION,
}
_HOLDERS = ("class", "interface", "enum")
_IDENTIFIER = re.compile(r"[#~]?[\w$:-]+\Z")
_VARIABLE = re.compile(r"\b(?:const|let|var)\s+[\w$]+\s*[=:;,]|^\s*[\w$]+ = ")


def fetch(folder: Path) -> str:
    """Have npm bring the compiler and the packages; a sentence where it cannot."""
    return bring(folder, ("typescript@5", *PACKAGES))


def compare(folder: Path, package: str) -> Comparison:
    """Names, kinds and lines of every symbol in the sources of a package."""
    root = folder / "node_modules" / package
    paths = [path for path in files_below(root, (".ts", ".js", ".tsx", ".mjs")) if path.startswith("src/")]
    command = ["node", str(Path(__file__).with_name("navigation.cjs")), str(folder / "node_modules" / "typescript")]
    asked = "\n".join(str(root / path) for path in paths)
    answer = subprocess.run(command, input=asked, capture_output=True, text=True, check=True).stdout
    found = Comparison()
    for path, line in zip(paths, answer.splitlines(), strict=True):
        document = read_as_code(root, path)
        is_renamed = any("default" in section.aliases for section in document.sections)
        theirs = [one for one in _theirs(json.loads(line), path) if not (is_renamed and one.name == "default")]
        found.add(_ours(document), theirs)
    return found


def _ours(document: Document) -> Iterator[Seen]:
    lines = document.source.decode("utf-8", "replace").split("\n")
    for section in document.sections[1:]:
        symbol = section.symbol
        assert symbol is not None
        kind = symbol.kind
        if "." in section.title:
            kind = SymbolKind.FUNCTION
        elif kind is SymbolKind.FUNCTION and _VARIABLE.search(lines[symbol.line]):
            kind = SymbolKind.VARIABLE  # their tree does not say what a constant holds
        elif kind is SymbolKind.METHOD and re.search(r"\b[\w$]+ = ", lines[symbol.line].partition("(")[0]):
            kind = SymbolKind.PROPERTY
        name = section.title.rpartition(".")[2]
        yield Seen(document.ref.path, name, kind, symbol.line + 1)


def _theirs(items: Sequence[Mapping[str, Any]], path: str) -> Iterator[Seen]:
    """What a file declares, without what functions keep to themselves, objects hold, and callbacks."""
    made_of_functions = {item["line"] for item in items if item["kind"] == "constructor"}
    for item in items:
        kind, name, holder = item["kind"], item["name"].strip("\"'"), item["holder"]
        line = int(item["line"])
        found = _KINDS.get(kind)
        if found is None or not _IDENTIFIER.match(name.rpartition(".")[2]):
            continue
        if found is SymbolKind.VARIABLE and holder not in ("module", "script"):
            continue
        if found in (SymbolKind.PROPERTY, SymbolKind.METHOD) and holder not in _HOLDERS:
            continue
        if item["isAssignedInside"]:
            continue
        if kind == "class" and item["line"] in made_of_functions:
            found = SymbolKind.FUNCTION  # a function with methods assigned to its prototype
        if kind == "constructor" and any(one["kind"] == "class" and one["line"] == item["line"] for one in items):
            continue
        yield Seen(path, name.rpartition(".")[2], found, line)
