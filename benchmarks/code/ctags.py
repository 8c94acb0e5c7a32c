"""C and C++ beside Universal Ctags."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.code.symbols import Comparison, Seen, bring, files_below, read_as_code
from pinakes.records import Document, SymbolKind

SOURCES = {"tree-sitter": "tree-sitter/vendor/tree-sitter", "re2": "re2/vendor/re2/re2"}
"""Packages of npm that carry the C and the C++ they are made of, and where."""
_KINDS: Mapping[str, str] = {
    **dict.fromkeys(("class", "struct", "union", "enum", "namespace"), "class"),
    **dict.fromkeys(("function", "prototype"), "function"),
    **dict.fromkeys(("member", "enumerator"), "property"),
    **dict.fromkeys(("typedef", "variable", "externvar"), "variable"),
    "macro": "macro",
}
_OPAQUE = re.compile(r"typedef (?:struct|union|enum) (\w+) \1;")
"""A type that is called as its struct is: once for both sides, where the struct is defined."""
_OUR_KINDS = {SymbolKind.METHOD: "function"}


def missing() -> str:
    """A sentence where there is no Universal Ctags."""
    found = shutil.which("ctags")
    said = subprocess.run(["ctags", "--version"], capture_output=True, text=True, check=False).stdout if found else ""
    return "" if "Universal" in said else "universal-ctags is not installed"


def fetch(folder: Path) -> str:
    """Have npm bring the sources; a sentence where it cannot."""
    return bring(folder, tuple(SOURCES))


def compare(root: Path) -> Comparison:
    """Names, kinds and lines of every symbol in the C and C++ below a folder."""
    paths = files_below(root, (".c", ".h", ".cc", ".cpp", ".hpp"))
    told = _tags(root, paths)
    found = Comparison()
    for path in paths:
        document = read_as_code(root, path)
        found.add(_ours(document), _theirs(told[path], path, document))
    return found


def _tags(root: Path, paths: Sequence[str]) -> Mapping[str, list[Mapping[str, Any]]]:
    command = [
        "ctags",
        "--output-format=json",
        "--fields=+nKSs",
        "--kinds-C=+px",
        "--kinds-C++=+px",
        "-f",
        "-",
        "-L",
        "-",
    ]
    command += ["--map-C=-.h", "--map-C++=+.h"]
    asked = "\n".join(paths)
    answer = subprocess.run(command, cwd=root, input=asked, capture_output=True, text=True, check=True).stdout
    found: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for line in answer.splitlines():
        tag = json.loads(line)
        found[tag["path"]].append(tag)
    return found


def _ours(document: Document) -> Iterator[Seen]:
    lines = document.source.decode("utf-8", "replace").split("\n")
    for section in document.sections[1:]:
        symbol = section.symbol
        assert symbol is not None
        name = section.title.rpartition(".")[2].replace(" ", "")
        if _OPAQUE.search(lines[symbol.line]):
            continue
        kind = _OUR_KINDS.get(symbol.kind, str(symbol.kind))
        if re.match(r"\s*#\s*define", lines[symbol.line]):
            kind = "macro"
        # The line of the name, which may stand below its type.
        below = range(symbol.line, section.lines.end)
        word = re.compile(rf"(?<!\w){re.escape(section.title.rpartition('.')[2])}(?!\w)")
        line = next((line for line in below if word.search(lines[line])), symbol.line)
        yield Seen(document.ref.path, name, kind, line + 1)


def _theirs(tags: Sequence[Mapping[str, Any]], path: str, document: Document) -> Iterator[Seen]:
    defined = {_told(tag) for tag in tags if tag["kind"] == "function"}
    types = {tag["name"] for tag in tags if _KINDS.get(tag["kind"]) == "class"}
    lines = document.source.decode("utf-8", "replace").split("\n")
    for tag in tags:
        kind, name = _KINDS.get(tag["kind"]), tag["name"]
        if kind is None or name.startswith("__anon") or _is_told_twice(tag, defined, types):
            continue
        if tag["kind"] == "typedef" and ":__anon" in tag.get("typeref", ""):
            kind = "class"
        if kind == "macro" and re.search(rf"#\s*ifndef\s+{name}\s+#\s*define\s+{name}\s*$", _two(lines, tag["line"])):
            continue  # it keeps a header from being read twice
        yield Seen(path, name.replace(" ", ""), kind, tag["line"])


def _is_told_twice(tag: Mapping[str, Any], defined: set[tuple[str, str, int]], types: set[str]) -> bool:
    """A prototype of what the file defines, and a type that is called as its struct is."""
    if tag["kind"] == "prototype":
        return _told(tag) in defined or tag["name"].isupper()  # a macro that is called is no prototype
    return bool(tag["kind"] == "typedef" and (tag["name"] in types or _OPAQUE.search(tag.get("pattern", ""))))


def _told(tag: Mapping[str, Any]) -> tuple[str, str, int]:
    return tag["name"], tag.get("scope", ""), tag.get("signature", "").count(",")


def _two(lines: Sequence[str], line: int) -> str:
    return "\n".join(lines[max(line - 2, 0) : line])
